"""Make the tables of representative ranking in ``RESULTS.md`` from rows; nothing is measured here.

    python benchmarks/jr_ranking_tables.py [ROWS ...]

Of several rows with one key the last counts. Seconds are CPU seconds divided by the slowdown.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

from tabling import reached, table, verdict

HERE = Path(__file__).parent

Row = dict[str, Any]

# k = 8: top-k score and level, optimum under JR, greedy-cc, users covered by top-k; found outside
# this project. Scores to the digits told there.
REFERENCE = {
    ("remesh_campus_q2", "approvals"): (1385, "680/308", 1370, 1364, 211),
    ("remesh_campus_q2", "diverse_approval"): (4.21673, "520/308", 4.20469, 4.12095, 238),
    ("remesh_campus_q3", "approvals"): (1502, "384/310", 1498, 1458, 234),
    ("remesh_campus_q4", "approvals"): (1536, "504/306", 1518, 1489, 237),
    ("remesh_campus_q4", "diverse_approval"): (4.85331, "536/306", 4.79204, 4.64123, 229),
    ("remesh_foreign_q3", "approvals"): (1795, "496/310", 1756, 1697, 240),
    ("remesh_assemble_q1", "approvals"): (1886, "368/305", 1882, 1731, 257),
    ("remesh_assemble_q4", "approvals"): (603, "104/105", 603, 568, 91),
    ("remesh_assemble_q6", "approvals"): (1436, "456/307", 1426, 1398, 234),
    ("polis_climate_b", "agree_rate"): (7.79, "1928/1116", 7.78669, 7.50396, 440),
    ("polis_climate_b", "seeded_random"): (7.9063, "2600/1116", 7.8747, 6.6597, 250),
    ("polis_city", "seeded_random"): (7.9584, "4624/2031", 7.9309, 7.2506, 191),
    ("polis_rideshare", "approvals"): (4738, "336/1921", 4738, 4738, 1161),
}
CLOSE = 5e-6  # of the last digit told
TIMES = 300  # as fast as abcvoting
HEURISTICS = ("greedy-cc", "reserve-greedy", "swap-search")


def number(value: Any) -> float:
    """Return a value of a row as a float."""
    return float(Fraction(value)) if isinstance(value, str) else float(value)


def real(rows: list[Row]) -> str:
    """Compare with the reference cell by cell, then sum up."""
    lines = []
    by_key = {(r["instance"].removesuffix(".json"), r["scores"]): r for r in rows if r["k"] == 8}
    for key, told in REFERENCE.items():
        r = by_key[key]
        greedy = r["others"]["greedy-cc"]["value"]
        mine = (r["top"], r["top_level"], r["value"], greedy, r["top_coverage"])
        cells = [
            f"{number(own):.6g}" if abs(number(own) - number(there)) <= CLOSE
            else f"**{number(own):.6g}, not {number(there):.6g}**"
            for own, there in zip(mine, told, strict=True)
        ]  # fmt: skip
        lines.append([key[0], key[1], *cells])
    head = ["instance", "score", "top-k", "level", "JR optimum", "greedy-cc", "covered by top-k"]
    return f"{table(head, lines)}\n\n{table(*_summary(rows))}"


def _summary(rows: list[Row]) -> tuple[list[str], list[list[Any]]]:
    lines = []
    for k in sorted({r["k"] for r in rows}):
        mine = [r for r in rows if r["k"] == k]
        proven = [r for r in mine if r["status"] == "optimal"]
        prices = [number(r["price"]) for r in proven if r["price"] is not None]
        broken = sum(number(r["top_level"]) >= 1 for r in mine)
        cells = [k, f"{len(proven)} of {len(mine)}", f"{max(r['seconds'] for r in mine):.2f}"]
        cells += [f"{broken} of {len(mine)}", f"{statistics.mean(prices):.4f}, {max(prices):.4f}"]
        cells += [_mean_and_worst(r["others"][m]["share"] for r in proven) for m in HEURISTICS]
        lines.append([*cells, "yes" if all(r["verified"] for r in mine) else "**no**"])
    head = ["k", "proven", "slowest s", "top-k breaks JR", "price: mean, largest"]
    return [*head, *(f"{m}: mean, worst" for m in HEURISTICS), "verified"], lines


def _mean_and_worst(shares: Iterable[float]) -> str:
    found = list(shares)
    return f"{statistics.mean(found):.4f}, {min(found):.4f}"


def axioms(rows: list[Row]) -> str:
    """Count what is proven under stronger axioms, and list what is not."""
    lines, gaps = [], []
    for axiom, k in dict.fromkeys((r["axiom"], r["k"]) for r in rows):
        mine = [r for r in rows if (r["axiom"], r["k"]) == (axiom, k)]
        proven = [r for r in mine if r["status"] == "optimal"]
        prices = [number(r["price"]) for r in proven if r["price"] is not None]
        ratios = [r["ratio"] for r in mine if r["status"] != "optimal"]
        price = f"{statistics.mean(prices):.4f}, {max(prices):.4f}"
        gap = f"{100 * (max(ratios) - 1):.3f} %" if ratios else ""
        lines.append([axiom, k, f"{len(proven)} of {len(mine)}", gap, price])
    for r in rows:
        if r["status"] != "optimal":
            value, bound = (f"{number(r[name]):.6g}" for name in ("value", "bound"))
            gaps.append([r["instance"].removesuffix(".json"), r["scores"], r["axiom"], r["k"],
                         value, bound, f"{100 * (r['ratio'] - 1):.3f} %"])  # fmt: skip
    text = table(["axiom", "k", "proven", "largest gap", "price: mean, largest"], lines)
    head = ["not proven", "score", "axiom", "k", "value", "bound", "gap"]
    return f"{text}\n\n{table(head, gaps)}" if gaps else text


def rules(rows: list[Row]) -> str:
    """Show score, levels and axioms of every method, one table an instance."""
    text = []
    for name in dict.fromkeys(r["instance"] for r in rows):
        lines = []
        for r in rows:
            if r["instance"] != name or "skipped" in r:
                continue
            levels = [f"{number(r[f]):.3f}" for f in ("jr_level", "ejr_plus_level")]
            kept = [axiom for axiom in ("jr", "pjr+", "ejr+") if r[axiom] == "holds"]
            share = "" if r["share"] is None else f"{r['share']:.4f}"
            figures = [share, *levels, r["coverage"], f"{number(r['pav_score']):.1f}"]
            lines.append([r["method"], *figures, " ".join(kept) or "none", r["seconds"]])
        head = ["method", "score / optimum", "JR level", "EJR+ level", "covered", "PAV score"]
        text.append(f"{name}\n\n{table([*head, 'axioms kept', 's'], lines)}")
    return "\n\n".join(text)


def mixtures(rows: list[Row]) -> str:
    """Show what JR costs by the number of groups: means over the seeds."""
    lines = []
    for groups in dict.fromkeys(r["groups"] for r in rows):
        mine = [r for r in rows if r["groups"] == groups]
        price = statistics.mean(number(r["price"]) for r in mine)
        level = statistics.mean(number(r["top_level"]) for r in mine)
        proven = sum(r["status"] == "optimal" for r in mine)
        shares = [statistics.mean(r["shares"][m] for r in mine) for m in HEURISTICS]
        cells = [f"{value:.4f}" for value in (level, price, *shares)]
        lines.append([groups, f"{proven} of {len(mine)}", *cells])
    return table(["groups", "proven", "JR level of top-k", "price of JR", *HEURISTICS], lines)


def large(rows: list[Row]) -> str:
    """Show the runs on 11 million approvals against one sum over both index arrays."""
    text = []
    for r in rows:
        memory = f"{r['mib']} MiB ({verdict(r['mib'], 1024)} in 1 GiB)"
        if "ms" not in r:
            parts = ", ".join(f"{name} {value:.2f} s" for name, value in r["parts"].items())
            text.append(
                f"swap-search with a limit of {r['limit']} s: {r['wall']:.2f} s in all ({parts}), "
                f"{r['status']}, stopped by {r['stopped_by']}; {memory}."
            )
            continue
        sums = r["ms"]["sums"]
        lines = [[name, ms, f"{ms / sums:.2f}"] for name, ms in r["ms"].items()]
        audit = verdict(max(r["ms"]["jr"], r["ms"]["jr_nobody"]), 4 * sums)
        lines[1].append(f"at most 4: {audit}")
        seqpav = r["ms"]["seqpav"]
        audits = [f"{seqpav / r['ms'][name]:.1f} x {name}" for name in ("jr", "jr_nobody", "ejr+")]
        target = f"at most 12 x jr: {verdict(seqpav, 12 * r['ms']['jr'])} ({', '.join(audits)})"
        next(line for line in lines if line[0] == "seqpav").append(target)
        lines = [line if len(line) == 4 else [*line, ""] for line in lines]
        head = [f"{r['approvals']:,} approvals", "ms", "sums", "target"]
        text.append(f"{table(head, lines)}\n\nPeak of the process: {memory}.")
    return "\n\n".join(text)


def infer(rows: list[Row]) -> str:
    """Show the completion of votes."""
    lines = [
        [f"{r['users']} x {r['comments']}", r["votes"], f"{r['seconds']:.2f}", f"{r['auc']:.3f}"]
        for r in rows
    ]
    return table(["users x comments", "votes", "s", "AUC on held-out votes"], lines)


def abcvoting(rows: list[Row]) -> str:
    """Show audits and rules against abcvoting."""
    lines = []
    for r in (one for row in rows for one in row["compared"]):
        middle, low, high = r["own_ratio"]
        bound = "at least " if r["cut"] else ""
        ratio = f"{bound}{middle:.0f} ({low:.0f} to {high:.0f}, {r['turns']} turns)"
        size = f"{r['instance']}, {r['approvals']:,} approvals"
        lines.append([size, r["what"], r["peer_ms"], r["own_ms"], ratio, reached(middle, TIMES)])
    head = ["instance", "what", "abcvoting ms", "our ms", "times as fast", f"{TIMES} times"]
    return table(head, lines)


def files(rows: list[Row]) -> str:
    """Show the counts of outcomes on abcvoting's files."""
    skip = ("step", "commit", "date", "peer")
    return table(["what", "count"], [[k, v] for r in rows for k, v in r.items() if k not in skip])


TABLES: dict[str, Callable[[list[Row]], str]] = {
    step.__name__: step
    for step in (real, axioms, rules, mixtures, large, infer, abcvoting, files)
}  # fmt: skip
KEYS = ("instance", "k", "scores", "axiom", "method", "groups", "seed", "what", "density")


def main() -> None:
    """Print all tables for which there are rows."""
    names = [Path(name) for name in sys.argv[1:]] or [HERE / "rows" / "jr_ranking.jsonl"]
    rows = [json.loads(line) for name in names for line in name.read_text().splitlines()]
    for name, make in TABLES.items():
        last = {tuple(r.get(key) for key in KEYS): r for r in rows if r["step"] == name}
        if last:
            commits = ", ".join(sorted({r["commit"] for r in last.values()}))
            print(f"### {name} ({commits})\n\n{make(list(last.values()))}\n")


if __name__ == "__main__":
    main()
