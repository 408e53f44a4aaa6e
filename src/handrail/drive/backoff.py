"""How long to wait before the next try: longer each time, and not all agents at once."""

import math

import msgspec

from handrail.drive.service_problem import ServiceProblem, ServiceProblemKind

_SPREAD = 30.0
"""Seconds over which agents come back that wait for the same moment."""


class Backoff(msgspec.Struct, frozen=True):
    """Waits that double until the longest one."""

    first: float
    most: float

    def seconds(self, tries: int, chance: float) -> float:
        """Return the wait after so many tries in a row without success, 1 or more.

        `chance`: a random number from 0 to 1; it takes away up to half of the wait.
        """
        doublings = min(max(tries, 1) - 1, math.ceil(math.log2(self.most / self.first)))
        return min(self.first * 2.0**doublings, self.most) * (1 - chance / 2)


BACKOFFS = {
    ServiceProblemKind.USAGE_LIMIT: Backoff(first=60, most=900),
    ServiceProblemKind.RATE_LIMIT: Backoff(first=15, most=300),
    ServiceProblemKind.OVERLOAD: Backoff(first=5, most=300),
}
"""Of the kinds that go away by themselves."""


def service_wait(problem: ServiceProblem, tries: int, now: float, chance: float) -> float:
    """Return the seconds to wait until the service is asked again.

    At least until the moment that the service names, and longer each time.
    """
    wait = BACKOFFS[problem.kind].seconds(tries, chance)
    if problem.resume_at <= now:
        return wait
    return max(problem.resume_at - now + _SPREAD * chance, wait)
