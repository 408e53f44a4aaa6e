"""How far one request has come, as a line; and below it, if need be, what to do."""

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import click

from handrail.cli.history.runs import read_log
from handrail.cli.output.terminal import TerminalOutput, clip, columns, visible, wrap
from handrail.cli.requests.sending import SentRequest
from handrail.control.evidence import evidence_in_words, without_command
from handrail.control.message import Result
from handrail.control.transitions import transition
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ControlAnswered
from handrail.store.decoding import decode
from handrail.store.errors import DamagedError
from handrail.supervise.state import RunState
from handrail.supervise.state_reader import read_state
from handrail.words.amounts import count

if TYPE_CHECKING:
    from handrail.server.home import Home
    from handrail.store.port import Store

_ARROW = " → "
_MAX_SAYS = 3
_MAX_AT_WORK = 3
_INSTEAD = {
    Standing.PAUSING: "handrail resume {} takes that back",
    Standing.PAUSED: "handrail resume {} lets it go on",
    Standing.INTERRUPTING: "handrail resume {} takes that back",
    Standing.FREEZING: "handrail resume {} takes that back",
    Standing.FROZEN: "handrail resume {} lets it go on",
    Standing.STOPPED: "handrail resume {} takes it up again",
}
_LOOK = "handrail status shows the runs that are under way"


class RequestFacts(NamedTuple):
    """What the log says of a request and its run."""

    shows: str = ""
    """What shows that it was done."""
    waits_for: str = ""
    """What it waits for."""
    failed: bool = False
    """It was begun, and did not succeed; else it was refused."""
    instead: str = ""
    """What could be done instead."""


def learn(home: "Home", sent: SentRequest) -> RequestFacts:
    """Look into the log for what people want to know beside the messages."""
    try:
        with read_log(home) as store:
            return _learn(store, sent)
    except click.ClickException:  # it cannot be read: then the messages have to do
        return RequestFacts()


def _learn(store: "Store", sent: SentRequest) -> RequestFacts:
    if sent.result is None:
        return RequestFacts(waits_for=_waits_for(store, sent))
    if sent.result.ok:
        return RequestFacts(shows=_shows(store, sent, sent.result))
    failed = _answer(store, sent) is not None
    return RequestFacts(failed=failed, instead=_instead(read_state(store, sent.run.id, []), sent))


def _instead(state: RunState, sent: SentRequest) -> str:
    if state.course.stopped and sent.command is ControlCommand.RESUME:
        return f"handrail incident show {state.course.stopped}"
    if state.active and sent.command.ends:
        return f"handrail {sent.command.value} {sent.run.name} tries again"
    if state.active and transition(state.hand.standing, sent.command) is None:
        return _INSTEAD.get(state.hand.standing, "").format(sent.run.name)
    if state.active:  # what was refused says itself why
        return ""
    is_done = state.loop is not None and state.hand.standing != Standing.CANCELLED
    if is_done and sent.command is ControlCommand.RESUME:
        return f"handrail run --resume {sent.run.name}"
    return _LOOK


def _shows(store: "Store", sent: SentRequest, result: Result) -> str:
    if sent.command.holds and (held := read_state(store, sent.run.id, []).hand.held):
        return f"held before: {next(iter(held.values()))}"
    if "new_model" in result.payload:
        before = result.payload.get("previous_model") or "the model before"
        return f"{before}{_ARROW}{result.payload['new_model']}"
    answered = _answer(store, sent)
    return evidence_in_words(answered) if answered is not None else ""


def _answer(store: "Store", sent: SentRequest) -> ControlAnswered | None:
    """The event that answers a request."""
    after = sent.run.seq
    while page := store.read(sent.run.topic, after):
        for stored in page:
            with suppress(DamagedError):
                event = decode(stored)
                if isinstance(event, ControlAnswered) and event.request == sent.request.request_id:
                    return event
        after = page[-1].seq
    return None


def _waits_for(store: "Store", sent: SentRequest) -> str:
    if sent.command is not ControlCommand.PAUSE:
        return sent.command.spec.meanwhile
    with suppress(DamagedError):
        actions = read_state(store, sent.run.id).at_work
        if named := [each.intent.shown for each in actions if each.intent is not None]:
            more = len(named) - _MAX_AT_WORK
            also = f" and {count(more, 'more action')}" if more > 0 else ""
            return f"it waits until this has ended: {', '.join(named[:_MAX_AT_WORK])}{also}"
    return ""


def lines_of(
    screen: TerminalOutput,
    sent: SentRequest,
    name: str,
    seconds: float,
    learned: RequestFacts | None = None,
) -> list[str]:
    """The line of one request; what follows below it is said once nothing more is awaited."""
    head = f" {name}  " if name else " "
    words, style = _last_word(sent, seconds, learned)
    stages = ["requested", *(["acknowledged"] if sent.acknowledged else [])]
    start = f"{head}{sent.request.command} {_ARROW.join(stages)}"
    if not sent.over:
        return [clip(f"{start}{_ARROW}…", screen.width)]
    indent = columns(head) + 2
    room = screen.width - indent
    first, *rest = wrap(f"{start}{_ARROW}{words}"[len(head) :], room, limit=_MAX_SAYS)
    lines = [head + _painted(screen, first, style)]
    lines += [" " * indent + screen.paint(line, style) for line in rest]
    learned = learned or RequestFacts()
    if sent.result is None and not sent.unreachable:
        waits = f"; {learned.waits_for}" if learned.waits_for else ""
        text = f"It stays asked for{waits}. handrail status shows when it is done."
        lines += [" " * indent + screen.paint(line, "dim") for line in wrap(text, room)]
    elif hint := _hint(sent, learned):
        # In one piece, to be copied.
        lines.append(" " * indent + screen.paint(f"→ {visible(hint)}", "dim"))
    return lines


def _painted(screen: TerminalOutput, line: str, style: str) -> str:
    """What has come before stays plain; the last word has the colour."""
    for word in _COLOURED:
        before, found, after = line.partition(f"{_ARROW}{word}")
        if found:
            return f"{before}{_ARROW}{screen.paint(f'{word}{after}', style)}"
    return line


_CONFIRMED, _REFUSED, _FAILED, _LATE, _NOBODY = (
    "confirmed",
    "refused",
    "FAILED",
    "not confirmed",
    "NOT taken",
)
_COLOURED = (_CONFIRMED, _REFUSED, _FAILED, _LATE, _NOBODY)


def _last_word(sent: SentRequest, seconds: float, learned: RequestFacts | None) -> tuple[str, str]:
    result = sent.result
    if result is None:
        if sent.unreachable:
            return f"{_NOBODY}: {sent.unreachable}", "red"
        return f"{_LATE} after {seconds:g} s", "yellow"
    if result.ok:
        shows = without_command(learned.shows if learned else "")[0]
        if "(" in shows:
            return f"{_CONFIRMED}: {shows}", "green"
        return f"{_CONFIRMED} ({shows})" if shows else _CONFIRMED, "green"
    word = _FAILED if learned is not None and learned.failed else _REFUSED
    says = result.says.replace(sent.run.id, sent.run.name)
    return f"{word}: {without_command(says)[0]}", "red"


def _hint(sent: SentRequest, learned: RequestFacts) -> str:
    """What to do now; empty: nothing."""
    if sent.result is None:
        return ""
    if sent.result.ok:
        return without_command(learned.shows)[1]
    return without_command(sent.result.says)[1] or learned.instead
