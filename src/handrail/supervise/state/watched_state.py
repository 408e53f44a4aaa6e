"""The state of a supervised run: the facts in the log, and the memory of the detectors."""

from collections.abc import Iterable

import msgspec

from handrail.detect import CompletedStep, RunDetectors, UsageSample, completed_step
from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    ActionReviewed,
    AgentEnded,
    Compacted,
    DesktopChecked,
    Event,
    IterationEnded,
    ModelAsked,
    PromptGiven,
    UsageSampled,
    Verified,
)
from handrail.model.event_table import by_event
from handrail.model.intent import Intent
from handrail.supervise.state.run_health import RunHealth
from handrail.supervise.state.run_state import RunState


class WatchedRunHealth(RunHealth, omit_defaults=True):
    """The health of a run, watched by the detectors."""

    watch: RunDetectors = msgspec.field(default_factory=RunDetectors)

    def see(self, event: ActionReviewed | ActionEnded | ActionDropped, intent: Intent) -> None:
        """Show the detectors an action that has ended."""
        self.watch.see(_deed(event, intent))
        super().see(event, intent)

    def sample(self, event: UsageSampled) -> int:
        """Show the detectors a measurement."""
        tokens = super().sample(event)
        self.watch.sampled(UsageSample(tokens, event.answers, event.commands_mb))
        return tokens


class WatchedState(RunState, omit_defaults=True):
    """The state with its detectors: for code that corrects the run, not only reads it."""

    course: WatchedRunHealth = msgspec.field(default_factory=WatchedRunHealth)

    def apply(self, event: Event) -> None:
        """Apply the next event, and tell the detectors about it."""
        if (tell := _TELL.get(type(event))) is not None:
            tell(self.course.watch, event)
        super().apply(event)


def fold(run: str, events: Iterable[Event]) -> WatchedState:
    """Return the state after these events."""
    state = WatchedState(run)
    for event in events:
        state.apply(event)
    return state


def _deed(event: ActionReviewed | ActionEnded | ActionDropped, intent: Intent) -> CompletedStep:
    if isinstance(event, ActionEnded):
        changed = event.created + event.changed
        return completed_step(event.step, event.at, intent, event.outcome, changed)
    return CompletedStep(
        event.step, event.at, intent, "refused" if isinstance(event, ActionReviewed) else "dropped"
    )


def _prompted(watch: RunDetectors, event: PromptGiven) -> None:
    watch.prompted(event.text)


def _agent_ended(watch: RunDetectors, event: AgentEnded) -> None:
    watch.ended(event.agent)


def _compacted(watch: RunDetectors, event: Compacted) -> None:
    watch.compacted()


def _agent_stopped(watch: RunDetectors, event: IterationEnded) -> None:
    watch.heard(event.says)
    if event.unproven:
        watch.contradicted(event.unproven)


def _model_asked(watch: RunDetectors, event: ModelAsked) -> None:
    if event.question == "goal" and not event.problem:
        watch.told(event.score)


def _verified(watch: RunDetectors, event: Verified) -> None:
    if event.ok:
        watch.checks.confirm()


def _desktop_checked(watch: RunDetectors, event: DesktopChecked) -> None:
    watch.checked(event.check)


_TELL = by_event(
    _prompted,
    _agent_ended,
    _compacted,
    _agent_stopped,
    _model_asked,
    _verified,
    _desktop_checked,
)
