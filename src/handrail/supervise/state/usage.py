"""The usage of a run."""

import msgspec


class RunUsage(msgspec.Struct, omit_defaults=True):
    """The usage of a run, and its decisions."""

    decided: dict[str, int] = {}
    """The number of each decision."""
    asked: int = 0
    overruled: int = 0
    ran: int = 0
    failed: int = 0
    breaches: int = 0
    faults: int = 0
    right: int = 0
    wrong: int = 0
    tokens: int = 0
    opinions: int = 0
    """The number of second opinions."""
    tool_ms: float = 0.0
    review_ms: float = 0.0
