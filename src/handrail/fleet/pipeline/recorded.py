"""What became of a pipeline: a pure fold of its events."""

from collections.abc import Iterable

import msgspec

from handrail.fleet.pipeline.events import (
    PIPELINES,
    PipelineBegun,
    PipelineEnded,
    PipelineEvent,
    StepBegun,
    StepEnded,
    pipeline_decoder,
)
from handrail.store.port import Store

_PAGE = 1000


class RecordedStep(msgspec.Struct):
    """One step so far."""

    name: str
    type: str
    attempt: int = 0
    """The try under way, or the last one; 0: it has not begun."""
    began: float = 0.0
    ended: StepEnded | None = None


class RecordedPipeline(msgspec.Struct):
    """One run of a pipeline so far."""

    id: str
    begun: PipelineBegun
    steps: dict[str, RecordedStep] = msgspec.field(default_factory=dict)
    ended: PipelineEnded | None = None
    changed: float = 0.0
    """When its last event came."""

    def apply(self, event: PipelineEvent) -> None:
        """Take in the next event."""
        self.changed = event.at
        match event:
            case PipelineBegun():
                self.begun = event
                self.steps = {each.name: RecordedStep(each.name, each.type) for each in event.steps}
            case StepBegun():
                step = self._step(event.step)
                step.attempt, step.began = event.attempt, step.began or event.at
            case StepEnded():
                self._step(event.step).ended = event
            case PipelineEnded():
                self.ended = event

    def _step(self, name: str) -> RecordedStep:
        """Return a step; one that nobody has planned is a gap in the log."""
        return self.steps.setdefault(name, RecordedStep(name, ""))


def pipeline_topic(pipeline: str) -> str:
    """Return the topic of a pipeline's events."""
    return PIPELINES + pipeline


def pipeline_names(store: Store) -> list[str]:
    """Return the ids of the pipelines of a log, the last changed one first."""
    return [each.name.removeprefix(PIPELINES) for each in store.topics(PIPELINES)]


def recorded_pipelines(store: Store, names: Iterable[str]) -> list[RecordedPipeline]:
    """Return pipelines by their ids; those that cannot be read are left out."""
    found = (read_pipeline_log(store, each) for each in names)
    return [each for each in found if each is not None]


def read_pipelines(store: Store, limit: int) -> list[RecordedPipeline]:
    """Return the pipelines of a log, the last changed one first."""
    return recorded_pipelines(store, pipeline_names(store)[:limit])


def read_pipeline_log(store: Store, pipeline: str) -> RecordedPipeline | None:
    """Return one pipeline; None: the log does not know it, or cannot be read."""
    try:
        return _folded(pipeline, _events(store, pipeline_topic(pipeline)))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _folded(pipeline: str, events: Iterable[PipelineEvent]) -> RecordedPipeline | None:
    recorded: RecordedPipeline | None = None
    for event in events:
        if recorded is None:
            if not isinstance(event, PipelineBegun):
                return None
            recorded = RecordedPipeline(pipeline, event)
        recorded.apply(event)
    return recorded


def _events(store: Store, topic: str) -> Iterable[PipelineEvent]:
    after = 0
    while page := store.read(topic, after, _PAGE):
        for stored in page:
            yield pipeline_decoder.decode(stored.body)
        after = page[-1].seq
