"""The events of a fleet in `handrail log`: those of one of its runs, or of one task."""

from collections.abc import Iterator
from typing import NamedTuple

from handrail.cli.history.log_reader import LogReader
from handrail.cli.history.runs import KnownRun
from handrail.cli.output.json_line import printable_json, to_json
from handrail.fleet.engine.events import (
    FleetBegun,
    FleetEvent,
    TaskEvent,
    TaskSubmitted,
    event_decoder,
)
from handrail.fleet.engine.state_loading import TOPIC, topic_of
from handrail.model.event import LoopBegun
from handrail.store.decoding import decode_or_fault
from handrail.store.port import Store, StoredEntry
from handrail.words.fleet_events import fleet_sentence
from handrail.words.sentence import Sentence

_FIRST_EVENTS = 20
"""The events of a run among which its loop begins."""
_BEGUN = b'"fleet_begun"'
_UNREADABLE = Sentence("an entry of the fleet cannot be read", "!", "red")


class LoggedTask(NamedTuple):
    """A task whose story somebody reads."""

    fleet: str
    name: str


class FleetStory:
    """Picks out the events of a fleet, and says what happened."""

    def __init__(self, fleet: str, *, run: str = "", task: str = "", is_first: bool = True) -> None:
        """`run`: only what happened while that run stood for the fleet; `task`: only about it.

        `is_first`: the run is the fleet's first, so what came before belongs to it.
        """
        self.topic = topic_of(fleet)
        self._fleet = fleet
        self._run = run
        self._task = task
        self._present = run if is_first else ""
        """The run that stands for the fleet at this place of the log."""

    def has(self, stored: StoredEntry) -> bool:
        """Return whether an entry of the log is one of this fleet."""
        return stored.topic == self.topic

    def takes(self, event: FleetEvent | None) -> bool:
        """Return whether an event, or None for an unreadable one, belongs to the story."""
        if self._task:
            return _task_of(event) == self._task
        if isinstance(event, FleetBegun):
            self._present = event.run
        return self._present == self._run

    def as_json(self, stored: StoredEntry) -> str:
        """Return the stored event and its place as JSON."""
        place = {"fleet": self._fleet, "seq": stored.seq, "position": stored.position}
        return printable_json(to_json(place)[:-1] + b"," + stored.body[1:])


class FleetLogReader:
    """Reads the topic of a fleet, and that of its run if there is one, in the order of the log."""

    def __init__(self, *readers: LogReader) -> None:
        self._readers = readers
        self._waiting: list[StoredEntry] = []

    def pages(self) -> list[list[StoredEntry]]:
        """Return what is new as one page, or nothing. After a StoreError nothing is lost."""
        for reader in self._readers:
            for page in reader.pages():
                self._waiting += page
        new, self._waiting = self._waiting, []
        return [sorted(new, key=lambda stored: stored.position)] if new else []


def read_event(stored: StoredEntry) -> FleetEvent | None:
    """Return the event of an entry; None: it cannot be read."""
    try:
        return event_decoder.decode(stored.body)
    except (ValueError, RecursionError):
        return None


def say(event: FleetEvent | None) -> Sentence:
    """Describe an event; None: one that cannot be read."""
    return _UNREADABLE if event is None else fleet_sentence(event)


def story_of_run(store: Store, run: KnownRun) -> FleetStory | None:
    """Return the story of the fleet that a run stands for; None: it is a run like others."""
    first = map(decode_or_fault, store.read(run.topic, 0, _FIRST_EVENTS))
    if not any(isinstance(each, LoopBegun) and each.mode == "grind" for each in first):
        return None
    for topic in store.topics(TOPIC):
        for place, begun in enumerate(_runs_of_fleet(store, topic.name)):
            if begun == run.id:
                fleet = topic.name.removeprefix(TOPIC)
                return FleetStory(fleet, run=run.id, is_first=place == 0)
    return None


def _runs_of_fleet(store: Store, topic: str) -> Iterator[str]:
    for page in LogReader(store, topic).pages():
        for stored in page:
            event = read_event(stored) if _BEGUN in stored.body else None
            if isinstance(event, FleetBegun):
                yield event.run


def _task_of(event: FleetEvent | None) -> str:
    match event:
        case TaskSubmitted():
            return event.task.id
        case TaskEvent():
            return event.task
    return ""
