"""Fair allocation as constrained optimization: solve, prove, and let anybody verify.

>>> import fairopt
>>> problem = fairopt.load("instances/desk_rejection/w2.json")
>>> fairopt.solve(problem).status
<Status.OPTIMAL: 'optimal'>
"""

from typing import TYPE_CHECKING

from fairopt.lazy import late

if TYPE_CHECKING:
    from fairopt.api import compare as compare
    from fairopt.api import generate as generate
    from fairopt.api import load as load
    from fairopt.api import load_solution as load_solution
    from fairopt.api import methods as methods
    from fairopt.api import save as save
    from fairopt.api import solve as solve
    from fairopt.api import verify as verify
    from fairopt.errors import FairoptError as FairoptError
    from fairopt.errors import InstanceError as InstanceError
    from fairopt.errors import MethodError as MethodError
    from fairopt.errors import UnknownMethod as UnknownMethod
    from fairopt.errors import UsageError as UsageError
    from fairopt.problems.jr_ranking.audit import audit as audit
    from fairopt.session import OnlineSession as OnlineSession
    from fairopt.sklearn import FairKMeans as FairKMeans
    from fairopt.solution import Solution as Solution
    from fairopt.solution import Status as Status

__version__ = "0.1.0"

_HOME = {
    **dict.fromkeys(
        ("compare", "generate", "load", "load_solution", "methods", "save", "solve", "verify"),
        "fairopt.api",
    ),
    **dict.fromkeys(
        ("FairoptError", "InstanceError", "MethodError", "UnknownMethod", "UsageError"),
        "fairopt.errors",
    ),
    **dict.fromkeys(("Solution", "Status"), "fairopt.solution"),
    "FairKMeans": "fairopt.sklearn",
    "OnlineSession": "fairopt.session",
    "audit": "fairopt.problems.jr_ranking.audit",
}
__all__ = ["__version__", *sorted(_HOME)]


__getattr__ = late("fairopt", _HOME)  # ``import fairopt`` stays light


def __dir__() -> list[str]:
    return list(__all__)
