"""How a run goes: what was found in it, what was done about it, and what that left behind."""

import msgspec

from handrail.model import event as events
from handrail.model.checkpoint import Checkpoint
from handrail.model.intent import Intent
from handrail.model.intervention import Allowance, InterventionName
from handrail.model.intervention_history import InterventionHistory

_MAX_CHECKPOINTS = 50
_MAX_FINDINGS = 100
_MAX_CALLS = 120
_CALLS_SECONDS = 60
"""How long ago a call counts for how many there are in a minute."""
_MAX_SHOWN = 20
_MAX_LATELY = 50


class RecentAction(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """How an action ended, and what it used."""

    step: int
    at: float
    ok: bool
    seconds: float = 0.0
    changes: int = 0
    tokens: int = 0
    memory_mb: float = 0.0
    agent: str = ""


class RunHealth(msgspec.Struct, omit_defaults=True):
    """A fold of events, as the state that it is part of."""

    past: InterventionHistory = msgspec.field(default_factory=InterventionHistory)
    findings: dict[str, events.FindingMade] = {}
    """By name, each as it was last."""
    calls: list[float] = []
    """When the actions of the last minute were let through."""
    shown: list[str] = []
    """The last actions in a few words."""
    lately: list[RecentAction] = []
    """How the last actions ended."""
    checkpoints: list[Checkpoint] = []
    allowance: Allowance | None = None
    """What it may still use, since it was throttled."""
    changes: int = 0
    tokens: int = 0
    """File changes and tokens since then."""
    acting: events.Intervened | events.IncidentResolved | events.RestoreAsked | None = None
    """The rollback or stop that is under way and not confirmed yet."""
    rolled_back: events.RolledBack | None = None
    """The last one."""
    back_untold: bool = False
    """The agent was not told of it yet."""
    stopped: str = ""
    """The incident that it was stopped for, until a person has decided how it goes on."""
    approval: bool = False
    """Since an incident, a person approves what would change something."""

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
        """Note that an action has come to its end: it ran, or was refused or dropped."""
        self.past.record_step(intent.agent, event.step)

    def call(self, at: float, shown: str) -> None:
        """An action was let through."""
        self.calls.append(at)
        while self.calls[0] < at - _CALLS_SECONDS or len(self.calls) > _MAX_CALLS:
            del self.calls[0]
        self.shown.append(shown)
        del self.shown[:-_MAX_SHOWN]

    def end(self, event: events.ActionEnded, changes: int, agent: str = "") -> None:
        """An action of an agent ended that may have changed so many files."""
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
            )
        )
        del self.lately[:-_MAX_LATELY]
        self.changes += changes
        self.tokens += outcome.tokens

    def find(self, event: events.FindingMade) -> None:
        """Something was found."""
        self.findings.pop(event.finding.name, None)
        self.findings[event.finding.name] = event
        if len(self.findings) > _MAX_FINDINGS:
            del self.findings[next(iter(self.findings))]

    def intervene(self, event: events.Intervened) -> None:
        """Something was done about it."""
        done = event.intervention
        self.past.record(event)
        self._limit(done.allowance)
        if done.means == InterventionName.CHECKPOINT_ROLLBACK and done.checkpoint:
            self.acting = event
        elif done.means == InterventionName.EMERGENCY_STOP:
            self.acting = event
            self.stopped = done.incident

    def judge(self, event: events.InterventionJudged) -> None:
        """It is known whether that helped."""
        made = self.past.record_outcome(event)
        if event.worked and made is not None and made.means == InterventionName.RESOURCE_THROTTLING:
            self.allowance = None

    def save(self, event: events.CheckpointTaken) -> None:
        """The files were saved."""
        self.checkpoints.append(event.checkpoint)
        del self.checkpoints[:-_MAX_CHECKPOINTS]

    def ask_back(self, event: events.RestoreAsked) -> None:
        """A person wants files put back; a stop that is under way goes on."""
        if self.acting is None:
            self.acting = event

    def roll_back(self, event: events.RolledBack) -> None:
        """The files were put back, or could not be."""
        self.rolled_back = event
        self.back_untold = True
        if self.held:
            self.acting = None

    def confirm(self, event: events.StopConfirmed) -> None:
        """The run was stopped."""
        self.acting = None

    def resolve(self, event: events.IncidentResolved) -> None:
        """A person has decided; an abort is final, so that nothing is let through any more."""
        if event.option == "abort" or event.incident != self.stopped:
            return
        self.stopped = ""
        self.approval = event.approval
        self._limit(event.allowance)
        if event.checkpoint:
            self.acting = event

    def _limit(self, allowance: Allowance | None) -> None:
        if allowance is not None:
            self.allowance = allowance
            self.changes = self.tokens = 0
            self.calls.clear()
