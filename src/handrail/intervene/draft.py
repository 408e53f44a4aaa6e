"""The draft of an intervention."""

import msgspec

from handrail.model.decodable import decodable
from handrail.model.intervention import Allowance


@decodable
class InterventionDraft(msgspec.Struct, frozen=True):
    """An intervention before it has a number."""

    guidance: str = ""
    allowance: Allowance | None = None
    checkpoint: str = ""
    incident: str = ""
    limits: str = ""
    files: tuple[str, ...] = ()
    """The files that a rollback puts back."""
