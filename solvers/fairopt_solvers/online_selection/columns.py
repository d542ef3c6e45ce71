"""The offline optimum of a matchoid: a linear program over feasible sets, columns on demand.

Maximise t such that the probabilities y_S of feasible sets add up to 1 and cover every element at
least t times. Its dual asks for weights, adding up to 1, for which the heaviest feasible set is as
light as possible; so any weights w show ``t* <= max_S w(S) / w(E)``. The floats of the linear
program only choose sets and weights: probabilities and weights are made rational, the weights'
heaviest set is found in whole numbers, and the two sides are compared exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairopt.problems.online_selection.answer import Selection
from fairopt.problems.online_selection.matroids import Matchoid
from fairopt.problems.online_selection.problem import OnlineSelection
from fairopt.problems.online_selection.rank import SMALL
from fairopt.rational import text
from fairopt.run import Run
from fairopt.solution import Bound, Claim, Note, Outcome
from fairopt_solvers.backends import LinearModel, relax, rows
from fairopt_solvers.online_selection.lotteries import Lottery, first
from fairopt_solvers.online_selection.oracles import Oracle
from fairopt_solvers.online_selection.partition import pack
from fairopt_solvers.online_selection.pricing import Pricing, cover_by_parts
from fairopt_solvers.online_selection.rationals import small_weights, solve_lottery

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_WARM = 60  # sets to begin with
_SCALE = 10**6  # of the weights of the linear program
_GAIN = 1e-9


@dataclass(slots=True)
class _Proof:
    """An upper bound of t*, and the data that show it (``data["backend"]`` if only claimed)."""

    value: Fraction
    kind: str
    data: dict[str, Any]


def solve_matchoid(
    problem: OnlineSelection, matroid: Matchoid, names: list[int], run: Run, backend: str
) -> Outcome[Selection]:
    """Return the best lottery of a matchoid without loops; element k is ``names[k]``."""
    search = _Columns(problem, matroid, names, run, backend)
    search.generate()
    search.finish()
    return search.outcome()


class _Columns:
    """Feasible sets found so far, the best lottery over them, the best proof of a bound."""

    def __init__(
        self, problem: OnlineSelection, matroid: Matchoid, names: list[int], run: Run, backend: str
    ) -> None:
        self.problem, self.matroid, self.names, self.run = problem, matroid, names, run
        self.oracle = Oracle.of(matroid, run.seed)
        self.pricing = Pricing(matroid, backend)
        self.sets: dict[tuple[int, ...], None] = {}
        self.best = first(self.oracle)
        self.coloring = self.oracle.first_fit(np.arange(matroid.n))
        self.proof = _Proof(Fraction(1), "combinatorial", {"rule": "trivial"})
        self.weights: Floats | None = None
        self.y: Floats | None = None
        self.rank: Claim | None = None
        self.done = False
        self._offer(self.best)

    # -- the linear program ------------------------------------------------------------------

    def generate(self) -> None:
        """Add heaviest sets for the dual weights until none is heavier than t."""
        n = self.matroid.n
        for chosen, _ in self.best.draws:
            self._add(chosen)
        sets = max(1, min(_WARM, 10 * n))
        copies = max(1, int(sets * self.best.least)) + 1
        for row in pack(self.oracle, sets, copies, expired=self.run.expired):
            self._add(self._filled(np.flatnonzero(row)))
        while not self.run.expired():
            t = self._master()
            if t is None:
                return
            assert self.weights is not None
            whole = [int(w) for w in np.rint(self.weights * _SCALE)]
            start = self.oracle.max_weight_base(self.weights)
            if self.weights[start].sum() > t + 1e-6:
                self._add(tuple(start.tolist()))
                continue
            found = self.pricing.heaviest(whole, self.run, start)
            self._claim(whole, found.bound, found.backend)
            gain = float(self.weights[found.chosen].sum()) - t
            before = len(self.sets)
            self._add(self._filled(found.chosen))
            if found.bound is None or self.run.expired():
                return
            if gain <= max(_GAIN, n / _SCALE) and len(self.sets) == before:
                self.done = True
                return

    def _master(self) -> float | None:
        """Solve the linear program over the sets so far; return t, keep y and the weights."""
        n, columns = self.matroid.n, list(self.sets)
        size = [len(s) for s in columns]
        col = np.repeat(np.arange(len(columns)), size)
        row = np.array([e for s in columns for e in s], np.int64)
        width = len(columns)
        cover = rows(
            np.concatenate([row, np.arange(n)]),
            np.concatenate([col, np.full(n, width)]),
            np.concatenate([np.ones(len(row)), -np.ones(n)]),
            lower=0,
            count=n,
        )
        total = rows(np.zeros(width, np.int64), np.arange(width), lower=1, upper=1, count=1)
        costs = [*([0] * width), 1]
        model = LinearModel.build(costs, cover, total, upper=np.inf, integer=False, maximize=True)
        result = relax(model, self.run)
        if result.x is None or result.duals is None:
            return None
        self.y = result.x[:width]
        weights = np.abs(result.duals[:n])
        self.weights = weights / max(float(weights.sum()), 1e-300)
        self.run.report(value=float(result.x[width]))
        return float(result.x[width])

    def _filled(self, chosen: Ints) -> tuple[int, ...]:
        """Return the set made maximal."""
        rest = np.setdiff1d(np.arange(self.matroid.n), chosen)
        return tuple(self.oracle.base(np.concatenate([chosen, rest])).tolist())

    def _add(self, chosen: tuple[int, ...]) -> None:
        self.sets.setdefault(chosen)

    # -- making it exact ---------------------------------------------------------------------

    def finish(self) -> None:
        """Make the lottery rational, and prove as much as can be proven."""
        if self.y is not None:
            self._offer(solve_lottery(list(self.sets)[: len(self.y)], self.y, self.matroid.n))
        n = self.matroid.n
        everything = np.arange(n)
        self._densest(everything)
        if self.weights is None:
            return
        support = np.flatnonzero(self.weights > 1e-7)
        if len(support) < n:
            self._densest(support)
        if self.proof.value > self.best.least or self.proof.kind == "solver":
            self._weighting(small_weights(self.weights))

    def _densest(self, chosen: Ints) -> None:
        """Bound t* by r(S)/|S|."""
        if self.run.expired():
            return
        weights = np.zeros(self.matroid.n, np.int64)
        weights[chosen] = 1
        data: dict[str, Any] = {"rule": "densest-set", "set": self._lifted(chosen)}
        if len(chosen) > SMALL:
            shown = cover_by_parts(self.matroid, chosen, self.run)
            if shown is None:
                return
            rank, data["cover"] = shown[0], [self._part(j) for j in shown[1]]
            largest = max(self.sets, key=len)
            if len(chosen) == self.matroid.n and len(largest) < rank:
                largest = self._filled(self.pricing.heaviest(weights.tolist(), self.run).chosen)
            if len(largest) == rank:
                own = {"set": [self.names[e] for e in largest], "cover": data["cover"]}
                own = {"rule": "set-and-cover", **own}
                self.rank = Claim("rank", rank, "combinatorial", own)
        else:
            found = self.pricing.heaviest(weights.tolist(), self.run)
            if found.bound != found.weight:
                return
            rank = found.weight
        self._prove(_Proof(Fraction(rank, len(chosen)), "combinatorial", data))

    def _weighting(self, weights: Sequence[int]) -> None:
        """Bound t* by the weight of a heaviest set, in whole numbers."""
        if self.run.expired():
            return
        found = self.pricing.heaviest(list(weights), self.run)
        self._claim(weights, found.bound, found.backend)

    def _claim(self, weights: Sequence[int], most: int | None, backend: str) -> None:
        if most is None or not backend:
            return
        value = Fraction(most, sum(weights))
        data: dict[str, Any] = {"backend": backend}
        kind = "solver"
        positive = sum(1 for w in weights if w)
        if positive <= SMALL:
            full = [0] * self.problem.n_elements
            for e, w in zip(self.names, weights, strict=True):
                full[e] = w
            divisor = math.gcd(*full)
            kind, data = "combinatorial", {
                "rule": "weights", "weights": [w // divisor for w in full],
            }  # fmt: skip
        self._prove(_Proof(value, kind, data))

    def _prove(self, proof: _Proof) -> None:
        """Keep the smaller bound; of equal ones that which can be recomputed, and a set first."""
        if _order(proof) < _order(self.proof):
            self.proof = proof

    # -- what comes out ----------------------------------------------------------------------

    def outcome(self) -> Outcome[Selection]:
        """Return the best lottery, the bound, and what is proven about beta, gamma and alpha."""
        proof = self.proof
        bound = Bound(proof.value, proof.kind, proof.data)
        notes: tuple[Note, ...] = ()
        if proof.value > self.best.least and self.done and not self.run.expired():
            notes = (Note("bounded", "the rational lottery and the bound do not meet"),)
        return Outcome(self._answer(), bound, tuple(self._claims()), notes=notes)

    def _answer(self) -> Selection:
        densest = self.proof.data["set"] if self.proof.data.get("rule") == "densest-set" else None
        return Selection.draws(self.best.lifted(self.names).draws, densest)

    def _offer(self, lottery: Lottery) -> None:
        if lottery.least >= self.best.least:
            self.best = lottery
            self.run.offer(self._answer(), lottery.least)

    def _claims(self) -> list[Claim]:
        proof, draws = self.proof, self.best.lifted(self.names).draws
        lottery = [{"set": list(s), "probability": text(p)} for s, p in draws]
        beta, rule = 1 / self.best.least, proof.data.get("rule")
        out = [self._partition(), *([self.rank] if self.rank else [])]
        meets = proof.value == self.best.least
        if meets and rule == "densest-set":
            data = {**proof.data, "rule": "packing", "lottery": lottery}
            return [
                *out, Claim("gamma", beta, proof.kind, data), Claim("beta", beta, proof.kind, data),
            ]  # fmt: skip
        if meets and rule == "weights":
            data = {**proof.data, "rule": "weighted-packing", "lottery": lottery}
            return [*out, Claim("beta", beta, proof.kind, data)]
        if meets:
            return [*out, Claim("beta", beta, proof.kind, proof.data)]
        data = {"rule": "lottery", "lottery": lottery}
        out.append(Claim("beta_at_most", beta, "combinatorial", data))
        if proof.kind == "combinatorial" and rule != "trivial":
            out.append(Claim("beta_at_least", 1 / proof.value, proof.kind, proof.data))
        return out

    def _partition(self) -> Claim:
        """Return what first fit and the densest set show about alpha."""
        coloring = [0] * self.problem.n_elements
        for e, c in zip(self.names, self.coloring.tolist(), strict=True):
            coloring[e] = c
        most = max(coloring)
        data = {"rule": "partition", "coloring": coloring}
        if self.proof.data.get("rule") == "densest-set" and math.ceil(1 / self.proof.value) == most:
            return Claim("alpha", most, "combinatorial", {**self.proof.data, **data})
        return Claim("alpha_at_most", most, "combinatorial", data)

    def _lifted(self, chosen: Ints) -> list[int]:
        return [self.names[e] for e in chosen.tolist()]

    def _part(self, j: int) -> int:
        """Return the position of a part in the instance (restriction drops empty ones)."""
        whole = self.problem.matroid
        if whole is self.matroid or not isinstance(whole, Matchoid):
            return j
        touched = [np.isin(part.elements, self.names).any() for part in whole.parts]
        return int(np.flatnonzero(touched)[j])


def _order(proof: _Proof) -> tuple[Fraction, bool, bool]:
    return proof.value, proof.kind == "solver", proof.data.get("rule") != "densest-set"
