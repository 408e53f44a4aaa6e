"""The progress of one request as a line, with a hint below if the user can do something."""

from contextlib import suppress
from typing import NamedTuple

import click

from handrail.cli.history.runs import read_log
from handrail.cli.output.terminal import TerminalOutput, clip, columns, visible, wrap
from handrail.cli.requests.sending import SentRequest
from handrail.control.evidence import evidence_in_words, without_command
from handrail.control.message import Result
from handrail.control.transitions import transition
from handrail.model.control import HOLDING, ControlCommand, Standing
from handrail.model.event import ControlAnswered
from handrail.server.home import Home
from handrail.store.decoding import decode
from handrail.store.errors import DamagedError
from handrail.store.port import Store
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.state.run_state import RunState
from handrail.words.amounts import count

_ARROW = " → "
_MAX_SAYS = 3
_MAX_AT_WORK = 3
_INSTEAD = {
    **dict.fromkeys(HOLDING, "handrail resume {} lets it continue"),
    Standing.STOPPED: "handrail resume {} starts it again",
}
_LOOK = "handrail status lists the active runs"


class RequestFacts(NamedTuple):
    """What the log says about a request and its run."""

    evidence: str = ""
    """Evidence that the command is done."""
    waits_for: str = ""
    failed: bool = False
    """The command started and failed; otherwise it was refused."""
    instead: str = ""
    """What the user can do instead."""


def read_facts(home: Home, sent: SentRequest) -> RequestFacts:
    """Look up in the log what the messages do not tell."""
    try:
        with read_log(home) as store:
            return _read_facts(store, sent)
    except click.ClickException:  # the log cannot be read; the messages have to do
        return RequestFacts()


def _read_facts(store: Store, sent: SentRequest) -> RequestFacts:
    if sent.result is None:
        return RequestFacts(waits_for=_waits_for(store, sent))
    if sent.result.ok:
        return RequestFacts(evidence=_evidence(store, sent, sent.result))
    failed = _answer(store, sent) is not None
    return RequestFacts(failed=failed, instead=_instead(read_state(store, sent.run.id, []), sent))


def _instead(state: RunState, sent: SentRequest) -> str:
    if state.course.stopped and sent.command is ControlCommand.RESUME:
        return f"handrail incident show {state.course.stopped}"
    if state.active and sent.command.ends:
        return f"handrail {sent.command.value} {sent.run.name} tries again"
    if state.active and transition(state.hand.standing, sent.command) is None:
        return _INSTEAD.get(state.hand.standing, "").format(sent.run.name)
    if state.active:  # the refusal itself gives the reason
        return ""
    is_done = state.loop is not None and state.hand.standing != Standing.CANCELLED
    if is_done and sent.command is ControlCommand.RESUME:
        return f"handrail run --resume {sent.run.name}"
    return _LOOK


def _evidence(store: Store, sent: SentRequest, result: Result) -> str:
    if sent.command.holds and (held := read_state(store, sent.run.id, []).hand.held):
        return f"held before: {next(iter(held.values()))}"
    if "new_model" in result.payload:
        before = result.payload.get("previous_model") or "the model before"
        return f"{before}{_ARROW}{result.payload['new_model']}"
    answered = _answer(store, sent)
    return evidence_in_words(answered) if answered is not None else ""


def _answer(store: Store, sent: SentRequest) -> ControlAnswered | None:
    """Find the event that answers a request."""
    after = sent.run.seq
    while page := store.read(sent.run.topic, after):
        for stored in page:
            with suppress(DamagedError):
                event = decode(stored)
                if isinstance(event, ControlAnswered) and event.request == sent.request.request_id:
                    return event
        after = page[-1].seq
    return None


def _waits_for(store: Store, sent: SentRequest) -> str:
    if sent.command is not ControlCommand.PAUSE:
        return sent.command.spec.meanwhile
    with suppress(DamagedError):
        actions = read_state(store, sent.run.id).at_work
        if named := [each.intent.shown for each in actions if each.intent is not None]:
            more = len(named) - _MAX_AT_WORK
            also = f" and {count(more, 'more action')}" if more > 0 else ""
            return f"it waits for the end of {', '.join(named[:_MAX_AT_WORK])}{also}"
    return ""


def lines_of(
    screen: TerminalOutput,
    sent: SentRequest,
    name: str,
    seconds: float,
    facts: RequestFacts | None = None,
) -> list[str]:
    """Return the line of one request; hints follow once the request is over."""
    head = f" {name}  " if name else " "
    words, style = _last_word(sent, seconds, facts)
    stages = ["requested", *(["acknowledged"] if sent.acknowledged else [])]
    start = f"{head}{sent.request.command} {_ARROW.join(stages)}"
    if not sent.over:
        return [clip(f"{start}{_ARROW}…", screen.width)]
    indent = columns(head) + 2
    room = screen.width - indent
    first, *rest = wrap(f"{start}{_ARROW}{words}"[len(head) :], room, limit=_MAX_SAYS)
    lines = [head + _painted(screen, first, style)]
    lines += [" " * indent + screen.paint(line, style) for line in rest]
    facts = facts or RequestFacts()
    if sent.result is None and not sent.unreachable:
        waits = f"; {facts.waits_for}" if facts.waits_for else ""
        text = f"The request stays open{waits}. See handrail status."
        lines += [" " * indent + screen.paint(line, "dim") for line in wrap(text, room)]
    elif hint := _hint(sent, facts):
        # On one line, for copying.
        lines.append(" " * indent + screen.paint(f"→ {visible(hint)}", "dim"))
    return lines


def _painted(screen: TerminalOutput, line: str, style: str) -> str:
    """Colour only the last stage."""
    for word in _COLOURED:
        before, found, after = line.partition(f"{_ARROW}{word}")
        if found:
            return f"{before}{_ARROW}{screen.paint(f'{word}{after}', style)}"
    return line


_COLOURED = ("confirmed", "refused", "FAILED", "not confirmed", "NOT sent")
_CONFIRMED, _REFUSED, _FAILED, _LATE, _UNREACHABLE = _COLOURED


def _last_word(sent: SentRequest, seconds: float, facts: RequestFacts | None) -> tuple[str, str]:
    result = sent.result
    if result is None:
        if sent.unreachable:
            return f"{_UNREACHABLE}: {sent.unreachable}", "red"
        return f"{_LATE} after {seconds:g} s", "yellow"
    if result.ok:
        shows = without_command(facts.evidence if facts else "")[0]
        if "(" in shows:
            return f"{_CONFIRMED}: {shows}", "green"
        return f"{_CONFIRMED} ({shows})" if shows else _CONFIRMED, "green"
    word = _FAILED if facts is not None and facts.failed else _REFUSED
    says = result.says.replace(sent.run.id, sent.run.name)
    return f"{word}: {without_command(says)[0]}", "red"


def _hint(sent: SentRequest, facts: RequestFacts) -> str:
    """Return the next command, or ""."""
    if sent.result is None:
        return ""
    if sent.result.ok:
        return without_command(facts.evidence)[1]
    return without_command(sent.result.says)[1] or facts.instead
