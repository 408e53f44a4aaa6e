"""Runs of long ago are forgotten in small bites, and never one that somebody works with."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import time

import pytest

from handrail.config import ConfigError
from handrail.control.topics import CONTROL, CURRENT
from handrail.server.retention import (
    BITE,
    DAY,
    PAUSE,
    Retention,
    keep_days,
    remove_incidents,
    tidy_daily,
)
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.store.errors import DiskFullError
from handrail.store.journal import Journal
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry, Receipt, Topic
from handrail.supervise.runs.project import Projects
from handrail.supervise.runs.run_registry import RunRegistry


class ClockedLog(MemoryStore):
    """A log whose clock is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(clock=lambda: self.now)

    def write(self, topic: str, at: float) -> None:
        self.now = at
        self.append([NewEntry(topic, b'{"event": "run_ended", "at": 0}')]).result(0)

    def names(self) -> set[str]:
        return {topic.name for topic in self.topics()}


class FullLog(ClockedLog):
    def forget(self, topic: str) -> Receipt:
        receipt = Receipt()
        receipt.set_exception(DiskFullError("/log"))
        return receipt


@pytest.fixture
def log() -> ClockedLog:
    return ClockedLog()


def retention(log: ClockedLog, *, now: float = 100 * DAY, days: int = 30) -> Retention:
    runs = RunRegistry(Journal(log), Projects({"HOME": "/nowhere"}))
    scheduler = Retention(log, runs, lambda: days, clock=lambda: now)
    scheduler.look()
    return scheduler


def test_pipelines_are_forgotten_like_runs_the_oldest_first(log: ClockedLog) -> None:
    log.write("pipeline:old", 60 * DAY)
    log.write("run:older", 50 * DAY)
    log.write("pipeline:young", 99 * DAY)
    assert [topic.name for topic in retention(log)._due] == ["pipeline:old", "run:older"]
    assert retention(log).forget_some().wait() == 2
    assert log.names() == {"pipeline:young"}


def test_what_changed_before_the_limit_is_forgotten(log: ClockedLog) -> None:
    log.write("run:old", 69 * DAY)
    log.write("run:edge", 70 * DAY)
    log.write("run:young", 99 * DAY)
    assert retention(log).forget_some().wait() == 1
    assert log.names() == {"run:edge", "run:young"}


def test_a_long_run_counts_by_its_last_change(log: ClockedLog) -> None:
    log.write("run:long", 1 * DAY)
    log.write("run:long", 99 * DAY)
    assert retention(log).forget_some().wait() == 0
    assert log.names() == {"run:long"}


def test_only_runs_are_forgotten(log: ClockedLog) -> None:
    log.write("audit", 1 * DAY)
    log.write("runs", 1 * DAY)
    assert retention(log).forget_some().wait() == 0


def test_nothing_is_forgotten_where_everything_is_to_be_kept(log: ClockedLog) -> None:
    log.write("run:old", 1.0)
    assert retention(log, days=0).forget_some().wait() == 0
    assert log.names() == {"run:old"}


def test_a_run_that_somebody_works_with_is_kept(log: ClockedLog) -> None:
    log.write("run:resumed", 1 * DAY)
    runs = RunRegistry(Journal(log), Projects({"HOME": "/nowhere"}))
    scheduler = Retention(log, runs, lambda: 30, clock=lambda: 100 * DAY)
    scheduler.look()
    runs.get("resumed", "/")
    assert scheduler.forget_some().wait() == 0


def test_a_run_that_was_taken_up_again_and_ended_since_the_look_is_kept(log: ClockedLog) -> None:
    log.write("run:resumed", 1 * DAY)
    scheduler = retention(log)
    log.write("run:resumed", 100 * DAY)
    assert scheduler.forget_some().wait() == 0
    assert log.names() == {"run:resumed"}


def test_a_killed_session_is_forgotten_although_it_never_said_that_it_ended(
    log: ClockedLog,
) -> None:
    log.write("run:killed", 1 * DAY)
    runs = RunRegistry(Journal(log), Projects({"HOME": "/nowhere"}))
    runs.get("killed", "/")
    scheduler = Retention(log, runs, lambda: 30, clock=lambda: 100 * DAY)
    scheduler.look()
    assert "killed" not in runs
    assert scheduler.forget_some().wait() == 1


class CountingLog(ClockedLog):
    """A log that counts how often it is asked for everything."""

    listed = 0

    def topics(self, prefix: str = "") -> list[Topic]:
        self.listed += bool(prefix)
        return super().topics(prefix)


def test_runs_are_listed_once_a_day_however_many_are_due() -> None:
    log = CountingLog()
    for number in range(4 * BITE):
        log.write(f"run:{number}", 1.0)
    tidy(retention(log), days=2)
    assert log.names() == set()
    assert log.listed == 6, "runs and pipelines: at the start, and once for each day"


def test_the_oldest_go_first_and_only_a_few_at_once(log: ClockedLog) -> None:
    for day in range(BITE + 2):
        log.write(f"run:{day}", day * DAY)
    scheduler = retention(log)
    assert scheduler.forget_some().wait() == BITE
    assert log.names() == {f"run:{BITE}", f"run:{BITE + 1}"}
    assert scheduler.forget_some().wait() == 2
    assert scheduler.forget_some().wait() == 0


class EnoughError(Exception):
    """The test has seen what it wanted to see."""


def sleeper(slept: list[float], days: int) -> Callable[[float], Awaitable[object]]:
    """A sleep that takes no time, until the days are over."""

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if slept.count(DAY) == days:
            raise EnoughError

    return sleep


def tidy(scheduler: Retention, days: int) -> list[float]:
    supervision, slept = SupervisionThread(), list[float]()
    try:
        with pytest.raises(EnoughError):
            asyncio.run(tidy_daily(supervision, scheduler, sleep=sleeper(slept, days)))
    finally:
        supervision.close()
    return slept


def test_it_is_done_at_the_start_and_once_a_day_with_pauses_between_bites(log: ClockedLog) -> None:
    for number in range(2 * BITE):
        log.write(f"run:{number}", 1.0)
    assert tidy(retention(log), days=2) == [PAUSE, PAUSE, DAY, DAY]
    assert log.names() == set()


def test_requests_of_long_ago_are_forgotten_with_their_answers(log: ClockedLog) -> None:
    for topic in (CONTROL, CURRENT):
        for day in (1, 69, 71, 99):
            log.write(topic, day * DAY)
    retention(log)
    assert [one.at / DAY for one in log.read(CONTROL)] == [71, 99]
    assert [one.at / DAY for one in log.read(CURRENT)] == [71, 99]


def test_a_log_that_cannot_forget_is_tried_again_the_next_day() -> None:
    log = FullLog()
    log.write("run:old", 1.0)
    assert tidy(retention(log), days=2) == [DAY, DAY]


def test_settings_that_cannot_be_read_forget_nothing(
    log: ClockedLog, caplog: pytest.LogCaptureFixture
) -> None:
    log.write("run:old", 1.0)
    runs = RunRegistry(Journal(log), Projects({"HOME": "/nowhere"}))

    def broken() -> int:
        raise ConfigError([])

    with caplog.at_level(logging.WARNING):
        tidy(Retention(log, runs, broken, clock=lambda: 100 * DAY), days=1)
    assert "not forgotten" in caplog.text
    assert log.names() == {"run:old"}


def test_the_user_says_how_long_runs_are_kept(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    assert keep_days(environ) == 30
    folder = tmp_path / ".config" / "handrail"
    folder.mkdir(parents=True)
    (folder / "handrail.yaml").write_text("log: {keep_days: 7}\n")
    assert keep_days(environ) == 7
    assert keep_days({**environ, "HANDRAIL_LOG__KEEP_DAYS": "0"}) == 0


def left_of_incidents(folder: Path, environ: dict[str, str]) -> set[str]:
    """Which of three incidents are there after a removal: of today, 10 and 40 days ago."""
    incidents = folder / "incidents"
    for days in (0, 10, 40):
        one = incidents / f"of-{days}"
        one.mkdir(parents=True)
        os.utime(one, (time() - days * DAY,) * 2)
    remove_incidents(str(incidents), environ)
    return set(os.listdir(incidents))


def test_incidents_are_kept_for_thirty_days(tmp_path: Path) -> None:
    assert left_of_incidents(tmp_path, {"HOME": str(tmp_path)}) == {"of-0", "of-10"}


def test_incidents_are_kept_as_long_as_the_user_says(tmp_path: Path) -> None:
    folder = tmp_path / ".config" / "handrail"
    folder.mkdir(parents=True)
    (folder / "handrail.yaml").write_text(
        "interventions: {emergency_stop: {preserve_incident_data_days: 7}}\n"
    )
    assert left_of_incidents(tmp_path, {"HOME": str(tmp_path)}) == {"of-0"}


def test_without_incidents_there_is_nothing_to_remove(tmp_path: Path) -> None:
    remove_incidents(str(tmp_path / "incidents"), {"HOME": str(tmp_path)})
    assert not (tmp_path / "incidents").exists()
