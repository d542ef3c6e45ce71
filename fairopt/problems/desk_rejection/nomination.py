"""The sibling question: which author each paper nominates as its reviewer.

References
----------
Song, Yue, Zhang, "Which Coauthor Should I Nominate in My 99 ICLR Submissions?"
(arXiv 2512.17950).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairopt import rational
from fairopt.convert import Common, convert
from fairopt.errors import InstanceError
from fairopt.problem import Check, Meta, Objective, Problem, Sense
from fairopt.problems.desk_rejection import validate
from fairopt.problems.desk_rejection.quota import Ints
from fairopt.problems.desk_rejection.schema import incidence_of_lists
from fairopt.rational import Exact, Rational, whole
from fairopt.solution import Claim, Note, encode


@dataclass(frozen=True, eq=False)
class Nominees:
    """The author that each paper nominates.

    Parameters
    ----------
    author
        Position in ``author_ids`` for each paper, shape (papers,), read-only.
    paper_ids, author_ids
        What the positions are about.
    """

    author: Ints
    paper_ids: tuple[str, ...]
    author_ids: tuple[str, ...]

    def __post_init__(self) -> None:
        own = validate.integers(self.author, "answer.nominee")
        own.setflags(write=False)
        object.__setattr__(self, "author", own)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Nominees):
            return NotImplemented
        same = self.paper_ids == other.paper_ids and self.author_ids == other.author_ids
        return same and np.array_equal(self.author, other.author)

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def nominee(self) -> Mapping[str, str]:
        """Paper id -> id of the author nominated."""
        names = [self.author_ids[i] for i in self.author.tolist()]
        return MappingProxyType(dict(zip(self.paper_ids, names, strict=True)))


class PaperRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of ``papers``."""

    id: str
    authors: list[str]


class AuthorRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of ``authors``; an absent limit is the common one, null is no limit."""

    id: str
    p_irresponsible: Fraction | None = None
    nomination_limit: int | msgspec.UnsetType | None = msgspec.UNSET


class Instance(Common, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A reviewer-nomination instance file."""

    papers: list[PaperRow]
    authors: list[AuthorRow]
    nomination_limit: int | None = None
    soft_penalty: Fraction | None = None
    dedupe: bool = False


@dataclass(frozen=True, eq=False, init=False)
class ReviewerNomination(Problem):
    """Nominate one author of each paper so that few papers are expected to be rejected.

    An author fails to review with a known probability; then every paper that nominated the
    author is rejected.

    Parameters
    ----------
    paper_ptr, paper_author
        The authors of paper ``j`` are ``paper_author[paper_ptr[j]:paper_ptr[j + 1]]``.
    p_irresponsible
        Exact probability that each author fails, in [0, 1].
    paper_ids, author_ids
        Distinct texts; without them ``p0`` …, ``a0`` ….
    nomination_limit
        Most nominations of one author, None for no limit.
    author_limits
        Own limits by author id (None: no limit); they stand in for the common one.
    soft_penalty
        With it, limits may be exceeded at this price for each nomination more.
    """

    problem: ClassVar[str] = "reviewer-nomination"
    objectives: ClassVar[tuple[str, ...]] = ("expected-rejections",)
    settings: ClassVar[Mapping[str, Any]] = {
        "nomination_limit": int | None,
        "soft_penalty": Fraction | None,
    }
    proofs: ClassVar[str] = "fairopt.problems.desk_rejection.proofs_nomination"
    family = "fairopt.problems.desk_rejection"

    paper_ids: tuple[str, ...]
    author_ids: tuple[str, ...]
    paper_ptr: Ints
    paper_author: Ints
    p_irresponsible: Exact
    nomination_limit: int | None
    author_limits: Mapping[str, int | None]
    soft_penalty: Rational | None
    idle_authors: tuple[str, ...]
    objective: Objective
    meta: Meta

    def __init__(
        self,
        paper_ptr: ArrayLike,
        paper_author: ArrayLike,
        p_irresponsible: Exact | Sequence[Rational | None],
        *,
        paper_ids: Iterable[str] | None = None,
        author_ids: Iterable[str] | None = None,
        nomination_limit: int | None = None,
        author_limits: Mapping[str, int | None] | None = None,
        soft_penalty: Rational | None = None,
        dedupe: bool = False,
        objective: str | None = None,
        meta: Meta | None = None,
        copy: bool = True,
    ) -> None:
        ptr, author = validate.incidence(paper_ptr, paper_author, copy=copy)
        if isinstance(p_irresponsible, Exact):
            p_irresponsible = p_irresponsible.to_list()
        n = len(p_irresponsible)
        if len(author) and int(author.max()) >= n:
            raise InstanceError("p_irresponsible", f"expected one for each author, got {n}")
        papers = validate.ids(paper_ids, len(ptr) - 1, "p", "papers")
        authors = validate.ids(author_ids, n, "a", "authors")
        empty = np.flatnonzero(np.diff(ptr) == 0)
        if empty.size:
            raise InstanceError(f"papers[{empty[0]}].authors", "must not be empty")
        keep = validate.duplicates(ptr, author, papers, authors, dedupe=dedupe)
        if keep is not None:
            ptr, author = validate.select(ptr, keep), author[keep]
        active = np.bincount(author, minlength=n) > 0
        chances = _chances(p_irresponsible, authors, active)
        own = _own_limits(author_limits or {}, authors, active)
        position = np.cumsum(active) - 1
        author = position[author]
        for array in (ptr, author):
            array.setflags(write=False)
        penalty = None
        if soft_penalty is not None:
            penalty = rational.parse(soft_penalty, "soft_penalty")
            if penalty < 0:
                raise InstanceError("soft_penalty", f"expected at least 0, got {penalty}")
        name = self.objective_name(objective)
        values = {
            "paper_ids": papers,
            "author_ids": tuple(a for a, used in zip(authors, active, strict=True) if used),
            "paper_ptr": ptr,
            "paper_author": author,
            "p_irresponsible": chances,
            "nomination_limit": validate.whole_limit(nomination_limit, "nomination_limit"),
            "author_limits": own,
            "soft_penalty": penalty,
            "idle_authors": tuple(a for a, used in zip(authors, active, strict=True) if not used),
            "objective": Objective(name, Sense.MINIMIZE, "rational", "papers rejected"),
            "meta": meta or Meta(),
        }
        self.__dict__.update(values)

    # -- sizes and limits --------------------------------------------------------------------

    @property
    def n_papers(self) -> int:
        """Number of papers."""
        return len(self.paper_ids)

    @property
    def n_authors(self) -> int:
        """Number of authors with at least one paper."""
        return len(self.author_ids)

    @cached_property
    def paper_of_incidence(self) -> Ints:
        """The paper of each incidence, shape (incidences,)."""
        return np.repeat(np.arange(self.n_papers, dtype=np.int64), np.diff(self.paper_ptr))

    @cached_property
    def capacity(self) -> Ints:
        """Nomination limit of each author, at most the number of papers (also for no limit)."""
        m = self.n_papers
        common = m if self.nomination_limit is None else min(self.nomination_limit, m)
        out = np.full(self.n_authors, common, np.int64)
        for i, name in enumerate(self.author_ids) if self.author_limits else ():
            own = self.author_limits.get(name, common)
            out[i] = m if own is None else min(own, m)
        return out

    def authors_of(self, paper: int) -> Ints:
        """Return the authors of a paper."""
        return self.paper_author[self.paper_ptr[paper] : self.paper_ptr[paper + 1]]

    # -- what every problem has --------------------------------------------------------------

    def check(
        self, answer: Nominees, claims: Sequence[Claim] = (), *, figures: str = "few"
    ) -> Check:
        """Return violations, exact value and figures; time linear in the incidences."""
        from fairopt.problems.desk_rejection.check_nomination import check

        return check(self, answer)

    def answer(self, author: ArrayLike) -> Nominees:
        """Return the answer in which paper ``j`` nominates the author at ``author[j]``."""
        return Nominees(np.asarray(author), self.paper_ids, self.author_ids)

    def answer_to_json(self, answer: Nominees) -> dict[str, Any]:
        return {"nominee": dict(answer.nominee)}

    def answer_from_json(self, data: Any) -> Nominees:
        if not isinstance(data, Mapping) or set(data) != {"nominee"}:
            raise InstanceError("answer", "expected an object with the key nominee")
        nominee = data["nominee"]
        if not isinstance(nominee, Mapping):
            raise InstanceError("answer.nominee", "expected an object {paper: author}")
        index = {name: i for i, name in enumerate(self.author_ids)}
        if extra := nominee.keys() - set(self.paper_ids):
            raise InstanceError(f"answer.nominee.{min(extra)}", "no such paper")
        out = []
        for paper in self.paper_ids:
            name = nominee.get(paper)
            if not isinstance(name, str) or name not in index:
                why = "no author is nominated" if name is None else f"no author {name!r}"
                raise InstanceError(f"answer.nominee.{paper}", why)
            out.append(index[name])
        return self.answer(np.array(out, np.int64))

    def fields(self) -> dict[str, Any]:
        return {
            "paper_ids": self.paper_ids,
            "author_ids": self.author_ids,
            "paper_ptr": self.paper_ptr,
            "paper_author": self.paper_author,
            "p_irresponsible": self.p_irresponsible,
            "nomination_limit": self.nomination_limit,
            "author_limits": self.author_limits,
            "soft_penalty": self.soft_penalty,
        }

    def _changed(self, changes: Mapping[str, Any], meta: Meta) -> Self:
        penalty = changes.get("soft_penalty", self.soft_penalty)
        out = type(self)(
            self.paper_ptr,
            self.paper_author,
            self.p_irresponsible,
            paper_ids=self.paper_ids,
            author_ids=self.author_ids,
            nomination_limit=changes.get("nomination_limit", self.nomination_limit),
            author_limits=self.author_limits,
            soft_penalty=None if penalty is None else whole(penalty),
            objective=changes.get("objective", self.objective.name),
            meta=meta,
            copy=False,
        )
        out.__dict__["idle_authors"] = self.idle_authors
        return out

    @classmethod
    def from_json(cls, data: Mapping[str, Any], meta: Meta | None = None) -> Self:
        file: Instance = convert(dict(data), Instance)
        listed = validate.ids([a.id for a in file.authors], len(file.authors), "a", "authors")
        ptr, who, authors = incidence_of_lists((p.authors for p in file.papers), listed)
        chances: list[Rational | None] = [a.p_irresponsible for a in file.authors]
        limits: dict[str, int | None] = {}
        for row in file.authors:
            if row.nomination_limit is not msgspec.UNSET:
                limits[row.id] = row.nomination_limit
        return cls(
            ptr,
            who,
            chances + [None] * (len(authors) - len(listed)),
            paper_ids=[p.id for p in file.papers],
            author_ids=authors,
            nomination_limit=file.nomination_limit,
            author_limits=limits,
            soft_penalty=file.soft_penalty,
            dedupe=file.dedupe,
            objective=file.objective,
            meta=file.meta(meta),
            copy=False,
        )

    def to_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {"problem": self.problem, **self.meta.to_json()}
        if self.nomination_limit is not None:
            out["nomination_limit"] = self.nomination_limit
        if self.soft_penalty is not None:
            out["soft_penalty"] = encode(self.soft_penalty)
        out["authors"] = []
        for i, name in enumerate(self.author_ids):
            row = {"id": name, "p_irresponsible": encode(self.p_irresponsible[i])}
            if name in self.author_limits:
                row["nomination_limit"] = self.author_limits[name]
            out["authors"].append(row)
        out["papers"] = [
            {"id": name, "authors": [self.author_ids[i] for i in self.authors_of(j)]}
            for j, name in enumerate(self.paper_ids)
        ]
        return out

    def size(self) -> dict[str, int]:
        incidences = len(self.paper_author)
        return {"papers": self.n_papers, "authors": self.n_authors, "incidences": incidences}

    def notes(self) -> tuple[Note, ...]:
        from fairopt.problems.desk_rejection.view import idle_note

        return idle_note(self.idle_authors)


def _chances(
    values: Sequence[Rational | None], authors: Sequence[str], active: NDArray[np.bool_]
) -> Exact:
    """Return the probabilities of authors with papers, each required and within [0, 1]."""
    out = []
    for i, value in enumerate(values):
        where = f"authors[{i}].p_irresponsible"
        if value is None:
            if active[i]:
                raise InstanceError(where, f"is missing for {authors[i]!r}, who has papers")
            continue
        number = rational.parse(value, where)
        if not 0 <= number <= 1:
            raise InstanceError(where, f"expected a number from 0 to 1, got {number}")
        if active[i]:
            out.append(number)
    return Exact.of(out)


def _own_limits(
    limits: Mapping[str, int | None], authors: Sequence[str], active: NDArray[np.bool_]
) -> dict[str, int | None]:
    index = {name: i for i, name in enumerate(authors)} if limits else {}
    out = {}
    for name, value in limits.items():
        if name not in index:
            raise InstanceError("author_limits", f"no author {name!r}")
        where = f"authors[{index[name]}].nomination_limit"
        number = validate.whole_limit(value, where)
        if active[index[name]]:
            out[name] = number
    return out
