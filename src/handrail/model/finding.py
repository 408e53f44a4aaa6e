"""A pattern seen over many actions."""

import msgspec

from handrail.model.decodable import decodable
from handrail.model.ordinal import Severity

Facts = dict[str, str]
"""The facts for a guidance text: the error, the path, the count."""


@decodable
class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """A pattern of trouble: its kind, severity, confidence, and steps."""

    kind: str
    severity: Severity
    confidence: float
    evidence: tuple[int, ...] = ()
    """Steps of the run that show it, as they are numbered there."""
    impact: float = 0.0
    """From 0 to 1: how much is at stake beyond the trouble itself."""
    says: str = ""
    """The observation in one sentence, for the person and for the agent."""
    symptom: str = ""
    """The mark of the same trouble when it comes again: the error, the path, the cycle."""
    facts: Facts = {}

    @property
    def name(self) -> str:
        """A name that stays the same while the trouble gets worse."""
        return f"{self.kind}:{self.symptom}"
