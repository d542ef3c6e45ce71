"""Make the tables of online selection in ``RESULTS.md`` from rows; nothing is measured here.

    python benchmarks/online_selection_tables.py [ROWS ...]

Of several rows with one key the last counts. Seconds are CPU seconds divided by the slowdown.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tabling import reached, table, verdict

HERE = Path(__file__).parent

Row = dict[str, Any]

# n, k, gamma, alpha, degeneracy, m of the paper, tight m, colours in file order, best chance;
# gamma by flows, and by packing copies in forests, outside this project.
GRAPHS = {
    "karate": (78, 33, "17/6", 3, 4, 14, 9, 4, "6/17"),
    "les_miserables": (254, 76, "23/4", 6, 9, 32, 26, 9, "4/23"),
    "davis": (89, 31, "3", 3, 4, 14, 11, 4, "1/3"),
    "florentine": (20, 14, "5/3", 2, 2, 8, 4, 2, "3/5"),
    "petersen": (15, 9, "5/3", 2, 3, 7, 3, 3, "3/5"),
    "k10": (45, 9, "5", 5, 9, 16, 13, 9, "1/5"),
    "grid20": (760, 399, "40/21", 2, 2, 14, 9, 2, "21/40"),
}
COLUMNS = ("n", "k", "gamma", "alpha", "degeneracy", "paper", "tight", "file_order", "value")
# least chance counted in 1,500 runs at the paper's q, and the best of q = 1/2 and 4/5 (+- 0.01)
SAMPLED = {
    "karate": (0.10, 0.085),
    "davis": (0.10, 0.106),
    "florentine": (0.19, 0.33),
    "petersen": (0.19, 0.31),
    "k10": (0.085, 0.10),
}
FLAT = 60  # characters of a reason


def ms(seconds: float) -> str:
    """Return milliseconds with three digits."""
    return f"{1000 * seconds:.3g}"


def ratio(row: Row, name: str) -> str:
    """Return the median ratio and its range."""
    middle, low, high = row[f"{name}_ratio"]
    return f"{middle:.3g} ({low:.3g} to {high:.3g})"


def graphs(rows: list[Row]) -> str:
    """Compare the known graphs cell by cell; random orders depend on the seed."""
    lines = []
    for r in rows:
        cells = []
        for name, told in zip(COLUMNS, GRAPHS[r["instance"]], strict=True):
            cells.append(f"{r[name]}" if r[name] == told else f"**{r[name]}, not {told}**")
        more = [r["random_orders"], "yes" if r["verified"] else "**no**", ms(r["seconds"])]
        lines.append([r["instance"], *cells, *more])
    head = ["graph", "n", "k", "gamma", "alpha", "d", "m paper", "m tight", "colours, file order"]
    return table([*head, "t*", "colours, 200 random orders", "verified", "offline ms"], lines)


def density(rows: list[Row]) -> str:
    """Show gamma alone, and the whole of the method."""
    lines = []
    for r in rows:
        target = verdict(r["seconds"], 3) if r["vertices"] == 300 else ""
        lottery = f"{r['offline_status']}, {r['offline_cpu']}"
        size = [r["vertices"], r["edges"], r["seed"]]
        lines.append([*size, r["gamma"], r["densest"], ms(r["seconds"]), target, lottery])
    head = ["vertices", "edges", "seed", "gamma", "edges of the densest set", "ms"]
    return table([*head, "in 3 s", "with lottery and check: status, CPU s"], lines)


def partition(rows: list[Row]) -> str:
    """Show the least partitions of complete graphs."""
    lines = []
    for r in rows:
        target = verdict(r["seconds"], 1) if r["vertices"] == 40 else ""
        name, alone = f"K{r['vertices']}", ms(r["paths_alone"])
        lines.append([name, r["edges"], r["forests"], ms(r["seconds"]), alone, target])
    return table(["graph", "edges", "forests", "ms", "by paths alone", "in 1 s"], lines)


def first_fit(rows: list[Row]) -> str:
    """Show first-fit against NetworkX's union-find."""
    lines = []
    for r in rows:
        for name in ("kernel", "method", "solve", "session"):
            target = reached(r[f"{name}_ratio"][0], 50)
            peer = [r["vertices"], r["colours"], r["networkx_ms"]]
            lines.append([*peer, name, r[f"{name}_ms"], ratio(r, name), target])
    head = ["vertices", "colours", "NetworkX ms", "ours", "ms", "times as fast (range)"]
    return table([*head, "50 times"], lines)


def parameters(rows: list[Row]) -> str:
    """Show what it costs to have alpha computed."""
    lines = []
    for r in rows:
        parts = [ms(r["seconds"]), ms(r["method_wall"]), ms(r["check_wall"])]
        lines.append([r["vertices"], r["edges"], r["alpha"], r["value"], *parts])
    head = ["vertices", "edges", "alpha and k", "min_prob", "ms"]
    return table([*head, "of it the method (wall)", "the check (wall)"], lines)


def large(rows: list[Row]) -> str:
    """Show the runs on a million edges."""
    lines = []
    for r in rows:
        budget = [verdict(r["seconds"], 2), verdict(r["mib"] / 1024, 1.5)]
        seconds = [f"{r['seconds']:.2f}", f"{r['cold_cpu']:.2f}"]
        lines.append([r["what"], r["colours"], *seconds, r["before_mib"], r["mib"], *budget])
    head = ["what", "colours", "s", "first run s (CPU)", "MiB before", "peak MiB"]
    return table([*head, "in 2 s", "in 1.5 GiB"], lines)


def colours(rows: list[Row]) -> str:
    """Count where the tight number of colours is smaller."""
    lines = [
        [r["instance"], r["elements"], r["paper"], r["tight"], f"{r['tight'] / r['paper']:.2f}",
         r["used"]]
        for r in rows
    ]  # fmt: skip
    smaller = sum(r["tight"] < r["paper"] for r in rows)
    larger = sum(r["tight"] > r["paper"] for r in rows)
    shares = [r["tight"] / r["paper"] for r in rows]
    text = table(["instance", "elements", "m paper", "m tight", "share", "used"], lines)
    text += f"\n\nSmaller in {smaller} of {len(rows)}, larger in {larger}"
    text += f"; tight / paper: mean {sum(shares) / len(rows):.3f}, least {min(shares):.3f}, "
    return f"{text}largest {max(shares):.3f}."


def sampled(rows: list[Row]) -> str:
    """Show Algorithm 3 beside the reference, which has 1,500 runs and an error of 0.01.

    The reference numbers the vertices as NetworkX lists them.
    """
    lines = []
    for name, labels in dict.fromkeys((r["instance"], r["labels"]) for r in rows):
        mine = {r["q"]: r for r in rows if (r["instance"], r["labels"]) == (name, labels)}
        seen = [mine[q]["observed_min_prob"] for q in ("paper", "1/2", "4/5")]
        named = any(r["instance"] == name and r["labels"] != labels for r in rows)
        told = SAMPLED.get(name) if labels == "numbered" or not named else None
        gap = ""
        if told:
            gaps = (abs(seen[0] - told[0]), abs(max(seen[1:]) - told[1]))
            gap = f"{max(gaps):.3f}"
        chance = f"{mine['paper']['guaranteed_min_prob']}"
        shown = [f"{s:.3f}" for s in seen]
        lines.append([name, labels, *shown, f"{told[0]}, {told[1]}" if told else "", gap, chance])
    head = ["graph", "vertices", "paper's q", "q = 1/2", "q = 4/5", "reference (paper's q, best)"]
    return table([*head, "apart", "guaranteed at the paper's q"], lines)


def methods(rows: list[Row]) -> str:
    """Show guaranteed and attained probabilities of every method, one table an instance."""
    text = []
    for name in dict.fromkeys(r["instance"] for r in rows):
        mine = [r for r in rows if r["instance"] == name and "skipped" not in r]
        best = next((r["min_prob"] for r in mine if r["method"] == "offline"), None)
        lines = []
        for r in mine:
            seen = r["observed_min_prob"]
            attained = r["min_prob"] if seen is None else seen
            share = "" if None in (attained, best) or not best else f"{attained / best:.3f}"
            cells = [r["guaranteed_min_prob"], r["min_prob"], seen, share, r["gini"]]
            cells.append(r["price_of_fairness"])
            lines.append([r["method"], *("" if c is None else c for c in cells)])
        head = ["method", "guaranteed", "certified", "counted", "attained / t*", "gini", "price"]
        text.append(f"{name}\n\n{table(head, lines)}")
    return "\n\n".join(text)


def multiclass(rows: list[Row]) -> str:
    """Show values, promises and quotas of the methods with classes."""
    lines = []
    for r in rows:
        if "skipped" in r:
            lines.append([r["instance"], r["method"], f"({r['skipped'][:FLAT]})", *[""] * 4])
            continue
        value = f"{r['value_float'][0]:.4g}"
        cells = [value, _short(r["attained_ratio"]), _short(r["competitive_ratio"])]
        cells += [_short(r["pf"]), "yes" if r["gfq_prefix"] else "no"]
        lines.append([r["instance"], r["method"], *cells])
    head = ["instance", "method", "value", "quota-free optimum / value", "A", "PF"]
    return table([*head, "quotas at every time"], lines)


def _short(value: Any) -> str:
    return "" if value is None else f"{float(value):.4g}"


def sage(rows: list[Row]) -> str:
    """Show the partition of complete graphs against Sage."""
    lines = []
    for r in rows:
        target = reached(r["own_ratio"][0], 200) if r["vertices"] == 12 else ""
        whole = [r["sage_process_cpu"], r["own_process_cpu"]]
        peer = [f"K{r['vertices']}", r["peer"], r["sage_ms"], r["own_ms"]]
        lines.append([*peer, ratio(r, "own"), target, *whole])
    head = ["graph", "peer", "its ms", "our ms", "times as fast (range)", "200 times"]
    return table([*head, "its process, CPU s", "ours"], lines)


TABLES: dict[str, Callable[[list[Row]], str]] = {
    step.__name__: step
    for step in (
        graphs, density, partition, sage, first_fit, large, parameters, colours, sampled, methods,
        multiclass,
    )
}  # fmt: skip
KEYS = ("instance", "labels", "vertices", "edges", "seed", "method", "q", "what", "alpha")


def main() -> None:
    """Print all tables for which there are rows."""
    files = [Path(name) for name in sys.argv[1:]] or [HERE / "rows" / "online_selection.jsonl"]
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    for name, make in TABLES.items():
        last = {
            tuple(r.get(k) for k in KEYS if name != "graphs" or k == "instance"): r
            for r in rows
            if r["step"] == name
        }
        if last:
            commits = ", ".join(sorted({r["commit"] for r in last.values()}))
            print(f"### {name} ({commits})\n\n{make(list(last.values()))}\n")


if __name__ == "__main__":
    main()
