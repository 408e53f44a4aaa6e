"""The status of an action: a sign, a few words, and a remark."""

from typing import NamedTuple

from handrail.model.event import ActionDropped, ActionEnded, ActionReviewed
from handrail.model.ordinal import Decision
from handrail.words.sentence import shorten_paths
from handrail.words.times import time_taken

ActionEnd = ActionEnded | ActionDropped

MARKS = {
    Decision.ALLOW: ("✓", "green", ""),
    Decision.WARN: ("!", "yellow", "warned"),
    Decision.MODIFY: ("~", "yellow", "changed"),
    Decision.BLOCK: ("✗", "red", "stopped"),
}
_MAX_TEXT = 400


class ActionStatus(NamedTuple):
    """The status of an action as a sign and a few words."""

    mark: str
    style: str
    words: str


def action_status(event: ActionReviewed, end: ActionEnd | None, *, waits: bool) -> ActionStatus:
    """Return the status of an action; `waits`: its end is still to come."""
    if end is None:
        return _without_end(event, waits=waits)
    if isinstance(end, ActionDropped):
        return ActionStatus("✗", "red", "refused by a person" if event.asked else "not run")
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
    return ActionStatus(
        mark, style, " · ".join(filter(None, (words, time_taken(outcome.duration_ms))))
    )


def _without_end(event: ActionReviewed, *, waits: bool) -> ActionStatus:
    mark, style, word = MARKS[event.verdict.decision]
    if event.asked:
        return ActionStatus("▲", "yellow", "a person was asked")
    if waits and event.verdict.decision is not Decision.BLOCK:
        return ActionStatus("…", style if word else "dim", word or "running")
    return ActionStatus(mark, style, word) if word else ActionStatus("·", "dim", "no outcome")


def action_remark(event: ActionReviewed, end: ActionEnd | None, cwd: str) -> str:
    """Return why Handrail stopped an action, how it changed it, or how it failed."""
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
    return shorten_paths(text, cwd)


def _complaint(end: ActionEnded) -> str:
    """Return the first line with words in the output of a failed tool: rulers say nothing."""
    said = (end.outcome.error or end.outcome.output)[:_MAX_TEXT].strip()
    lines = [line for line in said.splitlines() if any(map(str.isalnum, line))]
    if lines and lines[0].startswith("Exit code "):
        lines = lines[1:]
    return lines[0] if lines else ""
