"""Voting rules against abcvoting: the same sets of winning feeds, ties included.

    python3 -m venv peers && peers/bin/pip install -r benchmarks/peers/requirements-jr_ranking.txt .
    peers/bin/python benchmarks/peers/jr_ranking.py --profiles 500

Compares sequential PAV, sequential Phragmen and equal shares (completed by Phragmen) along every
way to break ties. Fractions are exact here; there too, but for sequential PAV. Ends with code 1 at
the first difference.
"""

from __future__ import annotations

import argparse
import random
import sys

try:
    from abcvoting import abcrules
    from abcvoting.preferences import Profile as Peer
except ImportError:
    sys.exit("abcvoting is not installed here: see the head of this file")

from fairopt_solvers.jr_ranking.outcomes import Completion, all_outcomes, by_phragmen
from fairopt_solvers.jr_ranking.profile import Profile
from fairopt_solvers.jr_ranking.rules import EqualShares, Phragmen, Rule, SeqPav

RULES: dict[str, tuple[type[Rule], str, str, Completion | None]] = {
    "seqpav": (SeqPav, "seqpav", "standard", None),
    "phragmen": (Phragmen, "seqphragmen", "standard-fractions", None),
    "equal-shares": (EqualShares, "equal-shares", "standard-fractions", by_phragmen),
}


def main() -> None:
    """Draw profiles and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profiles", type=int, default=500)
    count = parser.parse_args().profiles
    rng = random.Random(1)
    tied = dict.fromkeys(RULES, 0)
    for number in range(count):
        m, users = rng.randint(2, 7), rng.randint(1, 9)
        chance = rng.choice((0.2, 0.4, 0.7))
        ballots = [[c for c in range(m) if rng.random() < chance] for _ in range(users)]
        if not any(ballots):
            ballots[0] = [0]
        k = rng.randint(1, m)
        peer = Peer(m)
        peer.add_voters(ballots)
        for name, (rule, theirs, algorithm, completion) in RULES.items():
            expected = abcrules.compute(theirs, peer, k, algorithm=algorithm, resolute=False)
            sets = {frozenset(map(int, committee)) for committee in expected}
            found = all_outcomes(rule(Profile.from_lists(ballots, m), k), completion)
            if found != sets:
                print(f"profile {number}, {name}: {ballots}, k = {k}: {found} against {sets}")
                sys.exit(1)
            tied[name] += len(sets) > 1
    print(f"{count} profiles, no difference; with ties: {tied}")


if __name__ == "__main__":
    main()
