"""The details of one entry of a timeline."""

from collections.abc import Iterator, Sequence

import msgspec

from handrail.model import event as events
from handrail.model.event import ActionReviewed, Event
from handrail.model.finding import Finding
from handrail.model.ordinal import Decision
from handrail.tui.panes.fields import FieldLines
from handrail.tui.text import Line, StyledSpan, flat
from handrail.views.log_view import TimelineEntry
from handrail.words.action_status import MARKS, action_status
from handrail.words.actions import action_subject, command_of, effect_in_words
from handrail.words.amounts import money
from handrail.words.desktop import result_in_words, seen_in_words, step_in_words
from handrail.words.interventions import done_in_words, incident_command
from handrail.words.sentence import in_words
from handrail.words.times import clock_time, time_taken

_MAX_EFFECTS = 12
_MAX_OUTPUT = 12
_MAX_INPUT = 6


def entry_detail(
    entry: TimelineEntry, timeline: Sequence[TimelineEntry], name: str, width: int
) -> list[Line]:
    """Return all details of an entry; the timeline provides its evidence."""
    fields = FieldLines(width)
    event = entry.event
    if isinstance(event, ActionReviewed):
        _action(fields, entry, event, name)
    elif isinstance(event, events.FindingMade):
        _title(fields, event, "finding")
        _finding(fields, event.finding, timeline)
    elif isinstance(event, events.Intervened):
        _intervention(fields, event, timeline)
    elif isinstance(event, events.ControlAsked | events.ControlAnswered):
        _control(fields, event)
    elif isinstance(event, events.Verified):
        _title(fields, event, "verified" if event.ok else "not verified")
        fields.add("Command", event.command)
        fields.add("Iteration", str(event.iteration))
        fields.add("Took", time_taken(event.ms))
        fields.add("Printed", event.says, limit=_MAX_OUTPUT)
    elif isinstance(event, events.DesktopChecked):
        _desktop(fields, event)
    elif isinstance(event, events.PromptGiven):
        _title(fields, event, "prompt")
        fields.add("Text", event.text)
    else:
        _title(fields, event, in_words(str(event.__struct_config__.tag)))
        if entry.said:
            fields.add("", entry.said.text)
            fields.add("Do", entry.said.hint)
        fields.add("Before", _saved(entry))
        _everything(fields, event)
    return fields.lines


def _title(fields: FieldLines, event: Event, word: str) -> None:
    fields.title(StyledSpan(word, "bold"), StyledSpan(f"  {clock_time(event.at)}", "dim"))


def _action(fields: FieldLines, entry: TimelineEntry, event: ActionReviewed, name: str) -> None:
    review, verdict, action = event.review, event.verdict, event.action
    mark, style, _ = MARKS[verdict.decision]
    fields.title(
        StyledSpan(f"{mark} {verdict.decision.value.upper()}", style),
        StyledSpan(f"  risk {review.risk.score:.2f} {review.risk.severity}"),
        StyledSpan(f"   step {event.step} · {flat(action.tool)} · {clock_time(event.at)}", "dim"),
    )
    if command := command_of(action):
        fields.add("Command", command, limit=_MAX_OUTPUT)
    else:
        for key, value in list(action.input.items())[:_MAX_EFFECTS]:
            fields.add(flat(key)[:9], str(value), limit=_MAX_INPUT)
    refused = verdict.decision > review.decision
    reasons = (verdict.reason,) if refused else review.reasons or (review.explanation,)
    fields.add("Why", reasons)
    fields.add("Does", (f"{step.text}: {step.says}" for step in review.steps if step.says), "dim")
    if verdict.decision is not Decision.ALLOW:
        best = verdict.alternative or review.alternative
        fields.add("Instead", (best, *verdict.alternatives), "green")
    fields.add("Changed", verdict.changes)
    if verdict.updated_input is not None:
        fields.add("Runs now", str(verdict.updated_input.get("command", "")), "green")
    fields.add("Restore", verdict.restore)
    fields.add("Told", verdict.guidance)
    effects = dict.fromkeys(effect_in_words(effect) for effect in review.effects)
    fields.add("Effects", list(effects)[:_MAX_EFFECTS])
    _outcome(fields, entry, event)
    fields.add("Saved", _saved(entry))
    fields.add("Folder", action.cwd, "dim")
    fields.add("Rules", "  ".join(dict.fromkeys(hit.rule for hit in review.rules)), "dim")
    factors = (f"{factor.name} {factor.weight:+.2f}" for factor in review.risk.factors)
    fields.add("Factors", "  ".join(factors), "dim")
    fields.add("More", f"handrail explain {flat(name)} {event.step}", "dim")


def _saved(entry: TimelineEntry) -> Iterator[str]:
    for saved in entry.saved:
        yield f"{saved.id} at {clock_time(saved.at)}, {saved.why}"


def _outcome(fields: FieldLines, entry: TimelineEntry, event: ActionReviewed) -> None:
    end = entry.end
    status = action_status(event, end, waits=not entry.over)
    fields.add("Outcome", f"{status.mark} {status.words}".rstrip(), status.style)
    if isinstance(end, events.ActionDropped):
        fields.add("Because", end.says)
    elif isinstance(end, events.ActionEnded):
        printed = (end.outcome.error or end.outcome.output).strip()
        fields.add("Printed", printed, "dim", limit=_MAX_OUTPUT)
        fields.add("Made", end.created)
        fields.add("Changed", end.changed)


def _finding(fields: FieldLines, finding: Finding, timeline: Sequence[TimelineEntry]) -> None:
    fields.add("Kind", f"{in_words(finding.kind)}, {finding.severity}", "yellow")
    fields.add("Seen", finding.says)
    fields.add("Sure", f"{finding.confidence:.0%}")
    done = {
        each.event.step: f"{each.event.action.tool} {action_subject(each.event.action)}"
        for each in timeline
        if isinstance(each.event, ActionReviewed)
    }
    fields.add(
        "Evidence", (f"step {step}  {flat(done.get(step, ''))}" for step in finding.evidence)
    )
    fields.add("Facts", (f"{key}: {value}" for key, value in finding.facts.items()), "dim")


def _intervention(
    fields: FieldLines, event: events.Intervened, timeline: Sequence[TimelineEntry]
) -> None:
    done = event.intervention
    _title(fields, event, done_in_words(done))
    fields.add("Told", done.guidance or "nothing was said")
    fields.add("Limits", done.limits)
    fields.add("Back to", done.checkpoint)
    fields.add("Incident", incident_command(done.incident))
    _finding(fields, done.finding, timeline)


def _control(fields: FieldLines, event: events.ControlAsked | events.ControlAnswered) -> None:
    if isinstance(event, events.ControlAsked):
        _title(fields, event, f"{event.command.value}, acknowledged")
        fields.add("By", event.by)
        fields.add("Reason", event.reason)
        fields.add("Text", event.text)
    else:
        word = "confirmed" if event.ok else "failed"
        _title(fields, event, f"{event.command.value}, {word}")
        fields.add("Said", event.says)
        fields.add("Evidence", event.evidence)
        fields.add("Model", event.model)
    fields.add("The run is", event.standing.value)
    fields.add("Request", event.request, "dim")


def _desktop(fields: FieldLines, event: events.DesktopChecked) -> None:
    check = event.check
    _title(fields, event, f"look {event.step}")
    fields.add("Saw", seen_in_words(check))
    if check.expected_file or check.actual_file:
        expected = check.expected_file or "any"
        fields.add("File", f"{check.actual_file or 'unknown'}, expected {expected}")
    fields.add("Did", map(step_in_words, check.steps))
    fields.add("Result", result_in_words(check))
    fields.add("Attempt", str(check.attempt) if check.attempt else "")
    fields.add("Context", check.context)
    fields.add("By", f"{check.source or 'nobody'}, {time_taken(check.ms) or 'at once'}")
    fields.add("Cost", money(check.cost_usd) if check.cost_usd else "")
    fields.add("Pictures", check.pictures)
    fields.add("Model", check.raw_response, "dim", limit=_MAX_OUTPUT)


def _everything(fields: FieldLines, event: Event) -> None:
    for key, value in msgspec.structs.asdict(event).items():
        if key != "at" and value and isinstance(value, str | int | float | tuple):
            shown = "\n".join(map(str, value)) if isinstance(value, tuple) else str(value)
            fields.add(in_words(key)[:9], shown, "dim", limit=_MAX_OUTPUT)
