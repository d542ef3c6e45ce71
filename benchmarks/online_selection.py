"""Measure the family of online selection, step by step, and keep one row a run.

    python benchmarks/online_selection.py [STEP ...] [--again] [--only KEY=VALUE ...] [--rows FILE]
                                          [--sage PYTHON]

Steps are the functions of ``STEPS``; without one all are run. Rows go to
``benchmarks/rows/online_selection.jsonl``; ``benchmarks/online_selection_tables.py`` makes tables
of them. The step ``sage`` needs the Python of an environment with Sage's matroids
(``benchmarks/peers/README.md``) and is skipped without one.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import measuring
import numpy as np
from measuring import HERE, Rows, instance, outcome, present, warm

import fairopt
from fairopt.errors import UsageError
from fairopt.problems.online_selection import OnlineSelection
from fairopt.problems.online_selection.matroids import Graphic
from fairopt.problems.online_selection.problem import Information
from fairopt.run import Run
from fairopt.solution import encode

SUITE = HERE / "online_selection.toml"
ROWS = HERE / "rows" / "online_selection.jsonl"
SAGE = HERE / "peers" / "sage_partition.py"
ORDERS = 200  # random orders on which first-fit's colours are counted
DENSITY = ((100, 800), (300, 3000), (1000, 10_000))
FITS = (1000, 200)  # vertices of the graph with 10,000 edges
TURNS = 10  # alternating runs of a comparison
LARGE = {"vertices": 100_000, "edges": 1_000_000}
Q = ("paper", "1/2", "4/5")
NAMED = {
    "les_miserables": "les_miserables_graph",
    "davis": "davis_southern_women_graph",
    "florentine": "florentine_families_graph",
}


def chosen(table: str) -> Iterator[tuple[str, Any]]:
    """Yield name and instance of what the suite lists for a table."""
    for spec in present(measuring.suite(SUITE)["instances"]):
        if table in spec["in"]:
            yield spec["name"], instance(spec)


def told(problem: Any, alpha: int, rank: int) -> OnlineSelection:
    """Return a new instance that gives arboricity and rank, with nothing derived yet."""
    return OnlineSelection(problem.matroid, information=Information(alpha=alpha, rank=rank))


def graph(vertices: int, edges: int, seed: int = 0) -> Any:
    """Return a random graph."""
    words: dict[str, Any] = {"vertices": vertices, "edges": edges, "seed": seed}
    return fairopt.generate("online-selection", "random-graph", **words)


# -- offline -------------------------------------------------------------------------------


def graphs(rows: Rows) -> None:
    """Find the figures of the known graphs, and the colours that first-fit uses."""
    for name, problem in chosen("graphs"):
        rows.run("graphs", lambda p=problem: _graph(p), instance=name)


def _graph(problem: Any) -> dict[str, Any]:
    from fairopt.problems.online_selection.proofs_guarantees import degeneracy_of
    from fairopt_solvers.online_selection.placing import placer

    solution, timed = _timed(problem, "offline")
    rng = np.random.default_rng(0)
    levels = placer(problem.matroid, None)
    most = 0
    for _ in range(ORDERS):
        levels.clear()
        most = max(most, int(levels.extend(rng.permutation(problem.n_elements)).max()))
    levels.clear()
    return {
        "n": problem.n_elements,
        "k": solution.figures["rank"],
        "gamma": encode(solution.figures["gamma"]),
        "alpha": solution.figures["alpha"],
        "degeneracy": degeneracy_of(problem.matroid),
        **_colours(problem, "first-fit"),
        "file_order": int(levels.extend(np.arange(problem.n_elements)).max()),
        "random_orders": most,
        **outcome(solution),
        **timed,
        "verified": fairopt.verify(problem, solution).ok,
    }


def _colours(problem: Any, method: str) -> dict[str, int]:
    """Return the paper's number of colours and the tight one."""
    return {m: len(fairopt.solve(problem, method, m=m).answer.law) for m in ("paper", "tight")}


def _timed(problem: Any, method: str) -> tuple[Any, dict[str, Any]]:
    """Solve an instance of which nothing is derived yet; return the solution and the seconds."""
    found: list[Any] = []

    def work() -> None:
        new = OnlineSelection(problem.matroid, information=problem.information)
        found[:] = [fairopt.solve(new, method)]

    timed = warm(work)
    return found[0], timed


def density(rows: Rows) -> None:
    """Time gamma alone, and the whole of ``offline`` with its lottery and its check."""
    for vertices, edges in DENSITY:
        for seed in range(3):
            key = {"vertices": vertices, "edges": edges, "seed": seed}
            rows.run("density", lambda k=key: _density(**k), **key)


def _density(vertices: int, edges: int, seed: int) -> dict[str, Any]:
    from fairopt_solvers.online_selection import density as method

    problem, found = graph(vertices, edges, seed), []
    timed = warm(lambda: found.append(method.density(problem.matroid, Run())))
    best, begun = found[-1], time.process_time()
    solution = fairopt.solve(problem, "offline", time_limit=60)
    whole = time.process_time() - begun
    return {
        "gamma": str(best.gamma),
        "exact": best.exact,
        "densest": len(best.densest),
        **timed,
        "offline_cpu": round(whole, 2),
        **{f"offline_{k}": v for k, v in outcome(solution).items()},
    }


def partition(rows: Rows) -> None:
    """Time the least partition of complete graphs into forests, packing first and paths alone."""
    for vertices in (12, 40, 60):
        rows.run("partition", lambda n=vertices: _partition(n), vertices=vertices)


def _partition(vertices: int) -> dict[str, Any]:
    from fairopt_solvers.online_selection.oracles import Oracle
    from fairopt_solvers.online_selection.partition import partition as method

    matroid = fairopt.generate("online-selection", "complete", vertices=vertices).matroid
    forests: list[Any] = []
    timed = warm(lambda: forests.append(least_partition(matroid)))
    nothing = np.zeros((len(forests[-1]), matroid.n), bool)
    bare = warm(lambda: method(Oracle.of(matroid), len(nothing), packed=nothing))
    return {
        "edges": matroid.n,
        "forests": len(forests[-1]),
        "covered": sum(len(f) for f in forests[-1]),
        **timed,
        "paths_alone": bare["seconds"],
    }


def least_partition(matroid: Any) -> list[Any]:
    """Return the fewest independent sets that cover a matroid, as lists of elements."""
    from fairopt_solvers.online_selection.oracles import Oracle
    from fairopt_solvers.online_selection.partition import arboricity

    return arboricity(Oracle.of(matroid))[1].sets()


# -- online --------------------------------------------------------------------------------


def first_fit(rows: Rows) -> None:
    """Compare first-fit on 10,000 edges with the same loop over NetworkX's union-find."""
    for vertices in FITS:
        rows.run("first_fit", lambda n=vertices: _first_fit(n), vertices=vertices, edges=10_000)


def _first_fit(vertices: int) -> dict[str, Any]:
    from fairopt_solvers.online_selection.placing import placer

    problem = graph(vertices, 10_000)
    edges, everything = list(problem.matroid.edges), np.arange(10_000)
    colours = networkx_first_fit(edges)
    alpha = -(-10_000 // (vertices - 1))
    fresh = partial(told, problem, alpha, vertices - 1)
    own: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
        "kernel": (lambda: None, lambda _: placer(problem.matroid, None).extend(everything)),
        "method": (fresh, _method),
        "solve": (fresh, lambda p: fairopt.solve(p, "first-fit").answer.coloring),
        "session": (fresh, _session),
    }
    for prepare, work in own.values():  # warm, and the same colours
        assert work(prepare()).tolist() == colours
    times: dict[str, list[float]] = {name: [] for name in ("networkx", *own)}
    for _ in range(TURNS):
        times["networkx"].append(_cpu(lambda: networkx_first_fit(edges)))
        for name, (prepare, work) in own.items():
            given = prepare()
            times[name].append(_cpu(lambda w=work, p=given: w(p)))
    return {"colours": max(colours), **_ratios(times, "networkx"), "turns": TURNS}


def _method(problem: Any) -> Any:
    from fairopt_solvers.online_selection.first_fit import first_fit as method

    return method(problem, Run()).answer.coloring


def _session(problem: Any) -> Any:
    """Let all edges arrive one at a time; return the colours."""
    session = fairopt.OnlineSession(problem, "first-fit", seed=0).start()
    for e in range(problem.n_elements):
        session.arrive(e)
    return session._policy.colour  # the colours so far; the solution would add the check


def networkx_first_fit(edges: list[tuple[int, int]]) -> list[int]:
    """Return the first-fit colours of edges, one union-find of NetworkX a colour."""
    from networkx.utils import UnionFind

    levels: list[Any] = []
    out = []
    for u, v in edges:
        for colour, forest in enumerate(levels, 1):  # noqa: B007  used after the loop
            if forest[u] != forest[v]:
                break
        else:
            forest = UnionFind()
            levels.append(forest)
            colour = len(levels)
        forest.union(u, v)
        out.append(colour)
    return out


def _cpu(work: Callable[[], Any]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _ratios(times: dict[str, list[float]], peer: str) -> dict[str, Any]:
    """Return medians in milliseconds, and how many times as long the peer takes: median, range."""
    out: dict[str, Any] = {}
    for name, own in times.items():
        out[f"{name}_ms"] = round(1000 * statistics.median(own), 3)
        if name != peer:
            each = sorted(theirs / mine for theirs, mine in zip(times[peer], own, strict=True))
            ratio = (statistics.median(each), each[0], each[-1])
            out[f"{name}_ratio"] = [round(r, 2) for r in ratio]
    return out


def parameters(rows: Rows) -> None:
    """Time first-fit where alpha is not given, so that gamma is computed and shown."""
    for vertices, edges in ((100, 300), (300, 3000)):
        for how in ("given", "computed"):
            key = {"vertices": vertices, "edges": edges, "alpha": how}
            rows.run("parameters", lambda k=key: _parameters(**k), **key)


def _parameters(vertices: int, edges: int, alpha: str) -> dict[str, Any]:
    problem = graph(vertices, edges)
    if alpha == "given":
        offline = fairopt.solve(problem, "offline").figures
        problem = told(problem, offline["alpha"], offline["rank"])
    solution, timed = _timed(problem, "first-fit")
    parts = {f"{k}_wall": round(v, 4) for k, v in solution.seconds.items() if k != "read"}
    return {**outcome(solution), **timed, **parts}


def large(rows: Rows) -> None:
    """Run first-fit on 10^6 edges and 10^5 vertices in a process of its own."""
    for what in ("kernel", "method", "solve"):
        rows.run("large", lambda w=what: _spawned(w), what=what, **LARGE)


def _spawned(what: str) -> dict[str, Any]:
    words = [sys.executable, str(Path(__file__)), "--child", what]
    text, _, wall = measuring.spawn(words)
    found: dict[str, Any] = json.loads(text.splitlines()[-1])
    return {**found, "process_wall": round(wall, 1)}


def child(what: str) -> dict[str, Any]:
    """Return seconds, colours and peak memory of one way to run first-fit; in a fresh process.

    Or partition a complete graph once, so that the whole process can be timed.
    """
    from fairopt_solvers.online_selection.placing import placer

    if what.startswith("partition"):
        made = fairopt.generate("online-selection", "complete", vertices=int(what.split()[1]))
        return {"forests": len(least_partition(made.matroid))}
    problem = graph(**LARGE)
    rank, everything = LARGE["vertices"] - 1, np.arange(LARGE["edges"])
    alpha = -(-LARGE["edges"] // rank)
    before = measuring.peak_mib()
    colours: list[Any] = []
    work: dict[str, Callable[[], Any]] = {
        "kernel": lambda: placer(problem.matroid, None).extend(everything),
        "method": lambda: _method(told(problem, alpha, rank)),
        "solve": lambda: fairopt.solve(told(problem, alpha, rank), "first-fit").answer.coloring,
    }
    cold = _cpu(lambda: colours.append(work[what]()))
    cpu = min(_cpu(work[what]) for _ in range(measuring.WARM))
    sizes = {"before_mib": round(before), "mib": round(measuring.peak_mib())}
    slow = measuring.slowdown()  # last, for its array is 400 MB
    seconds = {"seconds": round(cpu / slow, 4), "cpu": round(cpu, 4), "cold_cpu": round(cold, 2)}
    return {"colours": int(colours[0].max()), **seconds, **sizes, "slowdown": round(slow, 3)}


def colours(rows: Rows) -> None:
    """Count the colours of the paper and the tight ones on forty generated instances."""
    for name, problem in chosen("colours"):
        method = "first-fit" if problem.is_matroid else "matchoid"
        rows.run("colours", lambda p=problem, m=method: _colour_row(p, m), instance=name)


def _colour_row(problem: Any, method: str) -> dict[str, Any]:
    used = fairopt.solve(problem, method, m="tight").answer.coloring.max()
    return {"elements": problem.n_elements, **_colours(problem, method), "used": int(used)}


def sampled(rows: Rows) -> None:
    """Count acceptances of Algorithm 3 at the paper's q and at larger ones."""
    runs = measuring.suite(SUITE)["suite"]["runs"]
    for name, shipped in chosen("graphs"):
        for labels, problem in (("shipped", shipped), ("numbered", numbered(name, shipped))):
            if labels == "numbered" and problem is shipped:
                continue
            for q in Q:
                work = partial(_sampled, problem, q, runs)
                rows.run("sampled", work, instance=name, labels=labels, q=q)


def numbered(name: str, shipped: Any) -> Any:
    """Return the graph with vertices numbered as NetworkX lists them, where they have names.

    Algorithm 3 breaks ties by the labels of vertices, so that its chances depend on them.
    """
    import networkx

    if name not in NAMED:
        return shipped
    known = getattr(networkx, NAMED[name])()
    number = {v: k for k, v in enumerate(known.nodes())}
    return OnlineSelection(Graphic.of([(number[u], number[v]) for u, v in known.edges()]))


def _sampled(problem: Any, q: str, runs: int) -> dict[str, Any]:
    more = {} if q == "paper" else {"q": Fraction(q)}
    return {**_figures(fairopt.solve(problem, "degeneracy", runs=runs, **more)), "runs": runs}


def methods(rows: Rows) -> None:
    """Put all methods side by side: what is guaranteed, what is attained."""
    settings = measuring.suite(SUITE)["suite"]
    for name, problem in chosen("methods"):
        for spec in settings["methods"]:
            options = dict(spec.get("options", {}))
            label = " ".join([spec["method"], *(f"{k}={v}" for k, v in options.items())])
            if spec.get("counted"):
                options["runs"] = settings["runs"]
            for seed in settings["seeds"]:
                key = {"instance": name, "method": label, "seed": seed}
                work = lambda p=problem, m=spec["method"], o=options, s=seed: _side(  # noqa: E731
                    p, m, o, s, settings["time_limit"]
                )
                rows.run("methods", work, **key)


def _side(
    problem: Any, method: str, options: dict[str, Any], seed: int, limit: float
) -> dict[str, Any]:
    if "q" in options:
        options = {**options, "q": Fraction(options["q"])}
    try:
        solution = fairopt.solve(problem, method, seed=seed, time_limit=limit, **options)
    except UsageError as error:
        return {"skipped": str(error)}
    notes = [note.text for note in solution.notes]
    return {**outcome(solution), **_figures(solution), "notes": notes}


def _figures(solution: Any) -> dict[str, Any]:
    """Return attained and guaranteed probabilities as floats; ``observed`` of counts."""
    figures = solution.figures
    names = ("min_prob", "guaranteed_min_prob", "observed_min_prob", "mean_prob", "gini")
    names = (*names, "price_of_fairness")
    return {k: None if figures.get(k) is None else round(float(figures[k]), 6) for k in names}


def multiclass(rows: Rows) -> None:
    """Put the methods with quotas side by side."""
    for name, problem in chosen("multiclass"):
        for method in measuring.suite(SUITE)["suite"]["multiclass"]:
            key = {"instance": name, "method": method}
            rows.run("multiclass", lambda p=problem, m=method: _quotas(p, m), **key)


def _quotas(problem: Any, method: str) -> dict[str, Any]:
    try:
        solution = fairopt.solve(problem, method)
    except UsageError as error:
        return {"skipped": str(error)}
    figures = solution.figures
    names = ("competitive_ratio", "attained_ratio", "pf", "gfq_prefix", "gfq_slack")
    return {**outcome(solution), **{k: encode(figures.get(k)) for k in names}}


# -- a peer in its own environment -----------------------------------------------------------


def sage(rows: Rows, python: str | None) -> None:
    """Compare the least partition of K12 into forests with Sage, alternating."""
    if python is None:
        print("skipped: sage, for which no --sage PYTHON is given", flush=True)
        return
    for vertices in (8, 12):
        rows.run("sage", lambda n=vertices: _sage(python, n), vertices=vertices)


def _sage(python: str, vertices: int) -> dict[str, Any]:
    matroid = fairopt.generate("online-selection", "complete", vertices=vertices).matroid
    edges = [list(e) for e in matroid.edges]
    words = [python, str(SAGE), json.dumps({"vertices": vertices, "edges": edges})]
    times: dict[str, list[float]] = {"sage": [], "own": []}
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peer:
        assert peer.stdin is not None
        assert peer.stdout is not None
        about = json.loads(peer.stdout.readline())
        for turn in range(TURNS + 1):  # the first is not counted
            peer.stdin.write("again\n")
            peer.stdin.flush()
            theirs = json.loads(peer.stdout.readline())
            own: list[Any] = []
            seconds = _cpu(lambda o=own: o.append(least_partition(matroid)))
            sizes = (len(theirs["sets"]), sum(map(len, theirs["sets"])))
            assert sizes == (len(own[0]), matroid.n)
            if turn:
                times["sage"].append(theirs["cpu"])
                times["own"].append(seconds)
        peer.stdin.close()
    whole = {"sage": [python, str(SAGE), words[2], "once"]}
    whole["own"] = [sys.executable, str(Path(__file__)), "--child", f"partition {vertices}"]
    ends = {f"{name}_process_cpu": round(measuring.spawn(w)[1], 2) for name, w in whole.items()}
    return {"forests": len(own[0]), **_ratios(times, "sage"), "turns": TURNS, **about, **ends}


STEPS: dict[str, Callable[..., None]] = {
    step.__name__: step
    for step in (
        graphs, density, partition, first_fit, parameters, large, colours, sampled, methods,
        multiclass, sage,
    )
}  # fmt: skip


def main() -> None:
    """Run the steps that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("steps", nargs="*", metavar="STEP", help=", ".join(STEPS))
    parser.add_argument("--again", action="store_true", help="measure what has a row already")
    parser.add_argument("--rows", type=Path, default=ROWS)
    parser.add_argument("--only", nargs="+", default=[], help="such as instance=karate")
    parser.add_argument("--sage", metavar="PYTHON", help="of an environment with Sage's matroids")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(child(given.child)))
        return
    unknown = [name for name in given.steps if name not in STEPS]
    if unknown:
        parser.error(f"no step {unknown[0]!r}; choose from {', '.join(STEPS)}")
    only = dict(word.split("=", 1) for word in given.only)
    rows = Rows(given.rows, again=given.again, only=only)
    for name in given.steps or STEPS:
        STEPS[name](rows, given.sage) if name == "sage" else STEPS[name](rows)


if __name__ == "__main__":
    main()
