"""Sentences about the checks of a desktop watch."""

from collections.abc import Iterator

from handrail.model import event as events
from handrail.model.desktop import (
    DESKTOP_LOOK,
    CheckOutcome,
    DesktopCheck,
    RecoveryStep,
    ScreenStatus,
)
from handrail.model.event import Event
from handrail.words.amounts import count
from handrail.words.run_facts import RunFacts
from handrail.words.sentence import Sentence, in_words

_SEEN = {
    ScreenStatus.NORMAL: "sees nothing in the way",
    ScreenStatus.DIALOG: "sees a dialog",
    ScreenStatus.WRONG_FILE: "sees the wrong file",
    ScreenStatus.ERROR: "sees an error",
    ScreenStatus.TERMINAL: "sees a terminal in focus",
    ScreenStatus.UNKNOWN: "cannot tell what it sees",
}
CHECK_SIGNS = {
    CheckOutcome.NORMAL: ("·", "dim"),
    CheckOutcome.RECOVERED: ("✓", "green"),
    CheckOutcome.NOT_RECOVERED: ("!", "yellow"),
    CheckOutcome.UNSURE: ("?", "yellow"),
    CheckOutcome.WAITING: ("–", "yellow"),
    CheckOutcome.GIVEN_UP: ("✗", "red"),
    CheckOutcome.FAILED: ("✗", "red"),
}
_CAME_OF_IT = {
    CheckOutcome.NOT_RECOVERED: "did not help",
    CheckOutcome.UNSURE: "nothing done",
    CheckOutcome.WAITING: "waits before it tries again",
    CheckOutcome.GIVEN_UP: "GIVEN UP",
}
_PAST = {
    "press": "pressed",
    "key": "pressed",
    "type": "typed",
    "click": "clicked",
    "wait": "waited",
    "focus": "focused",
    "open": "opened",
    "close": "closed",
}
"""The verbs of a recovery, by the first word of a step."""


def is_look(event: Event) -> bool:
    """Return whether an event is the beginning of a look, which its check completes."""
    return isinstance(event, events.ActionReviewed) and event.action.tool == DESKTOP_LOOK


def seen_in_words(check: DesktopCheck) -> str:
    """Say what a check saw, how sure it was, and who recognised it."""
    if check.outcome is CheckOutcome.FAILED:
        return f"could not look: {check.why}" if check.why else "could not look"
    sure = f" {check.confidence:.2f}" if check.confidence else ""
    seen = f"{_SEEN[check.status]}{sure}"
    if check.status is ScreenStatus.WRONG_FILE and not check.description:
        return f"{seen}: {check.actual_file or 'another'}, expected {check.expected_file}"
    seen = f"{seen}: {check.description}" if check.description else seen
    return f"{seen} (says the model)" if check.source == "vision" else seen


def step_in_words(step: RecoveryStep) -> str:
    """Say what was done, in the past tense, and how it failed."""
    first, _, rest = step.action.partition(" ")
    verb, _, thing = first.partition("_")  # `close_dialog`
    if step.ok:
        return " ".join(filter(None, (_PAST.get(verb, verb), in_words(thing), rest)))
    return f"could not {step.action}{f' ({step.error})' if step.error else ''}"


def result_in_words(check: DesktopCheck) -> str:
    """Say what came of a check, and why; empty: nothing was wrong."""
    if check.outcome in (CheckOutcome.NORMAL, CheckOutcome.FAILED):
        return ""
    if check.outcome is CheckOutcome.RECOVERED:
        return "; ".join(filter(None, ("gone at the next look", check.why)))
    came = _CAME_OF_IT[check.outcome]
    if check.why:
        return f"{came}: {check.why}"
    if check.outcome is CheckOutcome.GIVEN_UP and check.attempt:
        return f"{came} after {count(check.attempt, 'attempt')}"
    return came


def check_in_words(check: DesktopCheck) -> str:
    """Say what a check saw, what was done, and what came of it."""
    return " · ".join(_parts(check))


def _checked(event: events.DesktopChecked, facts: RunFacts) -> Sentence:
    return Sentence(check_in_words(event.check), *CHECK_SIGNS[event.check.outcome])


def _parts(check: DesktopCheck) -> Iterator[str]:
    yield seen_in_words(check)
    yield from map(step_in_words, check.steps)
    if result := result_in_words(check):
        yield result


SAY = {events.DesktopChecked: _checked}
