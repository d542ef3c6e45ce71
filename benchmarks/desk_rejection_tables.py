"""Make the tables of desk rejection in ``RESULTS.md`` from rows; nothing is measured here.

    python benchmarks/desk_rejection_tables.py [ROWS ...]

Of several rows with one key the last counts. Seconds are CPU seconds divided by the slowdown.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path
from typing import Any

from tabling import reached, table, verdict

HERE = Path(__file__).parent

Row = dict[str, Any]

# limit: over-limit authors, MAX, AVG x 1000, sequential, rank-cut, reject-all-over. Optima
# proven by HiGHS with gap 0, outside this project.
REFERENCE = {
    25: (20, 11540, 4.655, 11528, 11523, 11054),
    20: (49, 11423, 10.125, 11389, 11362, 10496),
    15: (129, 11152, 24.500, 11049, 10976, 9426),
    10: (316, 10550, 59.386, 10344, 10175, 8103),
    8: (513, 10141, 85.205, 9894, 9609, 7243),
    7: (668, 9874, 102.752, 9576, 9239, 6730),
    5: (1253, 9110, 155.544, 8681, 8165, 5399),
    4: (1834, 8512, 197.640, 8037, 7390, 4679),
    3: (2890, 7699, 260.231, 7186, 6410, 3729),
    2: (5143, 6445, 361.014, 5927, 5049, 2638),
    1: (10942, 4367, 553.305, 3910, 2981, 1361),
}
COLUMNS = ("over", "max", "average", "sequential", "rank-cut", "reject-all-over")
WIPED = {25: 42, 15: 287, 10: 870}
DBLP = {
    25: (38960, 0.019550),
    10: (33157, 0.089878),
    7: (29837, 0.143419),
    3: (20844, 0.339128),
    1: (9458, 0.707544),
}


def reference(rows: list[Row]) -> str:
    """Compare the reference table cell by cell."""
    lines = []
    for row in rows:
        cells = []
        for name, told in zip(COLUMNS, REFERENCE[row["limit"]], strict=True):
            same = row[name] == told
            cells.append(f"{row[name]} {'yes' if same else f'**no, {told}**'}")
        lines.append([row["limit"], *cells])
    return table(["limit", "over limit", "MAX", "AVG x 1000", *COLUMNS[3:]], lines)


def proven(rows: list[Row]) -> str:
    """Show end to end seconds and who proved it, per file and limit."""
    lines = []
    for file, target in (("iclr2025", 1.5), ("coauth_dblp", 10.0)):
        mine = [r for r in rows if r["file"] == file]
        for limit in dict.fromkeys(r["limit"] for r in mine):
            here = {(r["objective"], r["method"]): r for r in mine if r["limit"] == limit}
            cells = []
            for objective in ("max-accept", "average"):
                auto, exact = here[objective, "auto"], here[objective, "exact"]
                cells += [auto["value_float"][0], auto["proof"]]
                cells[-2] = f"{cells[-2]:.6g}" if objective == "average" else int(cells[-2])
                cells += [f"{auto['seconds']:.2f}", f"{exact['seconds']:.2f}"]
            done = all(r["status"] == "optimal" for r in here.values())
            worst = max(r["seconds"] for (_, m), r in here.items() if m == "auto")
            lines.append([file, limit, *cells, verdict(worst, target) if done else "**no proof**"])
    head = ["MAX", "proof", "auto s", "exact s", "AVG", "proof", "auto s", "exact s"]
    return table(["file", "limit", *head, "auto in 1.5 s / 10 s"], lines)


def weighted(rows: list[Row]) -> str:
    """Show the weights of the file instead of counts."""
    lines = [[r["limit"], r["value"], r["status"], r["proof"], f"{r['seconds']:.2f}"] for r in rows]
    return table(["limit", "kept weight", "status", "proof", "auto s"], lines)


def wiped(rows: list[Row]) -> str:
    """Show the fewest authors who lose everything."""
    lines = []
    for row in rows:
        same = row["value"] == WIPED[row["limit"]] and row["status"] == "optimal"
        told = f"{row['value']} {'yes' if same else '**no**'}"
        seconds = row["seconds"]
        lines.append([row["limit"], told, row["proof"], f"{seconds:.2f}", verdict(seconds, 5)])
    return table(["limit", "wiped, as in the reference", "proof", "s", "in 5 s"], lines)


def leximin(rows: list[Row]) -> str:
    """Show how many levels were proven."""
    lines = []
    for row in rows:
        counts = ", ".join(f"{k}: {v}" for k, v in row["counts"].items())
        done = row["levels"] or 0
        enough = verdict(row["seconds"], 60) if done >= 3 else "**not met**"
        figures = [f"{row['seconds']:.1f}", f"{row['wall']:.1f}", done, counts]
        lines.append([row["depth"] or "all", *figures, enough])
    head = ["levels asked", "s", "wall s", "levels proven", "first counts", "3 levels in 60 s"]
    return table(head, lines)


def greedy(rows: list[Row]) -> str:
    """Show milliseconds and the ratio to the linear bound."""
    lines = []
    for row in rows:
        ms = 1000 * row["seconds"]
        figures = [f"{ms:.1f}", row["value"], row["lp_bound"], f"{row['to_bound']:.4f}"]
        met = [verdict(ms, 50), reached(row["to_bound"], 0.975)]
        lines.append([row["limit"], *figures, *met])
    return table(["limit", "ms", "kept", "bound", "ratio", "50 ms", "0.975"], lines)


def search(rows: list[Row]) -> str:
    """Show local search against proven optima."""
    lines = []
    for limit in dict.fromkeys(r["limit"] for r in rows):
        count = [r for r in rows if r["limit"] == limit and r["objective"] == "max-accept"]
        share = [r for r in rows if r["limit"] == limit and r["objective"] == "average"]
        gaps = ", ".join(str(r["gap"]) for r in count)
        kept = ", ".join(f"{r['kept_weight']:.5f}" for r in share)
        slow = max(r["seconds"] for r in (*count, *share))
        lines.append([limit, gaps, kept, f"{slow:.2f}"])
    gaps = [r["gap"] for r in rows if "gap" in r]
    kept = [r["kept_weight"] for r in rows if "kept_weight" in r]
    close = sum(g <= 1 for g in gaps)
    text = f"\n\nMAX within one paper in {close} of {len(gaps)} (target 14 of 15): "
    text += f"{reached(close, 14)}; optimal in {sum(g == 0 for g in gaps)}. AVG kept weight at "
    text += f"least {min(kept):.5f} of the optimum (target 0.998): {reached(min(kept), 0.998)}."
    head = ["limit", "papers short of MAX, seeds 0-2", "kept weight / optimum", "slowest s"]
    return table(head, lines) + text


def dense(rows: list[Row]) -> str:
    """Show dense random instances."""
    names = (
        "lp_bound",
        "lp_wall",
        "search",
        "greedy",
        "lp-rounding",
        "sequential",
        "highs_45s",
        "auto_10s",
    )
    ratios = [r["search"] / r["lp_bound"] for r in rows]
    lines = [
        [r["seed"], *(r[k] for k in names), f"{x:.4f}", f"{r['seconds']:.2f}"]
        for r, x in zip(rows, ratios, strict=True)
    ]
    mean, least = statistics.mean(ratios), min(ratios)
    text = f"\n\nLocal search / linear bound: mean {mean:.4f} (target 0.965: "
    text += f"{reached(mean, 0.965)}), least {least:.4f} (target 0.96: {reached(least, 0.96)})."
    head = ["bound", "its wall s", *names[2:], "search / bound", "search s"]
    return table(["seed", *head], lines) + text


def fresh(rows: list[Row]) -> str:
    """Show whole processes: memory, and seconds with and without compiled kernels."""
    lines = []
    keys = dict.fromkeys((r["file"], r["method"], r["objective"], r["limit"]) for r in rows)
    for key in keys:
        mine = [r for r in rows if (r["file"], r["method"], r["objective"], r["limit"]) == key]
        by = {r["kernels"]: r for r in mine}
        if by.keys() < {"cached", "empty"}:
            continue  # half of a measurement
        most = max(r["mib"] for r in mine)
        times = [f"{by[k]['seconds']:.1f}" for k in ("cached", "empty")]
        lines.append([*key, by["cached"]["status"], *times, most, verdict(most / 1024, 1)])
    head = [
        "file",
        "method",
        "objective",
        "limit",
        "status",
        "cold s",
        "cold s, kernels to compile",
    ]
    return table([*head, "peak MiB", "under 1 GiB"], lines)


def startup(rows: list[Row]) -> str:
    """Show start-up against NumPy's import."""
    target = {"import fairopt": 1.6, "fairopt --help": 2.4}
    lines = []
    for r in rows:
        name = r["program"]
        ms = [f"{1000 * r[k]:.0f}" for k in ("wall", "base_wall")]
        ratios = [r["wall_ratio"], r["cpu_ratio"]]
        lines.append([name, *ms, *ratios, target[name], verdict(max(ratios), target[name])])
    return table(["program", "ms", "NumPy ms", "ratio", "CPU ratio", "target", ""], lines)


def bounds(rows: list[Row]) -> str:
    """Count on which side of the optimum linear bounds are."""
    lines = []
    for file in dict.fromkeys(r["file"] for r in rows):
        for objective in dict.fromkeys(r["objective"] for r in rows):
            mine = [r for r in rows if r["file"] == file and r["objective"] == objective]
            right = sum(r["right_side"] and r["float_side"] for r in mine)
            tight = sum(r["tight"] for r in mine)
            proven = sum(r["optimum_status"] == "optimal" for r in mine)
            met = "met" if right == len(mine) else "**not met**"
            lines.append([file, objective, len(mine), proven, right, tight, met])
    head = ["file", "objective", "limits", "optimum proven", "bound on the right side"]
    return table([*head, "bound = optimum", "never wrong"], lines)


def auto(rows: list[Row]) -> str:
    """Count where auto is at least as good as all single methods, and list where it is not."""
    lines = []
    for objective in dict.fromkeys(r["objective"] for r in rows):
        mine = [r for r in rows if r["objective"] == objective]
        optimal = sum(r["status"] in ("optimal", "infeasible") for r in mine)
        behind = sum(bool(r["better"]) for r in mine)
        beyond = sum(bool(r["violations"]) for r in mine)
        met = "**not met**" if beyond else "met"
        lines.append([objective, len(mine), optimal, behind, beyond, met])
    head = ["objective", "instances", "auto closed it", "auto behind at all"]
    text = table([*head, "behind by more than 0.1 %", "within 0.1 %"], lines)
    for row in rows:
        for name, (gap, other) in row["better"].items():
            text += f"\n\n- {row['instance']}, {row['objective']}: {name} {other} is "
            text += f"{100 * gap:.2f} % ahead of auto {row['value_float'][:6]} ({row['status']})"
    return text


TABLES = {
    step.__name__: step
    for step in (
        reference, proven, weighted, wiped, leximin, greedy, search, dense, fresh, startup, bounds,
        auto,
    )
}  # fmt: skip
KEYS = ("file", "instance", "limit", "objective", "method", "seed", "depth", "kernels", "program")


def main() -> None:
    """Print all tables for which there are rows."""
    files = [Path(name) for name in sys.argv[1:]] or [HERE / "rows" / "desk_rejection.jsonl"]
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    for name, make in TABLES.items():
        last = {tuple(r.get(k) for k in KEYS): r for r in rows if r["step"] == name}
        if last:
            commits = ", ".join(sorted({r["commit"] for r in last.values()}))
            print(f"### {name} ({commits})\n\n{make(list(last.values()))}\n")


if __name__ == "__main__":
    main()
