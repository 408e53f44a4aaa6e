"""The fleets that the screen follows are those of the log, and unchanged ones cost nothing."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.fleet.engine import events
from handrail.fleet.engine.events import AttemptOutcome, AttemptResult, FleetEvent, Lease
from handrail.fleet.engine.state_loading import topic_of
from handrail.fleet.tasks.task import Task
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry
from handrail.views.fleet_feed import FleetFeed
from tests.cli.fleet_log import FLEET, FleetLog, sample_fleet
from tests.tui.sample_log import NOON

_task = st.sampled_from(["a", "b", "c"])
_results = st.builds(AttemptResult, outcome=st.sampled_from(AttemptOutcome))
_event: st.SearchStrategy[FleetEvent] = st.one_of(
    st.builds(
        lambda name, needs: events.TaskSubmitted(
            NOON, Task(id=name, prompt="x", depends_on=tuple(needs - {name}))
        ),
        _task,
        st.frozensets(_task),
    ),
    st.builds(
        lambda name, slot: events.TaskClaimed(NOON, name, Lease(owner="s", attempt=1, slot=slot)),
        _task,
        st.integers(0, 3),
    ),
    st.builds(events.AttemptFinished, st.just(NOON), _task, st.just(1), _results, st.booleans()),
    st.builds(events.TaskReleased, st.just(NOON), _task),
    st.builds(events.TaskBlocked, st.just(NOON), _task, st.just("why")),
    st.builds(events.DispatchClosed, st.just(NOON), st.just("ada")),
    st.builds(events.DispatchOpened, st.just(NOON)),
    st.builds(events.MergeChanged, st.just(NOON), _task, st.just("conflict"), st.just("main")),
)


@given(st.lists(_event, max_size=30), st.data())
@settings(deadline=None)
def test_what_was_followed_is_what_is_read(
    given_events: list[FleetEvent], data: st.DataObject
) -> None:
    store, feed = MemoryStore(), FleetFeed()
    feed.begin(store)
    position = 0
    for event in given_events:
        store.append([NewEntry(topic_of(FLEET), msgspec.json.encode(event))]).result(5)
        if data.draw(st.booleans()):
            page = store.read_all(position, 100)
            feed.take_in(store, page)
            position = page[-1].position
            feed.views(NOON)
    feed.take_in(store, store.read_all(position, 100))
    anew = FleetFeed()
    anew.begin(store)
    assert feed.views(NOON) == anew.views(NOON)


def test_what_has_not_changed_is_the_same_object() -> None:
    log = sample_fleet(MemoryStore(clock=lambda: NOON), NOON)
    feed = FleetFeed()
    feed.begin(log.store)
    before = feed.views(NOON)
    assert feed.views(NOON + 30) is before
    known = {task.key: task for task in before[0].tasks}
    last = log.store.read_all(0, 1000)[-1].position
    log.iterate("login", 1)
    feed.take_in(log.store, log.store.read_all(last, 100))
    changed = [task for task in feed.views(NOON)[0].tasks if task is not known[task.key]]
    assert [task.task.id for task in changed] == ["login"]


def test_an_event_that_nobody_can_read_leads_to_the_last_good_state() -> None:
    log = FleetLog(MemoryStore(), NOON)
    log.add("a")
    feed = FleetFeed()
    feed.begin(log.store)
    log.store.append([NewEntry(topic_of(FLEET), b"{}")]).result(5)
    feed.take_in(log.store, log.store.read_all(1, 100))
    assert [task.task.id for task in feed.views(NOON)[0].tasks] == ["a"]
