"""The record of an emergency stop."""

import re
from datetime import UTC, datetime
from typing import Literal

import msgspec

from handrail.intervene.safe_checkpoint import RollbackCriteria, safe_checkpoint
from handrail.model.checkpoint import Checkpoint
from handrail.model.decodable import decodable
from handrail.model.event import CleanedUp, RolledBack, StopConfirmed
from handrail.model.finding import Finding
from handrail.model.intervention import Allowance, Intervention
from handrail.model.ordinal import Decision

SCHEMA = 1

LeftoverKind = Literal["process", "temporary", "worktree", "lock"]


class IncidentAction(msgspec.Struct, omit_defaults=True):
    """One of the last actions, and its outcome."""

    step: int
    at: float
    tool: str
    text: str
    decision: Decision
    reason: str = ""
    agent: str = ""
    ok: bool | None = None
    """None: it did not run, or its end is not known."""
    exit_code: int | None = None
    error: str = ""
    seconds: float = 0.0
    dropped: str = ""
    """Why the host or a person did not run it."""


class IncidentFinding(msgspec.Struct, frozen=True, omit_defaults=True):
    """A finding, and its step."""

    step: int
    at: float
    finding: Finding


class IncidentIntervention(msgspec.Struct, omit_defaults=True):
    """An intervention, and whether it helped."""

    at: float
    intervention: Intervention
    worked: bool | None = None


class IncidentUsage(msgspec.Struct, omit_defaults=True):
    """The use and the decisions of the run."""

    steps: int = 0
    ran: int = 0
    failed: int = 0
    refused: int = 0
    changed: int = 0
    overruled: int = 0
    breaches: int = 0
    faults: int = 0
    compactions: int = 0
    settings_changed: int = 0
    tool_seconds: float = 0.0
    tokens: int = 0
    cost_usd: float = 0.0
    memory_mb: float = 0.0
    """The peak over all its processes; 0: not known, as with tokens and cost."""


class IncidentContext(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the run was told, and what held for it when it was stopped."""

    goal: str = ""
    scope: tuple[str, ...] = ()
    """Its folders; empty: the project."""
    constraints: tuple[str, ...] = ()
    allowance: Allowance | None = None
    settings: str = ""
    """Identifies the settings: equal ones have equal names."""
    criteria: RollbackCriteria = RollbackCriteria()
    """Which checkpoints were safe enough."""


class Leftover(msgspec.Struct, frozen=True, omit_defaults=True):
    """A thing that the run has left behind, outside its work tree."""

    kind: LeftoverKind
    path: str
    """A file, a folder, or a process: its number and command line."""
    mark: str = ""
    """Tells whether it is still the same."""


@decodable
class Incident(msgspec.Struct, omit_defaults=True):
    """The record of an emergency stop."""

    id: str
    run: str
    at: float
    finding: Finding
    step: int
    """The last step before it."""
    schema: int = SCHEMA
    host: str = ""
    cwd: str = ""
    model: str = ""
    attended: bool = False
    started: float = 0.0
    prompts: list[str] = []
    """The first prompt, and the last ones."""
    actions: list[IncidentAction] = []
    findings: list[IncidentFinding] = []
    interventions: list[IncidentIntervention] = []
    usage: IncidentUsage = msgspec.field(default_factory=IncidentUsage)
    files: list[str] = []
    """Files that the run made, changed or deleted, as far as that is known."""
    more_files: int = 0
    made: list[str] = []
    """Those of them that were not there before, as far as the host told."""
    checkpoints: list[Checkpoint] = []
    rollbacks: list[RolledBack] = []
    stop: StopConfirmed | None = None
    """The result of ending its processes; None: not known yet."""
    context: IncidentContext = IncidentContext()
    leftovers: list[Leftover] = []
    """What an abort removes, and nothing else."""
    cleaned: CleanedUp | None = None
    """What was removed at once, by `emergency_stop.auto_cleanup`."""

    @property
    def checkpoint(self) -> Checkpoint | None:
        """Return the checkpoint to restore: the newest safe one from before the trouble."""
        return safe_checkpoint(
            self.checkpoints, self.finding, self.actions, self.context.criteria, self.at
        )


def incident_id(at: float, cwd: str, run: str, nth: int = 1) -> str:
    """Return a sortable, readable id: `2026-11-16-0214-shop-3f2a9c1e`; `nth`: stop of the run."""
    when = datetime.fromtimestamp(max(at, 0.0), UTC).strftime("%Y-%m-%d-%H%M")
    project = _plain(cwd.rstrip("/").rpartition("/")[2])[:24] or "run"
    again = [str(nth)] if nth > 1 else []
    # Many runs of one project may be stopped in one minute.
    return "-".join([when, project, _plain(run)[:8].strip("-") or "0", *again])


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
