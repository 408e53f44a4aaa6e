"""An entry of the timeline as lines for a terminal."""

from handrail.cli.history.joined_events import JoinedEntry
from handrail.cli.output.terminal import TerminalOutput, clip, columns, pad, wrap
from handrail.cli.output.verdict_text import short_restore
from handrail.model.event import ActionDropped, ActionReviewed, FindingMade
from handrail.words.action_status import action_remark, action_status
from handrail.words.actions import action_subject
from handrail.words.event_sentences import event_sentence
from handrail.words.interventions import steps_in_words
from handrail.words.run_facts import StepsByAction
from handrail.words.sentence import Sentence, shorten_paths
from handrail.words.times import clock_time

_NAME = 12
_TOOL = 6
_STATUS = 17
_ROOMY = 64
_MAX_BELOW = 2
_MAX_TEXT = 400


def entry_lines(
    screen: TerminalOutput, entry: JoinedEntry, name: str = "", *, evidence: bool = False
) -> list[str]:
    """Return the lines of an entry, with the `name` of its run if there are several.

    With `evidence`, the actions that show a finding follow it.
    """
    head = f" {clock_time(entry.at)} "
    if name:
        width = min(_NAME, screen.width // 6)
        head += pad(clip(name, width), width) + " "
    event = entry.event
    if isinstance(event, ActionReviewed):
        return _action(screen, head, entry, event)
    shown = _sentence(screen, head, event_sentence(event, entry.facts))
    if evidence and isinstance(event, FindingMade):
        shown += _evidence(screen, columns(head) + 3, entry.facts.shown(event.finding.evidence))
    return shown


def sentence_lines(screen: TerminalOutput, at: float, sentence: Sentence) -> list[str]:
    """Return the lines of a sentence about something that is no event of a run."""
    return _sentence(screen, f" {clock_time(at)} ", sentence)


def _sentence(screen: TerminalOutput, head: str, sentence: Sentence) -> list[str]:
    indent = columns(head) + 3
    room = screen.width - indent
    lines = wrap(_flat(sentence.text), room, limit=_MAX_BELOW)
    if sentence.hint:
        lines.append(clip(f"→ {sentence.hint}", room))
    first, *rest = lines
    shown = [screen.paint(head, "dim") + screen.paint(f" {sentence.mark} {first}", sentence.style)]
    return shown + [" " * indent + screen.paint(line, sentence.style) for line in rest]


def _evidence(screen: TerminalOutput, indent: int, found: StepsByAction) -> list[str]:
    """Return the actions that show a finding; equal actions share a line."""
    lines = [f"{steps_in_words(steps)}  {text}" for text, steps in found.items()]
    return [" " * indent + screen.paint(clip(line, screen.width - indent), "dim") for line in lines]


def _action(
    screen: TerminalOutput, head: str, entry: JoinedEntry, event: ActionReviewed
) -> list[str]:
    letter = entry.facts.letter(event.agent)
    head += f"{event.step:>4} {letter or ' '} "
    tool = pad(clip(event.action.tool, screen.width // 3), _TOOL) + " "
    text = shorten_paths(action_subject(event.action)[:_MAX_TEXT], entry.facts.cwd)
    status = action_status(event, entry.end, waits=entry.waits)
    room = screen.width - columns(head) - columns(tool)
    ending = clip(f"{status.mark} {status.words}".rstrip(), max(room, 1))
    wide = max(_STATUS, columns(ending)) if screen.width >= _ROOMY else columns(ending)
    room = max(room - wide - 2, 0)
    shown = pad(clip(text, room), room) + "  " if room > 1 else ""
    line = (
        screen.paint(head, "dim")
        + tool
        + screen.paint(shown, "dim" if entry.late else "")
        + screen.paint(ending, status.style)
    )
    if entry.late and not isinstance(entry.end, ActionDropped):
        return [line]
    why = action_remark(event, entry.end, entry.facts.cwd)
    return [line, *_below_lines(screen, why, _undo(event), columns(head))]


def _below_lines(screen: TerminalOutput, text: str, undo: str, indent: int) -> list[str]:
    room = screen.width - indent - 2
    lines = wrap(_flat(text), room, limit=_MAX_BELOW) if text else []
    if undo and lines and columns(lines[-1]) + columns(undo) + 2 <= room:
        lines[-1] += f"  {undo}"
    elif undo:
        lines.append(clip(undo, room))
    return [
        " " * indent + screen.paint(("  " if at else "↳ ") + line, "dim")
        for at, line in enumerate(lines)
    ]


def _undo(event: ActionReviewed) -> str:
    """Return the command that restores what a changed action moved to the trash."""
    restore = short_restore(event.verdict.restore, 0)
    return f"undo: {restore}" if restore.startswith("handrail ") else ""


def _flat(text: str) -> str:
    return " ".join(text[: 10 * _MAX_TEXT].split())
