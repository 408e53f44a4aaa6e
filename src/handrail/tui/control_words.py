"""What people asked of a run, and how the loop that drives it went, in words."""

from collections.abc import Callable
from typing import cast

from handrail.control.evidence import evidence_in_words, without_command
from handrail.model.control import Command
from handrail.model.event import (
    ActionHeld,
    ControlAnswered,
    ControlAsked,
    Event,
    IterationBegun,
    LoopBegun,
    LoopEnded,
    UsageMeasured,
    Verified,
)
from handrail.tui.amounts import count, money
from handrail.tui.facts import RunFacts
from handrail.tui.moments import span, took
from handrail.tui.sentence import Said, in_words, joined, near

_ENDS = {
    "COMPLETE": ("✓", "green", "done"),
    "MAX_ITERATIONS": ("!", "yellow", "NOT done: no iterations left"),
    "STUCK": ("!", "yellow", "NOT done: the agent is stuck"),
    "LIMIT": ("!", "yellow", "NOT done: a limit is met"),
    "ERROR": ("✗", "red", "NOT done: the agent fails"),
    "USER_CANCELLED": ("■", "red", "cancelled"),
}


def used_in_words(tokens: int, cost_usd: float, seconds: float) -> list[str]:
    """What a loop has used, as far as it is known."""
    return [
        count(tokens, "token") if tokens else "",
        money(cost_usd) if cost_usd else "",
        span(seconds) if seconds >= 1 else "",
    ]


def _asked(event: ControlAsked, facts: RunFacts) -> Said:
    who = event.by or "somebody"
    what = event.command.spec.asked
    text = f"{who} {what}: {event.text}" if what else f"{who} asked for {event.command.value}"
    if event.command == Command.CHECKPOINT and event.text:
        text += f" {event.text}"
    return Said(f"{text} ({event.reason})" if event.reason else text, "☞", "bold")


def _answered(event: ControlAnswered, facts: RunFacts) -> Said:
    command = event.command.value
    if not event.ok:
        says, hint = without_command(event.says)
        return Said(f"{command} NOT done: {says}", "✗", "red", hint)
    shown, hint = without_command(event.model or near(evidence_in_words(event), facts.cwd))
    return Said(joined(f"{command} confirmed", shown), "✓", "green", hint)


def _held(event: ActionHeld, facts: RunFacts) -> Said:
    if event.released and event.says:
        return Said(f"waits no longer ({event.released}): {near(event.says, facts.cwd)}", "‖")
    if event.released:
        return Said(f"what was held waits no longer: {event.released}", "‖")
    letter = facts.letter(event.agent)
    who = f", sub-agent {letter}" if letter else ""
    return Said(f"held before{who}: {near(event.says, facts.cwd)}", "‖", "yellow")


def _begun(event: LoopBegun, facts: RunFacts) -> Said:
    parts = [
        f"driven by Handrail, at most {count(event.max, 'iteration')}",
        event.model,
        f"verified by: {event.verify}" if event.verify else "",
    ]
    return Said(" · ".join(filter(None, parts)), "▸")


def _iteration(event: IterationBegun, facts: RunFacts) -> Said:
    return Said(f"iteration {event.iteration}", "▸", "bold")


def _verified(event: Verified, facts: RunFacts) -> Said:
    time = f" ({took(event.ms)})" if took(event.ms) else ""
    if event.ok:
        return Said(f"verified: {event.command}{time}", "✓", "green")
    how, _, printed = event.says.partition("\n")
    last = printed.strip().rpartition("\n")[2]
    why = ", ".join(filter(None, (how, last)))
    return Said(f"not verified: {event.command}{time}: {why}", "–", "yellow")


def _measured(event: UsageMeasured, facts: RunFacts) -> Said:
    used = used_in_words(event.tokens, event.cost_usd, event.seconds)
    memory = f"{event.memory_mb:,.0f} MB at most" if event.memory_mb >= 1 else ""
    return Said(" · ".join(filter(None, ("used so far", *used, memory))))


def _ended(event: LoopEnded, facts: RunFacts) -> Said:
    mark, style, words = _ENDS.get(event.reason, ("■", "", in_words(event.reason)))
    return Said(f"{words}. {event.says}" if event.says else words, mark, style)


SAY = cast(
    "dict[type, Callable[[Event, RunFacts], Said]]",
    {
        ControlAsked: _asked,
        ControlAnswered: _answered,
        ActionHeld: _held,
        LoopBegun: _begun,
        IterationBegun: _iteration,
        Verified: _verified,
        UsageMeasured: _measured,
        LoopEnded: _ended,
    },
)
