"""Who approves what, as arrays both ways: what the kernels of this family work on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairopt.problems.jr_ranking import JrRanking

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Profile:
    """Approval ballots with integer weights, CSR both ways.

    ``ptr, item`` (int64, int32) list the comments of each user, ``col, user`` the users of each
    comment; ``n`` is the weight of all users, those with an empty ballot included.
    """

    ptr: Ints
    item: NDArray[np.int32]
    col: Ints
    user: NDArray[np.int32]
    weight: Ints
    n: int
    origin: Ints | None = None  # of a merged profile: its row for each row before, -1 if left out

    @staticmethod
    def of(problem: JrRanking) -> Profile:
        """Return the profile of an instance, one row for each of its own."""
        col, user = problem.supporters
        return Profile(
            problem.indptr, problem.indices, np.ascontiguousarray(col, np.int64),
            np.ascontiguousarray(user, np.int32), problem.weights, int(problem.n),
        )  # fmt: skip

    @staticmethod
    def from_arrays(
        ptr: ArrayLike, item: ArrayLike, size: int, weight: ArrayLike | None = None
    ) -> Profile:
        """Return the profile of ballots ``item[ptr[i]:ptr[i + 1]]`` over ``size`` comments."""
        from fairopt_solvers.jr_ranking.kernels import transposed

        rows = np.ascontiguousarray(ptr, np.int64)
        items = np.ascontiguousarray(item, np.int32)
        col, user = transposed(rows, items, size)
        if weight is None:
            weights = np.ones(len(rows) - 1, np.int64)
        else:
            weights = np.ascontiguousarray(weight, np.int64)
        return Profile(rows, items, col, user, weights, int(weights.sum()))

    @staticmethod
    def from_lists(
        ballots: Sequence[Sequence[int]], size: int, weight: ArrayLike | None = None
    ) -> Profile:
        """Return the profile of ballots given as lists of comments; they are sorted here."""
        ptr = np.concatenate([[0], np.cumsum([len(ballot) for ballot in ballots], dtype=np.int64)])
        item = np.array([c for ballot in ballots for c in sorted(ballot)], np.int32)
        return Profile.from_arrays(ptr, item, size, weight)

    @property
    def m(self) -> int:
        """Number of comments."""
        return len(self.col) - 1

    @property
    def users(self) -> int:
        """Number of rows."""
        return len(self.ptr) - 1

    @property
    def arrays(self) -> tuple[Ints, NDArray[np.int32], Ints, NDArray[np.int32], Ints]:
        """The arrays that most kernels take first."""
        return self.ptr, self.item, self.col, self.user, self.weight

    def users_of(self, comment: int) -> NDArray[np.int32]:
        """Return the users of a comment."""
        return self.user[self.col[comment] : self.col[comment + 1]]

    @cached_property
    def sup(self) -> Ints:
        """Weight of the approvers of each comment."""
        return self.unrepresented(np.zeros(0, np.int64))

    @cached_property
    def user_of(self) -> Ints:
        """The user of each entry of ``item``."""
        return np.repeat(np.arange(self.users), np.diff(self.ptr))

    @cached_property
    def merged(self) -> Profile:
        """The same profile with equal ballots put together and empty ones left out (``n`` stays).

        Ballots are compared after hashing; two different ones with one hash are not merged.
        """
        from fairopt_solvers.jr_ranking.kernels import ballot_keys, same_ballots

        keys = ballot_keys(self.ptr, self.item, 1, self.m)
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        same = same_ballots(self.ptr, self.item, first[group].astype(np.int64))
        keep = np.zeros(self.users, bool)
        keep[first] = True
        keep |= ~same
        weight = np.where(same, 0, self.weight)
        np.add.at(weight, first[group[same]], self.weight[same])
        keep &= np.diff(self.ptr) > 0
        sizes = np.diff(self.ptr)[keep]
        ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        item = self.item[keep[self.user_of]]
        out = Profile.from_arrays(ptr, item, self.m, weight[keep])
        place = np.where(keep, np.cumsum(keep) - 1, -1)
        origin = np.where(same, place[first[group]], place)
        return Profile(out.ptr, out.item, out.col, out.user, out.weight, self.n, origin)

    @cached_property
    def bits(self) -> tuple[Words, Ints]:
        """Approvers of each comment as bitsets, and the weight of a user in each word."""
        from fairopt_solvers.jr_ranking.kernels_swap import bitsets

        order = np.argsort(self.weight, kind="stable")
        sorted_weight = self.weight[order]
        values, counts = np.unique(sorted_weight, return_counts=True)
        words = -(-counts // 64)
        first_word = np.concatenate([[0], np.cumsum(words)])
        first_user = np.concatenate([[0], np.cumsum(counts)])
        kind = np.repeat(np.arange(len(values)), counts)
        slot = np.empty(self.users, np.int64)
        slot[order] = np.arange(self.users) - first_user[kind] + 64 * first_word[kind]
        total = int(first_word[-1])
        return bitsets(self.col, self.user, slot, total), np.repeat(values, words)

    def unrepresented(self, selected: ArrayLike) -> Ints:
        """Return u_c: the weight of each comment's approvers who approve nothing selected."""
        from fairopt_solvers.jr_ranking.kernels import unrepresented

        out: Ints = unrepresented(*self.arrays, np.ascontiguousarray(selected, np.int64))
        return out

    def satisfaction(self, selected: ArrayLike) -> Ints:
        """Return how many selected comments each user approves."""
        from fairopt_solvers.jr_ranking.kernels import satisfaction

        chosen = np.ascontiguousarray(selected, np.int64)
        out: Ints = satisfaction(self.col, self.user, chosen, self.users)
        return out

    def worst_levels(self, selected: ArrayLike, k: int) -> tuple[Ints, Ints]:
        """Return per comment outside the level l and group weight g with the largest g / l."""
        from fairopt_solvers.jr_ranking.kernels import worst_levels

        chosen = np.ascontiguousarray(selected, np.int64)
        inside = np.zeros(self.m, bool)
        inside[chosen] = True
        count = self.satisfaction(chosen)
        level, group = worst_levels(self.col, self.user, self.weight, count, inside, k)
        return level, group
