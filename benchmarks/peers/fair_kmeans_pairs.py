"""Cluster two equal groups with fair-kmeans, once.

Started by the step ``peer`` of ``benchmarks/fair_clustering.py``, in an environment of its own
(``requirements-fair_clustering.txt``; README). The case comes as JSON on standard input: points,
colours, k, seed. Prints the version, the labels and the CPU seconds of one start.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version

from fair_kmeans import FairKMeans


def main() -> None:
    """Read, cluster, print."""
    case = json.load(sys.stdin)
    model = FairKMeans(n_clusters=case["k"], random_state=case["seed"], n_init=1)
    begun = time.process_time()
    model.fit(case["points"], color=case["color"])
    seconds = time.process_time() - begun
    words = {"peer": f"fair-kmeans {version('fair-kmeans')}", "cpu": seconds}
    print(json.dumps({**words, "labels": [int(v) for v in model.labels_]}))


if __name__ == "__main__":
    main()
