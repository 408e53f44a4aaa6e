"""What the controller has to know about a run."""

import msgspec

from handrail.intervene.capability import Capability
from handrail.intervene.past import Past
from handrail.model.intervention import Allowance
from handrail.model.run import Checkpoint


class Situation(msgspec.Struct, frozen=True):
    """Where a run stands when something was found."""

    now: float
    step: int
    past: Past
    can: frozenset[Capability]
    """What its host can do."""
    goal: str = ""
    scope: tuple[str, ...] = ()
    attended: bool = False
    allowance: Allowance | None = None
    """What it may still use, if it was throttled before."""
    checkpoints: tuple[Checkpoint, ...] = ()
