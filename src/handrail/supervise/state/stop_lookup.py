"""Find a stop in the log when its incident is not on the disk."""

from collections.abc import Callable, Iterator

from handrail.intervene.incidents.gathering import gather_incident
from handrail.intervene.incidents.record import Incident
from handrail.store.journal import Journal
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.log.topics import RUNS, run_of, topic_of


def find_stop(journal: Journal, incident: str) -> Incident | None:
    """Return the record of an unresolved stop, from the events of its run."""
    return next(stops_in(journal, lambda stopped: stopped == incident), None)


def stops_in(journal: Journal, wanted: Callable[[str], bool]) -> Iterator[Incident]:
    """Yield the records of unresolved stops with a wanted name."""
    for topic in journal.store.topics(RUNS):
        run = run_of(topic.name)
        stopped = read_state(journal.store, run).course.stopped
        if stopped and wanted(stopped):
            yield stop_of(journal, run, stopped)


def stop_of(journal: Journal, run: str, incident: str) -> Incident:
    """Return the record of a stop, from the events of its run."""
    return gather_incident(run, incident, (event for _, event in journal.read(topic_of(run))))
