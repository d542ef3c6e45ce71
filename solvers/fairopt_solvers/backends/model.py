"""The matrix form in which every formulation is written, and what a backend's answer becomes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairopt.errors import UsageError
from fairopt.rational import Exact, Rational, whole
from fairopt.solution import Note
from fairopt_solvers.backends.blocks import Bools, Floats, Ints, Rows, as_floats, rows, stack

__all__ = [
    "TOLERANCE",
    "BackendRefusal",
    "Bools",
    "Floats",
    "Ints",
    "LinearModel",
    "LinearResult",
    "Rows",
    "Violations",
    "exact_vector",
    "rows",
]

TOLERANCE = 1e-6  # of rows that touch continuous columns, relative above 1
_FRACTION_BITS = 20  # coefficients k / 2^20 are taken to be meant exactly
_ROUNDING = 2.0**-50  # relative error that rounded coefficients put into a row


class BackendRefusal(UsageError):
    """The backend cannot take this model exactly; the text names what stands in the way."""


@dataclass(frozen=True, slots=True, eq=False)
class Violations:
    """Positions of the rows and columns that a point breaks; false when it breaks none."""

    rows: Ints
    columns: Ints

    def __bool__(self) -> bool:
        return bool(self.rows.size or self.columns.size)

    def __str__(self) -> str:
        parts = []
        for name, where in (("rows", self.rows), ("columns", self.columns)):
            if where.size:
                shown = ", ".join(map(str, where[:3].tolist()))
                parts.append(f"{where.size} {name} ({shown}{', …' if where.size > 3 else ''})")
        return " and ".join(parts) or "nothing"


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """A mixed-integer linear model; columns and rows are two-sided, rows are CSR.

    Parameters
    ----------
    lower, upper
        Column bounds, infinities allowed; those of integer columns are tightened to integers.
    objective
        Exact coefficients; ``build`` also takes floats, read as the binary fractions they are.
    integer
        Which columns are integral.
    indptr, indices, coefs
        CSR rows without repeated entries. **Rows that decide a limit should have integral
        coefficients and integer columns**: those are checked exactly, without a tolerance.
    row_lower, row_upper
        Row bounds, infinities allowed.
    grid
        If given, every feasible point's best objective value is a multiple of 1/grid. Needs not
        be given when all columns with a coefficient are integral.
    """

    lower: Floats
    upper: Floats
    objective: Exact
    integer: Bools
    indptr: Ints
    indices: Ints
    coefs: Floats
    row_lower: Floats
    row_upper: Floats
    maximize: bool = False
    grid: int | None = None

    def __post_init__(self) -> None:
        n, m = len(self.lower), len(self.row_lower)
        put = object.__setattr__
        integer = np.array(self.integer, dtype=bool)
        low, high = np.array(self.lower, np.float64), np.array(self.upper, np.float64)
        if not (integer.shape == low.shape == high.shape == (n,) and len(self.objective) == n):
            raise UsageError("lower, upper, objective and integer must have one entry a column")
        low[integer], high[integer] = np.ceil(low[integer]), np.floor(high[integer])
        arrays: dict[str, NDArray[Any]] = {
            "integer": integer,
            "lower": low,
            "upper": high,
            "indptr": np.array(self.indptr, np.int64),
            "indices": np.array(self.indices, np.int64),
            "coefs": np.array(self.coefs, np.float64),
            "row_lower": np.array(self.row_lower, np.float64),
            "row_upper": np.array(self.row_upper, np.float64),
        }
        for name, array in arrays.items():
            array.setflags(write=False)
            put(self, name, array)
        self._validate(n, m)

    def _validate(self, n: int, m: int) -> None:
        ptr, cols = self.indptr, self.indices
        if len(self.row_upper) != m or ptr.shape != (m + 1,) or ptr[0] != 0:
            raise UsageError("indptr, row_lower and row_upper do not fit together")
        if np.any(np.diff(ptr) < 0) or not len(cols) == len(self.coefs) == ptr[-1]:
            raise UsageError("indptr, indices and coefs do not fit together")
        if cols.size and (cols.min() < 0 or cols.max() >= n):
            raise UsageError(f"column numbers must lie in 0..{n - 1}")
        if not np.isfinite(self.coefs).all():
            raise UsageError("coefficients must be finite")
        for name in ("lower", "upper", "row_lower", "row_upper"):
            values = getattr(self, name)
            if np.isnan(values).any() or np.any(values == (np.inf if "lower" in name else -np.inf)):
                raise UsageError(f"{name} holds a value that no bound can have")
        key = self.row_of() * max(n, 1) + cols
        if key.size and len(np.unique(key)) != key.size:
            raise UsageError("a row names a column twice")

    # -- building -----------------------------------------------------------------------

    @staticmethod
    def build(
        objective: Exact | Sequence[Rational] | NDArray[Any],
        *blocks: Rows,
        lower: ArrayLike = 0,
        upper: ArrayLike = 1,
        integer: ArrayLike = True,
        maximize: bool = False,
        grid: int | None = None,
    ) -> LinearModel:
        """Return the model with these blocks of rows, one below the other.

        Bounds and ``integer`` are broadcast over the columns; by default all are binary.
        A float array as objective is read as exact binary fractions.
        """
        costs = exact_vector(objective)
        n = len(costs)
        ptr, cols, coefs, low, high = stack(blocks, n)
        return LinearModel(
            np.broadcast_to(as_floats("lower", lower), (n,)),
            np.broadcast_to(as_floats("upper", upper), (n,)),
            costs,
            np.broadcast_to(np.asarray(integer, bool), (n,)),
            ptr,
            cols,
            coefs,
            low,
            high,
            maximize,
            grid,
        )

    def with_rows(self, *blocks: Rows) -> LinearModel:
        """Return the model with further rows below its own."""
        own = Rows(self.row_of(), self.indices, self.coefs, self.row_lower, self.row_upper)
        ptr, cols, coefs, low, high = stack((own, *blocks), self.n_columns)
        return replace(self, indptr=ptr, indices=cols, coefs=coefs, row_lower=low, row_upper=high)

    def relaxed(self) -> LinearModel:
        """Return the LP relaxation: no integrality and hence no known grid."""
        return replace(self, integer=np.zeros(self.n_columns, bool), grid=None)

    def fixed(self, mask: Bools, x: Floats) -> LinearModel:
        """Return the model with the columns of ``mask`` fixed at ``x``."""
        return replace(
            self, lower=np.where(mask, x, self.lower), upper=np.where(mask, x, self.upper)
        )

    # -- looking ------------------------------------------------------------------------

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.lower)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.row_lower)

    def row_of(self) -> Ints:
        """Return the row of each entry of ``indices``."""
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))

    def unit(self) -> Fraction | None:
        """Return a number that divides every optimal value of the model, or None if unknown.

        From ``grid``, or from the coefficients when all columns that have one are integral.
        """
        found = [Fraction(1, self.grid)] if self.grid else []
        costly = np.asarray(self.objective.num != 0, bool)
        if not np.any(costly & ~self.integer):
            common = math.gcd(*self.objective.num[costly].tolist())
            found.append(Fraction(common, self.objective.den) if common else Fraction(1))
        return max(found, default=None)

    def empty_box(self) -> str:
        """Return why no point can exist by column and row bounds alone, or an empty text."""
        for name, low, high in (
            ("column", self.lower, self.upper),
            ("row", self.row_lower, self.row_upper),
        ):
            if np.any(low > high):
                return f"{name} {int(np.argmax(low > high))} has a lower above its upper bound"
        return ""

    def rounded(self, x: Floats) -> Floats:
        """Return ``x`` with integer columns rounded and continuous ones put into their bounds."""
        out = np.where(self.integer, np.rint(x), np.clip(x, self.lower, self.upper))
        return np.asarray(out + 0.0, np.float64)  # + 0.0 turns -0.0 into 0.0

    def activity(self, x: Floats) -> Floats:
        """Return the row sums in floats."""
        terms = self.coefs * x[self.indices]
        return np.bincount(self.row_of(), terms, self.n_rows).astype(np.float64)

    # -- judging ------------------------------------------------------------------------

    def value(self, x: Floats) -> Rational:
        """Return the exact objective at ``x``; floats are the binary fractions that they are."""
        num = self.objective.num
        used = np.flatnonzero((x != 0) & np.asarray(num != 0, bool))
        total = _dot(num[used], np.asarray(x[used], np.float64))
        return whole(total / self.objective.den)

    def violations(self, x: Floats) -> Violations:
        """Return which rows and columns the point breaks.

        Rows of integer columns are decided exactly, in integers, when their coefficients are
        integral (or k/2^20); other coefficients have been rounded themselves, and that rounding
        is allowed for. Rows with a continuous column may be off by 1e-6, relative above 1.
        """
        x = np.asarray(x, np.float64)
        if x.shape != (self.n_columns,) or not np.isfinite(x).all():
            every = np.arange(self.n_columns)
            return Violations(np.arange(0), every)
        tight = np.where(self.integer, 0.0, TOLERANCE)
        low = self.lower - tight * np.maximum(
            1.0, np.abs(self.lower, where=np.isfinite(self.lower), out=np.zeros_like(x))
        )
        high = self.upper + tight * np.maximum(
            1.0, np.abs(self.upper, where=np.isfinite(self.upper), out=np.zeros_like(x))
        )
        columns = np.flatnonzero((x < low) | (x > high) | (self.integer & (x != np.rint(x))))
        return Violations(np.flatnonzero(self._broken_rows(x)), columns)

    def _broken_rows(self, x: Floats) -> Bools:
        row, m = self.row_of(), self.n_rows
        terms = self.coefs * x[self.indices]
        sums = np.bincount(row, terms, m).astype(np.float64)
        size = np.bincount(row, np.abs(terms), m).astype(np.float64)

        def touched(entries: Bools) -> Bools:
            return np.asarray(np.bincount(row[entries], minlength=m) > 0)

        shifted = np.ldexp(self.coefs, _FRACTION_BITS)
        soft = touched(~self.integer[self.indices])
        inexact = touched(shifted != np.rint(shifted)) & ~soft
        # Sums of multiples of 2^-q are exact floats while they stay below 2^(53-q).
        room = np.where(touched(self.coefs != np.rint(self.coefs)), 53 - _FRACTION_BITS, 53)
        large = ~soft & ~inexact & (size >= np.exp2(room))
        out = np.zeros(m, bool)
        for bound, sign in ((self.row_lower, -1.0), (self.row_upper, 1.0)):
            there = np.isfinite(bound)
            limit = np.where(there, bound, sign * np.inf)
            scale = np.where(there, np.abs(bound), 0.0)
            allow = np.where(inexact | soft, _ROUNDING * (size + scale), 0.0)
            allow += np.where(soft, TOLERANCE * np.maximum(1.0, scale), 0.0)
            out |= there & (sign * (sums - limit) > allow) & ~large
        for i in np.flatnonzero(large).tolist():  # rare: sums beyond 2^53 in Python integers
            part = slice(int(self.indptr[i]), int(self.indptr[i + 1]))
            pairs = zip(self.coefs[part].tolist(), x[self.indices[part]].tolist(), strict=True)
            exact = sum((Fraction(a) * Fraction(b) for a, b in pairs), Fraction(0))
            out[i] = exact < self.row_lower[i] or exact > self.row_upper[i]
        return out


@dataclass(frozen=True, slots=True, eq=False)
class LinearResult:
    """What came out, checked: never a status without what the status needs.

    Attributes
    ----------
    status
        ``optimal``, ``feasible``, ``infeasible``, ``unbounded`` or ``unknown``.
    x, value
        The point with integer columns rounded, and its exact objective.
    bound, slack
        What the backend claims to have proven, in the objective's own units, and the absolute
        error that this claim admits (0 when the objective lives on a known grid).
    duals, reduced_costs
        Of an LP: c = A'duals + reduced_costs in the objective as given. When minimising, a dual
        is positive only on a row's lower bound, negative only on its upper; when maximising the
        other way round.
    ray
        Farkas multipliers of an infeasible LP: sum of ray[i] times (lower bound if ray[i] > 0,
        else upper bound) exceeds the maximum of ray'A x over the columns' bounds.
    backend
        Name and version of who answered, ``highs 1.16.0``.
    stopped
        Whether a limit or an interrupt cut the work.
    notes
        ``claim-refuted``, ``fallback``, ``backend-failed``, with the backend's words.
    """

    status: str
    x: Floats | None = None
    value: Rational | None = None
    bound: Rational | None = None
    slack: Rational = 0
    duals: Floats | None = None
    reduced_costs: Floats | None = None
    ray: Floats | None = None
    backend: str = ""
    stopped: bool = False
    notes: tuple[Note, ...] = ()


def exact_vector(values: Exact | Sequence[Rational] | NDArray[Any]) -> Exact:
    """Return exact coefficients; floats are read as the binary fractions that they are."""
    if isinstance(values, Exact):
        return values
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        if not np.isfinite(values).all():
            raise UsageError("objective coefficients must be finite")
        if np.all(values == np.rint(values)) and np.all(np.abs(values) < 2.0**53):
            return Exact.of(values.astype(np.int64))
        return Exact.of([whole(Fraction(v)) for v in values.tolist()])
    if isinstance(values, np.ndarray) and values.dtype.kind == "b":
        return Exact.of(values.astype(np.int64))
    return Exact.of(values)


def _dot(num: NDArray[Any], x: Floats) -> Fraction:
    """Return the exact sum of ``num[k] * x[k]``."""
    if num.dtype != object and np.all(x == np.rint(x)):
        size = float(np.abs(num.astype(np.float64) * x).sum())
        if size < 2.0**62 and np.all(np.abs(x) < 2.0**62):
            return Fraction(int((num * x.astype(np.int64)).sum()))
    # x[k] = mantissa * 2^(exponent - 53); all terms are brought to the lowest exponent.
    mantissa, exponent = np.frexp(x)
    base = int(exponent.min()) if x.size else 0
    total = 0
    for c, m, e in zip(
        num.tolist(), np.ldexp(mantissa, 53).tolist(), exponent.tolist(), strict=True
    ):
        total += c * (int(m) << (e - base))
    shift = base - 53
    return Fraction(total << shift) if shift >= 0 else Fraction(total, 1 << -shift)
