"""The rows of multi-class selection in the table of methods."""

from fairopt.method import Method, rows_of

_plain = rows_of("fairopt_solvers.online_selection", "online-multiclass")
_PAPER = "Zargari, Nekouyan, Hallett, Sun, Tan, NeurIPS 2025 (arXiv 2510.21055)"
_OURS = f"{_PAPER}; the algorithm is a reconstruction"


def _row(name: str, function: str, kind: str, session: str = "", **more: object) -> Method:
    return _plain(name, function, kind, session=session and f"multiclass:{session}", **more)


METHODS = (
    _row(
        "auto",
        "multiclass:auto",
        "auto",
        guarantee="that of set-aside, or of set-aside-predicted where a prediction is given",
    ),
    _row(
        "offline",
        "multiclass_offline:offline",
        "exact",
        guarantee="optimal if it completes, for quotas demanded at the end, with prices as proof",
        reference="linear program; greedy by exchange where classes are disjoint",
        aliases=("exact",),
    ),
    _row(
        "set-aside",
        "multiclass:set_aside",
        "online",
        "SetAsideSession",
        guarantee="quotas at every time; value at least OPT/A, OPT even without quotas (proof "
        "reconstructed); for disjoint classes no online algorithm has a smaller A",
        reference=_OURS,
    ),
    _row(
        "set-aside-predicted",
        "multiclass:set_aside_predicted",
        "online",
        "PredictedSession",
        guarantee="quotas at every time; at most A/(1 - trust) from OPT, and at most "
        "1/(trust + (1 - trust)/A) where following the prediction is optimal (reconstructed)",
        reference=_OURS,
    ),
    _row(
        "proportional",
        "multiclass:proportional",
        "online",
        "ProportionalSession",
        guarantee="PF at most (1 + (K - 1)/k)(1 + ln(U/L)) for disjoint classes, of which k of K "
        "come: (2 - 1/K)(1 + ln(U/L)) if all do (reconstructed); ignores quotas",
        reference=_OURS,
        relaxes=("quota",),
    ),
    _row(
        "price-only",
        "multiclass:price_only",
        "online",
        "PriceSession",
        guarantee="value at least OPT/(1 + ln(U/L)), the best possible; ignores quotas",
        reference="Zhou, Chakrabarty, Lukose 2008 (online knapsack, thresholds)",
        relaxes=("quota",),
    ),
    _row(
        "quota-only",
        "multiclass:quota_only",
        "baseline",
        "QuotaSession",
        guarantee="quotas at every time, and nothing else",
    ),
    _row(
        "fcfs",
        "multiclass:fcfs",
        "baseline",
        "FirstSession",
        guarantee="none; ignores quotas",
        relaxes=("quota",),
    ),
)
