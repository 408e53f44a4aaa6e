"""The timeline: one line per entry, and one more for a remark."""

from handrail.model.event import ActionReviewed
from handrail.tui.text import Line, StyledSpan, clip, columns, flat, pad, wrap
from handrail.views.log_view import TimelineEntry
from handrail.words.action_status import action_remark, action_status
from handrail.words.actions import action_subject, tool_in_short
from handrail.words.sentence import Sentence, shorten_paths
from handrail.words.times import clock_time

_TOOL = 6
_STATUS = 17
_ROOMY = 60
_MAX_SHOWN = 400
_MAX_SENTENCE = 2
_SAVED = " ▪"
"""Files were saved first; the details say where."""


def entry_lines(entry: TimelineEntry, width: int) -> list[Line]:
    """Return the lines of an entry, none wider than `width`."""
    head = StyledSpan(f"{clock_time(entry.event.at)} ", "dim")
    if isinstance(entry.event, ActionReviewed):
        return _action(head, entry, entry.event, width)
    return _sentence(head, entry.said, width) if entry.said else []


def entry_text(entry: TimelineEntry) -> str:
    """Return the text that a filter searches."""
    event = entry.event
    if isinstance(event, ActionReviewed):
        status = action_status(event, entry.end, waits=not entry.over)
        why = action_remark(event, entry.end, entry.cwd)
        return flat(" ".join((event.action.tool, action_subject(event.action), status.words, why)))
    return flat(f"{entry.said.text} {entry.said.hint}") if entry.said else ""


def _sentence(head: StyledSpan, said: Sentence, width: int) -> list[Line]:
    indent = columns(head.text) + 2
    lines = wrap(flat(said.text), width - indent, _MAX_SENTENCE)
    if said.hint:
        lines += wrap(flat(f"→ {said.hint}"), width - indent, _MAX_SENTENCE)
    first, *rest = lines
    shown: list[Line] = [
        (head, StyledSpan(f"{said.mark} ", said.style), StyledSpan(first, said.style))
    ]
    return shown + [(StyledSpan(" " * indent), StyledSpan(line, said.style)) for line in rest]


def _action(
    head: StyledSpan, entry: TimelineEntry, event: ActionReviewed, width: int
) -> list[Line]:
    agent = f" {entry.agent}" if entry.agent else ""
    tool = pad(flat(tool_in_short(event.action.tool)), _TOOL - columns(agent)) + agent + " "
    status = action_status(event, entry.end, waits=not entry.over)
    room = max(width - columns(head.text) - columns(tool), 0)
    ending = f"{status.mark} {status.words}".rstrip() + (_SAVED if entry.saved else "")
    ending = clip(ending, max(room * 3 // 5, 1))
    wide = max(columns(ending), _STATUS if width >= _ROOMY else 0)
    text = flat(shorten_paths(action_subject(event.action)[:_MAX_SHOWN], entry.cwd))
    shown = pad(text, max(room - wide - 1, 0)) + " "
    line = (
        head,
        StyledSpan(tool, "bold"),
        StyledSpan(shown, "dim" if status.mark == "·" else ""),
        StyledSpan(ending, status.style),
    )
    why = flat(action_remark(event, entry.end, entry.cwd))
    if not why:
        return [line]
    indent = columns(head.text)
    return [
        line,
        (StyledSpan(" " * indent), StyledSpan("↳ " + clip(why, width - indent - 2), "dim")),
    ]
