"""Partition a graph into forests with Sage, once for every line on standard input.

Started by the step ``sage`` of ``benchmarks/online_selection.py``, in an environment of its own
(``requirements-online_selection.txt``; README). The graph comes as JSON, the first argument. Prints
the version, then for each line (once, if there is a second argument) the CPU seconds and the sets.
The matroid is that of the incidence matrix over GF(2): the class of Sage for which its partition is
fastest. Reading and building are not in the seconds; every run has a matroid that was never asked
anything.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version

import sage.all__sagemath_modules  # noqa: F401  the library must be initialised first
from sage.matrix.constructor import matrix
from sage.matroids.constructor import Matroid
from sage.rings.finite_rings.finite_field_constructor import GF


def main() -> None:
    """Build, partition, print."""
    graph = json.loads(sys.argv[1])
    ends = [set(edge) for edge in graph["edges"]]
    rows = [[int(v in edge) for edge in ends] for v in range(graph["vertices"] - 1)]
    name = "passagemath-modules"
    print(json.dumps({"peer": f"{name} {version(name)}"}), flush=True)
    for _ in sys.stdin if len(sys.argv) < 3 else [sys.argv[2]]:
        matroid = Matroid(matrix(GF(2), rows))
        begun = time.process_time()
        sets = [list(part) for part in matroid.partition()]
        seconds = time.process_time() - begun
        print(json.dumps({"cpu": seconds, "sets": [sorted(map(int, s)) for s in sets]}), flush=True)


if __name__ == "__main__":
    main()
