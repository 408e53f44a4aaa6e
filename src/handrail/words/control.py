"""Sentences about control commands, and about runs that Handrail drives."""

from collections.abc import Callable
from typing import cast

from handrail.control.evidence import evidence_in_words, without_command
from handrail.model import event as events
from handrail.model.control import ControlCommand
from handrail.model.event import Event
from handrail.words.amounts import count, money
from handrail.words.run_facts import RunFacts
from handrail.words.sentence import Sentence, in_words, joined, shorten_paths
from handrail.words.times import duration_in_words, time_taken

_ENDS = {
    "COMPLETE": ("✓", "green", "done"),
    "MAX_ITERATIONS": ("!", "yellow", "NOT done: no iterations left"),
    "STUCK": ("!", "yellow", "NOT done: the agent is stuck"),
    "LIMIT": ("!", "yellow", "NOT done: limit reached"),
    "ERROR": ("✗", "red", "NOT done: the agent failed"),
    "USER_CANCELLED": ("○", "red", "cancelled"),
}


def used_in_words(tokens: int, cost_usd: float, seconds: float) -> list[str]:
    """Return the tokens, cost and time of a loop, as far as known."""
    return [
        count(tokens, "token") if tokens else "",
        money(cost_usd) if cost_usd else "",
        duration_in_words(seconds) if seconds >= 1 else "",
    ]


def _asked(event: events.ControlAsked, facts: RunFacts) -> Sentence:
    who = event.by or "somebody"
    what = event.command.spec.asked
    text = f"{who} {what}: {event.text}" if what else f"{who} asked for {event.command.value}"
    if event.command == ControlCommand.CHECKPOINT and event.text:
        text += f" {event.text}"
    return Sentence(f"{text} ({event.reason})" if event.reason else text, "☞", "bold")


def _answered(event: events.ControlAnswered, facts: RunFacts) -> Sentence:
    command = event.command.value
    if not event.ok:
        says, hint = without_command(event.says)
        return Sentence(f"{command} NOT done: {says}", "✗", "red", hint)
    shown, hint = without_command(event.model or shorten_paths(evidence_in_words(event), facts.cwd))
    return Sentence(joined(f"{command} confirmed", shown), "✓", "green", hint)


def _held(event: events.ActionHeld, facts: RunFacts) -> Sentence:
    if event.released and event.says:
        return Sentence(
            f"waits no longer ({event.released}): {shorten_paths(event.says, facts.cwd)}", "‖"
        )
    if event.released:
        return Sentence(f"what was held waits no longer: {event.released}", "‖")
    letter = facts.letter(event.agent)
    who = f", sub-agent {letter}" if letter else ""
    return Sentence(f"held before{who}: {shorten_paths(event.says, facts.cwd)}", "‖", "yellow")


def _approval_asked(event: events.ApprovalAsked, facts: RunFacts) -> Sentence:
    letter = facts.letter(event.agent)
    who = f", sub-agent {letter}" if letter else ""
    says = f"waits for your approval{who}: {shorten_paths(event.says, facts.cwd)}"
    return Sentence(says, "?", "yellow", f"handrail approve {event.approval}")


def _approval_decided(event: events.ApprovalDecided, facts: RunFacts) -> Sentence:
    done = "approved" if event.approved else "denied"
    mark, style = ("✓", "green") if event.approved else ("✗", "red")
    text = f"{event.by or 'a person'} {done} {event.approval}"
    if event.always:
        text += " for good in this project"
    if event.edited is not None:
        text += f" as {event.edited_says}"
    return Sentence(joined(text, event.reason), mark, style)


def _begun(event: events.LoopBegun, facts: RunFacts) -> Sentence:
    parts = [
        f"driven by Handrail, at most {count(event.max, 'iteration')}",
        event.model,
        f"verified by: {event.verify}" if event.verify else "",
    ]
    return Sentence(" · ".join(filter(None, parts)), "▸")


def _verified(event: events.Verified, facts: RunFacts) -> Sentence:
    time = f" ({time_taken(event.ms)})" if time_taken(event.ms) else ""
    if event.ok:
        return Sentence(f"verified: {event.command}{time}", "✓", "green")
    how, _, printed = event.says.partition("\n")
    last = printed.strip().rpartition("\n")[2]
    why = ", ".join(filter(None, (how, last)))
    return Sentence(f"not verified: {event.command}{time}: {why}", "–", "yellow")


def _measured(event: events.UsageMeasured, facts: RunFacts) -> Sentence:
    used = used_in_words(event.tokens, event.cost_usd, event.seconds)
    memory = f"{event.memory_mb:,.0f} MB at most" if event.memory_mb >= 1 else ""
    text = " · ".join(filter(None, ("used so far", *used, memory)))
    if event.wanted_model:
        other = f"{event.wanted_model} was asked for, but {event.model} answers"
        return Sentence(f"{other} · {text}", "!", "yellow")
    return Sentence(text)


def _sampled(event: events.UsageSampled, facts: RunFacts) -> Sentence:
    parts = (
        count(event.tokens, "token") if event.tokens else "",
        money(event.cost_usd) if event.cost_usd else "",
        f"no price for {', '.join(event.unpriced)}" if event.unpriced else "",
        f"{event.memory_mb:,.0f} MB of memory now" if event.memory_mb else "",
    )
    return Sentence(" · ".join(filter(None, ("used so far", *parts))))


def _ended(event: events.LoopEnded, facts: RunFacts) -> Sentence:
    mark, style, words = _ENDS.get(event.reason, ("○", "", in_words(event.reason)))
    return Sentence(f"{words}. {event.says}" if event.says else words, mark, style)


SAY = cast(
    "dict[type, Callable[[Event, RunFacts], Sentence]]",
    {
        events.ControlAsked: _asked,
        events.ControlAnswered: _answered,
        events.ActionHeld: _held,
        events.ApprovalAsked: _approval_asked,
        events.ApprovalDecided: _approval_decided,
        events.AgentTold: lambda event, facts: Sentence(
            f"the agent was told: {', '.join(event.notices)}"
        ),
        events.LoopBegun: _begun,
        events.IterationBegun: lambda event, facts: Sentence(
            f"iteration {event.iteration}", "▸", "bold"
        ),
        events.Verified: _verified,
        events.UsageMeasured: _measured,
        events.UsageSampled: _sampled,
        events.LoopEnded: _ended,
    },
)
