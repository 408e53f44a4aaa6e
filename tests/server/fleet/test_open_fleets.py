"""A fleet whose log was damaged goes on from what is left, and so does the next daemon."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from handrail.fleet.engine.backups import backups_in, unseal
from handrail.fleet.engine.events import FleetRecovered, event_decoder
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.engine.state_loading import StateSource, topic_of
from handrail.fleet.recovery.recovered_kinds import recovery_after
from handrail.fleet.tasks.task import Task, TaskStatus
from handrail.server.fleet import endpoint
from handrail.server.fleet.endpoint import FleetEndpoint
from handrail.server.fleet.open_fleets import OpenFleets
from handrail.server.fleet.places import fleet_folder, records_of_fleet
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry, Snapshot, Store
from tests.fleet.conftest import worker
from tests.fleet.engine.test_state_loading import TASKS
from tests.server.in_process_api import InProcessApi

FLEET = "shop-1a2b3c4d"


class Bed:
    """One state folder; `start` opens it as the next daemon would."""

    def __init__(self, folder: Path) -> None:
        self.home = str(folder / "state")
        self.environ = {"HOME": str(folder), "XDG_DATA_HOME": str(folder / "data")}
        self.store: Store = MemoryStore()
        self.folder = fleet_folder(self.home, FLEET)

    def start(self) -> OpenFleets:
        return OpenFleets(self.store, self.home, self.environ)

    def engine(self) -> LogEngine:
        return self.start().open(FLEET).engine

    def damage(self) -> None:
        """An entry that nobody can read, and no snapshot."""
        self.store.append([NewEntry(topic_of(FLEET), b'{"event":')]).result()
        self.store.save_snapshot(topic_of(FLEET), Snapshot(1, b"damaged")).result()

    def recoveries(self) -> list[FleetRecovered]:
        bodies = [each.body for each in self.store.read(topic_of(FLEET))]
        found = []
        for body in bodies:
            try:
                found.append(event_decoder.decode(body))
            except msgspec.DecodeError:
                continue
        return [each for each in found if isinstance(each, FleetRecovered)]


@pytest.fixture
def bed(tmp_path: Path) -> Bed:
    return Bed(tmp_path)


def filled(bed: Bed) -> OpenFleets:
    """Two tasks, one of them at work."""
    fleets = bed.start()
    engine = fleets.open(FLEET).engine
    engine.submit(TASKS)
    engine.claim(worker(), 1)
    return fleets


def test_what_happens_after_a_recovery_survives_the_next_start(bed: Bed) -> None:
    fleets = filled(bed)
    fleets.back_up()
    bed.damage()
    engine = bed.engine()
    assert engine.state().tasks["a"].status is TaskStatus.PENDING
    engine.cancel("b")
    engine.submit([Task(id="c", prompt="do c")])
    opened = bed.start().open(FLEET)
    assert opened.loaded.problems == ()
    assert opened.engine.state() == engine.state()


@pytest.mark.parametrize("snapshot", [b"damaged again", None])
def test_a_recovery_in_the_log_counts_without_the_snapshot(
    bed: Bed, snapshot: bytes | None
) -> None:
    filled(bed).back_up()
    bed.damage()
    engine = bed.engine()
    engine.cancel("b")
    if snapshot is not None:
        bed.store.save_snapshot(topic_of(FLEET), Snapshot(1, snapshot)).result()
    opened = bed.start().open(FLEET)
    assert opened.loaded.is_whole
    assert opened.loaded.source is not StateSource.BACKUP
    assert opened.engine.state().tasks == engine.state().tasks


def test_the_log_says_what_was_recovered_by_kind(bed: Bed) -> None:
    filled(bed).back_up()
    bed.damage()
    bed.engine()
    (told,) = bed.recoveries()
    assert told.source == "backup"
    assert "damaged" in told.problems[-1]
    assert {each.kind: each.how for each in told.kinds} == {
        "state": "partly",
        "agents": "lost",
        "tasks": "partly",
        "workspaces": "partly",
        "conversation": "partly",
    }


def test_a_damaged_snapshot_alone_is_told_and_changes_nothing(bed: Bed) -> None:
    fleets = filled(bed)
    before = fleets.open(FLEET).engine.state()
    bed.store.save_snapshot(topic_of(FLEET), Snapshot(1, b"damaged")).result()
    after = bed.engine().state()
    assert after.tasks == before.tasks
    (told,) = bed.recoveries()
    assert (told.source, told.state) == ("events", None)
    assert {each.how for each in told.kinds} == {"complete"}


def test_without_backups_the_tasks_and_workspaces_come_back_and_wait_for_a_person(
    bed: Bed,
) -> None:
    filled(bed)
    records = records_of_fleet(bed.home, FLEET, bed.environ)
    assert records.add(records.workspace("a", "a", 1, "f00"))
    bed.store.forget(topic_of(FLEET)).result()
    opened = bed.start().open(FLEET)
    assert opened.loaded.source is StateSource.REBUILT
    tasks = opened.engine.state().tasks
    assert [each.task for each in tasks.values()] == TASKS
    place = tasks["a"].workspace
    assert place is not None
    assert place.path == os.path.join(
        bed.environ["XDG_DATA_HOME"], "handrail/workspaces", FLEET, "a"
    )
    assert (place.branch, place.base) == ("handrail/a", "f00")
    assert opened.engine.claim(worker(), 1) is None, "nobody knows whether they were done"
    recovery = recovery_after(opened.loaded)
    assert recovery is not None
    assert recovery.kinds[0].how == "lost"


def test_a_fleet_whose_log_was_lost_is_found_by_its_files(bed: Bed) -> None:
    filled(bed).back_up()
    bed.store.forget(topic_of(FLEET)).result()
    assert [each.name for each in bed.start().all()] == [FLEET]
    bed.store.forget(topic_of(FLEET)).result()
    assert bed.start().known(FLEET) is not None
    assert bed.start().known("another") is None


def test_backups_of_a_lost_log_do_not_count_twice(bed: Bed) -> None:
    fleets = filled(bed)
    engine = fleets.open(FLEET).engine
    for number in range(20):
        engine.submit([Task(id=f"t{number}", prompt="do it")])
    fleets.back_up()
    bed.store.forget(topic_of(FLEET)).result()
    engine = bed.engine()
    engine.cancel("t0")
    opened = bed.start().open(FLEET)
    assert opened.loaded.problems == (), "the old backup has a higher number than the new log"
    assert opened.engine.state().tasks["t0"].status is TaskStatus.FAILED
    assert len(backups_in(bed.folder)) == 1
    aside = [name for name in os.listdir(bed.folder) if name.startswith("aside-")]
    assert len(aside) == 1, "and it is kept for a person"


def test_the_words_of_an_attempt_that_the_backup_does_not_know_are_refused(bed: Bed) -> None:
    fleets = bed.start()
    engine = fleets.open(FLEET).engine
    engine.submit(TASKS[:1])
    fleets.back_up()
    lost = engine.claim(worker(), 1)
    assert lost is not None
    bed.store.forget(topic_of(FLEET)).result()
    engine = bed.engine()
    again = engine.claim(worker("another", pid=7), 1)
    assert again is not None
    assert again.ticket != lost.ticket
    assert engine.renew(lost.ticket) == "lost"


def test_a_backup_is_written_every_five_minutes_and_three_are_kept(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleets = filled(bed)
    engine = fleets.open(FLEET).engine
    moment = 0.0
    written: list[tuple[float, str]] = []

    async def pass_time(seconds: float) -> None:
        """A minute goes by, in which a task comes."""
        nonlocal moment
        found = len(backups_in(bed.folder))
        if found and (not written or backups_in(bed.folder)[0] != written[-1][1]):
            written.append((moment, backups_in(bed.folder)[0]))
        if moment > 26 * 60:
            raise asyncio.CancelledError
        moment += 60.0
        engine.submit([Task(id=f"t{moment:.0f}", prompt="do it")])

    monkeypatch.setattr(endpoint, "monotonic", lambda: moment)
    monkeypatch.setattr(asyncio, "sleep", pass_time)
    api = InProcessApi(store=bed.store, environ=bed.environ)
    keeper = FleetEndpoint(api.supervision, api.desk.runs.projects, fleets, lambda: moment)
    with suppress(asyncio.CancelledError):
        asyncio.run(keeper.keep())
    assert [at / 60 for at, _ in written] == [5, 10, 15, 20, 25]
    kept = backups_in(bed.folder)
    assert kept == [path for _, path in reversed(written[-3:])]
    assert all(unseal(Path(each).read_bytes()).tasks for each in kept)
