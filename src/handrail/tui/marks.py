"""What became of an action: its sign, a few words, and what else has to be said."""

from typing import NamedTuple

from handrail.model.event import ActionDropped, ActionEnded, ActionReviewed
from handrail.model.ordinal import Decision
from handrail.tui.moments import took
from handrail.tui.sentence import near

End = ActionEnded | ActionDropped

MARKS = {
    Decision.ALLOW: ("✓", "green", ""),
    Decision.WARN: ("!", "yellow", "warned"),
    Decision.MODIFY: ("~", "yellow", "changed"),
    Decision.BLOCK: ("✗", "red", "stopped"),
}
_MAX_TEXT = 400


class Status(NamedTuple):
    """What became of an action, in a sign and a few words."""

    mark: str
    style: str
    words: str


def status_of(event: ActionReviewed, end: End | None, *, waits: bool) -> Status:
    """What became of an action; without an end, `waits` says whether one is still to come."""
    if end is None:
        return _without_end(event, waits=waits)
    if isinstance(end, ActionDropped):
        return Status("✗", "red", "refused by a person" if event.asked else "not run")
    mark, style, word = MARKS[event.verdict.decision]
    if end.overruled:
        mark, style, word = "!", "yellow", "overruled by a person"
    elif event.verdict.decision is Decision.BLOCK:
        word = "ran all the same"
    outcome = end.outcome
    failure = ""
    if not outcome.ok:
        failure = "failed" if outcome.exit_code is None else f"exit {outcome.exit_code}"
        if event.verdict.decision is Decision.ALLOW:
            mark, style = "–", ""
    words = ", ".join(filter(None, (word, failure)))
    return Status(mark, style, " · ".join(filter(None, (words, took(outcome.duration_ms)))))


def _without_end(event: ActionReviewed, *, waits: bool) -> Status:
    mark, style, word = MARKS[event.verdict.decision]
    if event.asked:
        return Status("?", "yellow", "a person was asked")
    if waits and event.verdict.decision is not Decision.BLOCK:
        return Status("…", style if word else "dim", word or "running")
    return Status(mark, style, word) if word else Status("·", "dim", "no outcome")


def below(event: ActionReviewed, end: End | None, cwd: str) -> str:
    """What else has to be said of an action: why it was stopped, how it was changed."""
    verdict = event.verdict
    text = ""
    if isinstance(end, ActionDropped):
        text = end.says
    elif verdict.decision is Decision.MODIFY:
        text = "; ".join(verdict.changes)
    elif verdict.decision is not Decision.ALLOW:
        text = verdict.reason
    elif end is not None and not end.outcome.ok:
        text = _complaint(end)
    return near(text, cwd)


def _complaint(end: ActionEnded) -> str:
    """The first thing that a failed tool said."""
    said = (end.outcome.error or end.outcome.output)[:_MAX_TEXT].strip()
    lines = [line for line in said.splitlines() if line.strip()]
    if lines and lines[0].startswith("Exit code "):
        lines = lines[1:]
    return lines[0] if lines else ""
