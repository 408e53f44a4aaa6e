"""The events of runs as entries of a timeline: an action and what came of it are one."""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from math import inf
from time import monotonic

import msgspec

from handrail.cli.answer import shown_action
from handrail.cli.saying import near
from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    ActionReviewed,
    AgentStarted,
    CheckpointTaken,
    Event,
    FindingMade,
    Intervened,
    LoopBegun,
    RolledBack,
    RunEnded,
    RunStarted,
    UsageMeasured,
)
from handrail.model.intervention import Means
from handrail.model.ordinal import Decision
from handrail.model.run import Checkpoint

_MAX_HELD = 256
"""Entries that wait for an earlier action to end: with more, it is shown as it is."""
_MAX_OPEN = 1000
_MAX_ACTIONS = 200
"""Actions of a run that are remembered, in case something is found in them."""
_MAX_TEXT = 200
_GOES_ON = ("", "compact")
"""Ways in which a session starts in the middle of its work."""

End = ActionEnded | ActionDropped
Shown = dict[str, list[int]]
"""Actions in words, and the steps in which each was taken."""


class RunFacts(msgspec.Struct):
    """What earlier events of a run say about its later ones."""

    cwd: str = ""
    began: float = 0.0
    agents: dict[str, str] = {}
    """Sub-agents, and the letters they go by."""
    decided: dict[Decision, int] = {}
    failed: int = 0
    dropped: int = 0
    actions: dict[int, str] = {}
    """The last ones, by step."""
    checkpoints: dict[str, Checkpoint] = {}
    found: set[str] = set()
    """Names of findings."""
    interventions: int = 0
    plans: set[str] = set()
    """Interventions that were to put files back and could not."""
    rollbacks: int = 0
    driven: bool = False
    """By Handrail: no person gives the prompts."""
    tokens: int = 0
    """Used so far, as it was measured last."""

    def shown(self, steps: Iterable[int]) -> Shown:
        """What was done in these steps, as far as it is remembered."""
        found: Shown = {}
        for step in steps:
            if step in self.actions:
                found.setdefault(near(self.actions[step], self.cwd), []).append(step)
        return found

    def take(self, event: Event) -> None:
        """Note what an event says about later ones."""
        self.began = self.began or event.at
        if isinstance(event, RunStarted):
            self.cwd = event.cwd
        elif isinstance(event, AgentStarted):
            self.letter(event.agent)
        elif isinstance(event, ActionReviewed):
            self.letter(event.agent)
            decision = event.verdict.decision
            self.decided[decision] = self.decided.get(decision, 0) + 1
            self._act(event)
        elif isinstance(event, ActionEnded):
            self.failed += not event.outcome.ok
        elif isinstance(event, ActionDropped):
            self.dropped += 1
        elif isinstance(event, CheckpointTaken):
            self.checkpoints[event.checkpoint.id] = event.checkpoint
        elif isinstance(event, FindingMade):
            self.found.add(event.finding.name)
        elif isinstance(event, Intervened):
            self.interventions += 1
            done = event.intervention
            if done.means == Means.CHECKPOINT_ROLLBACK and not done.checkpoint:
                self.plans.add(done.id)
        elif isinstance(event, RolledBack):
            self.rollbacks += not event.problem and not event.asked
        elif isinstance(event, LoopBegun | UsageMeasured):
            self._drive(event)

    def _drive(self, event: LoopBegun | UsageMeasured) -> None:
        self.driven = True
        if isinstance(event, LoopBegun):
            self.cwd = self.cwd or event.cwd
        else:
            self.tokens = event.tokens

    def _act(self, event: ActionReviewed) -> None:
        tool, text = event.action.tool, shown_action(event.action)[:_MAX_TEXT]
        self.actions[event.step] = text if text.startswith(tool) else f"{tool} {text}"
        if len(self.actions) > _MAX_ACTIONS:
            del self.actions[next(iter(self.actions))]

    def letter(self, agent: str) -> str:
        """A short name for a sub-agent; none for the agent itself."""
        if not agent:
            return ""
        return self.agents.setdefault(agent, _letters(len(self.agents)))


class Entry(msgspec.Struct):
    """One thing that a timeline shows."""

    run: str
    event: Event
    facts: RunFacts
    end: End | None = None
    late: bool = False
    """It was shown before; now it has ended."""
    waits: bool = False
    """Its end is still to come."""
    since: float = 0.0
    held: bool = False

    @property
    def at(self) -> float:
        """The moment that it is shown under."""
        return self.end.at if self.late and self.end is not None else self.event.at


class Joiner:
    """Takes events in order and gives entries in order, each as soon as it is complete.

    An action that takes longer than `patience` seconds is given without its end, and once
    more when it has ended.
    """

    def __init__(self, *, patience: float = inf, now: Callable[[], float] = monotonic) -> None:
        self.patience = patience
        self._now = now
        self._facts: dict[str, RunFacts] = {}
        self._held: deque[Entry] = deque()
        self._open: OrderedDict[tuple[str, int], Entry] = OrderedDict()

    def add(self, run: str, event: Event, *, shown: bool = True) -> None:
        """Take in the next event; one that is not shown still says something about others."""
        facts = self._facts.setdefault(run, RunFacts())
        is_news = not isinstance(event, UsageMeasured) or event.tokens != facts.tokens
        facts.take(event)
        if isinstance(event, End) and self._close(run, event, shown=shown):
            return
        entry = Entry(run, event, facts, since=self._now())
        if isinstance(event, ActionReviewed):
            entry.waits = event.asked or event.verdict.decision is not Decision.BLOCK
            self._open[run, event.step] = entry
            if len(self._open) > _MAX_OPEN:
                self._open.popitem(last=False)
        elif isinstance(event, RunEnded):
            self._give_up(run)
            entry.facts = msgspec.structs.replace(
                facts, decided=dict(facts.decided), found=set(facts.found)
            )
        elif isinstance(event, RunStarted) and event.source not in _GOES_ON:
            self._give_up(run)
        if shown and is_news:
            self._hold(entry)

    def ready(self) -> Iterator[Entry]:
        """The entries that need not wait any longer."""
        while self._held and self._may_go(self._held[0]):
            yield self._release()

    def rest(self) -> Iterator[Entry]:
        """All that is left."""
        while self._held:
            yield self._release()

    def _may_go(self, first: Entry) -> bool:
        if not first.waits or len(self._held) > _MAX_HELD:
            return True
        return self._now() - first.since >= self.patience

    def _hold(self, entry: Entry) -> None:
        entry.held = True
        self._held.append(entry)

    def _release(self) -> Entry:
        entry = self._held.popleft()
        entry.held = False
        return entry

    def _close(self, run: str, end: End, *, shown: bool) -> bool:
        """Give an action its end; False if nobody knows that action."""
        entry = self._open.pop((run, end.step), None)
        if entry is None:
            return False
        if entry.held:
            entry.end, entry.waits = end, False
        elif shown:
            self._hold(Entry(run, entry.event, entry.facts, end, late=True, since=self._now()))
        return True

    def _give_up(self, run: str) -> None:
        """The session has ended: whatever was under way will not be heard of."""
        for key in [key for key in self._open if key[0] == run]:
            self._open.pop(key).waits = False


def _letters(number: int) -> str:
    """A, B … Z, AA, AB …"""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("A") + rest) + text
    return text
