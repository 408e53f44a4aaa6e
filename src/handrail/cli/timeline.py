"""One entry of a timeline as a line or two: when, what, and what became of it."""

from collections.abc import Callable
from typing import cast

from handrail.cli import control_words, corrections
from handrail.cli.answer import shown_action
from handrail.cli.joined import Entry, RunFacts, Shown
from handrail.cli.moments import clock, span, took
from handrail.cli.render import Screen, clip, columns, count, pad, wrap
from handrail.cli.saying import Said, near
from handrail.cli.verdict_text import short_restore
from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    ActionReviewed,
    AgentEnded,
    AgentStarted,
    BreachFound,
    Compacted,
    Event,
    FaultNoted,
    FeedbackGiven,
    FindingMade,
    IterationEnded,
    PromptGiven,
    RunEnded,
    RunStarted,
    SettingsChanged,
    TaskNoted,
)
from handrail.model.ordinal import Decision
from handrail.review.tools import SHELL_TOOLS
from handrail.tui.marks import MARKS, Status

_NAME = 12
_TOOL = 6
_STATUS = 17
_ROOMY = 64
_MAX_BELOW = 2
_MAX_TEXT = 400


def entry_lines(
    screen: Screen, entry: Entry, name: str = "", *, evidence: bool = False
) -> list[str]:
    """An entry for a person; `name` says which run it belongs to, where there are several.

    With `evidence`, a finding is followed by the actions that show it.
    """
    head = f" {clock(entry.at)} "
    if name:
        width = min(_NAME, screen.width // 6)
        head += pad(clip(name, width), width) + " "
    event = entry.event
    if isinstance(event, ActionReviewed):
        return _action(screen, head, entry, event)
    shown = _sentence(screen, head, _SAY[type(event)](event, entry.facts))
    if evidence and isinstance(event, FindingMade):
        shown += _evidence(screen, columns(head) + 3, entry.facts.shown(event.finding.evidence))
    return shown


def _sentence(screen: Screen, head: str, said: Said) -> list[str]:
    indent = columns(head) + 3
    room = screen.width - indent
    lines = wrap(_flat(said.text), room, limit=_MAX_BELOW)
    if said.hint:
        lines.append(clip(f"→ {said.hint}", room))
    first, *rest = lines
    shown = [screen.paint(head, "dim") + screen.paint(f" {said.mark} {first}", said.style)]
    return shown + [" " * indent + screen.paint(line, said.style) for line in rest]


def _evidence(screen: Screen, indent: int, found: Shown) -> list[str]:
    """Equal actions stand in one line."""
    lines = [f"{corrections.steps_in_words(steps)}  {text}" for text, steps in found.items()]
    return [" " * indent + screen.paint(clip(line, screen.width - indent), "dim") for line in lines]


def _action(screen: Screen, head: str, entry: Entry, event: ActionReviewed) -> list[str]:
    letter = entry.facts.letter(event.agent)
    head += f"{event.step:>4} {letter or ' '} "
    tool, text = event.action.tool, _text(event, entry.facts)
    tool = pad(clip(tool, screen.width // 3), _TOOL) + " "
    status = status_of(event, entry)
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
    return [line, *_below_lines(screen, _below(entry, event), _undo(event), columns(head))]


def _below_lines(screen: Screen, text: str, undo: str, indent: int) -> list[str]:
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


def _text(event: ActionReviewed, facts: RunFacts) -> str:
    """What an action is about, without its tool."""
    action = event.action
    text = shown_action(action)[:_MAX_TEXT]
    if action.tool.lower() not in SHELL_TOOLS:
        text = text.removeprefix(action.tool).lstrip()
    return near(text, facts.cwd)


def status_of(event: ActionReviewed, entry: Entry) -> Status:
    """What became of an action."""
    mark, style, word = MARKS[event.verdict.decision]
    end = entry.end
    if end is None:
        if event.asked:
            return Status("?", "yellow", "a person was asked")
        if event.verdict.decision is Decision.ALLOW:
            return (
                Status("…", "dim", "running") if entry.waits else Status("·", "dim", "no outcome")
            )
        return Status(mark, style, word)
    if isinstance(end, ActionDropped):
        return Status("✗", "red", "refused by a person" if event.asked else "not run")
    if end.overruled:
        mark, style, word = "!", "yellow", "overruled by a person"
    elif event.verdict.decision is Decision.BLOCK:
        mark, style, word = "✗", "red", "ran all the same"
    outcome = end.outcome
    failure = ""
    if not outcome.ok:
        failure = "failed" if outcome.exit_code is None else f"exit {outcome.exit_code}"
        if event.verdict.decision is Decision.ALLOW:
            mark, style = "–", ""
    words = ", ".join(filter(None, (word, failure)))
    return Status(mark, style, " · ".join(filter(None, (words, took(outcome.duration_ms)))))


def _below(entry: Entry, event: ActionReviewed) -> str:
    """What else has to be said of an action: why it was stopped, how it was changed."""
    verdict, cwd = event.verdict, entry.facts.cwd
    if isinstance(entry.end, ActionDropped):
        return near(entry.end.says, cwd)
    if verdict.decision is Decision.MODIFY:
        return near("; ".join(verdict.changes), cwd)
    if verdict.decision is not Decision.ALLOW:
        return near(verdict.reason, cwd)
    if isinstance(entry.end, ActionEnded) and not entry.end.outcome.ok:
        return near(_complaint(entry.end), cwd)
    return ""


def _undo(event: ActionReviewed) -> str:
    """The command that puts back what a changed action moved away; never broken in two."""
    restore = short_restore(event.verdict.restore, 0)
    return f"undo: {restore}" if restore.startswith("handrail ") else ""


def _complaint(end: ActionEnded) -> str:
    """The first thing that a failed tool said."""
    said = (end.outcome.error or end.outcome.output)[:_MAX_TEXT].strip()
    lines = [line for line in said.splitlines() if line.strip()]
    if lines and lines[0].startswith("Exit code "):
        lines = lines[1:]
    return lines[0] if lines else ""


def _flat(text: str) -> str:
    return " ".join(text[: 10 * _MAX_TEXT].split())


# Events that are no actions


_NO_REASON = ("", "other", "prompt input exit")
_STARTS = {
    "": "Handrail came in, in {}",
    "startup": "session began in {}",
    "resume": "session resumed in {}",
    "fork": "session forked in {}",
    "clear": "conversation cleared",
    "compact": "goes on with a shorter conversation",
}


def _started(event: RunStarted, facts: RunFacts) -> Said:
    text = _STARTS.get(event.source, f"session began ({event.source}) in {{}}")
    text = text.format(near(f"{event.cwd}/", "").rstrip("/") or "/")
    return Said(" · ".join(filter(None, (text, event.model))), "▸")


def _prompted(event: PromptGiven, facts: RunFacts) -> Said:
    # What Handrail tells an agent that it drives is always the same but for the beginning.
    text = event.text.partition("\n\n")[0] if facts.driven else event.text
    return Said(text, "❯", "bold")


def _ended_alone(event: ActionEnded, facts: RunFacts) -> Said:
    how = "worked" if event.outcome.ok else "failed"
    return Said(f"step {event.step} ended: it {how}, but when it was reviewed is not in the log")


def _dropped_alone(event: ActionDropped, facts: RunFacts) -> Said:
    return Said(f"step {event.step} was not run: {event.says}")


def _breach(event: BreachFound, facts: RunFacts) -> Said:
    return Said(f"BREACH: {near(event.says, facts.cwd)}", "✗", "red")


def _agent_started(event: AgentStarted, facts: RunFacts) -> Said:
    kind = f" ({event.kind})" if event.kind else ""
    return Said(f"sub-agent {facts.letter(event.agent)}{kind} began")


def _task(event: TaskNoted, facts: RunFacts) -> Said:
    name = event.subject or event.task
    done = event.state == "done"
    return Said(f"{'task done' if done else 'new task'}: {name}", "✓" if done else "·", "dim")


def _agent_ended(event: AgentEnded, facts: RunFacts) -> Said:
    return Said(f"sub-agent {facts.letter(event.agent)} ended")


def _compacted(event: Compacted, facts: RunFacts) -> Said:
    return Said("the conversation was shortened" + (f" ({event.trigger})" if event.trigger else ""))


def _iteration_ended(event: IterationEnded, facts: RunFacts) -> Said:
    rests = "the agent stopped" if facts.driven else "waits for a prompt"
    return Said(f"{rests}: {event.says}" if event.says else rests)


def _settings_changed(event: SettingsChanged, facts: RunFacts) -> Said:
    text = f"settings changed: {near(event.path, facts.cwd)}"
    if event.refused:
        return Said(f"{text}; not taken over: {event.refused}", "✗", "red")
    return Said(text)


def _fault(event: FaultNoted, facts: RunFacts) -> Said:
    return Said(f"FAULT of Handrail ({event.kind}): {event.says}", "✗", "red")


def _feedback(event: FeedbackGiven, facts: RunFacts) -> Said:
    what = f"step {event.step} was judged"
    if event.finding:
        what = f"the finding {corrections.in_words(event.finding)} was"
    text = f"you said: {what} {'right' if event.right else 'wrong'}"
    return Said(f"{text}: {event.note}" if event.note else text)


def _run_ended(event: RunEnded, facts: RunFacts) -> Said:
    decided = facts.decided
    ran = decided.get(Decision.ALLOW, 0) + decided.get(Decision.WARN, 0) - facts.dropped
    reason = event.reason.replace("_", " ")
    parts = [
        f"session ended ({reason})" if reason not in _NO_REASON else "session ended",
        count(sum(decided.values()), "action"),
        f"{ran} ran" if ran > 0 else "",
        f"{facts.failed} failed" if facts.failed else "",
        *(
            f"{decided[decision]} {word}"
            for decision, word in ((Decision.MODIFY, "changed"), (Decision.BLOCK, "stopped"))
            if decided.get(decision)
        ),
        count(len(facts.found), "finding") if facts.found else "",
        count(facts.interventions, "intervention") if facts.interventions else "",
        count(facts.rollbacks, "rollback") if facts.rollbacks else "",
        span(event.at - facts.began),
    ]
    return Said(" · ".join(filter(None, parts)), "■")


_SAY = cast(
    "dict[type, Callable[[Event, RunFacts], Said]]",
    {
        RunStarted: _started,
        PromptGiven: _prompted,
        ActionEnded: _ended_alone,
        ActionDropped: _dropped_alone,
        BreachFound: _breach,
        AgentStarted: _agent_started,
        AgentEnded: _agent_ended,
        TaskNoted: _task,
        Compacted: _compacted,
        IterationEnded: _iteration_ended,
        SettingsChanged: _settings_changed,
        FaultNoted: _fault,
        FeedbackGiven: _feedback,
        RunEnded: _run_ended,
        **corrections.SAY,
        **control_words.SAY,
    },
)
