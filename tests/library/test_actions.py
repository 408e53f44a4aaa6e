"""Actions are reviewed before they run, and what came of them is heard: here and by the daemon."""

import asyncio
import json
from pathlib import Path
from time import sleep

import pytest

import handrail
from handrail import ActionBlockedError, Decision, StartError
from handrail.model.event import ActionDropped, ActionEnded, ActionReviewed, BreachFound, RunStarted

from .conftest import SupervisedProject

pytestmark = pytest.mark.slow


def ended(supervisor: handrail.Supervisor) -> list[ActionEnded]:
    return [event for event in supervisor.events() if isinstance(event, ActionEnded)]


def test_what_only_reads_may_run(either: SupervisedProject) -> None:
    supervisor = either.supervise(goal="fix the cart total")
    verdict = supervisor.before("Bash", {"command": "ls"})
    assert (verdict.allowed, verdict.input, verdict.guidance) == (True, {"command": "ls"}, "")
    assert supervisor.after(verdict, "src", exit_code=0) == ""
    (end,) = ended(supervisor)
    assert (end.outcome.ok, end.outcome.exit_code, end.outcome.output) == (True, 0, "src")


def test_what_destroys_is_refused_with_a_way_out(either: SupervisedProject) -> None:
    verdict = either.supervise().before("Bash", {"command": "rm -rf /"})
    assert not verdict.allowed
    assert verdict.decision is Decision.BLOCK
    assert verdict.reason in verdict.guidance.replace("it deletes", "It deletes")
    assert "Do this instead" in verdict.guidance


def test_a_rewritten_input_is_what_to_run(either: SupervisedProject) -> None:
    verdict = either.supervise().before("Bash", {"command": "git push -f", "timeout": 5})
    assert verdict.allowed
    assert verdict.decision is Decision.MODIFY
    assert verdict.input == {"command": "git push --force-with-lease", "timeout": 5}
    assert "changed this command" in verdict.guidance


def test_a_tool_that_nobody_knows_is_pointed_out(either: SupervisedProject) -> None:
    verdict = either.supervise().before("launch_rocket", {"to": "moon"})
    assert verdict.decision is Decision.WARN


def test_a_block_is_entered_only_if_the_action_may_run(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    with supervisor.action("Bash", {"command": "ls"}) as action:
        action.done("src", exit_code=0)
    with (
        pytest.raises(ActionBlockedError) as caught,
        supervisor.action("Bash", {"command": "rm -rf /"}),
    ):
        pytest.fail("it was entered")
    assert str(caught.value) == caught.value.verdict.guidance
    assert not caught.value.verdict.allowed


def test_a_block_that_raises_is_a_failure_and_the_exception_goes_on(
    either: SupervisedProject,
) -> None:
    supervisor = either.supervise()
    with (
        pytest.raises(ZeroDivisionError),
        supervisor.action("Bash", {"command": "ls"}),
    ):
        _ = 1 / 0
    with supervisor.action("Bash", {"command": "ls src"}):
        pass
    failed, silent = ended(supervisor)
    assert (failed.outcome.ok, failed.outcome.error) == (
        False,
        "ZeroDivisionError: division by zero",
    )
    assert (silent.outcome.ok, silent.outcome.output) == (True, "")


def test_in_an_event_loop_it_is_the_same(either: SupervisedProject) -> None:
    supervisor = either.supervise()

    async def work() -> None:
        async with supervisor.action("Bash", {"command": "ls"}) as action:
            action.done("src", exit_code=0)
        with pytest.raises(ActionBlockedError):
            async with supervisor.action("Bash", {"command": "rm -rf /"}):
                pytest.fail("it was entered")
        verdict = await supervisor.before_async("Bash", {"command": "cat notes.txt"})
        assert await supervisor.after_async(verdict, "a note") == ""

    asyncio.run(work())
    assert [end.outcome.output for end in ended(supervisor)] == ["src", "a note"]


def test_an_action_is_entered_once(project: SupervisedProject) -> None:
    action = project.supervise().action("Bash", {"command": "ls"})
    with action:
        pass
    with pytest.raises(RuntimeError, match="once"), action:
        pytest.fail("it was entered")


def test_what_was_refused_and_ran_is_a_breach(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    verdict = supervisor.before("Bash", {"command": "rm -rf /"})
    assert "ran all the same" in supervisor.after(verdict, "")
    assert any(isinstance(event, BreachFound) for event in supervisor.events())


def test_what_ran_without_a_review_is_a_breach(either: SupervisedProject) -> None:
    other = either.supervise().before("Bash", {"command": "rm -rf /"})
    supervisor = either.supervise()
    assert "without having been reviewed" in supervisor.after(other, "")


def test_the_same_outcome_twice_counts_once(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    verdict = supervisor.before("Bash", {"command": "ls"})
    supervisor.after(verdict, "src")
    supervisor.after(verdict, "src")
    assert len(ended(supervisor)) == 1


def test_an_action_that_did_not_run_is_dropped(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    supervisor.drop(supervisor.before("Bash", {"command": "ls"}), "changed its mind")
    (dropped,) = [each for each in supervisor.events() if isinstance(each, ActionDropped)]
    assert dropped.says == "changed its mind"


def test_the_scope_of_the_run_counts(either: SupervisedProject) -> None:
    supervisor = either.supervise(scope=["src"])
    inside = supervisor.before(
        "Write", {"file_path": str(either.folder / "src/a.py"), "content": ""}
    )
    outside = supervisor.before("Bash", {"command": "rm notes.txt"})
    assert inside.allowed
    assert not outside.allowed
    assert outside.alarm == ""
    open_scope = either.supervise()
    assert open_scope.before("Bash", {"command": "rm notes.txt"}).allowed


def test_settings_that_forbid_more_count_beside_the_scope(either: SupervisedProject) -> None:
    either.settings("protected: [src/cart.py]\n")
    supervisor = either.supervise(scope=["src"], goal="anything")
    given = {"file_path": str(either.folder / "src/cart.py"), "content": ""}
    assert not supervisor.before("Write", given).allowed


def test_settings_that_change_meanwhile_can_only_forbid(project: SupervisedProject) -> None:
    project.settings("goal: anything\n")
    supervisor = project.supervise(scope=["src"])
    given = {"file_path": str(project.folder / "src/cart.py"), "content": ""}
    assert supervisor.before("Write", given).alarm == ""
    project.settings("goal: anything\nprotected: [src/cart.py]\n")
    sleep(1.1)  # files are looked at once a second
    assert not supervisor.before("Write", given).allowed
    assert not supervisor.before("Bash", {"command": "rm notes.txt"}).allowed
    project.settings("goal: anything\n")
    sleep(1.1)
    assert supervisor.before("Write", given).allowed
    assert not supervisor.before("Bash", {"command": "rm notes.txt"}).allowed


def test_the_goal_is_known(project: SupervisedProject) -> None:
    supervisor = project.supervise(goal="fix the cart total")
    (started,) = [event for event in supervisor.events() if isinstance(event, RunStarted)]
    assert started.settings is not None
    assert started.settings.values["goal"] == "fix the cart total"
    assert (started.host, started.cwd) == ("python", str(project.folder))


@pytest.mark.parametrize(
    "given",
    [
        {"command": {1, 2}},
        {"command": b"ls"},
        {"command": float("nan")},
        {1: "ls"},
        ["ls"],
        "ls",
        None,
    ],
    ids=str,
)
def test_an_input_that_is_no_json_is_a_type_error(
    project: SupervisedProject, given: dict[str, object]
) -> None:
    supervisor = project.supervise()
    with pytest.raises(TypeError, match="the input of Bash must be"):
        supervisor.before("Bash", given)
    with pytest.raises(TypeError, match="the input of Bash must be"):
        supervisor.action("Bash", given)


def test_an_input_in_a_circle_is_a_type_error(project: SupervisedProject) -> None:
    circle: dict[str, object] = {}
    circle["self"] = circle
    with pytest.raises(TypeError, match="must be JSON"):
        project.supervise().before("Bash", circle)


def test_a_tool_needs_a_name(project: SupervisedProject) -> None:
    with pytest.raises(TypeError, match="is a name"):
        project.supervise().before("", {})


@pytest.mark.parametrize("command", ["x" * 40_000_000, "echo \ud800", "(" * 100_000])
def test_an_input_that_cannot_be_read_is_refused(project: SupervisedProject, command: str) -> None:
    assert not project.supervise().before("Bash", {"command": command}).allowed


def test_an_empty_input_is_reviewed(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    assert not supervisor.before("Bash", {}).allowed
    assert supervisor.before("Bash", {"command": ""}).decision is not None


def test_what_the_caller_changes_after_the_review_does_not_run(project: SupervisedProject) -> None:
    given: dict[str, object] = {"command": "ls"}
    verdict = project.supervise().before("Bash", given)
    given["command"] = "rm -rf /"
    assert verdict.input == {"command": "ls"}


def test_it_cannot_begin_without_a_folder(either: SupervisedProject) -> None:
    with pytest.raises(StartError, match="is no folder"):
        either.supervise(folder=either.folder / "missing")


def test_it_cannot_begin_with_broken_settings(either: SupervisedProject) -> None:
    either.settings("goal: [\n")
    with pytest.raises(StartError, match=r"handrail\.yaml"):
        either.supervise()


def test_it_cannot_begin_with_a_scope_that_is_everything(either: SupervisedProject) -> None:
    with pytest.raises(StartError, match="everything in scope"):
        either.supervise(scope=["/"])


def test_after_the_end_it_cannot_be_used(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    verdict = supervisor.before("Bash", {"command": "ls"})
    supervisor.close()
    supervisor.close()
    for use in (
        lambda: supervisor.before("Bash", {"command": "ls"}),
        lambda: supervisor.after(verdict),
        supervisor.pause,
        supervisor.events,
        supervisor.checkpoints,
        supervisor.undo,
        lambda: supervisor.subscribe(print),
    ):
        with pytest.raises(handrail.SupervisorClosedError):
            use()


def test_the_log_in_a_file_has_everything_before_the_answer(project: SupervisedProject) -> None:
    log = project.folder.parent / "own.db"
    supervisor = project.supervise(log=log)
    verdict = supervisor.before("Bash", {"command": "rm notes.txt"})
    with project.supervise(log=log) as other:
        events = [event for _, event in _all_events(log, supervisor.run)]
        assert other.run != supervisor.run
    (reviewed,) = [event for event in events if isinstance(event, ActionReviewed)]
    assert reviewed.verdict.decision is verdict.decision


def _all_events(log: Path, run: str) -> list[tuple[int, handrail.Event]]:
    from handrail.library.engine import events_in
    from handrail.store.opening import open_log

    store = open_log(str(log), "read")
    try:
        return events_in(store, run, 0)
    finally:
        store.close()


def test_it_cannot_begin_with_a_log_that_cannot_be_opened(project: SupervisedProject) -> None:
    with pytest.raises(StartError):
        project.supervise(log=project.folder)


def test_the_command_line_sees_a_run_of_the_daemon(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    supervisor.before("Bash", {"command": "ls"})
    shown = json.loads(either.sandbox.run("status", "--json").stdout)["runs"]
    is_there = supervisor.run in [each["run"] for each in shown]
    assert is_there == either.daemon
