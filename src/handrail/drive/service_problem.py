"""Tell a model's service that is busy from a turn that failed.

A busy service is waited out and does not count as an error of the agent. The patterns come from
real messages of hosts and services; `tests/drive/test_service_problem.py` has them.
"""

import re
from datetime import tzinfo
from enum import StrEnum

import msgspec

from handrail.drive.reset_time import find_reset_time

_END = 4_000
"""Characters at both ends of a text that are read; a stack may stand between."""


class ServiceProblemKind(StrEnum):
    """What is wrong with the model's service."""

    SPENDING_LIMIT = "spending_limit"
    """No money is left. Waiting does not help; a person has to pay or raise a limit."""
    USAGE_LIMIT = "usage_limit"
    """The plan allows no more until a reset, hours or days away."""
    RATE_LIMIT = "rate_limit"
    """Too many requests at a time."""
    OVERLOAD = "overload"
    """It has too much to do, for everybody."""


class ServiceProblem(msgspec.Struct, frozen=True):
    """A refusal by the model's service."""

    kind: ServiceProblemKind
    resume_at: float = 0.0
    """When the service says that it can be used again, in seconds since 1970; 0: it does not."""

    @property
    def is_waited_out(self) -> bool:
        """Return whether it goes away by itself."""
        return self.kind is not ServiceProblemKind.SPENDING_LIMIT

    @property
    def says(self) -> str:
        """Say it in words."""
        return _SAYS[self.kind]


_SAYS = {
    ServiceProblemKind.SPENDING_LIMIT: "the account for the model has no money left",
    ServiceProblemKind.USAGE_LIMIT: "the usage limit for the model is reached",
    ServiceProblemKind.RATE_LIMIT: "the model's service limits the number of requests",
    ServiceProblemKind.OVERLOAD: "the model's service is overloaded",
}


def _status(codes: str) -> str:
    """Match a status code where it is one: `API Error: 529`, `"code": 429`, `status 503`."""
    named = r"(?:api error|status(?: ?code)?|error(?: code)?|code|http(?:/[\d.]+)?)"
    return rf"\b{named}[\"']?[\s:=(-]{{1,4}}(?:{codes})\b"


_PATTERNS: dict[ServiceProblemKind, tuple[str, ...]] = {
    ServiceProblemKind.SPENDING_LIMIT: (
        r"credit balance is too low",
        r"out of credits",
        r"enforced_spend_limit_reached",
        r"insufficient_quota",
        r"billing_(?:error|hard_limit)",
        r"(?:hit|reached|exceeded) (?:your|the) (?:[\w'’-]+ ){0,3}(?:spend|spending|billing) ",
        _status("402"),
    ),
    ServiceProblemKind.USAGE_LIMIT: (
        r"usage[ _]limit[ _]reached",
        r"(?:hit|reached|exceeded) your (?:(?!context|token|output|rate)[\w'’-]+ ){0,4}limit\b",
        r"\b(?:session|weekly|monthly|daily|hourly|opus|sonnet|haiku|\d+-hour) limit reached",
        r"\blimits? (?:reached\W{1,4}resets|will reset)\b",
        r"out of extra usage",
        r"quota exceeded for quota metric",
        r"exceeded your current quota",
        r"exhausted your (?:daily|capacity|quota)",
    ),
    ServiceProblemKind.RATE_LIMIT: (
        r"rate[ _-]?limit",
        r"too many requests",
        r"too many tokens, please wait",
        r"temporarily limiting requests",
        r"throttlingexception",
        r"\bthrottled\b",
        r"resource[ _](?:has been )?exhausted",
        _status("429"),
    ),
    ServiceProblemKind.OVERLOAD: (
        r"overloaded",
        r"\bat capacity\b",
        r"experiencing high (?:demand|traffic|load)",
        r"service[ _](?:is )?(?:temporarily )?unavailable",
        r"temporarily unavailable",
        r"no healthy upstream",
        r"upstream connect error",
        r"\b50[234] (?:bad gateway|service|gateway)",
        _status("50[234]|52[0-4]|529"),
    ),
}
"""By kind, the first that fits: a service says 429 when the money is gone, too."""

_COMPILED = {kind: re.compile("|".join(each)) for kind, each in _PATTERNS.items()}


def find_service_problem(
    text: str, now: float, zone: tzinfo | None = None
) -> ServiceProblem | None:
    """Read the problem of a turn; None: it is not about the model's service.

    `now` and `zone`: the present time, and the zone of times without one, to read a reset.
    """
    ends = text if len(text) <= 2 * _END else f"{text[:_END]} {text[-_END:]}"
    words = " ".join(ends.lower().split())
    for kind, pattern in _COMPILED.items():
        if pattern.search(words):
            waits = kind is not ServiceProblemKind.SPENDING_LIMIT
            return ServiceProblem(kind, find_reset_time(ends, now, zone) if waits else 0.0)
    return None
