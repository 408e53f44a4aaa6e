"""A sentence for every event of a fleet, for the screen and the history of a task."""

from collections.abc import Callable, Iterator
from typing import cast

from handrail.fleet.engine import events
from handrail.fleet.engine.events import AttemptOutcome, FleetEvent, TaskAudited
from handrail.words.amounts import count
from handrail.words.fleet_summary import RECOVERY_SOURCES
from handrail.words.sentence import Sentence, in_words, joined
from handrail.words.tasks import merge_in_words, one_line

_SHOWN_FILES = 3
_AUDIT = {
    "start": ("▸", "dim"),
    "iteration": ("·", "dim"),
    "signal": ("■", "yellow"),
    "crash": ("✗", "red"),
    "recovery": ("↶", "yellow"),
    "refused": ("✗", "yellow"),
    "merge": ("⇢", "dim"),
    "stall": ("◌", "yellow"),
}
"""The sign and the colour of each kind of an audit entry."""
_OUTCOMES = {
    AttemptOutcome.DONE: ("is done", "✓", "green"),
    AttemptOutcome.FAILED: ("failed", "✗", "red"),
    AttemptOutcome.BLOCKED: ("needs you", "▲", "red"),
}
_MERGES = {"merged": ("✓", "green"), "waiting": ("◇", "yellow"), "taken_back": ("↶", "yellow")}
_NOT_MERGED = ("▲", "red")


def fleet_sentence(event: FleetEvent) -> Sentence:
    """Describe an event of a fleet in a sentence."""
    say = _SENTENCES.get(type(event))
    return say(event) if say else Sentence(_unknown(event))


def audit_sentence(entry: TaskAudited) -> Sentence:
    """Describe an entry of a task's audit log, without the name of the task."""
    mark, style = _AUDIT[entry.kind]
    says = one_line(entry.says)
    if entry.kind == "iteration":
        head = joined(f"iteration {entry.iteration}", says)
    else:
        head = says or _AUDIT_WORDS[entry.kind]
    return Sentence(", ".join((head, *_audited(entry))), mark, style)


_AUDIT_WORDS = {
    "start": "the attempt began",
    "signal": "the attempt was stopped",
    "crash": "the attempt crashed",
    "recovery": "the attempt was recovered",
    "refused": "a late word was refused",
    "merge": "its branch was merged",
    "stall": "nothing moves any more",
}


def _audited(entry: TaskAudited) -> Iterator[str]:
    if entry.files:
        more = len(entry.files) - _SHOWN_FILES
        named = ", ".join(one_line(each) for each in entry.files[:_SHOWN_FILES])
        yield f"changed {named}" + (f" and {more:,} more" if more > 0 else "")
    if entry.passed >= 0:
        yield f"{entry.passed:,} of {count(entry.passed + max(entry.failed, 0), 'test')} passed"
    if entry.commit:
        yield f"last commit {one_line(entry.commit)}"
    if entry.error:
        yield joined("error", one_line(entry.error))


def _audit(event: TaskAudited) -> Sentence:
    said = audit_sentence(event)
    return said._replace(text=joined(event.task, said.text))


def _submitted(event: events.TaskSubmitted) -> Sentence:
    by = f" by {event.by}" if event.by else ""
    return Sentence(joined(f"{event.task.id} was added{by}", one_line(event.task.label)), "+")


def _claimed(event: events.TaskClaimed) -> Sentence:
    slot = f" in slot {event.lease.slot}" if event.lease.slot else ""
    return Sentence(f"attempt {event.lease.attempt} at {event.task} began{slot}", "●", "green")


def _finished(event: events.AttemptFinished) -> Sentence:
    words, mark, style = _OUTCOMES[event.result.outcome]
    if event.again:
        words, style = "failed and will be tried again", "yellow"
    text = f"{event.task} {words}, attempt {event.attempt}"
    if event.result.verified:
        text += ", verified"
    needs_person = event.result.outcome is AttemptOutcome.BLOCKED
    hint = f"handrail task retry {event.task}" if needs_person else ""
    return Sentence(joined(text, one_line(event.result.says)), mark, style, hint)


def _given_back(event: events.TaskGivenBack) -> Sentence:
    who = event.by or "Handrail"
    verb = "stopped" if event.held else "gave back"
    text = f"{who} {verb} {event.task}, attempt {event.attempt}"
    hint = f"handrail task retry {event.task}" if event.held else ""
    return Sentence(joined(text, one_line(event.says)), "‖", "yellow", hint)


def _merged(event: events.MergeChanged) -> Sentence:
    text = joined(f"{event.task}: {merge_in_words(event)}", one_line(event.says))
    return Sentence(text, *_MERGES.get(event.outcome, _NOT_MERGED))


def _asked(event: events.QuestionAsked) -> Sentence:
    hint = f"handrail approve {event.approval}" if event.approval else ""
    text = joined(f"{event.task} asks a person", one_line(event.question))
    return Sentence(text, "▲", "red", hint)


def _timed_out(event: events.QuestionTimedOut) -> Sentence:
    text = f"nobody answered question {event.number} of {event.task} in time"
    return Sentence(joined(text, one_line(event.answer)), "◌", "yellow")


def _answered(event: events.QuestionAnswered) -> Sentence:
    text = f"{event.by or 'A person'} answered question {event.number} of {event.task}"
    return Sentence(joined(text, one_line(event.answer)), "▸", "green")


def _rolled_back(event: events.FleetRolledBack) -> Sentence:
    who, where = event.by or "Handrail", one_line(event.checkpoint)
    if event.redo:
        return Sentence(f"{who} took the rollback back, by {where}", "↷", "yellow")
    return Sentence(f"{who} rolled the fleet back to {where}", "↶", "yellow", "handrail redo")


def _recovered(event: events.FleetRecovered) -> Sentence:
    source = RECOVERY_SOURCES.get(event.source, event.source)
    why = one_line("; ".join(event.problems))
    parts = (
        f"the fleet was recovered from the {one_line(source)}"
        + (f", because {why}" if why else ""),
        *(joined(f"{each.kind} {each.how}", one_line(each.says)) for each in event.kinds),
    )
    return Sentence("; ".join(parts), "↶", "yellow")


def _by_person(verb: str, mark: str, style: str) -> Callable[[FleetEvent], Sentence]:
    """Return the sentence of a decision: who, what, why."""

    def say(event: FleetEvent) -> Sentence:
        who = getattr(event, "by", "") or "Handrail"
        what = verb.format(task=getattr(event, "task", ""))
        return Sentence(joined(f"{who} {what}", one_line(getattr(event, "says", ""))), mark, style)

    return say


def _unknown(event: FleetEvent) -> str:
    """Name an event that nobody has given a sentence yet."""
    words = in_words(str(event.__struct_config__.tag))
    task = getattr(event, "task", "")
    return joined(words, task if isinstance(task, str) else "")


_SENTENCES = cast(
    "dict[type, Callable[[FleetEvent], Sentence]]",
    {
        events.TaskSubmitted: _submitted,
        events.TaskClaimed: _claimed,
        events.LeaseExpired: lambda event: Sentence(
            joined(f"attempt {event.attempt} at {event.task} was lost", one_line(event.says)),
            "✗",
            "yellow",
        ),
        events.WorkspaceReady: lambda event: Sentence(
            f"{event.task} has its workspace {event.workspace.path}, branch "
            f"{event.workspace.branch}"
        ),
        events.DriverStarted: lambda event: Sentence(
            f"the agent of {event.task} began, process {event.pid}, run {event.run}"
        ),
        TaskAudited: _audit,
        events.AttemptFinished: _finished,
        events.TaskGivenBack: _given_back,
        events.TaskReleased: _by_person("lets {task} be tried again", "▸", "green"),
        events.TaskBlocked: _by_person("blocked {task}", "▲", "red"),
        events.QuestionAsked: _asked,
        events.QuestionTimedOut: _timed_out,
        events.QuestionAnswered: _answered,
        events.TaskCancelled: _by_person("gave {task} up", "■", "red"),
        events.TaskPreferred: _by_person("wants {task} done next", "▸", "green"),
        events.FleetBegun: lambda event: Sentence(f"the fleet began, run {event.run}", "▸"),
        events.DispatchClosed: _by_person("paused the fleet", "‖", "yellow"),
        events.DispatchOpened: _by_person("resumed the fleet", "▸", "green"),
        events.MergeChanged: _merged,
        events.FleetRolledBack: _rolled_back,
        events.FleetRecovered: _recovered,
    },
)
