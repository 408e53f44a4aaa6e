"""A whole fleet in a person's hand: its dispatch, and the runs of its tasks."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.control.command_actions import CommandOutcome, Finished
from handrail.control.message import Result
from handrail.control.topics import CONTROL, CURRENT
from handrail.fleet.engine.engine import Worker
from handrail.fleet.engine.events import DispatchClosed, DriverStarted, FleetBegun
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.tasks.task import Task, TaskStatus
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ControlAsked, LoopBegun, RunStarted
from handrail.server.fleet.fleet_control import FleetControl
from handrail.server.fleet.lease_watch import LeaseWatch
from handrail.server.fleet.open_fleets import OpenFleets
from handrail.server.fleet.task_control import TaskControl
from handrail.server.home import Home
from handrail.server.threads.process_jobs import ProcessJobs
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.store.memory import MemoryStore
from handrail.supervise.supervisor import Supervisor
from tests.control.control_setup import ControlClock, ControlSetup

FLEET = "grind-1"
TASKS = ("a", "b")


class FleetSetup(ControlSetup):
    """A fleet with two tasks at work; stops leave no process at once."""

    def __init__(self, folder: Path, store: MemoryStore | None = None) -> None:
        self.fresh = store is None
        self.folder = folder
        super().__init__(store or MemoryStore(), ControlClock(), opens=False)
        self.fleets = OpenFleets(self.store, str(folder))
        self.jobs = ProcessJobs()
        self.fleet_control = FleetControl(
            self.runs,
            self.fleets,
            self.jobs,
            submit=self.desk.submit,
            later=self._work.append,
            clock=self.clock,
            sleep=lambda seconds: None,
        )
        self.tasks = TaskControl(self.fleets, Home(str(folder)), {}, self.clock)
        self.actions.begin = self._begin  # type: ignore[method-assign]
        self.runs.bus.subscribe(self.fleet_control.on_event)
        self.engine: LogEngine = self.fleets.open("shop").engine
        if self.fresh:
            self._fill()
        self.desk.open()

    def _fill(self) -> None:
        now = self.clock.now
        self.engine.submit([Task(id=name, prompt=name) for name in (*TASKS, "c")])
        self.engine.record(FleetBegun(now, FLEET))
        self.runs.get(FLEET, "/").record(LoopBegun(now, "all", 3, "grind"))
        for slot, name in enumerate(TASKS, 1):
            claim = self.engine.claim(Worker(owner="w", host="here", pid=slot), slot)
            assert claim is not None
            self.engine.note(DriverStarted(now, name, claim.ticket.attempt, f"run-{name}", pid=0))
            run = self.runs.get(f"run-{name}", "/")
            run.record(RunStarted(now, "claude", "/", "startup"))
            run.record(LoopBegun(now, name, 10, "issue", parent=FLEET, issue=name))

    def _begin(self, supervisor: Supervisor, asked: ControlAsked, finished: Finished) -> None:
        loop = supervisor.state.loop
        if loop is not None and loop.is_fleet:
            self.fleet_control.begin(supervisor, asked, finished)
        else:
            after = self.tasks.after_stop(supervisor.state, asked, finished)
            after(CommandOutcome(evidence=("no process was left",)))

    def settle(self) -> None:
        """Let everything happen that was begun, in threads too."""
        for _ in range(10):
            self.go_on()
            self.jobs.settle()

    def ask_for(self, command: str, run: str = FLEET, **given: str) -> str:
        request = self.do(command, run, **given)
        self.settle()
        return request

    def is_confirmed(self, request: str) -> bool:
        return any(each.ok for each in self.heard if each.request_id == request)

    def standings(self) -> list[Standing]:
        return [self.hand(f"run-{name}").standing for name in TASKS]


@pytest.fixture
def fleet(tmp_path: Path) -> FleetSetup:
    return FleetSetup(tmp_path)


def test_a_pause_closes_dispatch_and_pauses_the_runs_of_all_tasks(fleet: FleetSetup) -> None:
    request = fleet.ask_for("pause", by="ada", reason="lunch")
    assert fleet.is_confirmed(request)
    state = fleet.engine.state()
    assert (state.closed, state.closed_by, state.closed_says) == (True, "ada", "lunch")
    assert fleet.standings() == [Standing.PAUSED, Standing.PAUSED]
    assert fleet.hand(FLEET).standing is Standing.PAUSED
    assert fleet.engine.claim(Worker(owner="w", host="here"), 3) is None


def test_a_pause_is_confirmed_only_when_the_last_task_stands_still(fleet: FleetSetup) -> None:
    fleet.act("x", "run-b")
    request = fleet.ask_for("pause")
    assert fleet.engine.state().closed
    assert fleet.standings() == [Standing.PAUSED, Standing.PAUSING]
    assert not fleet.is_confirmed(request)
    fleet.end_action("x", "run-b")
    fleet.settle()
    assert fleet.is_confirmed(request)
    rows = [
        (each.position, each.topic, json.loads(each.body))
        for each in fleet.store.read_all(0, 10_000)
        if each.topic in (CONTROL, CURRENT)
    ]
    at = next(n for n, (_, _, body) in enumerate(rows) if body.get("type") == "RESULT"
              and body["request_id"] == request)  # fmt: skip
    assert rows[at + 1][0] == rows[at][0] + 1, "one transaction"
    assert rows[at + 1][2]["stack"][0]["state"] == "paused"


def test_at_the_end_of_iterations_the_runs_are_left_to_their_drivers(fleet: FleetSetup) -> None:
    request = fleet.ask_for("pause", at="iteration")
    assert fleet.engine.state().closed
    assert fleet.standings() == [Standing.RUNNING, Standing.RUNNING]
    assert not fleet.is_confirmed(request)
    for name in TASKS:
        fleet.ask_for("pause", f"run-{name}")
    assert fleet.is_confirmed(request)


def test_a_resume_opens_dispatch_and_lets_all_tasks_go_on(fleet: FleetSetup) -> None:
    fleet.ask_for("pause")
    request = fleet.ask_for("resume")
    assert fleet.is_confirmed(request)
    assert not fleet.engine.state().closed
    assert fleet.standings() == [Standing.RUNNING, Standing.RUNNING]
    assert fleet.engine.claim(Worker(owner="w", host="here"), 3) is not None


def test_a_pause_under_way_is_taken_up_by_the_next_daemon(
    fleet: FleetSetup, tmp_path: Path
) -> None:
    fleet.act("x", "run-b")
    request = fleet.ask_for("pause", at="iteration")
    assert isinstance(fleet.store, MemoryStore)
    again = FleetSetup(tmp_path, fleet.store)
    again._number = 100  # other ids than the first one gave
    again.settle()
    assert again.engine.state().closed
    assert request in again.hand(FLEET).asked
    again.ask_for("pause", "run-a")
    again.ask_for("stop", "run-b", by="ada")
    assert again.is_confirmed(request)


def test_a_cancel_stops_the_agents_and_holds_their_tasks(fleet: FleetSetup) -> None:
    request = fleet.ask_for("cancel", by="ada")
    assert fleet.is_confirmed(request)
    state = fleet.engine.state()
    assert state.given_up
    assert {name: (each.status, each.held) for name, each in state.tasks.items()} == {
        "a": (TaskStatus.PENDING, True),
        "b": (TaskStatus.PENDING, True),
        "c": (TaskStatus.PENDING, False),
    }
    last = json.loads(fleet.store.read(CURRENT)[-1].body)
    assert (last["event"], last["reason"], last["run_id"]) == ("ABORT", "USER_CANCELLED", FLEET)


def test_a_fleet_that_was_paused_begins_paused(fleet: FleetSetup) -> None:
    fleet.engine.record(DispatchClosed(fleet.clock.now, "ada", "lunch"))
    fleet.runs.get(FLEET, "/").record(LoopBegun(fleet.clock.now, "all", 3, "grind"))
    fleet.settle()
    hand = fleet.hand(FLEET)
    assert (hand.standing, hand.by, hand.reason) == (Standing.PAUSED, "ada", "lunch")


@pytest.mark.parametrize("command", ["steer", "freeze", "stop", "reassign"])
def test_a_fleet_has_no_agent_of_its_own(fleet: FleetSetup, command: str) -> None:
    needed = {"steer": {"message": "hi"}, "reassign": {"task": "c"}}.get(command, {})
    result = fleet.ask(fleet.request(command, FLEET, **needed)).messages[-1]
    assert isinstance(result, Result)
    assert "stands for a fleet" in result.says


def test_a_single_run_does_not_wait_for_the_end_of_an_iteration(fleet: FleetSetup) -> None:
    result = fleet.ask(fleet.request("pause", "run-a", at="iteration")).messages[-1]
    assert isinstance(result, Result)
    assert "Only a fleet pauses at the end of iterations" in result.says
    result = fleet.ask(fleet.request("pause", FLEET, at="noon")).messages[-1]
    assert isinstance(result, Result)
    assert (result.code, result.says) == (
        "bad_request",
        "payload.at must be one of action, iteration",
    )


def test_a_stopped_task_waits_for_a_person_and_frees_its_slot(fleet: FleetSetup) -> None:
    request = fleet.ask_for("stop", "run-a", by="ada", reason="wrong way")
    assert fleet.is_confirmed(request)
    task = fleet.engine.state().tasks["a"]
    assert (task.status, task.held, task.lease) == (TaskStatus.PENDING, True, None)
    assert task.says == "stopped by ada: wrong way"
    claim = fleet.engine.claim(Worker(owner="w", host="here"), 1)
    assert claim is not None
    assert claim.ticket.task == "c", "nobody claims a until it is released"


def test_a_cancelled_run_gives_its_task_up(fleet: FleetSetup) -> None:
    fleet.ask_for("cancel", "run-a", by="ada")
    assert fleet.engine.state().tasks["a"].status is TaskStatus.FAILED


def test_a_slot_is_not_given_to_a_task_that_nobody_can_take(fleet: FleetSetup) -> None:
    run = fleet.runs.get("run-a", "/").state
    why = fleet.tasks.why_not_reassign
    assert why(run, "nothing", "") == "There is no task 'nothing'"
    assert why(run, "a", "") == "It works on a already"
    assert why(run, "b", "") == "b is active, not pending"
    assert why(run, "c", "") == ""
    assert "Only a run that works on a task" in why(fleet.runs.get("solo", "/").state, "c", "")


@pytest.fixture
def supervision() -> Iterator[SupervisionThread]:
    thread = SupervisionThread()
    yield thread
    thread.close()


def test_a_run_whose_lease_is_over_is_held_until_it_is_renewed(
    fleet: FleetSetup, supervision: SupervisionThread
) -> None:
    watch = LeaseWatch(supervision, fleet.runs, fleet.fleets, fleet.desk.submit, fleet.clock)
    watch.hold(["run-a"], ["run-b"])
    fleet.settle()
    hand = fleet.hand("run-a")
    assert (hand.standing, hand.by, hand.reason) == (Standing.PAUSED, "handrail", "lease")
    assert fleet.hand("run-b").standing is Standing.RUNNING
    watch.hold(["run-a"], [])
    fleet.settle()
    assert fleet.hand("run-a").standing is Standing.PAUSED
    watch.hold([], ["run-a", "run-b"])
    fleet.settle()
    assert fleet.hand("run-a").standing is Standing.RUNNING


def test_a_renewed_lease_does_not_let_a_run_go_on_that_a_person_paused(
    fleet: FleetSetup, supervision: SupervisionThread
) -> None:
    watch = LeaseWatch(supervision, fleet.runs, fleet.fleets, fleet.desk.submit, fleet.clock)
    fleet.ask_for("pause", "run-a", by="ada")
    watch.hold([], ["run-a"])
    fleet.settle()
    assert fleet.hand("run-a").standing is Standing.PAUSED


def test_only_commands_for_fleets_are_marked_so() -> None:
    assert {each.value for each in ControlCommand if each.spec.for_fleet} == {
        "pause",
        "resume",
        "cancel",
        "checkpoint",
    }
