"""The state of a run: a fold of its events, and nothing else."""

from typing import Literal

import msgspec

from handrail.model.active_settings import ActiveSettings
from handrail.model.control import Standing
from handrail.model.desktop import DesktopCheck
from handrail.model.event import Event
from handrail.model.finding import Finding
from handrail.model.history import History
from handrail.supervise.state.approval_state import ApprovalState
from handrail.supervise.state.control_state import ControlState
from handrail.supervise.state.loop_state import LoopState
from handrail.supervise.state.open_action import OpenAction
from handrail.supervise.state.reducers import APPLY
from handrail.supervise.state.run_health import RunHealth
from handrail.supervise.state.usage import RunUsage

Phase = Literal["working", "waiting", "ended"]

_FRESH = 10
"""Steps after which a finding is no longer current, if it was not made again."""


class RunState(msgspec.Struct, omit_defaults=True, tag_field="fold", tag=7):
    """The state of a run. The same events give the same state, from any snapshot.

    Readers of the log need no more. `WatchedState` adds the memory of the detectors.

    Raise the tag when the same events come to mean another state: Handrail then ignores snapshots
    of the older fold, and folds the events again.
    """

    run: str
    seq: int = 0
    """The last event in this state."""
    phase: Phase = "working"
    host: str = ""
    cwd: str = ""
    """Its first folder, which decides about its settings and its scope."""
    attended: bool = False
    model: str = ""
    pid: int = 0
    pid_at: float = 0.0
    """When the host named this process: numbers come again."""
    pid_began: float = 0.0
    """The start of that process, in seconds since the machine booted; 0: unknown."""
    started: float = 0.0
    changed: float = 0.0
    step: int = 0
    prompts: int = 0
    messages: int = 0
    """The agent's messages at its stops."""
    first_prompt: str = ""
    last_prompt: str = ""
    history: History = msgspec.field(default_factory=History)
    usage: RunUsage = msgspec.field(default_factory=RunUsage)
    open: list[OpenAction] = []
    agents: dict[str, str] = {}
    """Sub-agents at work, and their kinds."""
    tasks: dict[str, str] = {}
    """The agent's task list, with the state of each task."""
    compactions: int = 0
    settings: ActiveSettings | None = None
    """The first settings of the run: those on the disk may be laxer by now."""
    course: RunHealth = msgspec.field(default_factory=RunHealth)
    over: list[tuple[str, str, str]] = []
    """Of the last ended actions: id, fingerprint, and fingerprint of the command line."""
    hand: ControlState = msgspec.field(default_factory=ControlState)
    loop: LoopState | None = None
    """None: Handrail does not drive it."""
    desktop: DesktopCheck | None = None
    """The last look of a desktop watch; None: it is no desktop run."""
    rested: int = 0
    """The last step before the agent stopped, or was sent on. Of the earlier actions only those of
    sub-agents may still run. Not every end is reported."""

    approvals: ApprovalState = msgspec.field(default_factory=ApprovalState)
    notices: dict[str, str] = {}
    """Texts that the agent has not been told yet, by name."""

    def apply(self, event: Event) -> None:
        """Apply the next event."""
        self.seq += 1
        self.changed = event.at
        self.started = self.started or event.at
        APPLY[type(event)](self, event)

    @property
    def past(self) -> History:
        """Return the past for reviews; files that changed since the run began may be its own."""
        trouble = self.trouble if self.course.findings else None
        return msgspec.structs.replace(self.history, began=self.started, trouble=trouble)

    @property
    def under_way(self) -> int:
        """Return how many actions may be running now."""
        return sum(1 for action in self.open if action.let_through)

    @property
    def at_work(self) -> list[OpenAction]:
        """Return the actions that may be running now.

        Leave out those without a reported end, and those that wait for a sub-agent: while its next
        action is held, they do not end.
        """
        return [
            each
            for each in self.open
            if each.let_through
            and not each.only_waits
            and (
                each.step > self.rested
                or (each.intent is not None and each.intent.agent in self.agents)
            )
        ]

    @property
    def active(self) -> bool:
        """Return whether there is anything to control."""
        if self.seq == 0 or self.hand.is_final:
            return False
        resumable = self.loop is not None or self.hand.standing == Standing.STOPPED
        return resumable or self.phase != "ended"

    @property
    def is_fleet(self) -> bool:
        """Return whether this run stands for a whole fleet, and no agent works in it."""
        return self.loop is not None and self.loop.is_fleet

    @property
    def trouble(self) -> Finding | None:
        """Return the worst finding of the last steps that no intervention has solved."""
        helped = {(made.name, made.step) for made in self.course.past.made if made.worked}
        current = [
            found.finding
            for found in self.course.findings.values()
            if found.step > self.step - _FRESH
            and not any(name == found.finding.name and step >= found.step for name, step in helped)
        ]
        return max(current, key=lambda finding: finding.severity, default=None)

    @property
    def tokens(self) -> int:
        """Return all tokens so far, by the driver's count or by the host's records."""
        return max(self.usage.tokens, 0 if self.loop is None else self.loop.tokens)

    @property
    def cost_usd(self) -> float | None:
        """Return the cost so far, the host's own figure first; None: nobody knows it."""
        told = 0.0 if self.loop is None else self.loop.cost_usd
        return max(told, self.usage.cost_usd) + self.usage.looks_usd or None

    @property
    def iteration(self) -> int:
        """Return the present iteration, from 1: of its loop, or prompt by prompt."""
        return max(self.prompts if self.loop is None else self.loop.iteration, 1)

    def find_open(self, action_id: str) -> OpenAction | None:
        """Return the open action with an id of the host."""
        if not action_id:
            return None
        return next((item for item in reversed(self.open) if item.id == action_id), None)

    def has_ended(self, action_id: str, name: str, command: str) -> bool:
        """Return whether the end of this very action was reported before."""
        return bool(action_id) and any(
            known == action_id and (was == name or (bool(command) and ran == command))
            for known, was, ran in self.over
        )

    def find_same(self, name: str, command: str) -> OpenAction | None:
        """Return the open action with the same content, original or rewritten, whatever its id."""
        return next((item for item in reversed(self.open) if _is_same(item, name, command)), None)

    def find_ended(self, action_id: str, name: str, command: str) -> OpenAction | None:
        """Return the open action that has ended: by id, by content, best by both."""
        same = [item for item in reversed(self.open) if _is_same(item, name, command)]
        found = next((item for item in same if action_id and item.id == action_id), None)
        found = found or self.find_open(action_id)
        if found is not None:
            return found
        return next((item for item in same if not action_id or not item.id), None)


def _is_same(item: OpenAction, name: str, command: str) -> bool:
    return item.name == name or (bool(command) and item.command == command)
