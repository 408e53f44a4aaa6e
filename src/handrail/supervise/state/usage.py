"""What a run has used up."""

import msgspec


class RunUsage(msgspec.Struct, omit_defaults=True):
    """What a run has used up, and what was decided in it."""

    decided: dict[str, int] = {}
    """How often each decision was made."""
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
    """How often a model was asked for a second opinion."""
    tool_ms: float = 0.0
    review_ms: float = 0.0
