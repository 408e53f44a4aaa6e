"""The timeline: one line an entry, and one more where something has to be said about it."""

from handrail.model.action import Action
from handrail.model.event import ActionDropped, ActionEnded, ActionReviewed
from handrail.model.ordinal import Decision
from handrail.tui.entry import Entry
from handrail.tui.marks import MARKS, Status
from handrail.tui.moments import clock, took
from handrail.tui.said import said
from handrail.tui.text import Line, Span, clip, columns, flat, pad, wrap

_TOOL = 6
_STATUS = 17
_ROOMY = 60
_MAX_SHOWN = 400
_MAX_SENTENCE = 2
_TELLING = ("file_path", "path", "notebook_path", "filePath", "absolute_path", "url", "pattern")


def entry_lines(entry: Entry, width: int) -> list[Line]:
    """An entry in one or two lines, none wider than that."""
    event = entry.event
    head = Span(f"{clock(event.at)} ", "dim")
    if isinstance(event, ActionReviewed):
        return _action(head, entry, event, width)
    text, mark, style = said(event)
    indent = columns(head.text) + 2
    first, *rest = wrap(near(text, entry.cwd), width - indent, _MAX_SENTENCE)
    lines: list[Line] = [(head, Span(f"{mark} ", style), Span(first, style))]
    return lines + [(Span(" " * indent), Span(line, style)) for line in rest]


def entry_text(entry: Entry) -> str:
    """What a filter looks through."""
    event = entry.event
    if not isinstance(event, ActionReviewed):
        return flat(said(event).text)
    words = (event.action.tool, what(event.action), status_of(entry, event).words, below(entry))
    return flat(" ".join(words))


def _action(head: Span, entry: Entry, event: ActionReviewed, width: int) -> list[Line]:
    agent = f" {entry.agent}" if entry.agent else ""
    tool = pad(flat(event.action.tool), _TOOL - columns(agent)) + agent + " "
    status = status_of(entry, event)
    room = max(width - columns(head.text) - columns(tool), 0)
    ending = f"{status.mark} {status.words}".rstrip()
    ending = clip(ending, max(room * 3 // 5, 1))
    wide = max(columns(ending), _STATUS if width >= _ROOMY else 0)
    shown = pad(near(what(event.action), entry.cwd), max(room - wide - 1, 0)) + " "
    line = (
        head,
        Span(tool, "bold"),
        Span(shown, "dim" if status.mark == "·" else ""),
        Span(ending, status.style),
    )
    text = near(below(entry), entry.cwd)
    if not text:
        return [line]
    indent = columns(head.text)
    return [line, (Span(" " * indent), Span("↳ " + clip(text, width - indent - 2), "dim"))]


def what(action: Action) -> str:
    """What an action is about, without its tool."""
    given = action.input
    command = command_of(action)
    if command:
        return command
    texts = [given[field] for field in _TELLING if isinstance(given.get(field), str)]
    texts = texts or [value for value in given.values() if isinstance(value, str)]
    return str(texts[0]) if texts else ""


def command_of(action: Action) -> str:
    """The command line of an action that has one."""
    given = action.input
    command = given.get("command", given.get("cmd", given.get("script", "")))
    return " ".join(map(str, command)) if isinstance(command, list) else str(command)


def near(text: str, cwd: str) -> str:
    """One clean line, with paths as they are seen from the run's folder."""
    text = text[: 4 * _MAX_SHOWN]
    if len(cwd) > 1:
        text = text.replace(f"{cwd.rstrip('/')}/", "")
    return flat(text)


def status_of(entry: Entry, event: ActionReviewed) -> Status:
    """What became of an action."""
    mark, style, word = MARKS[event.verdict.decision]
    end = entry.end
    if end is None:
        if event.asked:
            return Status("?", "yellow", "a person was asked")
        if event.verdict.decision is not Decision.BLOCK:
            if entry.over:
                return Status("·", "dim", "no outcome")
            return Status("…", style if word else "dim", word or "running")
        return Status(mark, style, word)
    if isinstance(end, ActionDropped):
        return Status("✗", "red", "refused by a person" if event.asked else "not run")
    if end.overruled:
        mark, style, word = "!", "yellow", "overruled"
    elif event.verdict.decision is Decision.BLOCK:
        word = "ran all the same"
    failure = ""
    if not end.outcome.ok:
        code = end.outcome.exit_code
        failure = "failed" if code is None else f"exit {code}"
        if event.verdict.decision is Decision.ALLOW:
            mark, style = "–", ""
    words = ", ".join(filter(None, (word, failure)))
    return Status(mark, style, " · ".join(filter(None, (words, took(end.outcome.duration_ms)))))


def below(entry: Entry) -> str:
    """What else has to be said of an action: why it was stopped, how it was changed."""
    event, end = entry.event, entry.end
    if not isinstance(event, ActionReviewed):
        return ""
    if isinstance(end, ActionDropped):
        return end.says
    verdict = event.verdict
    if verdict.decision is Decision.MODIFY:
        return "; ".join(verdict.changes)
    if verdict.decision is not Decision.ALLOW:
        return verdict.reason
    if isinstance(end, ActionEnded) and not end.outcome.ok:
        return _complaint(end)
    return ""


def _complaint(end: ActionEnded) -> str:
    """The first thing that a failed tool said."""
    lines = (end.outcome.error or end.outcome.output)[:_MAX_SHOWN].strip().splitlines()
    said_lines = [line for line in lines if line.strip() and not line.startswith("Exit code ")]
    return said_lines[0] if said_lines else ""
