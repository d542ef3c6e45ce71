"""Settings that all tests share."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "fairopt",
    max_examples=int(os.environ.get("FAIROPT_EXAMPLES", "25")),
    derandomize="FAIROPT_RANDOM" not in os.environ,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("fairopt")
