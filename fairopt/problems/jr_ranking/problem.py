"""The question: which comments to show, best by score, so that large groups are represented.

References
----------
Revel, Milli, Lu, Watson-Daniels, Nickel, "Representative Ranking for Deliberation in the Public
Sphere", ICML 2025.
Aziz, Brill, Conitzer, Elkind, Freeman, Walsh, "Justified Representation in Approval-Based
Committee Voting", Social Choice and Welfare 2017.
Brill, Peters, "Robust and Verifiable Proportionality Axioms for Multiwinner Voting", EC 2023.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairopt import rational
from fairopt.convert import Exactly
from fairopt.errors import InstanceError
from fairopt.problem import Check, Meta, Objective, Problem, Sense
from fairopt.problems.jr_ranking import scores as score_vectors
from fairopt.problems.jr_ranking import validate
from fairopt.problems.jr_ranking.answer import Feed, read_comments, read_feed
from fairopt.problems.jr_ranking.positions import PositionWeights, position_weights
from fairopt.problems.jr_ranking.validate import Ints, Ints32
from fairopt.rational import Exact, Rational
from fairopt.solution import Claim, Note

__all__ = ["Feed", "JrRanking"]

AxiomName = Literal["none", "jr", "pjr+", "ejr+", "pjr", "ejr"]
QuotaName = Literal["hare", "droop"]
ModeName = Literal["set", "ranking"]
AXIOMS = ("none", "jr", "pjr+", "ejr+", "pjr", "ejr")
QUOTAS = ("hare", "droop")
MODES = ("set", "ranking")


@dataclass(frozen=True, eq=False, init=False, repr=False)
class JrRanking(Problem):
    """Show exactly ``k`` comments of the largest total score under an axiom of representation.

    Parameters
    ----------
    indptr, indices
        The comments that user ``i`` approves are ``indices[indptr[i]:indptr[i + 1]]``; shapes
        (users + 1,) and (approvals,). An empty ballot counts as a user. See ``from_ballots``.
        Both None where ``utilities`` and ``threshold`` are given instead.
    n_comments
        Number of comments, m.
    k
        Number of comments shown, 1 to m.
    weights
        How many identical users each row stands for; default 1.
    ids
        Distinct texts, one for each comment.
    scores
        A name (of ``score_sets``, or ``approvals``, ``approvals-share``), m exact numbers, or
        ``{"mix": [[weight, name or numbers], …]}``; default ``approvals``.
    score_sets
        Named score vectors.
    axiom
        ``none``, ``jr`` (default), ``pjr+``, ``ejr+``, ``pjr``, ``ejr``.
    quota
        ``hare`` (a group of weight g deserves l comments if k g >= l n; default) or ``droop``
        ((k + 1) g > l n).
    forced, forbidden
        Comments, by position or id, that must or must not be shown.
    mode
        ``set`` (default) or ``ranking``.
    prefixes
        In ranking mode: the first r comments must satisfy JR for size r, for each r given;
        default k alone.
    position_weights
        In ranking mode: k exact numbers, ``dcg`` (default; 1/log2(p + 1)) or ``uniform``.
    utilities, threshold
        Numbers (users, comments); a comment is approved from the threshold on. Utilities without
        a threshold may stand beside approvals, for the audit of general utilities.
    dedupe
        Whether a comment repeated within a ballot counts once instead of being an error.
    remarks
        What a reader has to say about the file; shown as notes, no part of the question.

    Raises
    ------
    InstanceError
        With the path of the field as in the JSON file.
    """

    problem: ClassVar[str] = "jr-ranking"
    objectives: ClassVar[tuple[str, ...]] = ("score",)
    settings: ClassVar[Mapping[str, Any]] = {
        "k": int,
        "scores": Any,
        "axiom": AxiomName,
        "quota": QuotaName,
        "forced": list[int | str],
        "forbidden": list[int | str],
        "mode": ModeName,
        "prefixes": list[int],
        "position_weights": Literal["dcg", "uniform"] | list[Exactly],
        "threshold": Exactly,
    }
    proofs: ClassVar[str] = "fairopt.problems.jr_ranking.proofs"
    family = "fairopt.problems.jr_ranking"

    indptr: Ints
    indices: Ints32
    weights: Ints
    n_comments: int
    k: int
    ids: tuple[str, ...] | None
    scores: Exact  # in force
    score_spec: score_vectors.Spec  # how they were given
    score_sets: Mapping[str, Exact]
    axiom: str
    quota: str
    forced: tuple[int, ...]
    forbidden: tuple[int, ...]
    mode: str
    prefixes: tuple[int, ...]  # empty in set mode
    position_weights: PositionWeights  # as given; ``uniform`` in set mode
    position_factors: Exact  # (k,), in set mode ones
    utilities: NDArray[Any] | None  # (users, comments): floats, or numerators over utility_den
    utility_den: int
    threshold: Rational | None
    given: Mapping[str, Any]  # settings as given, without those left to their defaults
    n_deduped: int
    remarks: tuple[Note, ...]

    def __init__(
        self,
        indptr: ArrayLike | None,
        indices: ArrayLike | None,
        *,
        n_comments: int,
        k: int,
        weights: ArrayLike | None = None,
        ids: Iterable[str] | None = None,
        scores: Any = None,
        score_sets: Mapping[str, Any] | None = None,
        axiom: str | None = None,
        quota: str | None = None,
        forced: Sequence[int | str] = (),
        forbidden: Sequence[int | str] = (),
        mode: str | None = None,
        prefixes: Sequence[int] | None = None,
        position_weights: Any = None,
        utilities: Any = None,
        threshold: Any = None,
        dedupe: bool = False,
        remarks: Sequence[Note] = (),
        objective: str | None = None,
        meta: Meta | None = None,
    ) -> None:
        put = self.__dict__.__setitem__
        put("meta", meta or Meta())
        put("remarks", tuple(remarks))
        m = validate.count(n_comments, "comments", 1, 2**31 - 2)
        put("n_comments", m)
        put("ids", validate.comment_ids(ids, m))
        put("k", validate.count(k, "k", 1, m, " (comments)"))
        named = {"scores": scores, "axiom": axiom, "quota": quota, "mode": mode}
        named |= {"prefixes": prefixes, "position_weights": position_weights}
        put("given", {name: value for name, value in named.items() if value is not None})
        self._set_utilities(utilities, threshold, indptr is None)
        if indptr is None or indices is None:
            indptr, indices = self._from_utilities()
        ptr, items, dropped = validate.ballots(indptr, indices, m, dedupe=dedupe)
        put("indptr", ptr)
        put("indices", items)
        put("n_deduped", dropped)
        put("weights", validate.weights(weights, len(ptr) - 1, self.k))
        if self.utilities is not None and len(self.utilities) != self.n_users:
            raise InstanceError("utilities", f"expected {self.n_users} rows, one for each user")
        put("score_sets", score_vectors.score_sets(score_sets, m))
        exact, spec = score_vectors.resolve(
            "approvals" if scores is None else scores, self.score_sets, self.sup, self.n
        )
        put("scores", exact)
        put("score_spec", spec)
        put("axiom", validate.one_of(axiom or "jr", AXIOMS, "axiom"))
        put("quota", validate.one_of(quota or "hare", QUOTAS, "quota"))
        self._set_fixed(forced, forbidden)
        self._set_mode(mode or "set", prefixes, position_weights)
        den = exact.den * self.position_factors.den
        kind = "float" if self.position_weights == "dcg" else "rational"
        grid = None if kind == "float" else Fraction(1, den)
        put("objective", Objective(self.objective_name(objective), Sense.MAXIMIZE, kind, "", grid))

    # -- construction ------------------------------------------------------------------------

    @classmethod
    def from_ballots(
        cls, approvals: Sequence[Sequence[int | str]], *, n_comments: int, k: int, **more: Any
    ) -> Self:
        """Build the problem from one list of comments (positions or ids) a user.

        ``more`` goes to the constructor.
        """
        ids = more.get("ids")
        place = {} if ids is None else {name: c for c, name in enumerate(ids)}
        indptr, indices = validate.flat(approvals, place)
        return cls(indptr, indices, n_comments=n_comments, k=k, **more)

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str], **read: Any) -> Self:
        """Read a Polis export or a table of 0/1 or probabilities (``read``: reader options)."""
        from fairopt.files import load

        found = load(path, cls.problem, **read)
        assert isinstance(found, cls)
        return found

    def _set_utilities(self, utilities: Any, threshold: Any, needed: bool) -> None:
        put = self.__dict__.__setitem__
        table, den = None, 1
        if utilities is not None:
            table, den = validate.utilities(utilities, self.n_comments)
        put("utilities", table)
        put("utility_den", den)
        put("threshold", None if threshold is None else rational.parse(threshold, "threshold"))
        if table is None and needed:
            raise InstanceError("approvals", "the key is missing")
        if threshold is None and needed:
            raise InstanceError("threshold", "is needed to make approvals from utilities")
        if threshold is not None and not needed:
            why = "approvals are given beside it" if table is not None else "needs utilities"
            raise InstanceError("threshold", why)

    def _from_utilities(self) -> tuple[Ints, Ints]:
        if self.utilities is None or self.threshold is None:
            raise InstanceError("approvals", "expected both pointers and comments")
        return validate.approvals_of(self.utilities, self.utility_den, self.threshold)

    def _set_fixed(self, forced: Sequence[int | str], forbidden: Sequence[int | str]) -> None:
        put = self.__dict__.__setitem__
        put("forced", tuple(sorted(read_comments(forced, self.place, self.n_comments, "forced"))))
        out = read_comments(forbidden, self.place, self.n_comments, "forbidden")
        put("forbidden", tuple(sorted(out)))
        if both := set(self.forced) & set(self.forbidden):
            name = self.name_of(min(both))
            raise InstanceError("forced", f"comment {name} is also in forbidden")
        if len(self.forced) > self.k:
            why = f"names {len(self.forced)} comments, more than k = {self.k}"
            free = self.n_comments - len(self.forbidden)
            raise InstanceError("forced", f"{why} (forbidden leaves {free})")
        if self.n_comments - len(self.forbidden) < self.k:
            left = self.n_comments - len(self.forbidden)
            raise InstanceError("forbidden", f"leaves {left} comments, fewer than k = {self.k}")

    def _set_mode(self, mode: str, prefixes: Sequence[int] | None, weights: Any) -> None:
        put = self.__dict__.__setitem__
        put("mode", validate.one_of(mode, MODES, "mode"))
        if self.mode == "set":
            for name, value in (("prefixes", prefixes), ("position_weights", weights)):
                if value is not None:
                    raise InstanceError(name, "are only for the mode ranking")
            put("prefixes", ())
            put("position_weights", "uniform")
            put("position_factors", position_weights("uniform", self.k)[1])
            return
        if self.axiom not in ("jr", "none"):
            raise InstanceError("axiom", f"{self.axiom} is not for the mode ranking; use jr, none")
        cutoffs = [self.k] if prefixes is None else list(prefixes)
        for j, r in enumerate(cutoffs):
            validate.count(r, f"prefixes[{j}]", 1, self.k, " (k)")
            if r in cutoffs[:j]:
                raise InstanceError(f"prefixes[{j}]", f"{r} is given twice")
        put("prefixes", tuple(sorted(int(r) for r in cutoffs)))
        given, factors = position_weights("dcg" if weights is None else weights, self.k)
        put("position_weights", given)
        put("position_factors", factors)

    # -- shape ---------------------------------------------------------------------------------

    @property
    def n_users(self) -> int:
        """Number of rows."""
        return len(self.indptr) - 1

    @cached_property
    def n(self) -> int:
        """Total weight of all rows, empty ballots included."""
        return int(self.weights.sum())

    @property
    def scores_name(self) -> str:
        """How the scores in force are called: their name, ``mix``, or ``list``."""
        spec = self.score_spec
        return spec if isinstance(spec, str) else "mix" if isinstance(spec, Mapping) else "list"

    @cached_property
    def supporters(self) -> tuple[Ints, Ints32]:
        """Who approves each comment: pointers (comments + 1,) and users, ascending."""
        rows = np.repeat(np.arange(self.n_users, dtype=np.int32), np.diff(self.indptr))
        order = np.argsort(self.indices, kind="stable")
        sizes = np.bincount(self.indices, minlength=self.n_comments)
        ptr = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        return validate.frozen(ptr), validate.frozen(np.ascontiguousarray(rows[order]))

    @cached_property
    def sup(self) -> Ints:
        """Weight of the approvers of each comment, shape (comments,)."""
        ptr, users = self.supporters
        running = np.concatenate(([0], np.cumsum(self.weights[users])))
        return validate.frozen((running[ptr[1:]] - running[ptr[:-1]]).astype(np.int64))

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Position of each comment by id; empty without ids."""
        return {name: c for c, name in enumerate(self.ids or ())}

    def name_of(self, comment: int) -> str:
        """Return the id of a comment, or its position."""
        return str(comment) if self.ids is None else self.ids[comment]

    def threshold_of(self, level: int = 1, k: int | None = None) -> int:
        """Return the smallest weight of a group that deserves ``level`` of ``k`` comments."""
        size = self.k if k is None else k
        if self.quota == "droop":
            return level * self.n // (size + 1) + 1
        return -(-level * self.n // size)

    @cached_property
    def by_score(self) -> Ints:
        """All comments by descending score, ties by position."""
        num = self.scores.num
        if num.dtype == object:
            order = sorted(range(len(num)), key=lambda c: -num[c])
            return validate.frozen(np.array(order, np.int64))
        return validate.frozen(np.argsort(-num, kind="stable").astype(np.int64))

    def feed(self, selected: Iterable[int]) -> Feed:
        """Return the answer with these comments: by score in set mode, in this order else."""
        shown = [int(c) for c in selected]
        if self.mode == "set" and all(0 <= c < self.n_comments for c in shown):
            rank = self.score_rank
            shown.sort(key=lambda c: rank[c])
        return Feed(tuple(shown))

    @cached_property
    def score_rank(self) -> Ints:
        """Place of each comment in ``by_score``."""
        out = np.empty(self.n_comments, np.int64)
        out[self.by_score] = np.arange(self.n_comments)
        return validate.frozen(out)

    # -- what every problem has ----------------------------------------------------------------

    def check(self, answer: Feed, claims: Sequence[Claim] = (), *, figures: str = "few") -> Check:
        """Return violations, exact value and figures."""
        from fairopt.problems.jr_ranking.check import check

        return check(self, answer, claims, expensive=figures == "all")

    def answer_to_json(self, answer: Feed) -> dict[str, Any]:
        shown = self.feed(answer.selected).selected
        return {"selected": list(shown) if self.ids is None else [self.ids[c] for c in shown]}

    def answer_from_json(self, data: Any) -> Feed:
        return self.feed(read_feed(data, self.place, self.n_comments).selected)

    def fields(self) -> dict[str, Any]:
        return {
            "n_comments": self.n_comments,
            "ids": self.ids,
            "indptr": self.indptr,
            "indices": self.indices,
            "weights": self.weights,
            "k": self.k,
            "scores": self.scores,
            "axiom": self.axiom,
            "quota": self.quota,
            "forced": self.forced,
            "forbidden": self.forbidden,
            "mode": self.mode,
            "prefixes": self.prefixes,
            "position_weights": self.position_weights,
        }

    def size(self) -> dict[str, int]:
        return {
            "users": self.n,
            "rows": self.n_users,
            "comments": self.n_comments,
            "approvals": len(self.indices),
            "k": self.k,
        }
