"""Facts from the earlier events of a run that later sentences need."""

from collections.abc import Iterable

import msgspec

from handrail.model import event as events
from handrail.model.checkpoint import Checkpoint
from handrail.model.event import Event, LoopBegun, UsageMeasured
from handrail.model.intervention import InterventionName
from handrail.model.ordinal import Decision
from handrail.words.actions import action_in_words
from handrail.words.sentence import shorten_paths

_MAX_ACTIONS = 200
"""The number of actions that are kept for findings."""
_MAX_TEXT = 200

_GOES_ON = ("", "compact")
"""Starts of a session in the middle of its work."""

StepsByAction = dict[str, list[int]]
"""Actions in words, with their steps."""


def ends_session(event: Event) -> bool:
    """Return whether the actions under way will never end, because the session is over."""
    begins = isinstance(event, events.RunStarted) and event.source not in _GOES_ON
    return begins or isinstance(event, events.RunEnded)


class RunFacts(msgspec.Struct):
    """Facts from the earlier events of a run that later sentences need."""

    cwd: str = ""
    began: float = 0.0
    agents: dict[str, str] = {}
    """The letters of the sub-agents."""
    decided: dict[Decision, int] = {}
    failed: int = 0
    dropped: int = 0
    actions: dict[int, str] = {}
    """The last actions, by step."""
    checkpoints: dict[str, Checkpoint] = {}
    found: set[str] = set()
    """The names of findings."""
    interventions: int = 0
    plans: set[str] = set()
    """Rollbacks that could not restore files."""
    rollbacks: int = 0
    driven: bool = False
    """Handrail drives the run and writes the prompts."""
    tokens: int = 0
    """The last measured number of tokens."""
    whole: bool = True
    """The facts cover all events, so that actions can be counted."""

    def shown(self, steps: Iterable[int]) -> StepsByAction:
        """Return the actions of these steps, as far as they are kept."""
        found: StepsByAction = {}
        for step in steps:
            if step in self.actions:
                found.setdefault(shorten_paths(self.actions[step], self.cwd), []).append(step)
        return found

    def update(self, event: Event) -> None:
        """Update the facts with an event."""
        self.began = self.began or event.at
        if isinstance(event, events.RunStarted):
            self.cwd = event.cwd or self.cwd
        elif isinstance(event, events.AgentStarted):
            self.letter(event.agent)
        elif isinstance(event, events.ActionReviewed):
            self.letter(event.agent)
            decision = event.verdict.decision
            self.decided[decision] = self.decided.get(decision, 0) + 1
            self._act(event)
        elif isinstance(event, events.ActionEnded):
            self.failed += not event.outcome.ok
        elif isinstance(event, events.ActionDropped):
            self.dropped += 1
        elif isinstance(event, events.CheckpointTaken):
            self.checkpoints[event.checkpoint.id] = event.checkpoint
        elif isinstance(event, events.FindingMade):
            self.found.add(event.finding.name)
        elif isinstance(event, events.Intervened):
            self.interventions += 1
            done = event.intervention
            if done.means == InterventionName.CHECKPOINT_ROLLBACK and not done.checkpoint:
                self.plans.add(done.id)
        elif isinstance(event, events.RolledBack):
            self.rollbacks += not event.problem and not event.asked
        elif isinstance(event, LoopBegun | UsageMeasured):
            self._drive(event)

    def _drive(self, event: LoopBegun | UsageMeasured) -> None:
        self.driven = True
        if isinstance(event, LoopBegun):
            self.cwd = self.cwd or event.cwd
        else:
            self.tokens = event.tokens

    def _act(self, event: events.ActionReviewed) -> None:
        tool, text = event.action.tool, action_in_words(event.action)[:_MAX_TEXT]
        self.actions[event.step] = text if text.startswith(tool) else f"{tool} {text}"
        if len(self.actions) > _MAX_ACTIONS:
            del self.actions[next(iter(self.actions))]

    def letter(self, agent: str) -> str:
        """Return the letter of a sub-agent, or "" for the agent itself."""
        if not agent:
            return ""
        return self.agents.setdefault(agent, _letters(len(self.agents)))


def _letters(number: int) -> str:
    """A, B … Z, AA, AB …"""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("A") + rest) + text
    return text
