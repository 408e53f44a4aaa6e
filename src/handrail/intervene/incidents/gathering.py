"""Make the record of an emergency stop from the events of its run."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import cast

import msgspec

from handrail.detect import completed_step, intent_of
from handrail.intervene.incidents.record import (
    Incident,
    IncidentAction,
    IncidentFinding,
    IncidentIntervention,
)
from handrail.intervene.safe_checkpoint import RollbackCriteria
from handrail.model import event as log
from handrail.model.active_settings import ActiveSettings
from handrail.model.control import ControlCommand
from handrail.model.event import ActionEnded, ActionReviewed, Event, FaultNoted, StopConfirmed
from handrail.model.finding import Finding
from handrail.model.ordinal import Decision, Severity
from handrail.redact import Redactor

MAX_ACTIONS = 50
_MAX_FILES = 200
_MAX_PROMPTS = 5
_MAX_LISTED = 50
_MAX_TEXT = 400
_FIXED = frozenset(
    "checkpoint commit host id incident intervention kind mark means run settings tool undo".split()
)
"""Fields that identify things."""


class NoSuchStopError(LookupError):
    """The run was not stopped for this incident."""

    def __init__(self, run: str, incident: str) -> None:
        super().__init__(f"run {run} was not stopped for incident {incident}")
        self.run = run
        self.incident = incident


_NOT_KNOWN = Finding("", Severity.NONE, 0.0, ())


def gather_incident(
    run: str, incident: str, events: Iterable[Event], redactor: Redactor | None = None
) -> Incident:
    """Make the record of a stop from the events of its run, once more without secrets."""
    fold = _IncidentFold(run, incident)
    for event in events:
        fold.on_event(event)
    if fold.record.finding is _NOT_KNOWN:
        raise NoSuchStopError(run, incident)
    return _clean(fold.finished(), redactor or Redactor())


class _IncidentFold:
    """Folds the events of a run into the record of one of its stops."""

    def __init__(self, run: str, incident: str) -> None:
        self.record = Incident(incident, run, 0.0, _NOT_KNOWN, 0)
        self.actions: dict[int, IncidentAction] = {}
        self.files: dict[str, None] = {}
        self.made: dict[str, None] = {}
        self._reviewed: dict[int, ActionReviewed] = {}

    def on_event(self, event: Event) -> None:
        """Take in an event; after the stop, only events about it count."""
        record = self.record
        record.started = record.started or event.at
        is_before = record.finding is _NOT_KNOWN
        if not is_before and not isinstance(event, StopConfirmed | ActionEnded | FaultNoted):
            return
        if counted := _COUNTED.get(type(event)):
            setattr(record.usage, counted, getattr(record.usage, counted) + 1)
        elif note := _NOTES.get(type(event)):
            note(self, event)

    def finished(self) -> Incident:
        """Return the record, with lists of bounded length."""
        record, prompts = self.record, self.record.prompts
        record.prompts = [_cut(text) for text in prompts[:1] + prompts[1:][-_MAX_PROMPTS:]]
        record.actions = list(self.actions.values())
        record.files = list(self.files)[:_MAX_FILES]
        record.made = list(self.made)[:_MAX_FILES]
        record.more_files = max(len(self.files) - _MAX_FILES, 0)
        record.findings = record.findings[-_MAX_LISTED:]
        record.interventions = record.interventions[-_MAX_LISTED:]
        record.checkpoints = record.checkpoints[-_MAX_LISTED:]
        record.rollbacks = record.rollbacks[-_MAX_LISTED:]
        return record

    def started(self, event: log.RunStarted) -> None:
        self.record.host = event.host
        self.record.cwd = event.cwd or self.record.cwd
        self.record.model = event.model or self.record.model
        self.record.attended = event.attended
        self._settled(event.settings)

    def settings_changed(self, event: log.SettingsChanged) -> None:
        self.record.usage.settings_changed += 1
        self._settled(event.settings)

    def _settled(self, settings: ActiveSettings | None) -> None:
        """Take over the settings that hold from here on."""
        if settings is None:
            return
        values = settings.values
        rollback = _section(_at(values, "interventions.checkpoint_rollback"))
        criteria = RollbackCriteria()
        with suppress(msgspec.ValidationError):
            given = {**rollback, **_section(rollback.get("safe_checkpoint_criteria"))}
            criteria = msgspec.convert(given, RollbackCriteria)
        goal = values.get("goal")
        self._learn(
            settings=settings.id,
            scope=_texts(values.get("scope")),
            constraints=_texts(_at(values, "interventions.context_reinforcement.constraints")),
            criteria=criteria,
            goal=self.record.context.goal or (goal if isinstance(goal, str) else ""),
        )

    def _learn(self, **facts: object) -> None:
        """Take over facts of the context."""
        self.record.context = msgspec.structs.replace(self.record.context, **facts)

    def prompted(self, event: log.PromptGiven) -> None:
        self.record.prompts.append(event.text)
        self._learn(goal=_cut(event.text))

    def asked(self, event: log.ControlAsked) -> None:
        if event.command is ControlCommand.REDIRECT:
            self._learn(goal=_cut(event.text))

    def measured(self, event: log.UsageMeasured | log.UsageSampled) -> None:
        usage = self.record.usage
        usage.tokens = max(usage.tokens, event.tokens)
        usage.cost_usd = max(usage.cost_usd, event.cost_usd)
        usage.memory_mb = max(usage.memory_mb, event.memory_mb)

    def reviewed(self, event: ActionReviewed) -> None:
        usage, decision = self.record.usage, event.verdict.decision
        usage.steps = max(usage.steps, event.step)
        usage.refused += decision is Decision.BLOCK
        usage.changed += decision is Decision.MODIFY
        self._reviewed[event.step] = event
        shown = intent_of(event.action, event.review).shown
        reason = _cut(event.verdict.reason)
        self.actions[event.step] = IncidentAction(
            event.step, event.at, event.action.tool, shown, decision, reason, event.agent
        )
        while len(self.actions) > MAX_ACTIONS:
            oldest = next(iter(self.actions))
            del self.actions[oldest]
            self._reviewed.pop(oldest, None)

    def ended(self, event: ActionEnded) -> None:
        outcome, usage = event.outcome, self.record.usage
        usage.ran += 1
        usage.failed += not outcome.ok
        usage.overruled += event.overruled
        usage.tool_seconds += outcome.duration_ms / 1000
        usage.tokens += outcome.tokens
        usage.cost_usd += outcome.cost_usd
        usage.memory_mb = max(usage.memory_mb, outcome.memory_mb)
        self.files.update(dict.fromkeys(event.created + event.changed))
        self.made.update(dict.fromkeys(event.created))
        before = self._reviewed.pop(event.step, None)
        action = self.actions.get(event.step)
        if before is None or action is None:
            return
        intent = intent_of(before.action, before.review)
        # A command may change files before it fails.
        self.files.update(dict.fromkeys(intent.writes))
        action.ok = outcome.ok
        action.exit_code = outcome.exit_code
        action.seconds = outcome.duration_ms / 1000
        if not outcome.ok:
            action.error = _cut(completed_step(event.step, event.at, intent, outcome).said)

    def looked(self, event: log.DesktopChecked) -> None:
        check = event.check
        self.record.usage.cost_usd += check.cost_usd
        if (action := self.actions.get(event.step)) is not None:
            came = check.outcome.value.replace("_", " ")
            seen = check.description or check.why or check.status.value.replace("_", " ")
            action.text = _cut(", ".join((seen, came, *check.pictures)))

    def dropped(self, event: log.ActionDropped) -> None:
        if event.step in self.actions:
            self.actions[event.step].dropped = _cut(event.says) or "it was not run"

    def found(self, event: log.FindingMade) -> None:
        self.record.findings.append(IncidentFinding(event.step, event.at, event.finding))

    def intervened(self, event: log.Intervened) -> None:
        record, made = self.record, event.intervention
        record.interventions.append(IncidentIntervention(event.at, made))
        self._learn(allowance=made.allowance or record.context.allowance)
        if made.incident == record.id:
            record.at, record.finding, record.step = event.at, made.finding, made.step

    def resolved(self, event: log.IncidentResolved) -> None:
        self._learn(allowance=event.allowance or self.record.context.allowance)

    def judged(self, event: log.InterventionJudged) -> None:
        for each in self.record.interventions:
            if each.intervention.id == event.intervention:
                each.worked = event.worked

    def checkpoint_taken(self, event: log.CheckpointTaken) -> None:
        self.record.checkpoints.append(event.checkpoint)

    def rolled_back(self, event: log.RolledBack) -> None:
        self.record.rollbacks.append(event)

    def stop_confirmed(self, event: StopConfirmed) -> None:
        if event.incident == self.record.id:
            self.record.stop = event


_COUNTED = {
    log.BreachFound: "breaches",
    log.Compacted: "compactions",
    FaultNoted: "faults",
}
"""Events that are only counted, and the count of each in the usage."""
_Note = Callable[[_IncidentFold, Event], None]
_NOTES: dict[type, _Note] = {
    kind: cast("_Note", note)
    for kind, note in (
        (log.RunStarted, _IncidentFold.started),
        (log.SettingsChanged, _IncidentFold.settings_changed),
        (log.PromptGiven, _IncidentFold.prompted),
        (log.ControlAsked, _IncidentFold.asked),
        (log.UsageMeasured, _IncidentFold.measured),
        (log.UsageSampled, _IncidentFold.measured),
        (ActionReviewed, _IncidentFold.reviewed),
        (ActionEnded, _IncidentFold.ended),
        (log.DesktopChecked, _IncidentFold.looked),
        (log.ActionDropped, _IncidentFold.dropped),
        (log.FindingMade, _IncidentFold.found),
        (log.Intervened, _IncidentFold.intervened),
        (log.IncidentResolved, _IncidentFold.resolved),
        (log.InterventionJudged, _IncidentFold.judged),
        (log.CheckpointTaken, _IncidentFold.checkpoint_taken),
        (log.RolledBack, _IncidentFold.rolled_back),
        (StopConfirmed, _IncidentFold.stop_confirmed),
    )
}


def _section(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _at(values: dict[str, object], path: str) -> object:
    """Return the setting at a path, or None where it has its default."""
    found: object = values
    for name in path.split("."):
        found = _section(found).get(name)
    return found


def _texts(value: object) -> tuple[str, ...]:
    known = value if isinstance(value, list | tuple) else ()
    return tuple(each for each in known if isinstance(each, str))


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 2]} …"


def _clean(record: Incident, redactor: Redactor) -> Incident:
    """Remove the secrets: people read the record in other places than the log."""
    data = msgspec.to_builtins(record)
    return msgspec.convert(_with_fixed(redactor.value(data), data), Incident)


def _with_fixed(clean: object, before: object, key: str = "") -> object:
    """Return the clean texts; keep numbers, and the fields that identify things."""
    if isinstance(clean, dict) and isinstance(before, dict):
        return {
            name: _with_fixed(value, before[key], key)
            for (name, value), key in zip(clean.items(), before, strict=True)
        }
    if isinstance(clean, list | tuple) and isinstance(before, list | tuple):
        return [_with_fixed(each, old) for each, old in zip(clean, before, strict=True)]
    return before if key in _FIXED or not isinstance(before, str) else clean
