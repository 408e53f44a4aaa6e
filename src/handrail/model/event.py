"""What happens in a run, as it is written into the log.

One struct per event, told apart by the field `event`. A field may be added with a default;
nothing is ever renamed or removed, because logs are read for ever.
"""

from typing import Literal

import msgspec

from handrail.model.action import Action, Outcome
from handrail.model.active_settings import ActiveSettings
from handrail.model.checkpoint import Checkpoint, StateSnapshot
from handrail.model.control import ControlCommand, Standing
from handrail.model.finding import Finding
from handrail.model.intervention import Allowance, Intervention
from handrail.model.review import Review, Verdict


class _Event(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event"):
    at: float
    """When it happened, in seconds since 1970."""


class RunStarted(_Event, frozen=True, omit_defaults=True, tag="run_started"):
    """An agent began to work, or took up its work again."""

    host: str
    cwd: str
    source: str = ""
    """How: `startup`, `resume`, `fork`, `clear`; empty where Handrail came in later."""
    attended: bool = False
    """Somebody sits at the host and can be asked."""
    model: str = ""
    settings: ActiveSettings | None = None
    """Those that it works with; none where they could not be read."""
    pid: int = 0
    """The host's process; 0 where it is not known."""
    pid_began: float = 0.0
    """When it began, in seconds since the machine did; 0 where that is not known."""


class PromptGiven(_Event, frozen=True, omit_defaults=True, tag="prompt_given"):
    """A person told the agent what to do."""

    text: str


class ActionReviewed(_Event, frozen=True, omit_defaults=True, tag="action_reviewed"):
    """An action was judged before it ran."""

    step: int
    """Counted from 1 in the run."""
    name: str
    """The action's fingerprint."""
    action: Action
    review: Review
    verdict: Verdict
    agent: str = ""
    """The sub-agent that wants it; empty: the agent itself."""
    ms: float = 0.0
    """How long the review took."""
    asked: bool = False
    """The person was asked instead of the action being refused."""
    command: str = ""
    """The fingerprint of the command line that may run, where it is one."""


class ActionEnded(_Event, frozen=True, omit_defaults=True, tag="action_ended"):
    """An action ran, and this came of it."""

    step: int
    outcome: Outcome
    created: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    overruled: bool = False
    """It was refused, and a person let it run."""


class ActionDropped(_Event, frozen=True, omit_defaults=True, tag="action_dropped"):
    """An action that was let through did not run: the host or a person refused it."""

    step: int
    says: str = ""


class BreachFound(_Event, frozen=True, omit_defaults=True, tag="breach_found"):
    """Something ran that was not let through."""

    says: str
    step: int = 0
    action: Action | None = None


class AgentStarted(_Event, frozen=True, omit_defaults=True, tag="agent_started"):
    """A sub-agent began to work in the run."""

    agent: str
    kind: str = ""


class AgentEnded(_Event, frozen=True, omit_defaults=True, tag="agent_ended"):
    """A sub-agent stopped."""

    agent: str


class TaskNoted(_Event, frozen=True, omit_defaults=True, tag="task_noted"):
    """An agent has put a task on its list, or has completed one."""

    task: str
    state: Literal["pending", "done"]
    subject: str = ""


class Compacted(_Event, frozen=True, omit_defaults=True, tag="compacted"):
    """The conversation was shortened; the run goes on."""

    trigger: str = ""


class IterationEnded(_Event, frozen=True, omit_defaults=True, tag="iteration_ended"):
    """The agent stopped working and waits for the next prompt."""

    says: str = ""


class SettingsChanged(_Event, frozen=True, omit_defaults=True, tag="settings_changed"):
    """Settings of the host, or Handrail's own, changed while the run was under way."""

    path: str
    source: str = ""
    refused: str = ""
    """Why they were not taken over, or not wholly; empty: they were."""
    settings: ActiveSettings | None = None
    """Handrail's own, where the run works with others from here on."""


class FaultNoted(_Event, frozen=True, omit_defaults=True, tag="fault_noted"):
    """Handrail itself could not do its work."""

    kind: str
    says: str


class FeedbackGiven(_Event, frozen=True, omit_defaults=True, tag="feedback_given"):
    """A person said whether a verdict was right."""

    step: int
    right: bool
    note: str = ""
    finding: str = ""
    """The kind of the finding that is meant; empty: the verdict."""


class FindingMade(_Event, frozen=True, omit_defaults=True, tag="finding_made"):
    """A pattern of trouble was seen, or has become worse, or came back."""

    step: int
    """The last step before it."""
    finding: Finding
    agent: str = ""


class Intervened(_Event, frozen=True, omit_defaults=True, tag="intervened"):
    """Something was done about a finding."""

    intervention: Intervention
    agent: str = ""


class InterventionJudged(_Event, frozen=True, omit_defaults=True, tag="intervention_judged"):
    """It is known whether an intervention helped."""

    intervention: str
    step: int
    worked: bool
    says: str = ""
    means: str = ""
    finding: str = ""
    """The kind of the finding that it was made for."""


class CheckpointTaken(_Event, frozen=True, omit_defaults=True, tag="checkpoint_taken"):
    """The files were saved."""

    checkpoint: Checkpoint
    files: int = 0
    ms: float = 0.0
    """How long that took."""
    partial: bool = False
    """Something was left out, beside what git ignores: the checkpoint's record says what."""


class RestoreAsked(_Event, frozen=True, omit_defaults=True, tag="restore_asked"):
    """A person wants files put back; until that is done, nothing may change one."""

    checkpoint: str
    level: str = ""
    """How much is undone: an action, an iteration, a task, everything since a checkpoint."""


class RolledBack(_Event, frozen=True, omit_defaults=True, tag="rolled_back"):
    """The files were put back to a checkpoint, or could not be."""

    checkpoint: str
    intervention: str = ""
    files: tuple[str, ...] = ()
    undo: str = ""
    """The checkpoint that was taken just before, which undoes it."""
    problem: str = ""
    """Why it was not done; empty: it was, and the files were compared afterwards."""
    asked: bool = False
    """A person wanted it."""
    spared: int = 0
    """Files that others had changed since, which were left alone."""
    state: StateSnapshot | None = None
    """What the run knows from now on; None: what it knew."""


class StopConfirmed(_Event, frozen=True, omit_defaults=True, tag="stop_confirmed"):
    """What is left of a run that was stopped, read back from the system."""

    incident: str
    ended: tuple[str, ...] = ()
    """Processes that were ended: number and command line."""
    left: tuple[str, ...] = ()
    """Processes that could not be ended."""
    says: str = ""


class IncidentResolved(_Event, frozen=True, omit_defaults=True, tag="incident_resolved"):
    """A person decided how a stopped run goes on."""

    incident: str
    option: str
    note: str = ""
    allowance: Allowance | None = None
    """What the run may use from now on."""
    approval: bool = False
    """A person approves what would change something."""
    checkpoint: str = ""
    """Where the files go back to first."""


class ModelAsked(_Event, frozen=True, omit_defaults=True, tag="model_asked"):
    """A model was asked for a second opinion."""

    step: int
    question: str
    """`action` or `goal`."""
    answer: str = ""
    score: float = 0.0
    says: str = ""
    tokens: int = 0
    ms: float = 0.0
    problem: str = ""
    """Why there is no answer; empty: there is one."""


class ControlAsked(_Event, frozen=True, omit_defaults=True, tag="control_asked"):
    """A person or a program has asked for something, and that was acknowledged."""

    request: str
    """Its id."""
    command: ControlCommand
    standing: Standing
    """How the run stands until it is answered."""
    by: str = ""
    reason: str = ""
    text: str = ""
    """The message, the new goal, the model, or the checkpoint, as the command needs it."""
    issue: str = ""
    """What the request calls the task."""


class ControlAnswered(_Event, frozen=True, omit_defaults=True, tag="control_answered"):
    """What was asked for is done, which was read back, or cannot be done."""

    request: str
    command: ControlCommand
    standing: Standing
    """How the run stands from now on."""
    ok: bool = True
    says: str = ""
    evidence: tuple[str, ...] = ()
    """What shows that it is so."""
    model: str = ""
    """The one that the agent uses from now on, where that has changed."""


class ActionHeld(_Event, frozen=True, omit_defaults=True, tag="action_held"):
    """An action waits until a run that is paused goes on."""

    id: str
    """The host's, of the action."""
    says: str
    """In a few words, what it would do."""
    agent: str = ""
    released: str = ""
    """Why it waits no longer; empty: it begins to wait."""


class LoopBegun(_Event, frozen=True, omit_defaults=True, tag="loop_begun"):
    """Handrail has begun to drive an agent, or has taken it up again."""

    goal: str
    max: int
    """Iterations at most."""
    mode: str = "loop"
    model: str = ""
    verify: str = ""
    """The command that has to pass before it is done; empty: there is none."""
    driver: int = 0
    """The process that drives it."""
    cwd: str = ""
    driver_began: float = 0.0
    """When that process began, in seconds since the machine did; 0 where that is not known."""


class IterationBegun(_Event, frozen=True, omit_defaults=True, tag="iteration_begun"):
    """The agent of a loop was sent on."""

    iteration: int


class Verified(_Event, frozen=True, omit_defaults=True, tag="verified"):
    """The command that decides whether a loop is done has run."""

    iteration: int
    command: str
    ok: bool
    says: str = ""
    """The end of what it printed."""
    ms: float = 0.0


class UsageMeasured(_Event, frozen=True, omit_defaults=True, tag="usage_measured"):
    """What a driven agent has used so far, all together."""

    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    """At work, without the time in which it was held."""
    memory_mb: float = 0.0
    """The most that its processes had at the same time."""


class LoopEnded(_Event, frozen=True, omit_defaults=True, tag="loop_ended"):
    """A loop has come to its end."""

    how: Literal["done", "abort"]
    reason: str
    """`COMPLETE`, `MAX_ITERATIONS`, `STUCK`; `ERROR`, `LIMIT`."""
    says: str = ""


class RunEnded(_Event, frozen=True, omit_defaults=True, tag="run_ended"):
    """The host ended the session."""

    reason: str = ""


Event = (
    RunStarted
    | PromptGiven
    | ActionReviewed
    | ActionEnded
    | ActionDropped
    | BreachFound
    | AgentStarted
    | AgentEnded
    | TaskNoted
    | Compacted
    | IterationEnded
    | SettingsChanged
    | FaultNoted
    | FeedbackGiven
    | FindingMade
    | Intervened
    | InterventionJudged
    | CheckpointTaken
    | RestoreAsked
    | RolledBack
    | StopConfirmed
    | IncidentResolved
    | ModelAsked
    | ControlAsked
    | ControlAnswered
    | ActionHeld
    | LoopBegun
    | IterationBegun
    | Verified
    | UsageMeasured
    | LoopEnded
    | RunEnded
)
