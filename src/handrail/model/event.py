"""The events of a run, as the log records them.

One struct per event; the field `event` tells them apart. New fields need a default. Nobody renames
or removes a field, because logs stay readable forever.
"""

from typing import Literal

import msgspec

from handrail.model.action import Action, Outcome
from handrail.model.action_kind import ActionKind
from handrail.model.active_settings import ActiveSettings
from handrail.model.checkpoint import Checkpoint, StateSnapshot
from handrail.model.control import ControlCommand, Standing
from handrail.model.desktop import DesktopCheck
from handrail.model.finding import Finding
from handrail.model.intervention import Allowance, Intervention
from handrail.model.review import Review, Verdict


class _Event(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event"):
    at: float
    """When it happened, in seconds since 1970."""


class RunStarted(_Event, frozen=True, omit_defaults=True, tag="run_started"):
    """An agent began or resumed its work."""

    host: str
    cwd: str
    source: str = ""
    """How: `startup`, `resume`, `fork`, `clear`; empty if Handrail joined later."""
    attended: bool = False
    """A person sits at the host and can answer questions."""
    model: str = ""
    settings: ActiveSettings | None = None
    """The settings in force; none if they were unreadable."""
    pid: int = 0
    """The host's process; 0 if unknown."""
    pid_began: float = 0.0
    """When that process began, in seconds since the machine did; 0 if unknown."""


class PromptGiven(_Event, frozen=True, omit_defaults=True, tag="prompt_given"):
    """A person gave the agent a prompt."""

    text: str


class ActionReviewed(_Event, frozen=True, omit_defaults=True, tag="action_reviewed"):
    """Handrail judged an action before it ran."""

    step: int
    """Counted from 1 in the run."""
    name: str
    """The action's fingerprint."""
    action: Action
    review: Review
    verdict: Verdict
    agent: str = ""
    """The sub-agent behind it; empty: the agent itself."""
    ms: float = 0.0
    """How long the review took."""
    asked: bool = False
    """The host asked the person instead of refusing the action."""
    command: str = ""
    """The fingerprint of the permitted command line, if it is one."""
    approval: str = ""
    """The approval that a person gave or denied for it; it counts once."""


class ActionEnded(_Event, frozen=True, omit_defaults=True, tag="action_ended"):
    """An action ran and ended."""

    step: int
    outcome: Outcome
    created: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    overruled: bool = False
    """Handrail refused it, and a person let it run."""


class AfterReviewed(_Event, frozen=True, omit_defaults=True, tag="after_reviewed"):
    """An action did something else than was reviewed, and Handrail reviewed that, too."""

    step: int
    review: Review
    """Its id is of its own; the decision is the one that the whole action would have got."""
    differences: tuple[str, ...] = ()
    """In half a sentence each."""
    paths: tuple[str, ...] = ()
    """Files that it changed unforeseen."""
    failed: bool = False
    """Its exit code says that it failed, though the host reports a success."""


class ActionDropped(_Event, frozen=True, omit_defaults=True, tag="action_dropped"):
    """A permitted action did not run: the host or a person refused it."""

    step: int
    says: str = ""


class BreachFound(_Event, frozen=True, omit_defaults=True, tag="breach_found"):
    """Something ran without permission."""

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
    """An agent put a task on its list, or completed one."""

    task: str
    state: Literal["pending", "done"]
    subject: str = ""


class Compacted(_Event, frozen=True, omit_defaults=True, tag="compacted"):
    """The host shortened the conversation; the run goes on."""

    trigger: str = ""


class IterationEnded(_Event, frozen=True, omit_defaults=True, tag="iteration_ended"):
    """The agent stopped working and waits for the next prompt."""

    says: str = ""
    review: Review | None = None
    """The review of its message; None: it said nothing."""
    unproven: tuple[str, ...] = ()
    """Claims in it that the disk contradicts, in half a sentence each."""


class SettingsChanged(_Event, frozen=True, omit_defaults=True, tag="settings_changed"):
    """Settings of the host, or Handrail's own, changed during the run."""

    path: str
    source: str = ""
    refused: str = ""
    """Why the run does not use them, or not all of them; empty: it does."""
    settings: ActiveSettings | None = None
    """Handrail's own settings from here on, if they changed."""


class FaultNoted(_Event, frozen=True, omit_defaults=True, tag="fault_noted"):
    """Handrail itself failed."""

    kind: str
    says: str


class FeedbackGiven(_Event, frozen=True, omit_defaults=True, tag="feedback_given"):
    """A person judged a verdict or a finding."""

    step: int
    right: bool
    note: str = ""
    finding: str = ""
    """The kind of the finding; empty: it is about the verdict."""
    by: str = ""
    """Who judged; empty: a person at this machine."""


class FindingMade(_Event, frozen=True, omit_defaults=True, tag="finding_made"):
    """A detector saw a pattern of trouble, for the first time, worse, or again."""

    step: int
    """The last step before it."""
    finding: Finding
    agent: str = ""


class Intervened(_Event, frozen=True, omit_defaults=True, tag="intervened"):
    """Handrail intervened because of a finding."""

    intervention: Intervention
    agent: str = ""


class InterventionJudged(_Event, frozen=True, omit_defaults=True, tag="intervention_judged"):
    """Handrail judged whether an intervention helped."""

    intervention: str
    step: int
    worked: bool
    says: str = ""
    means: str = ""
    finding: str = ""
    """The kind of the finding behind it."""


class CheckpointTaken(_Event, frozen=True, omit_defaults=True, tag="checkpoint_taken"):
    """Handrail saved the files."""

    checkpoint: Checkpoint
    files: int = 0
    ms: float = 0.0
    """How long it took."""
    partial: bool = False
    """The checkpoint has gaps besides ignored files; its record lists them."""


class FilesCopied(_Event, frozen=True, omit_defaults=True, tag="files_copied"):
    """Handrail copied files that no checkpoint holds, before an action overwrites them."""

    step: int
    """The step of the action."""
    batch: str
    """The id of the copies in the trash."""
    files: tuple[str, ...] = ()
    bytes: int = 0


class RestoreAsked(_Event, frozen=True, omit_defaults=True, tag="restore_asked"):
    """A person asked for a restore; until it is done, nothing may change a file."""

    checkpoint: str
    level: str = ""
    """How much to undo: an action, an iteration, a task, everything since a checkpoint."""
    by: str = ""
    """Who asked; empty: a person at this machine."""


class RolledBack(_Event, frozen=True, omit_defaults=True, tag="rolled_back"):
    """Handrail put the files back to a checkpoint, or failed to."""

    checkpoint: str
    intervention: str = ""
    files: tuple[str, ...] = ()
    undo: str = ""
    """The checkpoint taken just before; it undoes the restore."""
    problem: str = ""
    """Why it failed; empty: it is done, and Handrail compared the files."""
    asked: bool = False
    """A person asked for it."""
    spared: int = 0
    """Files left alone because others had changed them since."""
    unwritable: tuple[str, ...] = ()
    """Files that stay as they are because their folder cannot be written."""
    git: tuple[str, ...] = ()
    """What went back in the user's repository, one line each."""
    state: StateSnapshot | None = None
    """The goal, prompt and tasks from now on; None: unchanged."""


class StopConfirmed(_Event, frozen=True, omit_defaults=True, tag="stop_confirmed"):
    """The remaining processes of a stopped run, read back from the system."""

    incident: str
    ended: tuple[str, ...] = ()
    """Ended processes: number and command line."""
    left: tuple[str, ...] = ()
    """Processes still alive."""
    says: str = ""


class IncidentResolved(_Event, frozen=True, omit_defaults=True, tag="incident_resolved"):
    """A person decided how a stopped run goes on."""

    incident: str
    option: str
    note: str = ""
    allowance: Allowance | None = None
    """The limits from now on."""
    approval: bool = False
    """A person must approve every change."""
    checkpoint: str = ""
    """The checkpoint to restore first."""
    strict: bool = False
    """Handrail watches it strictly from now on: what it only warned about, it refuses."""
    by: str = ""
    """Who decided; empty: a person at this machine."""


class ModelAsked(_Event, frozen=True, omit_defaults=True, tag="model_asked"):
    """Handrail asked a model for a second opinion."""

    step: int
    question: str
    """`action` or `goal`."""
    answer: str = ""
    score: float = 0.0
    says: str = ""
    tokens: int = 0
    ms: float = 0.0
    problem: str = ""
    """Why no answer came; empty: one came."""


class ControlAsked(_Event, frozen=True, omit_defaults=True, tag="control_asked"):
    """Handrail acknowledged a request."""

    request: str
    """Its id."""
    command: ControlCommand
    standing: Standing
    """The state of the run until the answer."""
    by: str = ""
    reason: str = ""
    text: str = ""
    """The message, the new goal, the model, or the checkpoint, by command."""
    issue: str = ""
    """The request's name for the task."""
    choice: str = ""
    """Where a pause takes hold, or the workspace of another task, if it is not the default."""


class ControlAnswered(_Event, frozen=True, omit_defaults=True, tag="control_answered"):
    """A request is done, with evidence, or has failed."""

    request: str
    command: ControlCommand
    standing: Standing
    """The state of the run from now on."""
    ok: bool = True
    says: str = ""
    evidence: tuple[str, ...] = ()
    """The evidence."""
    model: str = ""
    """The agent's model from now on, if it changed."""


class ActionHeld(_Event, frozen=True, omit_defaults=True, tag="action_held"):
    """An action waits while its run is paused."""

    id: str
    """The host's id of the action."""
    says: str
    """The action in a few words."""
    agent: str = ""
    released: str = ""
    """Why the wait ended; empty: it begins."""


class ApprovalAsked(_Event, frozen=True, omit_defaults=True, tag="approval_asked"):
    """An action waits for a person's approval."""

    approval: str
    """The id of the question."""
    name: str
    """The action's fingerprint: an approval counts for nothing else."""
    says: str
    """The action in a few words."""
    action: Action
    review: Review
    kinds: tuple[ActionKind, ...] = ()
    """The kinds of action that a person has to approve."""
    until: float = 0.0
    """When the question expires."""
    agent: str = ""
    refused: bool = False
    """Handrail refuses it unless the person approves it."""
    why: str = ""
    """Why the person is asked."""


class ApprovalDecided(_Event, frozen=True, omit_defaults=True, tag="approval_decided"):
    """A person approved or denied an action."""

    approval: str
    approved: bool
    by: str = ""
    reason: str = ""
    until: float = 0.0
    """When the answer expires."""
    edited: dict[str, object] | None = None
    """The input that runs instead of the action's own."""
    edited_says: str = ""
    """The edited action in a few words."""
    always: bool = False
    """The person allows this action in this project for good."""


class AgentTold(_Event, frozen=True, omit_defaults=True, tag="agent_told"):
    """The agent was told what waited for it: an answer, or a person's note."""

    notices: tuple[str, ...]
    """The names of these notices."""


class CleanedUp(_Event, frozen=True, omit_defaults=True, tag="cleaned_up"):
    """Handrail removed what a stopped run had left behind."""

    incident: str
    removed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    """What is still there, and why."""


class LoopBegun(_Event, frozen=True, omit_defaults=True, tag="loop_begun"):
    """Handrail began or resumed driving an agent."""

    goal: str
    max: int
    """Iterations at most."""
    mode: str = "loop"
    model: str = ""
    verify: str = ""
    """The command that must pass at the end; empty: there is none."""
    driver: int = 0
    """The driver's process."""
    cwd: str = ""
    driver_began: float = 0.0
    """When that process began, in seconds since the machine did; 0 if unknown."""
    max_minutes: float = 0.0
    """Minutes of work at most; 0: no limit."""
    max_cost_usd: float = 0.0
    """The cost at most; 0: no limit."""
    max_tokens: int = 0
    """Tokens at most; 0: no limit."""
    max_memory_mb: float = 0.0
    """Memory of all its processes at most; 0: no limit."""
    adopts: bool = False
    """The driver adopts the orphans of its agent."""
    safety: dict[str, object] = {}
    """The settings of the pipeline that this run is a step of; empty: it has none."""
    safety_file: str = ""
    """The file in which they stand."""
    group: str = ""
    """The control group of the agent's processes; empty: there is none."""
    parent: str = ""
    """The run of the fleet that this one is a part of."""
    issue: str = ""
    """The task of the fleet that it is for."""


class IterationBegun(_Event, frozen=True, omit_defaults=True, tag="iteration_begun"):
    """The driver sent the agent on."""

    iteration: int


class Verified(_Event, frozen=True, omit_defaults=True, tag="verified"):
    """The verify command of a loop ran."""

    iteration: int
    command: str
    ok: bool
    says: str = ""
    """The end of its output."""
    ms: float = 0.0


class UsageMeasured(_Event, frozen=True, omit_defaults=True, tag="usage_measured"):
    """The total use of a driven agent so far."""

    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    """Time at work, without the time on hold."""
    memory_mb: float = 0.0
    """The peak over all its processes."""
    model: str = ""
    """The model that answered last."""
    wanted_model: str = ""
    """The model that a person asked for, if another one answered."""


class UsageSampled(_Event, frozen=True, omit_defaults=True, tag="usage_sampled"):
    """The use of a run as Handrail measured it while its agent worked."""

    tokens: int = 0
    """All tokens of the run so far."""
    cost_usd: float = 0.0
    """What they cost so far; 0: not known."""
    unpriced: tuple[str, ...] = ()
    """Models without a price: the cost is not known."""
    answers: tuple[int, ...] = ()
    """The tokens of each new answer to the agent itself, not to its sub-agents."""
    memory_mb: float = 0.0
    """The present memory of the agent and all processes below it; 0: not measured."""
    commands_mb: float = 0.0
    """The part of it below the agent: its commands and servers."""


class DesktopChecked(_Event, frozen=True, omit_defaults=True, tag="desktop_checked"):
    """A desktop watch looked at the screen, and perhaps recovered a session."""

    step: int
    """The step of the look."""
    check: DesktopCheck


class LoopEnded(_Event, frozen=True, omit_defaults=True, tag="loop_ended"):
    """A loop ended."""

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
    | AfterReviewed
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
    | FilesCopied
    | RestoreAsked
    | RolledBack
    | StopConfirmed
    | IncidentResolved
    | ModelAsked
    | ControlAsked
    | ControlAnswered
    | ActionHeld
    | ApprovalAsked
    | ApprovalDecided
    | AgentTold
    | CleanedUp
    | LoopBegun
    | IterationBegun
    | Verified
    | UsageMeasured
    | UsageSampled
    | DesktopChecked
    | LoopEnded
    | RunEnded
)
