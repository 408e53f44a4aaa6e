"""Sentences about findings, interventions, checkpoints and rollbacks."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, cast

from handrail.model import event as events
from handrail.model.action_kind import ActionKind
from handrail.model.event import Event
from handrail.model.finding import Finding
from handrail.model.intervention import Allowance, Intervention, InterventionName
from handrail.words.amounts import count
from handrail.words.run_facts import RunFacts
from handrail.words.sentence import Sentence, in_words, joined, shorten_paths
from handrail.words.times import clock_time

if TYPE_CHECKING:
    from handrail.intervene import InterventionKind

PLAN = "recovery plan"
_MAX_FILES = 3
_UNDONE = frozenset({"action", "iteration", "task"})
_STEPS = re.compile(r"\s*\(steps? [\d, ]+\)(?=[.:]?$)")

_LIMITS = (
    ("calls_per_minute", "call", " a minute"),
    ("file_operations", "file change", ""),
    ("command_seconds", "second", " for one command"),
    ("memory_mb", "MB", " of memory"),
    ("tokens", "token", ""),
    ("batch", "call", " at a time"),
)

_REFUSED = {
    ActionKind.FILE_READ: "reading of files",
    ActionKind.FILE_WRITE: "writing of files",
    ActionKind.FILE_DELETE: "deletions",
    ActionKind.SYSTEM_COMMAND: "commands",
    ActionKind.NETWORK: "network",
}


def means_in_words(means: str) -> str:
    """Return the label of an intervention, including the user's own."""
    kind = _kind(means) if means else None
    return kind.label if kind else in_words(means)


def _kind(means: str) -> "InterventionKind | None":
    # Imported late: most logs have no interventions, and every import delays the command.
    from handrail.intervene.plugins import kind_named  # noqa: PLC0415

    return kind_named(means)


def done_in_words(done: Intervention) -> str:
    """Return what was done; a rollback without a checkpoint is only a plan."""
    is_plan = done.means == InterventionName.CHECKPOINT_ROLLBACK and not done.checkpoint
    return PLAN if is_plan else means_in_words(done.means)


def effect_in_words(event: events.InterventionJudged) -> str:
    """Return whether an intervention helped, and how that was seen."""
    _, _, why = event.says.rstrip(".").partition(": ")
    return joined("helped" if event.worked else "did not help", why)


def limits_in_words(allowance: Allowance | None) -> str:
    """Describe the limits of a run."""
    limits = [
        f"{limit:,} MB{each}" if noun == "MB" else f"{count(limit, noun)}{each}"
        for field, noun, each in _LIMITS
        if (limit := getattr(allowance, field, 0))
    ]
    refused = allowance.refuses if allowance is not None else ()
    return ", ".join((*limits, *(f"no {_REFUSED[kind]}" for kind in refused)))


def finding_in_words(finding: Finding, cwd: str = "") -> str:
    """Describe a finding: kind, severity and observation."""
    return f"{in_words(finding.kind)}, {finding.severity}: {_seen(finding, cwd)}"


def _seen(finding: Finding, cwd: str) -> str:
    """Return the observation without the steps, which stand beside it."""
    return _STEPS.sub("", shorten_paths(finding.says, cwd))


def steps_in_words(steps: Iterable[int]) -> str:
    """Shorten a list of steps: `3-5, 9`."""
    runs: list[list[int]] = []
    for step in sorted(set(steps)):
        if runs and step == runs[-1][-1] + 1:
            runs[-1].append(step)
        else:
            runs.append([step])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def incident_command(incident: str) -> str:
    """Return the command that shows an incident, or ""."""
    return f"handrail incident show {incident}" if incident else ""


def _found(event: events.FindingMade, facts: RunFacts) -> Sentence:
    who = f"sub-agent {facts.letter(event.agent)}, " if event.agent else ""
    return Sentence(who + finding_in_words(event.finding, facts.cwd), "◆", "yellow")


def _intervened(event: events.Intervened, facts: RunFacts) -> Sentence:
    done = event.intervention
    if done.means == InterventionName.EMERGENCY_STOP:
        says = _seen(done.finding, facts.cwd)
        return Sentence(f"STOPPED: {says}", "■", "red", incident_command(done.incident))
    return Sentence(shorten_paths(_what_was_done(done, facts), facts.cwd), "↳", "yellow")


def _what_was_done(done: Intervention, facts: RunFacts) -> str:
    if done.means == InterventionName.CHECKPOINT_ROLLBACK:
        if done.checkpoint:
            return f"rolling back to {_point(done.checkpoint, facts)}"
        return f"{PLAN} sent, no rollback: {done.limits or done.guidance}"
    if done.means == InterventionName.RESOURCE_THROTTLING:
        return f"slowed down: {limits_in_words(done.allowance) or done.guidance}"
    said = done.guidance
    if done.means == InterventionName.CONTEXT_REINFORCEMENT:  # it begins with the finding
        said = said.partition("\n\n")[2] or said
    kind = _kind(done.means)
    return f"{(kind and kind.done) or in_words(done.means)}: {said}"


def _point(checkpoint: str, facts: RunFacts) -> str:
    """Describe a checkpoint by its time if the log has it."""
    known = facts.checkpoints.get(checkpoint)
    if known is None:
        return f"checkpoint {checkpoint}"
    return (
        f"{clock_time(known.at)}, {f'after step {known.step}' if known.step else 'the beginning'}"
    )


def _judged(event: events.InterventionJudged, facts: RunFacts) -> Sentence:
    words = PLAN if event.intervention in facts.plans else means_in_words(event.means)
    what = f"the {words}" if words else "that"
    mark, style = ("✓", "green") if event.worked else ("·", "dim")
    return Sentence(f"{what} {effect_in_words(event)}", mark, style)


def _checkpoint(event: events.CheckpointTaken, facts: RunFacts) -> Sentence:
    partial = ", not all of them: handrail checkpoints" if event.partial else ""
    return Sentence(
        f"files saved as {event.checkpoint.id} ({event.checkpoint.why}){partial}", "▪", "dim"
    )


def _named(paths: Sequence[str], facts: RunFacts) -> str:
    """The first few of these paths, and the number of the others."""
    named = ", ".join(shorten_paths(path, facts.cwd) for path in paths[:_MAX_FILES])
    more = len(paths) - _MAX_FILES
    return f"{named} and {more} more" if more > 0 else named


def _copied(event: events.FilesCopied, facts: RunFacts) -> Sentence:
    text = f"copied {_named(event.files, facts)} before step {event.step} overwrites it"
    return Sentence(f"{text}: handrail restore {event.batch}", "▪", "dim")


def _restore_asked(event: events.RestoreAsked, facts: RunFacts) -> Sentence:
    point = _point(event.checkpoint, facts)
    what = f" (the {event.level})" if event.level in _UNDONE else ""
    who = event.by or "a person"
    return Sentence(f"{who} asked to restore the files of {point}{what}", "↶")


def _rolled_back(event: events.RolledBack, facts: RunFacts) -> Sentence:
    if event.problem:
        return Sentence(f"NOT rolled back: {event.problem}", "✗", "red")
    files = _named(event.files, facts) or "no file had changed"
    spared = f", {count(event.spared, 'file')} of others kept" if event.spared else ""
    shut = f", {count(len(event.unwritable), 'file')} could not be written"
    spared += shut if event.unwritable else ""
    spared += f"; in git: {', '.join(event.git[:_MAX_FILES])}" if event.git else ""
    what = "a person rolled back" if event.asked else "rolled back"
    point = _point(event.checkpoint, facts)
    return Sentence(f"{what} to {point} ({files}{spared})", "↶", "yellow")


def _stop_confirmed(event: events.StopConfirmed, facts: RunFacts) -> Sentence:
    if event.left:
        return Sentence(f"STILL RUNNING: {', '.join(event.left)}", "✗", "red")
    number = len(event.ended)
    ended = f"{number} process{'' if number == 1 else 'es'} ended, " if number else ""
    return Sentence(f"stopped: {ended}{event.says}", "■")


def _cleaned_up(event: events.CleanedUp, facts: RunFacts) -> Sentence:
    text = f"cleaned up: {_named(event.removed, facts) or 'nothing'}"
    if event.left:
        return Sentence(f"{text}; still there: {', '.join(event.left)}", "✗", "yellow")
    return Sentence(text)


def _model_asked(event: events.ModelAsked, facts: RunFacts) -> Sentence:
    said = event.problem or f"{event.answer}: {event.says}"
    return Sentence(f"second opinion on the {event.question}: {said}")


SAY = cast(
    "dict[type, Callable[[Event, RunFacts], Sentence]]",
    {
        events.FindingMade: _found,
        events.Intervened: _intervened,
        events.InterventionJudged: _judged,
        events.CheckpointTaken: _checkpoint,
        events.FilesCopied: _copied,
        events.RestoreAsked: _restore_asked,
        events.RolledBack: _rolled_back,
        events.StopConfirmed: _stop_confirmed,
        events.IncidentResolved: lambda event, facts: Sentence(
            joined(f"{event.by or 'you'} decided: {in_words(event.option)}", event.note)
        ),
        events.CleanedUp: _cleaned_up,
        events.ModelAsked: _model_asked,
    },
)
