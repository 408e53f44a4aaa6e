"""The daemon and those who drive agents: iterations, orders, reports."""

import asyncio
import json
import os
import subprocess
from time import time

import pytest

from handrail.control.client import make_request
from handrail.control.command_actions import CommandOutcome
from handrail.control.message import encode
from handrail.control.topics import CURRENT
from handrail.drive.daemon_client import DriverOrder
from handrail.model.action import Action
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ApprovalAsked, ApprovalDecided, IncidentResolved
from tests.server.asgi import AsgiResponse, ask
from tests.server.in_process_api import InProcessApi

RUN = "11111111-2222-4333-8444-555555555555"
LOOP = {"goal": "fix the cart", "cwd": "/home/dev/project", "max": 3, "model": "haiku"}


async def post(
    office: InProcessApi, path: str, body: object = None, *, waits: bool = True
) -> AsgiResponse:
    data = json.dumps(body).encode()
    return await ask(office.app, "POST", f"/runs/{RUN}/{path}", data, waits=waits)


async def control(
    office: InProcessApi, command: ControlCommand, wait: str = "10", **given: str
) -> None:
    body = encode(make_request(command, RUN, by="ann", at=time(), **given))
    assert (await ask(office.app, "POST", f"/control?wait={wait}", body)).status == 200


def current(office: InProcessApi) -> list[dict[str, object]]:
    return [json.loads(row.body) for row in office.store.read(CURRENT)]


def frames(office: InProcessApi) -> list[tuple[object, object]]:
    """Iteration and state of every STATE row."""
    return [
        (frame["iter"], frame.get("state", ""))
        for row in current(office)
        for frame in row["stack"]  # type: ignore[attr-defined]
    ]


def test_a_loop_is_shown_from_its_beginning_to_its_end() -> None:
    async def story(office: InProcessApi) -> None:
        assert (await post(office, "loop", LOOP)).json["iteration"] == 0
        for number in (1, 2):
            go = (await post(office, f"iterations?iteration={number}")).json
            assert (go["standing"], go["goal"]) == ("running", "fix the cart")
        await post(office, "reports", {"kind": "done", "reason": "COMPLETE"})
        assert frames(office) == [(1, ""), (1, ""), (2, "")]
        assert current(office)[-1] == {
            "schema": 1,
            "event": "DONE",
            "reason": "COMPLETE",
            "run_id": RUN,
            "stack": [],
        }

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_a_driver_that_is_gone_is_given_nothing_to_tell() -> None:
    async def story(office: InProcessApi) -> None:
        await post(office, "loop", LOOP)
        await control(office, ControlCommand.STEER, text="use tabs", wait="0")
        await post(office, "iterations?iteration=1", waits=False)
        assert frames(office) == [(1, "")]
        go = (await post(office, "iterations?iteration=1")).json
        assert go["messages"] == ["ann tells you: use tabs"]

    with InProcessApi() as office:
        office.run(lambda: story(office))


@pytest.mark.parametrize("answer", ["approve", "deny"])
def test_an_agent_that_is_stuck_without_an_answer_waits_for_it(answer: str) -> None:
    async def story(office: InProcessApi) -> None:
        await post(office, "loop", LOOP)
        await office.supervision.call(lambda: ask_about(office, "7f3a9c01"))
        stuck = (await post(office, "iterations?iteration=1&stuck=1")).json
        assert (stuck["standing"], stuck["reason"]) == ("paused", "it waits for an approval")
        assert (await post(office, "iterations?iteration=1")).json["standing"] == "running"
        waits = asyncio.ensure_future(post(office, "iterations?iteration=1&stuck=1&wait=60"))
        await office.supervision.call(lambda: decide(office, "7f3a9c01", answer))
        go = (await waits).json
        assert go["standing"] == "running"
        [said] = go["messages"]
        assert said.startswith("ann approved" if answer == "approve" else "ann denied")

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_a_task_of_a_fleet_that_is_stuck_does_not_keep_its_slot() -> None:
    async def story(office: InProcessApi) -> None:
        await post(office, "loop", {**LOOP, "mode": "issue", "parent": "fleet-1", "issue": "t1"})
        await office.supervision.call(lambda: ask_about(office, "7f3a9c01"))
        go = (await post(office, "iterations?iteration=1&stuck=1")).json
        assert go["standing"] == "running"

    with InProcessApi() as office:
        office.run(lambda: story(office))


def decide(office: InProcessApi, approval: str, answer: str) -> None:
    """A person has answered."""
    now = time()
    decided = ApprovalDecided(now, approval, answer == "approve", "ann", until=now + 600)
    office.desk.runs.get(RUN, "/home/dev/project").record(decided)


def ask_about(office: InProcessApi, approval: str) -> None:
    """An action of the run waits for a person."""
    action = Action("Bash", {"command": "npm publish"}, "/home/dev/project")
    supervisor = office.desk.runs.get(RUN, action.cwd)
    review = supervisor.project.begin_review(action, supervisor.state.past).review
    until = 1_800_000_100.0 + 3600
    asked = ApprovalAsked(time(), approval, "n", "Bash: npm publish", action, review, until=until)
    supervisor.record(asked)


def test_who_got_the_number_of_a_driver_later_does_not_drive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def story(office: InProcessApi) -> None:
        with monkeypatch.context() as before:
            before.setattr(
                "handrail.server.control.driver_sessions.start_time_of_pid", lambda pid: 0.1
            )
            await post(office, "loop", {**LOOP, "driver": os.getppid()})
        assert (await post(office, "loop", {**LOOP, "driver": os.getpid()})).status == 200
        assert (await post(office, "loop", {**LOOP, "driver": os.getppid()})).status == 409

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_a_driver_that_has_ended_and_was_not_buried_does_not_drive() -> None:
    async def story(office: InProcessApi, driver: "subprocess.Popen[bytes]") -> None:
        await post(office, "loop", {**LOOP, "driver": driver.pid})
        driver.kill()
        os.waitid(os.P_PID, driver.pid, os.WEXITED | os.WNOWAIT)
        assert (await post(office, "loop", {**LOOP, "driver": os.getpid()})).status == 200

    with InProcessApi() as office, subprocess.Popen(["sleep", "60"]) as driver:
        office.run(lambda: story(office, driver))


def test_a_pause_holds_the_loop_before_its_next_iteration() -> None:
    async def story(office: InProcessApi) -> None:
        await post(office, "loop", LOOP)
        await post(office, "iterations?iteration=1")
        await control(office, ControlCommand.PAUSE)
        held = (await post(office, "iterations?iteration=2&wait=0")).json
        assert (held["standing"], held["by"]) == ("paused", "ann")
        waiting = asyncio.ensure_future(post(office, "iterations?iteration=2&wait=30"))
        await asyncio.sleep(0)
        await control(office, ControlCommand.RESUME)
        assert (await waiting).json["standing"] == "running"
        assert frames(office) == [(1, ""), (1, ""), (1, "paused"), (1, ""), (2, "")]

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_a_message_becomes_part_of_the_next_prompt_once() -> None:
    async def story(office: InProcessApi) -> None:
        await post(office, "loop", LOOP)
        steering = asyncio.ensure_future(control(office, ControlCommand.STEER, text="Use pathlib."))
        state = office.state_of(RUN)
        while not state.hand.asked:
            await asyncio.sleep(0.005)
        first = (await post(office, "iterations?iteration=1")).json
        assert first["messages"] == ["ann tells you: Use pathlib."]
        await steering
        assert (await post(office, "iterations?iteration=2")).json["messages"] == []

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_a_redirected_loop_works_for_its_new_goal() -> None:
    async def story(office: InProcessApi) -> None:
        await post(office, "loop", LOOP)
        asking = asyncio.ensure_future(
            control(office, ControlCommand.REDIRECT, text="write the docs")
        )
        state = office.state_of(RUN)
        while not state.hand.asked:
            await asyncio.sleep(0.005)
        assert (await post(office, "iterations?iteration=1")).json["goal"] == "write the docs"
        await asking

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_orders_are_given_once_and_in_order() -> None:
    async def story(office: InProcessApi) -> None:
        await post(office, "loop", LOOP)
        waiting = asyncio.ensure_future(
            ask(office.app, "GET", f"/runs/{RUN}/orders?after=0&wait=30")
        )
        await asyncio.sleep(0)
        office.drivers.give(RUN, DriverOrder(number=0, order="interrupt", request="req-1"))
        (first,) = (await waiting).json["orders"]
        assert (first["order"], first["request"]) == ("interrupt", "req-1")
        office.drivers.give(
            RUN, DriverOrder(number=0, order="set_model", request="req-2", model="opus")
        )
        path = f"/runs/{RUN}/orders?after={first['number']}"
        (second,) = (await ask(office.app, "GET", path)).json["orders"]
        assert (second["order"], second["model"]) == ("set_model", "opus")

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_whoever_takes_a_run_up_is_not_given_the_orders_of_before() -> None:
    async def story(office: InProcessApi) -> None:
        await post(office, "loop", LOOP)
        office.drivers.give(RUN, DriverOrder(number=0, order="interrupt", request="of before"))
        await control(office, ControlCommand.ESCALATE, text="opus", wait="0")
        (awaited,) = office.state_of(RUN).hand.asked
        office.drivers.give(RUN, DriverOrder(number=0, order="set_model", request=awaited))
        await post(office, "loop", LOOP)
        (order,) = (await ask(office.app, "GET", f"/runs/{RUN}/orders?after=0")).json["orders"]
        assert order["request"] == awaited

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_a_driver_hears_that_its_run_is_over() -> None:
    async def story(office: InProcessApi) -> None:
        await post(office, "loop", LOOP)
        path = f"/runs/{RUN}/orders?after=0"
        assert (await ask(office.app, "GET", path)).json["over"] is False
        waiting = asyncio.ensure_future(ask(office.app, "GET", f"{path}&wait=30"))
        await asyncio.sleep(0)
        await post(office, "reports", {"kind": "done", "reason": "COMPLETE"})
        office.drivers.wake(RUN)
        assert (await waiting).json["over"] is True

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_the_first_order_of_a_daemon_comes_after_all_of_the_one_before() -> None:
    async def number(office: InProcessApi) -> int:
        await post(office, "loop", LOOP)
        office.drivers.give(RUN, DriverOrder(number=0, order="interrupt", request="req-1"))
        (order,) = (await ask(office.app, "GET", f"/runs/{RUN}/orders?after=0")).json["orders"]
        return int(order["number"])

    with InProcessApi() as first:
        before = first.run(lambda: number(first))
    with InProcessApi() as second:
        assert second.run(lambda: number(second)) > before


def test_what_came_of_an_order_is_told() -> None:
    async def story(office: InProcessApi) -> None:
        await post(office, "loop", LOOP)
        told: list[CommandOutcome] = []
        order = DriverOrder(number=0, order="interrupt", request="req-1")
        office.drivers.give(RUN, order, told.append)
        for _ in range(2):
            await post(office, "reports", {"kind": "order", "request": "req-1", "says": "done"})
        assert told == [CommandOutcome(evidence=("done",))]

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_what_a_driver_measures_is_part_of_the_run() -> None:
    async def story(office: InProcessApi) -> None:
        await post(office, "loop", LOOP)
        used = {"tokens": 1200, "cost_usd": 0.42, "seconds": 61.5, "memory_mb": 412.5}
        await post(office, "reports", {"kind": "usage", **used})
        verified = {"iteration": 1, "command": "make test", "ok": False, "says": "1 failed"}
        await post(office, "reports", {"kind": "verified", **verified})
        loop = office.state_of(RUN).loop
        assert loop is not None
        assert (loop.tokens, loop.cost_usd, loop.verified) == (1200, 0.42, False)
        again = (await post(office, "loop", LOOP)).json
        assert again == {"iteration": 0, **used}

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_a_stall_that_a_driver_sees_is_a_finding_of_the_run() -> None:
    async def story(office: InProcessApi) -> None:
        await post(office, "loop", LOOP)
        says = "no commit and no changed file in 5 iterations"
        await post(office, "reports", {"kind": "stall", "says": says, "iteration": 5})
        [made] = office.state_of(RUN).course.findings.values()
        assert (made.finding.kind, made.finding.says) == ("stall", says)

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_a_run_that_is_not_driven_has_no_iterations() -> None:
    async def story(office: InProcessApi) -> None:
        assert (await post(office, "iterations?iteration=1")).status == 404

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_a_loop_that_is_driven_is_not_driven_twice() -> None:
    async def story(office: InProcessApi) -> None:
        await post(office, "loop", {**LOOP, "driver": 1})
        assert (await post(office, "loop", {**LOOP, "driver": 2})).status == 409

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_a_loop_whose_driver_is_gone_can_be_taken_up_at_once() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()

    async def story(office: InProcessApi) -> None:
        await post(office, "loop", {**LOOP, "driver": gone.pid})
        await ask(office.app, "GET", f"/runs/{RUN}/orders?after=0")
        assert (await post(office, "loop", {**LOOP, "driver": 1})).status == 200

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_a_stopped_loop_is_not_sent_on() -> None:
    async def story(office: InProcessApi) -> None:
        await post(office, "loop", LOOP)
        office.state_of(RUN).hand.standing = Standing.STOPPED
        assert (await post(office, "iterations?iteration=1&wait=30")).json["standing"] == "stopped"

    with InProcessApi() as office:
        office.run(lambda: story(office))


def test_a_cancelled_loop_has_one_end_whatever_its_driver_says() -> None:
    async def story(office: InProcessApi) -> None:
        await post(office, "loop", LOOP)
        office.state_of(RUN).hand.standing = Standing.CANCELLED
        await post(office, "reports", {"kind": "done", "reason": "COMPLETE"})
        assert [row["event"] for row in current(office)] == ["STATE"]

    with InProcessApi() as office:
        office.run(lambda: story(office))


@pytest.mark.parametrize("option", ["resume_with_limits", "abort"])
def test_a_loop_that_handrail_has_stopped_waits_for_a_person(option: str) -> None:
    async def story(office: InProcessApi) -> None:
        await post(office, "loop", LOOP)
        office.state_of(RUN).course.stopped = "inc-1"
        stopped = (await post(office, "iterations?iteration=1&wait=30")).json
        assert (stopped["standing"], stopped["reason"]) == ("stopped", "incident inc-1")
        assert stopped["incident"] == "inc-1"
        resolved = IncidentResolved(time(), "inc-1", option, "mind the cart")
        await office.supervision.call(lambda: office.desk.runs.get(RUN, "/").record(resolved))
        told = (await ask(office.app, "GET", f"/runs/{RUN}/orders?after=0&wait=30")).json
        orders = [each["order"] for each in told["orders"]]
        assert (orders, told["over"]) == (([], True) if option == "abort" else (["start"], False))
        if option != "abort":
            [note] = (await post(office, "iterations?iteration=1")).json["messages"]
            assert "mind the cart" in note
            assert (await post(office, "iterations?iteration=1")).json["messages"] == []

    with InProcessApi() as office:
        office.run(lambda: story(office))
