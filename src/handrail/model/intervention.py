"""An intervention because of a finding, and its outcome."""

from enum import StrEnum
from typing import Literal

import msgspec

from handrail.model.action_kind import ActionKind
from handrail.model.finding import Finding


class InterventionName(StrEnum):
    """The five kinds of intervention, from the mildest to the strongest."""

    SOFT_CORRECTION = "soft_correction"
    CONTEXT_REINFORCEMENT = "context_reinforcement"
    RESOURCE_THROTTLING = "resource_throttling"
    CHECKPOINT_ROLLBACK = "checkpoint_rollback"
    EMERGENCY_STOP = "emergency_stop"


TestedBy = Literal["any", "same", "paths"]
"""The actions that show whether trouble is gone: all, those of the same sort, or those that touch
files."""


class Allowance(msgspec.Struct, frozen=True, omit_defaults=True):
    """The remaining allowance of a throttled run; 0: no limit."""

    calls_per_minute: int = 0
    file_operations: int = 0
    """How many more from now on."""
    command_seconds: int = 0
    """How long one command may run."""
    memory_mb: int = 0
    tokens: int = 0
    """How many more from now on."""
    batch: int = 0
    """How many calls at the same time."""
    refuses: tuple[ActionKind, ...] = ()
    """The kinds of action that it may not take at all."""


class Intervention(msgspec.Struct, frozen=True, omit_defaults=True):
    """A corrective step taken because of a finding."""

    id: str
    """Counted in the run: `i1`, `i2` …"""
    means: str
    """One of `InterventionName`, or the name of one from a package of your own."""
    finding: Finding
    step: int
    """The last step before it."""
    score: float = 0.0
    escalation: int = 0
    """How many interventions against the same trouble came before it without effect."""
    guidance: str = ""
    """The text for the agent."""
    allowance: Allowance | None = None
    checkpoint: str = ""
    """The checkpoint to go back to."""
    incident: str = ""
    limits: str = ""
    """The part that the host cannot do, in a sentence."""
    files: tuple[str, ...] = ()
    """The files that a rollback puts back, and no others; empty: all that changed."""
    tested_by: TestedBy = "any"
    """It helped if the trouble stays away from such actions."""
