"""Makes the record of an emergency stop from the events of its run."""

from collections.abc import Callable, Iterable
from typing import cast

import msgspec

from handrail.detect import completed_step, intent_of
from handrail.intervene.incidents.record import (
    Incident,
    IncidentAction,
    IncidentFinding,
    IncidentIntervention,
    IncidentUsage,
)
from handrail.model.checkpoint import Checkpoint
from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    ActionReviewed,
    BreachFound,
    CheckpointTaken,
    Compacted,
    Event,
    FaultNoted,
    FindingMade,
    Intervened,
    InterventionJudged,
    PromptGiven,
    RolledBack,
    RunStarted,
    SettingsChanged,
    StopConfirmed,
)
from handrail.model.ordinal import Decision
from handrail.redact import Redactor

MAX_ACTIONS = 50
_MAX_FILES = 200
_MAX_PROMPTS = 5
_MAX_LISTED = 50
_MAX_TEXT = 400
_FIXED = frozenset(
    "checkpoint commit host id incident intervention kind means run tool undo".split()
)
"""By these, things are found again."""


class NoSuchStopError(LookupError):
    """The events of a run hold no such stop."""

    def __init__(self, run: str, incident: str) -> None:
        super().__init__(f"run {run} was not stopped for incident {incident}")
        self.run = run
        self.incident = incident


def gather(
    run: str, incident: str, events: Iterable[Event], redactor: Redactor | None = None
) -> Incident:
    """The record of a stop, from the events of its run, once more without secrets."""
    notes = _Notes(incident)
    for event in events:
        notes.take(event)
    stop = notes.stopped
    if stop is None:
        raise NoSuchStopError(run, incident)
    record = Incident(
        incident,
        run,
        stop.at,
        stop.intervention.finding,
        stop.intervention.step,
        host=notes.host,
        cwd=notes.cwd,
        model=notes.model,
        attended=notes.attended,
        started=notes.started,
        prompts=[_cut(text) for text in (notes.prompts[:1] + notes.prompts[1:][-_MAX_PROMPTS:])],
        actions=list(notes.acted.values()),
        findings=notes.findings[-_MAX_LISTED:],
        interventions=notes.tried[-_MAX_LISTED:],
        usage=notes.used,
        files=list(notes.files)[:_MAX_FILES],
        more_files=max(len(notes.files) - _MAX_FILES, 0),
        checkpoints=notes.checkpoints[-_MAX_LISTED:],
        rollbacks=notes.rollbacks[-_MAX_LISTED:],
        stop=notes.confirmed,
    )
    return _clean(record, redactor or Redactor())


class _Notes:
    """What belongs into the record, collected event by event."""

    def __init__(self, incident: str) -> None:
        self.incident = incident
        self.stopped: Intervened | None = None
        self.confirmed: StopConfirmed | None = None
        self.host = self.cwd = self.model = ""
        self.attended = False
        self.started = 0.0
        self.prompts: list[str] = []
        self.acted: dict[int, IncidentAction] = {}
        self.findings: list[IncidentFinding] = []
        self.tried: list[IncidentIntervention] = []
        self.used = IncidentUsage()
        self.files: dict[str, None] = {}
        self.checkpoints: list[Checkpoint] = []
        self.rollbacks: list[RolledBack] = []
        self._reviewed: dict[int, ActionReviewed] = {}

    def take(self, event: Event) -> None:
        """Note an event; what came after the stop belongs to it only if it is about it."""
        self.started = self.started or event.at
        if self.stopped is None or isinstance(event, StopConfirmed | ActionEnded | FaultNoted):
            note = _NOTE.get(type(event))
            if note is not None:
                note(self, event)

    def begun(self, event: RunStarted) -> None:
        self.host = event.host
        self.cwd = event.cwd or self.cwd
        self.model = event.model or self.model
        self.attended = event.attended

    def prompted(self, event: PromptGiven) -> None:
        self.prompts.append(event.text)

    def reviewed(self, event: ActionReviewed) -> None:
        decision = event.verdict.decision
        self.used.steps = max(self.used.steps, event.step)
        self.used.refused += decision is Decision.BLOCK
        self.used.changed += decision is Decision.MODIFY
        self._reviewed[event.step] = event
        self.acted[event.step] = IncidentAction(
            event.step,
            event.at,
            event.action.tool,
            intent_of(event.action, event.review).shown,
            decision,
            _cut(event.verdict.reason),
            event.agent,
        )
        while len(self.acted) > MAX_ACTIONS:
            oldest = next(iter(self.acted))
            del self.acted[oldest]
            self._reviewed.pop(oldest, None)

    def ended(self, event: ActionEnded) -> None:
        outcome, used = event.outcome, self.used
        used.ran += 1
        used.failed += not outcome.ok
        used.overruled += event.overruled
        used.tool_seconds += outcome.duration_ms / 1000
        used.tokens += outcome.tokens
        used.cost_usd += outcome.cost_usd
        self.files.update(dict.fromkeys(event.created + event.changed))
        before = self._reviewed.pop(event.step, None)
        acted = self.acted.get(event.step)
        if before is None or acted is None:
            return
        intent = intent_of(before.action, before.review)
        # What a command that failed has changed before it failed counts too.
        self.files.update(dict.fromkeys(intent.writes))
        acted.ok = outcome.ok
        acted.exit_code = outcome.exit_code
        acted.seconds = outcome.duration_ms / 1000
        if not outcome.ok:
            acted.error = _cut(completed_step(event.step, event.at, intent, outcome).said)

    def dropped(self, event: ActionDropped) -> None:
        if event.step in self.acted:
            self.acted[event.step].dropped = _cut(event.says) or "it was not run"

    def breach(self, event: BreachFound) -> None:
        self.used.breaches += 1

    def fault(self, event: FaultNoted) -> None:
        self.used.faults += 1

    def compacted(self, event: Compacted) -> None:
        self.used.compactions += 1

    def settings(self, event: SettingsChanged) -> None:
        self.used.settings_changed += 1

    def found(self, event: FindingMade) -> None:
        self.findings.append(IncidentFinding(event.step, event.at, event.finding))

    def intervened(self, event: Intervened) -> None:
        self.tried.append(IncidentIntervention(event.at, event.intervention))
        if event.intervention.incident == self.incident:
            self.stopped = event

    def judged(self, event: InterventionJudged) -> None:
        for tried in self.tried:
            if tried.intervention.id == event.intervention:
                tried.worked = event.worked

    def saved(self, event: CheckpointTaken) -> None:
        self.checkpoints.append(event.checkpoint)

    def rolled_back(self, event: RolledBack) -> None:
        self.rollbacks.append(event)

    def confirm(self, event: StopConfirmed) -> None:
        if event.incident == self.incident:
            self.confirmed = event


_Note = Callable[[_Notes, Event], None]
_NOTE: dict[type, _Note] = {
    kind: cast("_Note", note)
    for kind, note in (
        (RunStarted, _Notes.begun),
        (PromptGiven, _Notes.prompted),
        (ActionReviewed, _Notes.reviewed),
        (ActionEnded, _Notes.ended),
        (ActionDropped, _Notes.dropped),
        (BreachFound, _Notes.breach),
        (FaultNoted, _Notes.fault),
        (Compacted, _Notes.compacted),
        (SettingsChanged, _Notes.settings),
        (FindingMade, _Notes.found),
        (Intervened, _Notes.intervened),
        (InterventionJudged, _Notes.judged),
        (CheckpointTaken, _Notes.saved),
        (RolledBack, _Notes.rolled_back),
        (StopConfirmed, _Notes.confirm),
    )
}


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 2]} …"


def _clean(record: Incident, redactor: Redactor) -> Incident:
    """The record without secrets: it is read in other places than the log."""
    data = msgspec.to_builtins(record)
    return msgspec.convert(_with_fixed(redactor.value(data), data), Incident)


def _with_fixed(clean: object, before: object, key: str = "") -> object:
    """What was cleaned; numbers, and the fields by which things are found again, as they were."""
    if isinstance(clean, dict) and isinstance(before, dict):
        return {
            name: _with_fixed(value, before[key], key)
            for (name, value), key in zip(clean.items(), before, strict=True)
        }
    if isinstance(clean, list | tuple) and isinstance(before, list | tuple):
        return [_with_fixed(each, old) for each, old in zip(clean, before, strict=True)]
    return before if key in _FIXED or not isinstance(before, str) else clean
