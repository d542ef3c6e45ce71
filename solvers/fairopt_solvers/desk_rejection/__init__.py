"""Methods for fair desk rejection and reviewer nomination."""

from fairopt.method import rows_of

_HERE = "fairopt_solvers.desk_rejection"
_row, _nomination = rows_of(_HERE, "desk-rejection"), rows_of(_HERE, "reviewer-nomination")
_LINEAR = ("max-accept", "average", "collateral")
_VENUES = "Cao, Li, Liang, Sha, Shi, Song, Zhang, ICML 2025"


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
        reference=f"0/1 programs after {_VENUES}; thresholds and levels are ours",
    ),
    _row(
        "lp-rounding",
        "heuristics:lp_rounding",
        "heuristic",
        objectives=_LINEAR,
        guarantee="maximal; the bound is that of the linear relaxation, recomputable",
        reference="Li, Song, Zhang 2025 (arXiv 2506.20141); the rounding step is ours",
    ),
    _row(
        "greedy",
        "heuristics:greedy",
        "approximation",
        objectives=_LINEAR,
        guarantee="rejects at most H(Δ) times the least weight, Δ the most over-limit authors on "
        "a paper (unit quota, no forced keeps, no role limits); maximal",
        reference="Dobson 1982; Rajagopalan, Vazirani 1998",
    ),
    _row(
        "local-search",
        "local_search:local_search",
        "heuristic",
        guarantee="maximal",
        reference="exchange neighbourhood, annealed",
    ),
    _row(
        "sequential",
        "policies:sequential",
        "baseline",
        guarantee="maximal",
        reference=f"ID order, in {_VENUES}",
    ),
    _row(
        "rank-cut",
        "policies:rank_cut",
        "baseline",
        reference=f"ID order without refunds, in {_VENUES}",
    ),
    _row("reject-all-over", "policies:reject_all_over", "baseline", reference=_VENUES),
    _row("random-sequential", "policies:random_sequential", "baseline", guarantee="maximal"),
    _row("random-per-author", "policies:random_per_author", "baseline"),
    _row("reverse-sequential", "policies:reverse_sequential", "baseline", guarantee="maximal"),
    _row("degree-greedy", "policies:degree_greedy", "baseline", guarantee="maximal"),
    _row(
        "weight-greedy",
        "policies:weight_greedy",
        "baseline",
        guarantee="keeps at least 1/Δ of the best weight, Δ the most over-limit authors on a "
        "paper (unit quota); maximal",
        reference="Mestre 2006 (k-extendible systems)",
    ),
    _row("self-nominate", "policies:self_nominate", "baseline"),
    _nomination(
        "auto",
        "auto:auto_nomination",
        "auto",
        guarantee="optimal if it completes, with a bound in any case",
    ),
    _nomination(
        "exact",
        "nomination:exact",
        "exact",
        guarantee="optimal, with prices as proof",
        reference="models of Song, Yue, Zhang 2025 (arXiv 2512.17950); minimum-cost flow",
    ),
    _nomination(
        "cheapest",
        "nomination:cheapest",
        "heuristic",
        guarantee="optimal without limits; none under hard limits",
        reference="Song, Yue, Zhang 2025 (arXiv 2512.17950)",
    ),
)
