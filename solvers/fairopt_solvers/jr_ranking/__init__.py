"""Methods for representative ranking under justified representation."""

from fairopt.method import rows_of

_row = rows_of("fairopt_solvers.jr_ranking", "jr-ranking")
_AXIOM = ("axiom",)
_PAPER = "Revel, Milli, Lu, Watson-Daniels, Nickel, ICML 2025"
_PLUS = "Brill, Peters, EC 2023"


METHODS = (
    _row(
        "auto",
        "auto:auto",
        "auto",
        guarantee="optimal if it completes, with a bound in any case",
    ),
    _row(
        "exact",
        "exact:exact",
        "exact",
        guarantee="optimal if it completes",
        reference="compact EJR+ after Boehmer, Glessen, Peters 2025; the cuts are ours",
    ),
    _row(
        "top-k",
        "methods:top_k",
        "baseline",
        guarantee="the best score without the axiom",
        reference=_PAPER,
        relaxes=_AXIOM,
    ),
    _row(
        "greedy-cc",
        "methods:greedy_cc",
        "approximation",
        guarantee="JR; with scores >= 0 and nothing forced or forbidden at least 1 - |J|/k of the "
        "best score, J its coverage picks",
        reference=f"Algorithm D.1 of {_PAPER}",
        relaxes=_AXIOM,
    ),
    _row(
        "reserve-greedy",
        "methods:reserve_greedy",
        "approximation",
        guarantee="JR, or EJR+ where the axiom asks for more; for JR never worse than greedy-cc",
        reference="ours; completions after Revel et al. 2025 and Brill, Peters 2023",
        relaxes=_AXIOM,
    ),
    _row(
        "swap-search",
        "methods:swap_search",
        "heuristic",
        guarantee="never worse than reserve-greedy in set mode",
        reference="exchanges, rounding, restricted 0/1 programs",
        relaxes=_AXIOM,
    ),
    _row(
        "gjcr",
        "methods:gjcr",
        "approximation",
        guarantee="EJR+; with scores >= 0 and nothing forced or forbidden at least 1 - |J|/k of "
        "the best score, J its picks",
        reference=f"greedy justified candidate rule, {_PLUS}",
    ),
    _row(
        "safe-prefix-greedy",
        "methods:safe_prefix_greedy",
        "heuristic",
        guarantee="JR at every cutoff if nothing is forced or forbidden",
        relaxes=_AXIOM,
    ),
    _row(
        "seqpav",
        "voting:seqpav",
        "baseline",
        guarantee="none in general; as a ranking, its order of selection",
        reference="Thiele 1895; Skowron, Lackner, Brill, Peters, Elkind, IJCAI 2017",
        relaxes=_AXIOM,
    ),
    _row(
        "pav",
        "optima:pav",
        "baseline",
        guarantee="EJR if it completes; the largest PAV score, not the largest score",
        reference="Thiele 1895; Aziz et al., Social Choice and Welfare 2017",
        relaxes=_AXIOM,
    ),
    _row(
        "pav-local-search",
        "optima:pav_local_search",
        "baseline",
        guarantee="EJR if it completes",
        reference="Aziz, Elkind, Huang, Lackner, Sanchez-Fernandez, Skowron, AAAI 2018",
        relaxes=_AXIOM,
    ),
    _row(
        "phragmen",
        "voting:phragmen",
        "baseline",
        guarantee="PJR",
        reference="Phragmen 1894; Brill, Freeman, Janson, Lackner, AAAI 2017",
        relaxes=_AXIOM,
    ),
    _row(
        "equal-shares",
        "voting:equal_shares",
        "baseline",
        guarantee="EJR+ for the Hare quota",
        reference="Peters, Skowron, EC 2020",
        relaxes=_AXIOM,
    ),
    _row(
        "expanding-approvals",
        "voting:expanding_approvals",
        "baseline",
        guarantee="PJR+ in all random profiles tried; no proof of ours",
        reference="Aziz, Lee, Social Choice and Welfare 2020",
        relaxes=_AXIOM,
    ),
    _row(
        "cc",
        "optima:cc",
        "baseline",
        guarantee="most users represented, each counted once; no axiom",
        reference="Chamberlin, Courant, American Political Science Review 1983",
        relaxes=_AXIOM,
    ),
    _row(
        "av",
        "voting:av",
        "baseline",
        guarantee="none; the most approvals",
        relaxes=_AXIOM,
    ),
)
