"""What an intervention is, before it is made: how strong, what it needs, what it says."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from handrail.intervene.capability import Capability
from handrail.intervene.draft import Draft
from handrail.intervene.situation import Situation
from handrail.model.finding import Finding

# Who reads a log wants labels only: neither settings nor detectors are loaded for them.
if TYPE_CHECKING:
    from handrail.config.interventions import Interventions
    from handrail.detect.description import Description

Make = Callable[[Finding, Situation, "Description", "Interventions"], Draft | None]
"""What is done about a finding of this description; None: nothing this time."""


class InterventionKind(msgspec.Struct, frozen=True, kw_only=True):
    """One of the means, from a hint to a stop; a package of a user's own registers the same."""

    name: str
    """In settings and events; a built-in one's file is called so too."""
    label: str
    """What people read: "the reminder helped"."""
    phrase: str = ""
    """The same within a sentence: "that calls for a reminder"; empty: the label."""
    done: str = ""
    """Stands before what the agent was told; empty: the name in words."""
    does: str = ""
    """For people: what it does …"""
    otherwise: str = ""
    """… and what happens where the host cannot do it."""
    uses: tuple[Capability, ...] = ()
    """What it uses of the host; one of these is enough."""
    always: bool = True
    """It is worth doing where the host can do nothing of that."""
    strength: float = 0.0
    """The score from which on it is called for; orders the built-in ones."""
    make: Make

    def has_power(self, can: frozenset[Capability]) -> bool:
        """Whether it would be more than empty words on such a host."""
        return self.always or not can.isdisjoint(self.uses)
