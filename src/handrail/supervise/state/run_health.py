"""The health of a run: its findings, its interventions, and their lasting effects."""

from collections.abc import Sequence

import msgspec

from handrail.model import event as events
from handrail.model.checkpoint import Checkpoint
from handrail.model.intent import Intent
from handrail.model.intervention import Allowance, InterventionName
from handrail.model.intervention_history import InterventionHistory, LaterStep

_MAX_CHECKPOINTS = 50
_MAX_FINDINGS = 100
_MAX_CALLS = 120
_CALLS_SECONDS = 60
"""Seconds for which a call counts towards the calls per minute."""
_MAX_SHOWN = 20
_MAX_LATELY = 50
_MAX_FILES = 16
_MAX_SAMPLES = 32
"""Measurements to keep, for the use in the window of throttling."""


class RecentAction(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The end of an action, and its usage."""

    step: int
    at: float
    ok: bool
    seconds: float = 0.0
    changes: int = 0
    tokens: int = 0
    memory_mb: float = 0.0
    agent: str = ""
    files: tuple[str, ...] = ()
    """The files that it wrote, as far as known."""


class MeasuredUse(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One measurement of a run."""

    at: float
    tokens: int
    """All tokens of the run until then."""
    memory_mb: float
    """The memory of its commands."""


class RunHealth(msgspec.Struct, omit_defaults=True):
    """A fold of events, like the state around it."""

    past: InterventionHistory = msgspec.field(default_factory=InterventionHistory)
    findings: dict[str, events.FindingMade] = {}
    """The last finding of each name."""
    calls: list[float] = []
    """The times of the permitted actions of the last minute."""
    shown: list[str] = []
    """The last actions in a few words."""
    lately: list[RecentAction] = []
    """The ends of the last actions."""
    checkpoints: list[Checkpoint] = []
    allowance: Allowance | None = None
    """The remaining allowance of a throttled run."""
    changes: int = 0
    tokens: int = 0
    """File changes and tokens since the throttling, or the last prompt."""
    measured: list[MeasuredUse] = []
    """The last measurements."""
    acting: events.Intervened | events.IncidentResolved | events.RestoreAsked | None = None
    """The rollback or stop that is under way and not confirmed yet."""
    copies: list[events.FilesCopied] = []
    """Copies of files that no checkpoint holds, the newest at the end."""
    rolled_back: events.RolledBack | None = None
    """The last rollback."""
    back_untold: bool = False
    """The agent has not heard of the rollback yet."""
    stopped: str = ""
    """The incident of its stop, until a person has decided how it goes on."""
    approval: bool = False
    """Since an incident, a person approves every change."""
    strict: bool = False
    """Since an incident, Handrail refuses what it only warned about before, and limits stay."""

    @property
    def held(self) -> bool:
        """A rollback is under way: nothing may change a file until it is done."""
        if isinstance(self.acting, events.Intervened):
            return self.acting.intervention.means == InterventionName.CHECKPOINT_ROLLBACK
        return self.acting is not None

    def see(
        self,
        event: events.ActionReviewed | events.ActionEnded | events.ActionDropped,
        intent: Intent,
    ) -> None:
        """Take in an action that ended: it ran, or was refused or dropped."""
        ok = isinstance(event, events.ActionEnded) and event.outcome.ok
        touches = bool(intent.reads or intent.writes)
        self.past.record_step(LaterStep(intent.agent, event.step, intent.sort, ok, touches))

    def call(self, at: float, shown: str) -> None:
        """Take in a permitted action."""
        self.calls.append(at)
        while self.calls[0] < at - _CALLS_SECONDS or len(self.calls) > _MAX_CALLS:
            del self.calls[0]
        self.shown.append(shown)
        del self.shown[:-_MAX_SHOWN]

    def end(
        self, event: events.ActionEnded, changes: int, agent: str = "", files: Sequence[str] = ()
    ) -> None:
        """Take in the end of an agent's action that may have changed so many files."""
        outcome = event.outcome
        seconds = outcome.duration_ms / 1000
        self.lately.append(
            RecentAction(
                event.step,
                event.at,
                outcome.ok,
                seconds,
                changes,
                outcome.tokens,
                outcome.memory_mb,
                agent,
                tuple(files[:_MAX_FILES]),
            )
        )
        del self.lately[:-_MAX_LATELY]
        self.changes += changes
        self.tokens += outcome.tokens

    def sample(self, event: events.UsageSampled) -> int:
        """Take in a measurement; return the tokens since the last one."""
        before = self.measured[-1].tokens if self.measured else 0
        new = max(event.tokens - before, 0)
        self.tokens += new
        self.measured.append(MeasuredUse(event.at, before + new, event.commands_mb))
        del self.measured[:-_MAX_SAMPLES]
        return new

    def renew(self) -> None:
        """Start the budgets of a throttled run again: a person gave it more to do."""
        self.changes = self.tokens = 0

    def find(self, event: events.FindingMade) -> None:
        """Take in a finding."""
        self.findings.pop(event.finding.name, None)
        self.findings[event.finding.name] = event
        if len(self.findings) > _MAX_FINDINGS:
            del self.findings[next(iter(self.findings))]

    def intervene(self, event: events.Intervened) -> None:
        """Take in an intervention."""
        done = event.intervention
        self.past.record(event)
        self._limit(done.allowance)
        if done.means == InterventionName.CHECKPOINT_ROLLBACK and done.checkpoint:
            self.acting = event
        elif done.means == InterventionName.EMERGENCY_STOP:
            self.acting = event
            self.stopped = done.incident

    def judge(self, event: events.InterventionJudged) -> None:
        """Take in whether an intervention helped."""
        made = self.past.record_outcome(event)
        is_throttling = made is not None and made.means == InterventionName.RESOURCE_THROTTLING
        if event.worked and is_throttling and not self.strict:
            self.allowance = None

    def save(self, event: events.CheckpointTaken) -> None:
        """Take in a checkpoint."""
        self.checkpoints.append(event.checkpoint)
        del self.checkpoints[:-_MAX_CHECKPOINTS]

    def copy(self, event: events.FilesCopied) -> None:
        """Take in the copies before an action."""
        self.copies.append(event)
        del self.copies[:-_MAX_CHECKPOINTS]

    def ask_back(self, event: events.RestoreAsked) -> None:
        """Take in a person's request for a rollback; a stop under way goes on."""
        if self.acting is None:
            self.acting = event

    def roll_back(self, event: events.RolledBack) -> None:
        """Take in the result of a rollback."""
        self.rolled_back = event
        self.back_untold = True
        if self.held:
            self.acting = None

    def confirm(self, event: events.StopConfirmed) -> None:
        """Take in the confirmed stop of the run."""
        self.acting = None

    def resolve(self, event: events.IncidentResolved) -> None:
        """Take in a person's decision; an abort is final, so nothing may run any more."""
        if event.option == "abort" or event.incident != self.stopped:
            return
        self.stopped = ""
        self.approval, self.strict = event.approval, event.strict
        self._limit(event.allowance)
        if event.checkpoint:
            self.acting = event

    def _limit(self, allowance: Allowance | None) -> None:
        if allowance is not None:
            self.allowance = allowance
            self.changes = self.tokens = 0
            self.calls.clear()
