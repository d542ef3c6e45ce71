"""Seconds of audits and voting rules against abcvoting, side by side in one process.

    python3 -m venv peers && peers/bin/pip install -r benchmarks/peers/requirements-jr_ranking.txt .
    peers/bin/python benchmarks/peers/jr_ranking_speed.py --users 10000 --comments 300 --shown 20

Both hold the same ballots in memory; reading and building the two profiles are left out, as is
what has to be compiled or loaded at first use. Audited is the feed that equal shares selects, which
keeps both axioms, so that nobody may stop early. A rule counts only if both select the same
comments. Turns alternate, one of theirs, then ``OWN`` of ours, until ``--most`` seconds of theirs
are over; a first run of theirs that takes longer than ``--cap`` seconds is ended, and the ratio is
then a lower bound. CPU seconds of one thread. Prints one line of JSON a comparison.
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from importlib.metadata import version
from itertools import pairwise
from typing import Any

try:
    from abcvoting import abcrules, properties
    from abcvoting.preferences import Profile as Peer
except ImportError:
    sys.exit("abcvoting is not installed here: see the head of this file")

import fairopt
from fairopt.run import Run
from fairopt_solvers.jr_ranking.audits import examine
from fairopt_solvers.jr_ranking.outcomes import Completion, by_phragmen, resolute
from fairopt_solvers.jr_ranking.profile import Profile
from fairopt_solvers.jr_ranking.question import Question
from fairopt_solvers.jr_ranking.rules import EqualShares, Phragmen, Rule, SeqPav

OWN = 5  # runs of ours in a turn
TURNS = 10  # at most
GENERATORS: dict[str, dict[str, Any]] = {"ic": {"chance": 0.1163}, "clusters": {}}

Work = Callable[[], Any]


class TooLongError(Exception):
    """A run of the peer was ended."""


def main() -> None:
    """Compare on one instance of each generator that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--comments", type=int, default=300)
    parser.add_argument("--shown", type=int, default=20)
    parser.add_argument("--instance", nargs="+", choices=[*GENERATORS], default=[*GENERATORS])
    parser.add_argument("--most", type=float, default=40.0)
    parser.add_argument("--cap", type=int, default=300)
    given = parser.parse_args()
    sizes = {"users": given.users, "comments": given.comments, "shown": given.shown}
    for name in given.instance:
        problem = fairopt.generate("jr-ranking", name, seed=0, **sizes, **GENERATORS[name])
        about = {"instance": name, **sizes, "approvals": len(problem.indices)}
        for what, (ours, theirs) in comparisons(problem).items():
            row = {"what": what, **about, **compare(ours, theirs, given.most, given.cap)}
            print(json.dumps({**row, **versions()}), flush=True)


def comparisons(problem: Any) -> dict[str, tuple[Work, Work]]:
    """Return what is compared: our work and theirs, which return the same."""
    profile, k, run = Profile.of(problem), problem.k, Run()
    question = Question(profile, k, problem.scores)
    peer = Peer(problem.n_comments)
    ends = problem.indptr.tolist()
    ballots = [problem.indices[a:b].tolist() for a, b in pairwise(ends)]
    peer.add_voters(ballots)
    quota = Fraction(problem.n, k)
    feed = resolute(EqualShares(profile, k), run, by_phragmen).selected

    def rule(make: Callable[[Profile, int], Rule], then: Completion | None = None) -> Work:
        return lambda: sorted(resolute(make(profile, k), run, then).selected)

    def same(name: str, algorithm: str) -> Work:
        words = {"algorithm": algorithm, "resolute": True}
        return lambda: sorted(map(int, abcrules.compute(name, peer, k, **words)[0]))

    fast = "gmpy2-fractions"
    return {
        "jr audit": (
            lambda: examine(question, feed, "jr", run).holds,
            lambda: properties.check_JR(peer, feed, quota=quota),
        ),
        "ejr+ audit": (
            lambda: examine(question, feed, "ejr+", run).holds,
            lambda: properties.check_EJR_plus(peer, feed, quota=quota),
        ),
        "seqpav": (rule(SeqPav), same("seqpav", "standard")),
        "phragmen": (rule(Phragmen), same("seqphragmen", fast)),
        "equal shares, first phase": (
            rule(EqualShares), same("equal-shares-without-completion", fast)
        ),
        "equal shares, completed": (
            rule(EqualShares, by_phragmen), same("equal-shares", fast)
        ),
    }  # fmt: skip


def compare(ours: Work, theirs: Work, most: float, cap: int) -> dict[str, Any]:
    """Return the milliseconds of both and the median ratio with its range."""
    found = ours()  # compiles or loads
    times: list[tuple[float, float]] = []
    spent = 0.0
    while len(times) < TURNS and (not times or spent + times[-1][0] < most):
        try:
            seconds, answer = limited(theirs, cap)
        except TooLongError:
            own = min(clocked(ours)[0] for _ in range(OWN))
            return figures([(float(cap), own)], cut=True)
        if answer != found:
            raise SystemExit(f"different outcomes: {found} and {answer}")
        own = min(clocked(ours)[0] for _ in range(OWN))
        times.append((seconds, own))
        spent += seconds
    return figures(times, cut=False)


def limited(work: Work, cap: int) -> tuple[float, Any]:
    """Run the peer's work, but end it after ``cap`` seconds."""

    def stop(*_: object) -> None:
        raise TooLongError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(cap)
    try:
        return clocked(work)
    finally:
        signal.alarm(0)


def clocked(work: Work) -> tuple[float, Any]:
    """Return CPU seconds and the result."""
    begun = time.process_time()
    result = work()
    return time.process_time() - begun, result


def figures(times: list[tuple[float, float]], *, cut: bool) -> dict[str, Any]:
    """Return medians in milliseconds and ratios; ``cut`` says that theirs did not end."""
    ratios = [theirs / own for theirs, own in times]
    return {
        "peer_ms": round(1000 * statistics.median(t for t, _ in times), 3),
        "own_ms": round(1000 * statistics.median(o for _, o in times), 3),
        "own_ratio": [round(f(ratios), 1) for f in (statistics.median, min, max)],
        "turns": len(times),
        "cut": cut,
    }


def versions() -> dict[str, str]:
    """Return what is compared."""
    names = ("abcvoting", "gmpy2", "numba", "numpy")
    return {name: version(name) for name in names} | {"python": sys.version.split()[0]}


if __name__ == "__main__":
    main()
