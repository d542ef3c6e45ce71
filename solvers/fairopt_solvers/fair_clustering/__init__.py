"""Methods for fair clustering."""

from fairopt.method import Method

_HERE = "fairopt_solvers.fair_clustering"


def _row(name: str, function: str, kind: str, **more: object) -> Method:
    return Method(name, f"{_HERE}.{function}", kind, "fair-clustering", **more)  # type: ignore[arg-type]


METHODS = (
    _row(
        "auto",
        "auto:auto",
        "auto",
        guarantee="exact where small; fixed centres: within a few points' moves of a proven bound",
    ),
    _row(
        "exact",
        "exact:exact",
        "exact",
        guarantee="optimal among answers that split no point (soft: among all) if it completes",
        reference="subset program, 0/1 programs, flows; Bera et al., NeurIPS 2019, for the rows",
    ),
    _row(
        "fair-lp",
        "fair_lp:fair_lp",
        "heuristic",
        guarantee="fixed centres: no answer is better, split points or not; proven by multipliers",
        reference="linear program of Bera et al., NeurIPS 2019; masses as columns are ours",
    ),
    _row(
        "fair-dual",
        "fca:fair_dual",
        "heuristic",
        objectives=("kmeans", "kmedian"),
        guarantee="fixed centres: a proven bound that the answer meets up to a few points' moves; "
        "two equal groups in strict proportion: optimal",
        reference="dual of the linear program of Bera et al., NeurIPS 2019; smoothing ours",
    ),
    _row(
        "fca",
        "fca:fca",
        "heuristic",
        guarantee="the condition holds; no better assignment to its centres than the claim shows",
        reference="Kim, Lee, Park, Kim, Fair Clustering via Alignment, ICML 2025; exact "
        "assignment instead of the coupling",
    ),
    _row(
        "fca-c",
        "fca:fca_c",
        "heuristic",
        guarantee="total variation between groups at most epsilon",
        reference="Kim, Lee, Park, Kim, ICML 2025 (FCA-C), as the condition gap",
    ),
    _row(
        "fca-coupling",
        "coupling:fca_coupling",
        "heuristic",
        objectives=("kmeans",),
        guarantee="the condition holds; quadratic in the points",
        reference="Kim, Lee, Park, Kim, Fair Clustering via Alignment, ICML 2025",
    ),
    _row(
        "kmeans",
        "lloyd:kmeans",
        "baseline",
        objectives=("kmeans",),
        guarantee="ignores fairness; a local optimum",
        reference="Lloyd 1982; Arthur, Vassilvitskii, k-means++, SODA 2007",
        relaxes=("fairness",),
    ),
    _row(
        "kmedoids",
        "medoids:kmedoids",
        "baseline",
        objectives=("kmeans", "kmedian"),
        guarantee="ignores fairness; no swap of one centre is better",
        reference="FasterPAM: Schubert, Rousseeuw, Information Systems 2021",
        relaxes=("fairness",),
    ),
    _row(
        "gonzalez",
        "medoids:gonzalez",
        "baseline",
        objectives=("kcenter",),
        guarantee="ignores fairness; at most twice the least radius, for a metric and centres "
        "that may be points",
        reference="Gonzalez 1985",
        relaxes=("fairness",),
    ),
    _row(
        "fairlet",
        "fairlet:fairlet",
        "baseline",
        guarantee="two groups: balance at least 1 / most; equal groups: strict proportion",
        reference="Chierichetti, Kumar, Lattanzi, Vassilvitskii, NIPS 2017; as an edge cover",
        relaxes=("fairness",),
    ),
    _row(
        "tree-fairlet",
        "tree_fairlet:tree_fairlet",
        "baseline",
        guarantee="two groups: balance at least that of the pieces; near-linear time",
        reference="Backurs, Indyk, Onak, Schieber, Vakilian, Wagner, ICML 2019",
        relaxes=("fairness",),
    ),
    _row(
        "bera",
        "bera:bera",
        "baseline",
        objectives=("kmeans", "kmedian"),
        guarantee="D attributes: no bound on a share is missed by more than 4 D + 3 points; costs "
        "no more than the best shares for its centres",
        reference="Bera, Chakrabarty, Flores, Negahbani, NeurIPS 2019",
        relaxes=("fairness",),
    ),
    _row(
        "vfc",
        "vfc:vfc",
        "baseline",
        objectives=("kmeans", "kmedian"),
        guarantee="none: a penalty on unfair proportions",
        reference="Ziko, Yuan, Granger, Ben Ayed, AAAI 2021",
        relaxes=("fairness",),
    ),
    _row(
        "round-robin",
        "round_robin:round_robin",
        "baseline",
        guarantee="every cluster has at least floor(share n_g / k) points of every group",
        reference="FRAC: Gupta, Ghalme, Krishnan, Jain, 2023",
        relaxes=("fairness",),
    ),
    _row(
        "fair-lloyd",
        "fair_lloyd:fair_lloyd",
        "baseline",
        objectives=("kmeans", "kmedian"),
        guarantee="largest mean cost of a group: a local optimum; optimal for fixed centres",
        reference="Ghadiri, Samadi, Vempala, FAccT 2021",
        relaxes=("fairness",),
    ),
    _row(
        "individual-greedy",
        "individual:individual_greedy",
        "baseline",
        guarantee="nobody is farther from a centre than twice the radius of his n/k nearest",
        reference="Jung, Kannan, Lutz, 2020",
        relaxes=("fairness",),
    ),
    _row(
        "greedy-capture",
        "individual:greedy_capture",
        "baseline",
        guarantee="in the (1 + sqrt 2)-core",
        reference="Chen, Fain, Lyu, Munagala, ICML 2019",
        relaxes=("fairness",),
    ),
    _row(
        "bounded-cost",
        "bounded_cost:bounded_cost",
        "heuristic",
        objectives=("kmeans", "kmedian"),
        guarantee="costs at most max_cost; nothing about how fair is possible",
        reference="Esmaeili, Brubach, Srinivasan, Dickerson, NeurIPS 2021",
    ),
)
