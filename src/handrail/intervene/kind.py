"""Describes a kind of intervention: its strength, its needs, its texts."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from handrail.intervene.capability import Capability
from handrail.intervene.draft import InterventionDraft
from handrail.intervene.situation import RunSituation
from handrail.model.finding import Finding

# Readers of a log need labels only: they load neither settings nor detectors.
if TYPE_CHECKING:
    from handrail.config.interventions import Interventions
    from handrail.detect.description import FindingDescription

Make = Callable[
    [Finding, RunSituation, "FindingDescription", "Interventions"], InterventionDraft | None
]
"""Drafts the intervention for a finding; None: nothing this time."""


class InterventionKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of intervention, from a hint to a stop; packages of users register the same."""

    name: str
    """Its name in settings and events, and of a built-in one's file."""
    label: str
    """A label for people: "the reminder helped"."""
    phrase: str = ""
    """The same within a sentence: "that calls for a reminder"; empty: the label."""
    done: str = ""
    """The words before the agent's text; empty: the name in words."""
    does: str = ""
    """For people: its effect …"""
    otherwise: str = ""
    """… and the effect where the host cannot do it."""
    uses: tuple[Capability, ...] = ()
    """The capabilities that it uses; one of these is enough."""
    always: bool = True
    """It is useful even without any of these capabilities."""
    strength: float = 0.0
    """The least score that calls for it; it also orders the built-in ones."""
    make: Make

    def has_power(self, can: frozenset[Capability]) -> bool:
        """Return whether it has an effect on such a host."""
        return self.always or not can.isdisjoint(self.uses)
