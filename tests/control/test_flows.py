"""The flows of the protocol's first design, byte by byte: `flows/` has its messages in order."""

import json
from pathlib import Path

import msgspec
import pytest

from handrail.control import timestamp
from handrail.control.command_actions import CommandOutcome
from handrail.control.message import Result
from handrail.control.topics import CONTROL, CURRENT
from handrail.model.event import LoopBegun
from tests.control.control_setup import ControlClock, ControlSetup

FLOWS = Path(__file__).with_name("flows")
LOOP = "loop-1703123456-12345"
GRIND = "grind-1703123456-99999"


class _Stamp(msgspec.Struct):
    timestamp: str = ""
    updated_at: str = ""

    @property
    def at(self) -> float:
        return timestamp.parse_timestamp(self.timestamp or self.updated_at)


class Flow:
    """Plays a flow with the clock of its messages, on a desk or by rows of the topic."""

    def __init__(self, name: str, way: str) -> None:
        self.lines = (FLOWS / f"{name}.jsonl").read_bytes().splitlines()
        self.clock = ControlClock(self._at(0))
        self.bed = ControlSetup(clock=self.clock)
        self._way = way

    def ask(self, number: int) -> None:
        """The request of a line comes in, and is looked at when the next line says so."""
        if self._way == "row":
            self.clock.now = self._at(number)
            self.bed.put(self.lines[number])
        self.clock.now = self._at(number + 1)
        if self._way == "row":
            self.bed.read_rows()
        else:
            self.bed.desk.submit(self.lines[number])

    def go_on(self, number: int) -> None:
        """What was acknowledged is done at the moment of a line."""
        self.clock.now = self._at(number)
        self.bed.go_on()

    def came(self, number: int, run: str, request: str, came: CommandOutcome) -> None:
        """What was begun outside is done at the moment of a line."""
        self.clock.now = self._at(number)
        self.bed.desk.runner.command_finished(run, request, came)

    def rows(self, topic: str) -> list[bytes]:
        return [stored.body for stored in self.bed.store.read(topic)]

    def _at(self, number: int) -> float:
        return msgspec.json.decode(self.lines[number], type=_Stamp).at


@pytest.fixture(params=["call", "row"])
def way(request: pytest.FixtureRequest) -> str:
    """How requests come in: by HTTP or the socket, or as rows of the topic."""
    return str(request.param)


def test_flow_a_a_loop_is_paused_and_resumed(way: str) -> None:
    flow = Flow("a", way)
    flow.bed.loop(LOOP, iteration=4)
    flow.ask(0)
    flow.go_on(2)
    flow.ask(3)
    flow.go_on(5)
    assert flow.rows(CONTROL) == flow.lines
    shown = [row["stack"] for row in flow.bed.current()]
    frame = {"id": LOOP, "mode": "issue", "iter": 4, "max": 10, "model": "haiku"}
    assert shown == [[{**frame, "state": "paused"}], [frame]]


def test_flow_b_a_loop_is_cancelled(way: str) -> None:
    flow = Flow("b", way)
    flow.bed.loop(GRIND)
    flow.ask(0)
    flow.go_on(1)
    flow.came(2, GRIND, "req-cancel-001", CommandOutcome())
    assert flow.rows(CONTROL) == flow.lines[:3]
    assert flow.rows(CURRENT) == flow.lines[3:]


def test_flow_c_a_loop_gets_a_better_model(way: str) -> None:
    flow = Flow("c", way)
    flow.bed.loop(LOOP, iteration=5, model="haiku")
    flow.ask(0)
    flow.go_on(1)
    models: dict[str, object] = {"previous_model": "haiku", "new_model": "opus"}
    flow.came(2, LOOP, "req-escalate-001", CommandOutcome(payload=models))
    assert flow.rows(CONTROL) == flow.lines[:3]
    assert flow.rows(CURRENT) == flow.lines[3:]


def test_flow_d_a_run_that_is_over_is_not_acknowledged(way: str) -> None:
    flow = Flow("d", way)
    flow.ask(0)
    assert flow.rows(CONTROL) == flow.lines
    assert flow.rows(CURRENT) == []


def test_a_task_shows_below_its_fleet_and_takes_requests_for_this_task_alone() -> None:
    bed = ControlSetup()
    fleet = bed.runs.get("grind-1", "/")
    fleet.record(LoopBegun(bed.clock.now, "all of it", 7, "grind"))
    task = bed.runs.get("issue-1", "/")
    begun = LoopBegun(bed.clock.now, "this", 10, "issue", parent="grind-1", issue="auth-1")
    task.record(begun)
    wrong = bed.request("pause", "issue-1") | {"target": {"run_id": "issue-1", "issue_id": "b"}}
    (result,) = (each for each in bed.ask(wrong).messages if isinstance(each, Result))
    assert (result.code, result.says) == ("not_found", "Run issue-1 does not work on b")
    right = bed.request("pause", "issue-1") | {
        "target": {"run_id": "issue-1", "issue_id": "auth-1"}
    }
    bed.ask(right)
    bed.go_on()
    last = json.loads(bed.store.read(CURRENT)[-1].body)
    assert [(each["id"], each["mode"], each["max"]) for each in last["stack"]] == [
        ("grind-1", "grind", 7),
        ("issue-1", "issue", 10),
    ]
    assert last["stack"][1]["state"] == "paused"
