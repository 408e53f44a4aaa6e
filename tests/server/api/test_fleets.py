"""Fleets and tasks through the API: shown, added, changed, decided about, merged."""

import asyncio
import json
from pathlib import Path
from time import time
from typing import Any

import pytest

from handrail.api.messages.fleets import TaskCommandRequest
from handrail.cli.fleet.task_details import TaskView, view_json
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    DispatchClosed,
    DriverStarted,
    FleetBegun,
    QuestionAsked,
    TaskAudited,
)
from handrail.fleet.tasks.task import Task, TaskLimits, TaskStatus
from handrail.fleet.workspaces.task_work import work_of_task
from handrail.server.api.task_commands import DecisionOrder
from handrail.words.tasks import TaskWords
from tests.server.api.fleet_office import FleetOffice
from tests.server.asgi import AsgiResponse

pytestmark = pytest.mark.slow


@pytest.fixture
def office(tmp_path: Path) -> FleetOffice:
    return FleetOffice(tmp_path)


def test_a_fleet_is_shown_with_its_slots_its_tasks_by_state_and_who_paused_it(
    office: FleetOffice,
) -> None:
    office.submit("api", "docs")
    office.engine.record(FleetBegun(time(), "fleet-run", str(office.tree), 3, 12.5))
    claim = office.claim()
    office.engine.note(DriverStarted(time(), "api", claim.ticket.attempt, "run-1", 0))
    office.engine.note(TaskAudited(time(), "api", 1, "iteration", iteration=2, cost_usd=0.5))
    office.engine.record(DispatchClosed(time(), "bob", "lunch"))

    async def story(_: FleetOffice) -> None:
        (row,) = (await ask_fleets(office))["items"]
        assert (row["id"], row["name"], row["folder"]) == (office.fleet, "shop", str(office.tree))
        assert (row["run"], row["slot_count"], row["budget_usd"]) == ("fleet-run", 3, 12.5)
        assert row["paused"] == "paused by bob: lunch"
        assert row["counts"] == {"working": 1, "ready": 1}
        (slot,) = row["slots"]
        assert (slot["slot"], slot["task"], slot["agent"], slot["run"]) == (
            1, "api", "claude", "run-1",
        )  # fmt: skip
        assert (slot["attempt"], slot["iteration"], slot["cost_usd"]) == (1, 2, 0.5)
        assert slot["branch"] == "handrail/api"

    office.run(story)


async def ask_fleets(office: FleetOffice) -> Any:
    answer = await office.client.ask("GET", "/fleets")
    assert answer.status == 200
    return answer.json


def test_a_thousand_tasks_come_in_pages_the_most_urgent_first(office: FleetOffice) -> None:
    office.submit(*(f"t{number}" for number in range(1000)))
    office.engine.cancel("t500", "ann")

    async def story(_: FleetOffice) -> None:
        seen, cursor = [], ""
        while True:
            page = (await office.ask("GET", f"/tasks?limit=400&cursor={cursor}")).json
            assert page["total"] == 1000
            seen += [row["id"] for row in page["items"]]
            cursor = page["next"]
            if not cursor:
                break
        assert seen[0] == "t500"
        assert len(seen) == len(set(seen)) == 1000
        assert (await office.ask("GET", "/tasks?cursor=x")).status == 400

    office.run(story)


def test_fleets_come_in_pages(office: FleetOffice) -> None:
    office.submit("a")

    async def story(_: FleetOffice) -> None:
        page = await ask_fleets(office)
        assert ([row["id"] for row in page["items"]], page["next"]) == ([office.fleet], "")
        beyond = (await office.client.ask("GET", "/fleets?cursor=1")).json
        assert beyond == {"items": [], "next": ""}
        assert (await office.client.ask("GET", "/fleets?cursor=x")).status == 400

    office.run(story)


def test_a_page_is_not_made_again_while_nothing_happens(office: FleetOffice) -> None:
    office.submit("a")
    opened = office.fleets.open(office.fleet)
    first = office.views.of(opened)
    assert office.views.of(opened) is first
    office.submit("b")
    assert [task.task.id for task in office.views.of(opened).tasks] == ["a", "b"]


def test_a_task_shows_its_history_and_the_recovery_context_of_the_command_line(
    office: FleetOffice,
) -> None:
    limits = TaskLimits(iterations=4)
    office.submit("api", verify="make test", scope=("src/**",), limits=limits)
    claim = office.claim()
    audited = TaskAudited(time(), "api", 1, "iteration", iteration=1, files=("a.py",))
    office.engine.note(audited)
    office.engine.give_back(claim.ticket, "it crashed")

    async def story(_: FleetOffice) -> None:
        said = await office.task("api")
        assert (said["prompt"], said["verify"], said["scope"]) == (
            "do api",
            "make test",
            ["src/**"],
        )
        assert said["limits"] == {"iterations": 4}
        assert said["audit"][0]["says"] == "iteration 1, changed a.py"
        state = office.engine.copy_of("api")
        work = await asyncio.to_thread(work_of_task, office.workspaces, "api", office.environ)
        shown = view_json(TaskView(state, TaskWords(""), (), work))
        assert said["recovery_context"] == json.loads(json.dumps(shown["recoveryContext"]))
        assert (await office.ask("GET", "/tasks/apy")).status == 404

    office.run(story)


def test_a_fleet_that_nobody_knows_is_not_found_and_not_made(office: FleetOffice) -> None:
    async def story(_: FleetOffice) -> None:
        office.fleet = "nobody-1"
        for method, path, body in (
            ("GET", "/tasks", {}),
            ("GET", "/tasks/a", {}),
            ("POST", "/tasks", {"prompt": "x"}),
            ("POST", "/tasks/a", {"command": "retry"}),
        ):
            assert (await office.ask(method, path, **body)).status == 404
        assert [each.name for each in office.fleets.opened()] != ["nobody-1"]

    office.run(story)


def test_a_task_is_added_once_with_the_name_of_who_did_it(office: FleetOffice) -> None:
    office.submit("api")

    async def story(_: FleetOffice) -> None:
        draft = {"prompt": "Write docs.", "id": "docs", "depends_on": ["api"], "priority": 3}
        added = await office.ask("POST", "/tasks", **draft, limits={"cost_usd": 2})
        assert (added.status, added.json["id"], added.json["state"]) == (201, "docs", "waiting")
        again = await office.ask("POST", "/tasks", **draft, limits={"cost_usd": 2})
        assert again.status == 201
        other = await office.ask("POST", "/tasks", prompt="Something else.", id="Docs")
        assert (other.status, "there is a task docs already" in other.json["detail"]) == (409, True)
        unknown = await office.ask("POST", "/tasks", prompt="x", depends_on=["nothing"])
        assert unknown.status == 400
        bad = await office.ask("POST", "/tasks", prompt="x", priority=5000)
        assert (bad.status, "priority" in bad.json["detail"]) == (400, True)
        task = office.engine.copy_of("docs").task
        assert (task.priority, task.limits.cost_usd) == (3, 2)

    office.run(story)


def test_a_task_at_work_cannot_be_changed_and_another_gets_all_values_of_the_draft(
    office: FleetOffice,
) -> None:
    office.submit("api", "docs", verify="make test", priority=1)
    office.claim()

    async def story(_: FleetOffice) -> None:
        refused = await office.ask("PUT", "/tasks/api", prompt="else")
        assert (refused.status, "stop its agent" in refused.json["detail"]) == (409, True)
        changed = await office.ask("PUT", "/tasks/docs", prompt="else", priority=7)
        assert (changed.status, changed.json["priority"]) == (200, 7)
        assert office.engine.copy_of("docs").task == Task(id="docs", prompt="else", priority=7)
        assert (await office.ask("PUT", "/tasks/docs", prompt="x", id="more")).status == 400
        assert (await office.ask("PUT", "/tasks/more", prompt="x")).status == 404

    office.run(story)


def test_every_command_that_a_row_names_is_taken_and_no_other(office: FleetOffice) -> None:
    office.submit("a", "b", "c")
    office.engine.cancel("c", "ann")

    async def story(_: FleetOffice) -> None:
        page = (await office.ask("GET", "/tasks")).json
        commands = {row["id"]: row["commands"] for row in page["items"]}
        assert commands["a"] == ["prefer", "edit", "priority", "block", "cancel"]
        assert commands["c"] == ["retry", "edit", "priority"]
        refused = await office.command("c", "cancel")
        assert refused.status == 409
        assert refused.json["detail"] == "c is failed: there is nothing left to give up"
        assert (await office.command("a", "burn")).status == 400
        assert (await office.command("a", "block", reason="x" * 10_001)).status == 400

    office.run(story)


def test_a_new_priority_keeps_an_edit_that_came_in_between(office: FleetOffice) -> None:
    office.submit("a")

    async def story(_: FleetOffice) -> None:
        fleet = await office.access.reach(office.fleet)
        wanted = TaskCommandRequest(command="priority", priority=9)
        order = DecisionOrder(fleet, office.engine.copy_of("a"), wanted, "ann")
        await asyncio.to_thread(office.engine.submit, [Task(id="a", prompt="else")])
        await office.commands.carry_out(order)
        assert office.engine.copy_of("a").task == Task(id="a", prompt="else", priority=9)

    office.run(story)


def test_decisions_reach_the_log_with_their_author_and_reason(office: FleetOffice) -> None:
    office.submit("a", "b")

    async def story(_: FleetOffice) -> None:
        done = await office.command("a", "block", reason="wait for the release")
        assert (done.status, done.json["ok"], done.json["task"]["state"]) == (
            200, True, "needs you",
        )  # fmt: skip
        assert done.json["task"]["why"] == "wait for the release"
        assert done.json["says"] == "a is blocked; no agent was at work on it"
        again = await office.command("a", "retry", message="use the new API")
        assert again.json["task"]["state"] == "ready"
        assert office.engine.copy_of("a").message == "use the new API"
        assert (await office.command("b", "priority", priority=9)).json["task"]["priority"] == 9
        assert (await office.command("a", "prefer")).status == 200
        assert office.engine.copy_of("a").preferred
        given_up = await office.command("b", "cancel")
        assert given_up.json["task"]["why"] == "cancelled by ada"

    office.run(story)


def test_a_task_at_work_loses_its_agent_when_it_is_blocked(office: FleetOffice) -> None:
    office.submit("a")
    office.claim()

    async def story(_: FleetOffice) -> None:
        done = (await office.command("a", "block")).json
        assert (done["ok"], done["task"]["status"]) == (True, "blocked")
        assert "0 processes were ended" in done["says"]

    office.run(story)


def test_a_merge_runs_in_the_background_and_its_result_stands_in_the_task(
    office: FleetOffice,
) -> None:
    office.submit("api", verify="test -f api.txt")
    office.do("api.txt")

    async def story(_: FleetOffice) -> None:
        begun = (await office.command("api", "merge")).json
        assert (begun["ok"], begun["task"]["merge"]) == (True, "merging")
        assert begun["task"]["commands"] == []
        again = (await office.command("api", "merge")).json
        assert again["says"] == "api is being merged already"
        await office.merges.settle()
        row = (await office.task("api"))["row"]
        assert (row["merge"], row["merge_says"].split(":")[0]) == ("merged", "merged into main")
        assert (await office.command("api", "merge")).status == 409

    office.run(story)
    assert (office.tree / "api.txt").exists()


def test_a_conflict_goes_back_to_the_agent_if_a_person_wants_that(office: FleetOffice) -> None:
    office.submit("api")
    office.do("README.md", "# Another shop\n")
    (office.tree / "README.md").write_text("# A third shop\n")
    office.git("commit", "-q", "-am", "meanwhile")

    async def story(_: FleetOffice) -> None:
        await office.command("api", "merge")
        await office.merges.settle()
        row = (await office.task("api"))["row"]
        assert (row["merge"], row["state"]) == ("conflict", "needs you")
        await office.command("api", "merge", resolve=True)
        await office.merges.settle()
        assert office.engine.copy_of("api").status is TaskStatus.PENDING

    office.run(story)


def test_a_merge_that_cannot_begin_is_told_in_the_history_of_its_task(office: FleetOffice) -> None:
    office.submit("api")
    office.do("api.txt")

    async def story(_: FleetOffice) -> None:
        await office.command("api", "merge", to="nowhere")
        await office.merges.settle()
        said = await office.task("api")
        assert said["row"]["merge"] == ""
        assert said["audit"][-1]["says"].startswith("it was not merged: ")

    office.run(story)


def test_a_merge_waits_for_those_it_is_built_on(office: FleetOffice) -> None:
    office.submit("api")
    office.submit("docs", depends_on=("api",))
    office.do("api.txt")
    office.do("docs.txt")

    async def story(_: FleetOffice) -> None:
        refused = await office.command("docs", "merge")
        assert refused.status == 409
        assert "docs holds the work of api, which is not merged" in refused.json["detail"]

    office.run(story)


def test_the_end_of_the_daemon_ends_a_merge_and_its_processes(office: FleetOffice) -> None:
    office.submit("api", verify="touch began; exec sleep 600")
    office.do("api.txt")

    async def story(_: FleetOffice) -> None:
        await office.command("api", "merge")
        async with asyncio.timeout(60):
            while not await asyncio.to_thread(office.home_files, "began"):
                await asyncio.sleep(0.02)
        for job in asyncio.all_tasks():
            if job.get_name() == "merge api":
                job.cancel()  # as the end of the daemon's loop does
        await office.merges.settle()
        assert not office.merges.is_under_way(office.fleet, "api")
        assert office.engine.copy_of("api").merge is None

    office.run(story)


def test_a_redirect_of_a_task_that_nobody_works_on_is_refused(office: FleetOffice) -> None:
    office.submit("a", "b")
    claim = office.claim()
    office.engine.note(DriverStarted(time(), "a", claim.ticket.attempt, "run-1", 0))

    async def story(_: FleetOffice) -> None:
        refused = await office.command("b", "redirect", to="a")
        assert refused.status == 409
        assert (await office.command("a", "redirect")).status == 400
        unknown = await office.command("a", "redirect", to="b")
        assert unknown.status == 409  # its run is in no log

    office.run(story)


def test_an_old_log_without_the_folder_finds_it_by_a_workspace(tmp_path: Path) -> None:
    office = FleetOffice(tmp_path)
    office.engine.go_by(office.engine._rules, lambda event: event)
    office.engine._folder = ""  # as an older version wrote it
    office.submit("a", "b")
    office.claim()

    async def story(_: FleetOffice) -> None:
        assert (await office.command("b", "prefer")).status == 200

    office.run(story)


def test_a_fleet_whose_repository_is_gone_says_what_to_do(office: FleetOffice) -> None:
    office.submit("a")
    office.tree.rename(office.tree.with_name("moved"))

    async def story(_: FleetOffice) -> None:
        refused = await office.command("a", "prefer")
        assert (refused.status, "handrail task list" in refused.json["detail"]) == (409, True)
        assert len((await office.ask("GET", "/tasks")).json["items"]) == 1

    office.run(story)


def test_a_question_is_listed_and_answered_and_the_last_answer_releases_the_task(
    office: FleetOffice,
) -> None:
    office.submit("api")
    ticket = office.claim().ticket
    for text in ("Which colour?", "Which size?"):
        office.engine.note(QuestionAsked(2.0, "api", 1, text, until=62.0))
    office.engine.finish(ticket, AttemptResult(outcome=AttemptOutcome.BLOCKED, says="2 wait"))

    async def answer(**body: object) -> AsgiResponse:
        return await office.ask("POST", "/tasks/api/answer", **body)

    async def story(_: FleetOffice) -> None:
        said = await office.task("api")
        first, second = said["questions"]
        assert (first["number"], first["text"], first["asked"], first["until"]) == (
            1, "Which colour?", 2.0, 62.0
        )  # fmt: skip
        assert said["row"]["questions"] == [first, second]
        assert said["row"]["commands"][0] == "answer"
        assert "Decide yourself" in said["default_answer"]
        unclear = await answer(text="Blue.")
        assert (unclear.status, "Open are: 1, 2" in unclear.json["detail"]) == (409, True)
        assert (await answer(text=" ", question=1)).status == 409
        assert (await answer(text="x" * 10_001, question=1)).status == 400
        done = (await answer(text="Blue.", question=1)).json
        assert done["says"] == "question 1 is answered"
        assert [each["number"] for each in done["task"]["questions"]] == [2]
        assert (await answer(text="Large.")).json["task"]["status"] == "pending"
        said = await office.task("api")
        assert [each["answer"] for each in said["questions"]] == ["Blue.", "Large."]
        assert "answer" not in said["row"]["commands"]
        assert (await answer(text="More.")).status == 409

    office.run(story)


def test_a_question_for_a_yes_or_no_names_its_approval(office: FleetOffice) -> None:
    office.submit("api")
    office.claim()
    office.engine.note(QuestionAsked(2.0, "api", 1, "May it do this? make", 9.0, "ab12"))

    async def story(_: FleetOffice) -> None:
        row = (await office.task("api"))["row"]
        assert row["questions"][0]["approval"] == "ab12"
        assert "answer" not in row["commands"]
        refused = await office.ask("POST", "/tasks/api/answer", text="Yes.")
        assert "handrail approve ab12" in refused.json["detail"]

    office.run(story)
