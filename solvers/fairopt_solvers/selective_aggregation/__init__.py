"""Methods for selective preference aggregation."""

from fairopt.method import rows_of

_row = rows_of("fairopt_solvers.selective_aggregation", "selective-aggregation")
_PAPER = "Kadekodi, McTavish, Ustun, ICML 2025"

METHODS = (
    _row(
        "auto",
        "auto:auto",
        "auto",
        guarantee="the only optimum, with a proof that needs no solver",
        reference=_PAPER,
    ),
    _row(
        "spa",
        "spa:spa",
        "exact",
        guarantee="the only optimum at tau, with a proof that needs no solver",
        reference=f"{_PAPER}; the test of cuts by counts is ours",
    ),
    _row(
        "spa-path",
        "spa:spa_path",
        "exact",
        guarantee="the optima for every tau below one half",
        reference=f"{_PAPER}; births of boundaries in O(n^2) are ours",
    ),
    _row(
        "spa-scc",
        "scc:spa_scc",
        "exact",
        guarantee="the only optimum at tau",
        reference=f"{_PAPER}, strong components in topological order",
    ),
    _row(
        "spa-ilp",
        "ilp:spa_ilp",
        "exact",
        guarantee="optimal if it completes",
        reference="negative transitivity as rows; the relaxation is exact",
        aliases=("exact",),
    ),
)
