"""Make the tables of fair clustering in ``RESULTS.md`` from rows; nothing is measured here.

    python benchmarks/fair_clustering_tables.py [ROWS ...]

Of several rows with one key the last counts. Seconds are CPU seconds divided by the slowdown.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tabling import table, verdict

HERE = Path(__file__).parent

Row = dict[str, Any]


def starts(rows: list[Row]) -> str:
    """Show ten starts on Adult."""
    lines = [
        [
            r["seed"], r["mean_cost"], verdict(r["mean_cost"], 0.316), r["balance"],
            "met" if r["balance"] >= 0.4937 else "not met", f"{r['price']:.4f}",
            f"{r['gap_at_centers']:.1e}", f"{r['seconds']:.1f}", verdict(r["seconds"], 50),
            "yes" if r["verified"] else "**no**",
        ]
        for r in rows
    ]  # fmt: skip
    head = ["seed", "mean cost", "at most 0.316", "balance", "at least 0.4937", "price of fairness"]
    return table([*head, "gap to the bound for its centres", "s", "in 50 s", "verified"], lines)


def fixed(rows: list[Row]) -> str:
    """Show how far assignments to given centres are from the best."""
    lines = [
        [
            r["instance"], r["condition"], f"{r['gap']:.1e}", verdict(r["gap"], 1e-4),
            f"{r['seconds']:.2f}", "yes" if r["verified"] else "**no**",
        ]
        for r in rows
    ]  # fmt: skip
    return table(["instance", "condition", "gap", "at most 1e-4", "s", "verified"], lines)


def dual(rows: list[Row]) -> str:
    """Show the dual against the linear program, by condition."""
    lines = []
    for condition in dict.fromkeys(r["condition"] for r in rows):
        mine = [r for r in rows if r["condition"] == condition]
        times = [r["times_faster"] for r in mine]
        worst = max(r["difference"] for r in mine)
        lines.append(
            [
                condition, len(mine), f"{worst:.1e}", verdict(worst, 1e-6),
                f"{statistics.median(r['seconds'] for r in mine):.3f}",
                f"{statistics.median(r['highs_seconds'] for r in mine):.2f}",
                f"{statistics.median(times):.0f} ({min(times):.0f} to {max(times):.0f})",
                "met" if min(times) >= 10 else "not met",
            ]
        )  # fmt: skip
    head = ["condition", "samples", "largest difference", "at most 1e-6", "s", "HiGHS s"]
    return table([*head, "times faster: median (range)", "at least 10"], lines)


def large(rows: list[Row]) -> str:
    """Show many points, and how time grows."""
    lines = []
    for r in rows:
        few = [q for q in rows if q["points"] * 10 == r["points"]]
        growth = f"{r['cpu'] / few[0]['cpu']:.1f}" if few else ""
        lines.append(
            [f"{r['points']:,}", r["status"], f"{r['value_float'][0]:.6g}", r["seconds"], r["wall"],
             r["mib"], growth]
        )  # fmt: skip
    head = ["points", "status", "value", "s, whole process", "wall s", "MiB at most"]
    return table([*head, "times the tenth"], lines)


def rounding(rows: list[Row]) -> str:
    """Show by how many people rounding misses overlapping bounds."""
    lines = [
        [
            r["instance"], r["attributes"], f"{r['worst_off']:.2f}", r["stated"],
            "met" if r["worst_off"] <= r["stated"] else "not met",
            f"{r['cost_to_best_shares']:.6f}", f"{r['seconds']:.1f}",
        ]
        for r in rows
    ]  # fmt: skip
    head = [
        "instance",
        "attributes",
        "people off, worst",
        "stated at most",
        "",
        "cost to best shares",
    ]
    return table([*head, "s"], lines)


def sklearn(rows: list[Row]) -> str:
    """Show plain Lloyd against scikit-learn's."""
    worst = max(abs(r["difference"]) for r in rows)
    ours, theirs = ([r[k] for r in rows] for k in ("seconds", "peer_seconds"))
    line = [len(rows), f"{worst:.1e}", f"{statistics.median(ours):.2f}"]
    head = ["seeds", "largest relative difference of the cost", "s", "scikit-learn s"]
    return table(head, [[*line, f"{statistics.median(theirs):.2f}"]])


def peer(rows: list[Row]) -> str:
    """Show the pairs against fair-kmeans."""
    lines = []
    for size in dict.fromkeys(r["size"] for r in rows):
        mine = [r for r in rows if r["size"] == size]
        ours, theirs, mean = (
            statistics.mean(r[name] for r in mine)
            for name in ("mean_cost", "peer_mean_cost", "difference")
        )
        times = [r["times_faster"] for r in mine]
        slower = statistics.median(r["peer_cpu"] / r["cpu_with_bound"] for r in mine)
        wins = sum(r["difference"] < 0 for r in mine)
        faster = "met" if min(times) >= 10 else "not met"
        cost = [f"{ours:.4f}", f"{theirs:.4f}", f"{100 * mean:+.2f} %", verdict(mean, 0.003), wins]
        speed = [f"{min(times):.0f} to {max(times):.0f}", faster, f"{slower:.0f}"]
        lines.append([f"{size} + {size}", len(mine), *cost, *speed])
    head = [
        "people",
        "seeds",
        "mean cost",
        "fair-kmeans",
        "mean paired difference",
        "at most +0.3 %",
    ]
    more = ["wins", "times faster (CPU)", "at least 10", "times faster with the bound"]
    return table([*head, *more], lines)


def methods(rows: list[Row]) -> str:
    """Show all methods side by side, best fair value of an instance and condition in bold."""
    lines = []
    for key in dict.fromkeys((r["instance"], r["condition"]) for r in rows):
        mine = [r for r in rows if (r["instance"], r["condition"]) == key]
        fair = [r["value_float"][0] for r in mine if r.get("fair") and r.get("value_float")]
        for r in mine:
            if r["status"] == "not served":
                continue
            if not r.get("value_float"):
                lines.append([*key, r["method"], r["status"], "", "", "", "", "", r["cpu"]])
                continue
            value = f"{r['value_float'][0]:.6g}"
            best = r["fair"] and r["value_float"][0] <= min(fair) * (1 + 1e-9)
            gap = "" if not r["at_centers"] else f"{r['value_float'][0] / r['at_centers'] - 1:.1e}"
            price = "" if r["price"] is None else f"{r['price']:.4f}"
            lines.append(
                [
                    *key, r["method"], f"**{value}**" if best else value,
                    "yes" if r["fair"] else "no", f"{r['balance']:.4f}", f"{r['tv']:.4f}", price,
                    gap, r["cpu"],
                ]
            )  # fmt: skip
    head = ["instance", "condition", "method", "cost", "keeps the condition", "balance", "TV"]
    return table([*head, "price", "gap at its centres", "CPU s"], lines)


TABLES: dict[str, Callable[[list[Row]], str]] = {
    f.__name__: f for f in (starts, fixed, dual, large, rounding, sklearn, peer, methods)
}


def main() -> None:
    """Print the tables of the rows that are there."""
    files = [Path(name) for name in sys.argv[1:]] or [HERE / "rows" / "fair_clustering.jsonl"]
    names = ("instance", "condition", "method", "seed", "size", "points")
    last: dict[tuple[Any, ...], Row] = {}
    for file in files:
        for line in file.read_text().splitlines():
            row = json.loads(line)
            last[row["step"], *(row.get(name) for name in names)] = row
    for step, made in TABLES.items():
        rows = [row for key, row in last.items() if key[0] == step]
        if rows:
            commits = ", ".join(dict.fromkeys(row["commit"] for row in rows))
            print(f"\n### {step} ({commits})\n\n{made(rows)}")


if __name__ == "__main__":
    main()
