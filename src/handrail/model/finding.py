"""A pattern seen over many actions."""

import msgspec

from handrail.model.ordinal import Severity


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """What kind of trouble, how bad, how sure, and which actions show it."""

    kind: str
    severity: Severity
    confidence: float
    evidence: tuple[int, ...] = ()
    """Steps of the run, counted from 0."""
    impact: float = 0.0
