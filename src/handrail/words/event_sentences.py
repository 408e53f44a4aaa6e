"""A sentence for every event except actions, for `handrail log` and the screen."""

from collections.abc import Callable
from typing import cast

from handrail.model import event as events
from handrail.model.event import Event
from handrail.model.ordinal import Decision
from handrail.words import control, desktop, interventions
from handrail.words.amounts import count
from handrail.words.run_facts import RunFacts
from handrail.words.sentence import Sentence, in_words, joined, shorten_paths
from handrail.words.times import duration_in_words

_NO_REASON = ("", "other", "prompt input exit")
_STARTS = {
    "": "Handrail joined a session in {}",
    "startup": "session began in {}",
    "resume": "session resumed in {}",
    "fork": "session forked in {}",
    "clear": "conversation cleared",
    "compact": "continues with a shorter conversation",
}


def event_sentence(event: Event, facts: RunFacts) -> Sentence:
    """Describe an event in a sentence; `facts` come from the earlier events of its run."""
    return SENTENCES[type(event)](event, facts)


def _started(event: events.RunStarted, facts: RunFacts) -> Sentence:
    text = _STARTS.get(event.source, f"session began ({event.source}) in {{}}")
    text = text.format(shorten_paths(f"{event.cwd}/", "").rstrip("/") or "/")
    return Sentence(" · ".join(filter(None, (text, event.model))), "▸")


def _prompted(event: events.PromptGiven, facts: RunFacts) -> Sentence:
    # The prompts of a driven agent differ only in the first paragraph.
    text = event.text.partition("\n\n")[0] if facts.driven else event.text
    return Sentence(text, "❯", "bold")


def _ended_alone(event: events.ActionEnded, facts: RunFacts) -> Sentence:
    how = "succeeded" if event.outcome.ok else "failed"
    return Sentence(f"step {event.step} {how}; its review is not in the log")


def _agent_started(event: events.AgentStarted, facts: RunFacts) -> Sentence:
    kind = f" ({event.kind})" if event.kind else ""
    return Sentence(f"sub-agent {facts.letter(event.agent)}{kind} began")


def _task(event: events.TaskNoted, facts: RunFacts) -> Sentence:
    name = event.subject or event.task
    done = event.state == "done"
    return Sentence(f"{'task done' if done else 'new task'}: {name}", "✓" if done else "·", "dim")


def _compacted(event: events.Compacted, facts: RunFacts) -> Sentence:
    trigger = f" ({event.trigger})" if event.trigger else ""
    return Sentence(f"the host shortened the conversation{trigger}")


def _iteration_ended(event: events.IterationEnded, facts: RunFacts) -> Sentence:
    rests = "the agent stopped" if facts.driven else "waits for a prompt"
    return Sentence(joined(rests, event.says))


def _settings_changed(event: events.SettingsChanged, facts: RunFacts) -> Sentence:
    text = f"settings changed: {shorten_paths(event.path, facts.cwd)}"
    if event.refused:
        return Sentence(f"{text}; not applied: {event.refused}", "✗", "red")
    return Sentence(text)


def _feedback(event: events.FeedbackGiven, facts: RunFacts) -> Sentence:
    what = f"step {event.step} was judged"
    if event.finding:
        what = f"the finding {in_words(event.finding)} was"
    who, verdict = event.by or "you", "right" if event.right else "wrong"
    return Sentence(joined(f"{who} said: {what} {verdict}", event.note))


def _run_ended(event: events.RunEnded, facts: RunFacts) -> Sentence:
    reason = in_words(event.reason)
    parts = [
        f"session ended ({reason})" if reason not in _NO_REASON else "session ended",
        *(_totals(facts) if facts.whole else ()),
        duration_in_words(event.at - facts.began),
    ]
    return Sentence(" · ".join(filter(None, parts)), "○")


def _totals(facts: RunFacts) -> list[str]:
    decided = facts.decided
    ran = decided.get(Decision.ALLOW, 0) + decided.get(Decision.WARN, 0) - facts.dropped
    return [
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
    ]


SENTENCES = cast(
    "dict[type, Callable[[Event, RunFacts], Sentence]]",
    {
        events.RunStarted: _started,
        events.PromptGiven: _prompted,
        events.ActionEnded: _ended_alone,
        events.ActionDropped: lambda event, facts: Sentence(
            joined(f"step {event.step} did not run", event.says)
        ),
        events.AfterReviewed: lambda event, facts: Sentence(
            f"step {event.step} did more than was reviewed: "
            f"{shorten_paths('; '.join(event.differences), facts.cwd)}",
            *(("!", "yellow") if event.review.decision > Decision.ALLOW else ()),
        ),
        events.BreachFound: lambda event, facts: Sentence(
            f"BREACH: {shorten_paths(event.says, facts.cwd)}", "✗", "red"
        ),
        events.AgentStarted: _agent_started,
        events.AgentEnded: lambda event, facts: Sentence(
            f"sub-agent {facts.letter(event.agent)} ended"
        ),
        events.TaskNoted: _task,
        events.Compacted: _compacted,
        events.IterationEnded: _iteration_ended,
        events.SettingsChanged: _settings_changed,
        events.FaultNoted: lambda event, facts: Sentence(
            f"FAULT of Handrail ({event.kind}): {event.says}", "✗", "red"
        ),
        events.FeedbackGiven: _feedback,
        events.RunEnded: _run_ended,
        **interventions.SAY,
        **control.SAY,
        **desktop.SAY,
    },
)
