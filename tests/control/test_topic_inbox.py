"""Requests that other programs write into the topic."""

import threading
from contextlib import closing
from pathlib import Path

import pytest

from handrail.control import message as wire
from handrail.control.message import Ack, Result
from handrail.control.topics import CONTROL
from handrail.store.port import NewEntry
from handrail.store.sqlite import SqliteStore
from tests.control.control_setup import ControlClock, ControlSetup, as_bytes, make
from tests.control.protocol_checks import all_rows, check_rows

RUN = "run-1"


@pytest.fixture
def bed() -> ControlSetup:
    bed = ControlSetup()
    bed.loop(RUN)
    return bed


def test_rows_are_taken_once(bed: ControlSetup) -> None:
    bed.put(as_bytes(bed.request("pause")))
    for _ in range(3):
        bed.read_rows()
    bed.go_on()
    assert bed.kinds("r-1") == ["REQUEST", "ACK", "success"]


def test_what_has_come_by_the_desk_is_not_taken_again(bed: ControlSetup) -> None:
    for command in ("pause", "steer", "explode", "resume", "stop"):
        bed.do(command)
    written = len(bed.control())
    bed.read_rows()
    assert len(bed.control()) == written


def test_a_retry_by_a_row_is_answered(bed: ControlSetup) -> None:
    request = bed.request("pause")
    bed.ask(request)
    bed.put(as_bytes(request))
    bed.read_rows()
    assert bed.kinds("r-1") == ["REQUEST", "ACK", "REQUEST", "duplicate"]


def test_acknowledgments_and_results_of_others_are_passed_over(bed: ControlSetup) -> None:
    for kind in ("ACK", "RESULT"):
        bed.put(as_bytes({**bed.request("pause"), "type": kind}))
    bed.read_rows()
    assert len(bed.control()) == 2


def test_a_bad_row_with_an_id_is_answered(bed: ControlSetup) -> None:
    bed.put(as_bytes({**bed.request("pause"), "target": 5}))
    bed.read_rows()
    assert bed.kinds("r-1") == ["REQUEST", "bad_request"]


@pytest.mark.parametrize("before", [0, 1, 497, 498, 499, 500, 501, 999, 1000])
def test_a_request_may_stand_anywhere_on_a_page(bed: ControlSetup, before: int) -> None:
    """One by the desk, whose answer may be the first row of the next page, and one by a row."""
    bed.store.append([NewEntry(CONTROL, b"{}")] * before).result()
    bed.do("pause")
    bed.put(as_bytes(bed.request("resume")))
    bed.read_rows()
    bed.go_on()
    assert bed.desk.read_until == before + 6 - 1  # the result of the resume was not looked at
    rows = [wire.find(row.body) for row in all_rows(bed.store, CONTROL)[before:]]
    assert [type(row).__name__ for row in rows] == [
        *("Request", "Ack", "Result"),
        *("Request", "Ack", "Result"),
    ]


def test_more_rows_than_a_page_are_taken_in_their_order(bed: ControlSetup) -> None:
    ids = [f"r-{number}" for number in range(1300)]
    rows = [NewEntry(CONTROL, as_bytes(make("resume", RUN, each, bed.clock.now))) for each in ids]
    bed.store.append(rows).result()
    bed.read_rows()
    told = [wire.find(row.body) for row in all_rows(bed.store, CONTROL)]
    assert [row.request_id for row in told if isinstance(row, Ack)] == ids
    assert [row.request_id for row in told if isinstance(row, Result)] == ids


def test_programs_that_write_at_the_same_time_are_all_answered_in_order(
    tmp_path: Path,
) -> None:
    """Three programs with connections of their own, and a desk that gets requests as well."""
    clock = ControlClock()
    path = str(tmp_path / "log.db")
    each_sends = 120
    with closing(SqliteStore(path, clock=clock)) as store:
        bed = ControlSetup(store, clock)
        bed.loop(RUN)

        def write(name: str) -> None:
            with closing(SqliteStore(path, clock=clock)) as own:
                for number in range(each_sends):
                    request = make("resume", RUN, f"{name}-{number}", clock.now)
                    own.append([NewEntry(CONTROL, as_bytes(request))]).result()

        programs = [threading.Thread(target=write, args=(name,)) for name in "abc"]
        for program in programs:
            program.start()
        for number in range(each_sends):
            bed.ask(make("resume", RUN, f"desk-{number}", clock.now))
            bed.read_rows()
        for program in programs:
            program.join()
        bed.read_rows()
        store.append([]).result()
        told = check_rows(store)
        rows = [wire.find(row.body) for row in all_rows(store, CONTROL)]
    assert len(told) == 4 * each_sends
    assert all(said == ["ACK", "invalid_state"] for said in told.values())
    assert not any(isinstance(row, Result) and row.code == "duplicate" for row in rows)
    for name in ("a", "b", "c", "desk"):
        mine = [row.request_id for row in rows if isinstance(row, Ack)]
        expected = [f"{name}-{number}" for number in range(each_sends)]
        assert [each for each in mine if each.split("-")[0] == name] == expected
