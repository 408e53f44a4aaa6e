"""The facts of a run that the controller needs."""

from collections.abc import Callable

import msgspec

from handrail.intervene.capability import Capability
from handrail.model.checkpoint import Checkpoint
from handrail.model.intervention import Allowance
from handrail.model.intervention_history import InterventionHistory
from handrail.model.worsening import Worsening


class CurrentUsage(msgspec.Struct, frozen=True, omit_defaults=True):
    """The use of a run in the last window (`metrics_window_seconds`); 0: not known."""

    calls_per_minute: float = 0.0
    file_operations: int = 0
    """Files made, changed or deleted."""
    command_seconds: float = 0.0
    """The longest command."""
    memory_mb: float = 0.0
    """Present memory of the run's processes."""
    tokens: int = 0
    batch: int = 0
    """The most calls at the same time."""


class EndedStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """The end of an action."""

    step: int
    at: float
    ok: bool
    changes: int = 0
    """Files that it changed, as far as known."""
    agent: str = ""
    files: tuple[str, ...] = ()
    """Their paths, as far as known."""


def _no_worsening(steps: tuple[int, ...]) -> Worsening | None:
    return None


def _nobody(since: float) -> str:
    return ""


class RunSituation(msgspec.Struct, frozen=True):
    """The situation of a run at a finding."""

    now: float
    step: int
    past: InterventionHistory
    can: frozenset[Capability]
    """The capabilities of its host."""
    goal: str = ""
    scope: tuple[str, ...] = ()
    attended: bool = False
    allowance: Allowance | None = None
    """Its allowance, if it was throttled before."""
    checkpoints: tuple[Checkpoint, ...] = ()
    agent: str = ""
    """The sub-agent of the step; empty: the agent itself."""
    run: str = ""
    request: str = ""
    """The first request, in the person's words."""
    goals: tuple[str, ...] = ()
    """Its goals, the most important first."""
    usage: CurrentUsage = CurrentUsage()
    ended: tuple[EndedStep, ...] = ()
    """The ends of its last actions, the oldest first."""
    stopped: bool = False
    """It was stopped already; the later calls were running then."""
    cwd: str = ""
    """Its first folder."""
    writing: bool = False
    """Other calls that change files are under way."""
    neighbour: Callable[[float], str] = _nobody
    """Returns the run, if any, that has changed files in the same work tree since a time."""
    verified: int = 0
    """The last step whose work has passed a check: nothing before it is taken back."""
    worsening: Callable[[tuple[int, ...]], Worsening | None] = _no_worsening
    """Returns the evidence, if any, that the files got worse up to one of these steps."""
