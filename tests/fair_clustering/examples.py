"""The worked examples: content, optimal value (None: infeasible), where a method must be named.

Values by enumeration of all labellings; those of soft answers by linear programs.
"""

LINE = [[0], [1], [2], [10], [11], [12]]
SQUARE = [[0, 0], [0, 2], [6, 0], [6, 2]]
TRIPLES = [[0, 0], [0, 1], [1, 0], [5, 5], [5, 6], [6, 5]]
STRICT = {"type": "proportional", "rounding": "strict"}
FLOOR = {"type": "proportional", "rounding": "floor-ceil"}
SOFT = {"type": "proportional", "rounding": "soft"}
NONE = {"type": "none"}
CROSSED = {"sex": list("ffmmffmm"), "age": list("yoyoyyoo")}
HALVES = {"type": "bounds", "lower": {"sex": {"f": "0.5"}}, "upper": {"age": {"y": "0.5"}}}


def gap(epsilon):
    """Return the condition of a total variation of at most ``epsilon``."""
    return {"type": "gap", "epsilon": epsilon}


def content(points, groups, fairness=STRICT, k=2, **more):
    """Return the content of an instance file; ``groups`` may be a text of letters."""
    labels = list(groups) if isinstance(groups, str) else groups
    fields = {"points": points, "groups": labels, "k": k, "fairness": fairness, **more}
    return {"problem": "fair-clustering", **fields}


ENDS = {"centers": [[1], [11]]}
PAIRS = {"centers": "points"}
EXAMPLES = {
    "A1": (content(SQUARE, "rrbb"), 36),
    "A1-unfair": (content(SQUARE, "rrbb", NONE), 4),
    "A2": (content(SQUARE, "rbrb"), 4),
    "B1": (content(LINE, "rrbbbb"), 130),
    "B2": (content(LINE, "rrbbbb", {"type": "balance", "min_balance": 0.25}), 79),
    "B3": (content([*LINE, [13]], "rrbbbbb", FLOOR), 64.75),
    "B4": (content([*LINE, [13]], "rrbbbbb"), 196),
    "B5": (content([*LINE, [13]], "rrbbbbb", allow_empty=False), None),
    "C-kmedian": (content(LINE, "rrbbbr", objective="kmedian", **PAIRS), 12),
    "C-kcenter": (content(LINE, "rrbbbr", objective="kcenter", **PAIRS), 8),
    "C-kmedian-unfair": (content(LINE, "rrbbbr", NONE, objective="kmedian", **PAIRS), 4),
    "C-kcenter-unfair": (content(LINE, "rrbbbr", NONE, objective="kcenter", **PAIRS), 1),
    "D": (content(LINE, "rrrbbb", **ENDS), 264),
    "D-gap": (content(LINE, "rrrbbb", gap("1/3"), **ENDS), 164),
    "D-half": (content(LINE, "rrrbbb", gap(0.5), **ENDS), 164),
    "D-unfair": (content(LINE, "rrrbbb", NONE, **ENDS), 4),
    "E": (content([[0], [1], [2], [3], [4]], "rrbbb", FLOOR, centers=[[0], [4]]), 6),
    "E-soft": (content([[0], [1], [2], [3], [4]], "rrbbb", SOFT, centers=[[0], [4]]), 18),
    "F": (content(TRIPLES, "aabbcc"), 68),
    "F-unfair": (content(TRIPLES, "aabbcc", NONE), 8 / 3),
    "G": (content([[0], [1], [2], [3], [10], [11], [12], [13]], CROSSED, HALVES), 10),
    "H": (content([[1, 1]] * 6, "rrrbbb", k=3), 0),
    "I": (content([[4], [6], [7], [6], [6], [0]], "rrbbbb", centers=[[0], [7]]), 54),
}
# The linear programs of fixed centres.
LINEAR = {
    "D": (EXAMPLES["D"][0], 264),
    "D-gap": (EXAMPLES["D-gap"][0], 164),
    "D-half": (EXAMPLES["D-half"][0], 124),
    "E-soft": (EXAMPLES["E-soft"][0], 18),
    "I-soft": ({**EXAMPLES["I"][0], "fairness": SOFT}, 15.5),
}
