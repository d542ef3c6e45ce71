"""Methods for fair online selection."""

from fairopt.method import Method, rows_of
from fairopt_solvers.online_selection.multiclass_rows import METHODS as MULTICLASS

_row = rows_of("fairopt_solvers.online_selection", "online-selection")
_MATROID = "Banihashem, Hajiaghayi, Mittal, NeurIPS 2025"


def _online(name: str, function: str, session: str, kind: str, **more: object) -> Method:
    return _row(name, function, kind, session=session, **more)


METHODS = (
    _row(
        "auto",
        "auto:auto",
        "auto",
        guarantee="that of the method it takes: the largest one the information model allows",
    ),
    _row(
        "offline",
        "offline:offline",
        "exact",
        guarantee="optimal if it completes, with a densest set as proof",
        reference="Edmonds 1965; Cunningham 1985",
        aliases=("exact",),
    ),
    _online(
        "first-fit",
        "first_fit:first_fit",
        "first_fit:FirstFit",
        "online",
        guarantee="every element with probability exactly 1/m, m <= ceil(alpha (ln k + 1)), "
        "in any order",
        reference=f"Theorem 10 of {_MATROID}; the tighter m is ours",
    ),
    _online(
        "oblivious",
        "oblivious:oblivious",
        "oblivious:Oblivious",
        "online",
        guarantee="colour j with probability 1/(0.53453 h(j)), h(j) = 2 (j+2) ln^2(j+2), "
        "knowing nothing",
        reference=f"Theorem 8 and Corollary 1 of {_MATROID}; the normalised law is ours",
    ),
    _online(
        "laminar",
        "laminar:laminar",
        "laminar:LaminarColouring",
        "online",
        guarantee="every element with probability 1/(2 alpha - 1), in any order; 1/alpha in "
        "uniform and partition matroids",
        reference=f"Theorem 11 and C.10 of {_MATROID}; the cyclic rule by block is ours",
    ),
    _online(
        "degeneracy",
        "degeneracy:degeneracy",
        "degeneracy:Degeneracy",
        "online",
        guarantee="graphs in random order: the number of Lemma 15, (2 + o(1)) d as d grows but "
        "far weaker for small d",
        reference=f"Theorem 15 of {_MATROID}",
    ),
    _online(
        "sample-half",
        "sample_half:sample_half",
        "sample_half:SampleHalf",
        "online",
        guarantee="random order, alpha unknown: probability at least 1/(4 m(2 alpha + 1))",
        reference=f"Theorem 12 of {_MATROID}, with first fit; reconstructed from its statement",
    ),
    _online(
        "matchoid",
        "matchoid:matchoid",
        "matchoid:MatchoidFirstFit",
        "online",
        guarantee="every element with probability exactly 1/m, m <= ceil(beta (p ln k + 1)), "
        "in any order",
        reference=f"Theorem 17 of {_MATROID}; the tighter m is ours",
    ),
    _online(
        "greedy",
        "baselines:greedy",
        "baselines:Greedy",
        "baseline",
        guarantee="none; latecomers may have no chance",
    ),
    _online("random-order", "baselines:random_order", "baselines:RandomOrder", "baseline"),
    _online(
        "random-vertex-order",
        "baselines:random_vertex_order",
        "baselines:RandomVertexOrder",
        "baseline",
        reference="after Korula, Pal, ICALP 2009",
    ),
    _online(
        "ocrs",
        "baselines:ocrs",
        "baselines:Ocrs",
        "baseline",
        guarantee="b (1 - b)/gamma in uniform and partition matroids; nothing is proven for this "
        "greedy scheme elsewhere",
        reference="greedy contention resolution, cf. Feldman, Svensson, Zenklusen, SODA 2016",
    ),
    _online(
        "secretary",
        "secretary:secretary",
        "secretary:Secretary",
        "baseline",
        guarantee="the heaviest element with probability about 1/e, in random order; unfair",
        reference="Dynkin 1963",
    ),
    _online(
        "k-secretary",
        "secretary:k_secretary",
        "secretary:KSecretary",
        "baseline",
        guarantee="1/e of the weight in uniform matroids, in random order; unfair",
        reference="virtual algorithm of Babaioff, Immorlica, Kempe, Kleinberg 2007",
    ),
    _online(
        "sample-and-price",
        "secretary:sample_and_price",
        "secretary:SampleAndPrice",
        "baseline",
        guarantee="weight within O(log k) of the best, in random order; unfair",
        reference="threshold prices of Babaioff, Immorlica, Kleinberg 2007",
    ),
    *MULTICLASS,
)
