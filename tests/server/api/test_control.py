"""Commands to runs through the API: how they stand, repeated, refused, for all at once."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import time
from typing import Any

import pytest

from handrail.fleet.engine.events import FleetBegun
from handrail.fleet.tasks.task import Task
from handrail.model.control import Standing
from handrail.model.event import ControlAsked, LoopBegun, RunStarted
from handrail.server.api.control import ControlOperations
from handrail.server.api.live_log import LiveLog
from handrail.server.fleet.endpoint import FleetEndpoint
from handrail.server.fleet.open_fleets import OpenFleets
from handrail.server.home import Home
from handrail.store.errors import DiskFullError
from tests.hosts.claude.desk import SESSION
from tests.server.api.api_client import InProcessApi as ApiClient
from tests.server.asgi import AsgiResponse
from tests.server.in_process_api import InProcessApi, message
from tests.supervise.fakes import FaultyLog

Tell = Callable[..., Awaitable[AsgiResponse]]
Story = Callable[[Tell, InProcessApi], Awaitable[None]]


def operations(office: InProcessApi, fleets: OpenFleets) -> ControlOperations:
    runs = office.desk.runs
    return ControlOperations(
        office.supervision,
        runs,
        office.control,
        office.control_endpoint,
        FleetEndpoint(office.supervision, runs.projects, fleets, time),
        LiveLog(office.store, Home("/nowhere")),
        time,
    )


def play(folder: Path, story: Story, **given: Any) -> None:
    """One run that works, and a person who asks."""
    with InProcessApi(**given) as office:
        client = ApiClient([operations(office, OpenFleets(office.store, str(folder)))])

        async def tell(method: str, path: str, **body: object) -> AsgiResponse:
            return await client.ask(method, path, body or None)

        async def whole() -> None:
            await office.hook(message("UserPromptSubmit", prompt="go"))
            await story(tell, office)

        office.run(whole)


def test_a_pause_is_acknowledged_and_then_confirmed(tmp_path: Path) -> None:
    async def story(tell: Tell, office: InProcessApi) -> None:
        answer = await tell(
            "POST", f"/runs/{SESSION}/commands?wait=20", command="pause", reason="lunch"
        )
        assert (answer.status, answer.json["stage"]) == (202, "confirmed")
        assert answer.json["says"] == "Loop paused at iteration 1"
        assert office.state_of(SESSION).hand.standing is Standing.PAUSED
        events = [event for _, event in office.desk.journal.read(f"run:{SESSION}")]
        asked = next(each for each in events if isinstance(each, ControlAsked))
        assert (asked.by, asked.reason) == ("ada", "lunch")

    play(tmp_path, story)


def test_a_repeated_request_does_nothing_twice_and_tells_how_it_stands(tmp_path: Path) -> None:
    async def story(tell: Tell, office: InProcessApi) -> None:
        order = {"command": "steer", "request_id": "mine", "text": "use pytest"}
        first = await tell("POST", f"/runs/{SESSION}/commands", **order)
        again = await tell("POST", f"/runs/{SESSION}/commands", **order)
        assert first.json["stage"] == again.json["stage"] == "acknowledged"
        assert first.json["request_id"] == again.json["request_id"] == "mine"
        assert list(office.state_of(SESSION).hand.asked) == ["mine"]
        known = (await tell("GET", "/requests/mine")).json
        assert (known["command"], known["run"], known["stage"]) == (
            "steer", SESSION, "acknowledged",
        )  # fmt: skip

    play(tmp_path, story)


def test_a_repetition_of_a_finished_request_gets_the_same_result(tmp_path: Path) -> None:
    async def story(tell: Tell, office: InProcessApi) -> None:
        order = {"command": "pause", "request_id": "mine"}
        first = await tell("POST", f"/runs/{SESSION}/commands?wait=20", **order)
        again = await tell("POST", f"/runs/{SESSION}/commands", **order)
        assert first.json == again.json == (await tell("GET", "/requests/mine")).json

    play(tmp_path, story)


def test_an_id_that_was_used_for_something_else_is_refused(tmp_path: Path) -> None:
    async def story(tell: Tell, office: InProcessApi) -> None:
        await tell(
            "POST", f"/runs/{SESSION}/commands", command="steer", text="a", request_id="mine"
        )
        other = await tell(
            "POST", f"/runs/{SESSION}/commands", command="steer", text="b", request_id="mine"
        )
        assert (other.json["stage"], other.json["code"]) == ("refused", "duplicate")

    play(tmp_path, story)


def test_a_command_for_a_state_that_has_changed_is_refused(tmp_path: Path) -> None:
    async def story(tell: Tell, office: InProcessApi) -> None:
        answer = await tell("POST", f"/runs/{SESSION}/commands", command="pause", expects="paused")
        assert (answer.json["stage"], answer.json["code"]) == ("refused", "invalid_state")
        assert answer.json["says"] == "The run is running, no longer paused"
        assert office.state_of(SESSION).hand.standing is Standing.RUNNING

    play(tmp_path, story)


@pytest.mark.parametrize(
    ("path", "body", "status", "says"),
    [
        ("/runs/nobody/commands", {"command": "pause"}, 404, "no run 'nobody'"),
        (f"/runs/{SESSION}/commands", {"command": "explode"}, 400, "pause, resume"),
        (f"/runs/{SESSION}/commands", {"command": "steer"}, 400, "needs a text"),
        (f"/runs/{SESSION}/commands", {"command": "pause", "choice": "x"}, 400, "must be one of"),
        (f"/runs/{SESSION}/commands", {"command": "pause", "request_id": "x" * 201}, 400, "200"),
        (f"/runs/{SESSION}/commands", {"command": "pause", "more": 1}, 400, "more"),
        (f"/runs/{SESSION}/commands", {"command": "steer", "text": "x" * 300_000}, 413, "256,000"),
        ("/commands", {"command": "cancel"}, 400, "cancel"),
    ],
)
def test_what_cannot_be_a_command_is_a_problem(
    tmp_path: Path, path: str, body: dict[str, object], status: int, says: str
) -> None:
    async def story(tell: Tell, office: InProcessApi) -> None:
        answer = await tell("POST", path, **body)
        assert (answer.status, answer.json["status"]) == (status, status)
        assert says in answer.json["detail"]
        assert answer.headers["content-type"] == "application/problem+json"

    play(tmp_path, story)


def test_a_request_that_nobody_made_is_not_there(tmp_path: Path) -> None:
    async def story(tell: Tell, office: InProcessApi) -> None:
        assert (await tell("GET", "/requests/nothing?wait=5")).status == 404

    play(tmp_path, story)


def test_whoever_may_only_read_commands_nothing() -> None:
    async def story() -> None:
        fleets = OpenFleets(office.store, "/nowhere")
        client = ApiClient([operations(office, fleets)], rights=("read",))
        await office.hook(message("UserPromptSubmit", prompt="go"))
        for path in (f"/runs/{SESSION}/commands", "/commands"):
            answer = await client.ask("POST", path, {"command": "pause"})
            assert (answer.status, answer.json["title"]) == (403, "Not allowed")
        assert office.state_of(SESSION).hand.standing is Standing.RUNNING

    with InProcessApi() as office:
        office.run(story)


def test_a_stop_ends_the_run_even_if_nothing_can_be_written_down(tmp_path: Path) -> None:
    store = FaultyLog()

    async def story(tell: Tell, office: InProcessApi) -> None:
        store.refuses = DiskFullError("events.db")
        answer = await tell("POST", f"/runs/{SESSION}/commands", command="stop")
        assert (answer.status, office.ended) == (507, [SESSION])
        assert "It has ended." in answer.json["detail"]
        assert (await tell("POST", f"/runs/{SESSION}/commands", command="pause")).status == 503

    play(tmp_path, story, store=store)


def test_a_command_for_all_reaches_every_run_once_and_closes_the_fleets(tmp_path: Path) -> None:
    async def story(tell: Tell, office: InProcessApi) -> None:
        fleets = OpenFleets(office.store, str(tmp_path))
        client = ApiClient([operations(office, fleets)])
        now = time()

        def begin() -> None:
            runs = office.desk.runs
            for run, mode, parent in (("grind-1", "grind", ""), ("task-1", "loop", "grind-1")):
                runs.get(run, "/w").record(RunStarted(now, "claude", "/w"))
                runs.get(run, "/w").record(LoopBegun(now, "g", 3, mode=mode, parent=parent))
            runs.get("held", "/w").record(RunStarted(now, "claude", "/w"))

        await office.supervision.call(begin)
        await tell("POST", "/runs/held/commands?wait=20", command="pause")
        engine = (await asyncio.to_thread(fleets.open, "shop")).engine
        await asyncio.to_thread(engine.submit, [Task(id="a", prompt="a")])
        await asyncio.to_thread(engine.record, FleetBegun(now, "grind-1"))
        answer = (
            await client.ask(
                "POST", "/commands", {"command": "pause", "at": "iteration", "reason": "x"}
            )
        ).json
        assert {each["run"] for each in answer["items"]} == {SESSION, "grind-1"}
        assert {each["stage"] for each in answer["items"]} <= {"acknowledged", "confirmed"}
        assert answer["left_out"] == [{"run": "held", "why": "it is paused"}]
        assert answer["fleets"] == ["shop"]
        assert engine.closed_by == ("ada", "x")
        choices = {run: _choice(office, run) for run in (SESSION, "grind-1")}
        assert choices == {SESSION: "", "grind-1": "iteration"}

    play(tmp_path, story)


@pytest.mark.parametrize("command", ["resume", "stop"])
def test_where_a_pause_takes_hold_is_no_choice_of_other_commands(
    tmp_path: Path, command: str
) -> None:
    async def story(tell: Tell, office: InProcessApi) -> None:
        await tell("POST", f"/runs/{SESSION}/commands?wait=20", command="pause")
        answer = await tell("POST", "/commands", command=command, at="action")
        assert answer.status == 202, answer.json
        assert [each["run"] for each in answer.json["items"]] == [SESSION]

    play(tmp_path, story)


def _choice(office: InProcessApi, run: str) -> str:
    events = [event for _, event in office.desk.journal.read(f"run:{run}")]
    return next(each.choice for each in events if isinstance(each, ControlAsked))
