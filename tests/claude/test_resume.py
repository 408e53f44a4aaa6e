"""The real Claude Code was stopped: each way on works, and only a person can choose one."""

import os

import pytest

from handrail.intervene.incidents.folders import IncidentFolders
from handrail.intervene.incidents.recovery import STRICT
from handrail.model.event import ActionReviewed, Intervened, StopConfirmed
from handrail.model.intervention import InterventionName
from handrail.testing.model_server import ModelRequest, Say, Script, ToolCall
from tests.claude.claude_terminal import terminal
from tests.claude.supervised import SupervisedSandbox, bash, supervised, until
from tests.claude.test_corrections import AT_ONCE, FAILING, alive, loop, once, settings

SPOIL = f"echo spoilt > cart.txt; {FAILING}"


def stop(world: SupervisedSandbox, *, settle: bool = True) -> tuple[str, str]:
    """Have a run stopped; its session and its incident. `settle`: with settings for it."""
    if settle:
        settings(world, AT_ONCE)
    (world.repo / "cart.txt").write_text("three apples\n")
    world.run("Fix the cart.", [*loop(30, SPOIL), Say("I stop.")])
    [confirmed] = until(lambda: stops(world), "no stop")
    [topic] = world.topics()
    return topic.removeprefix("run:"), confirmed.incident


def stops(world: SupervisedSandbox) -> list[StopConfirmed]:
    return [event for event in world.events() if isinstance(event, StopConfirmed)]


@pytest.mark.parametrize(
    ("option", "goes_on", "cart"),
    [
        ("rollback_and_retry", True, "three apples\n"),
        ("resume_with_limits", True, "spoilt\n"),
        ("abort", False, "spoilt\n"),
    ],
)
def test_each_way_on_does_what_it_says(option: str, goes_on: bool, cart: str) -> None:
    with supervised() as world:
        session, incident = stop(world)
        (world.repo / "cart.txt").write_text("spoilt\n")
        world.handrail("incident", "resume", incident, "--option", option)
        assert (world.repo / "cart.txt").read_text() == cart
        world.run("Go on.", once(bash("touch on.txt", "x1")), args=("--resume", session))
        assert (world.repo / "on.txt").exists() is goes_on


def test_an_agent_cannot_decide_about_the_stop_of_another() -> None:
    with supervised() as world:
        _, incident = stop(world)
        command = f"handrail incident resume {incident} --option resume_with_limits"
        tries = [
            bash(command, "a"),
            bash(f"env -u CLAUDECODE {command}", "b"),
            bash(f"printf '%s' 'unset CLAUDECODE; {command}' > go.sh; sh go.sh", "c"),
        ]
        world.run("Let it go on.", [*tries, Say("I cannot.")])
        assert IncidentFolders(world.state.incidents).read(incident).resolution is None


def test_a_stop_that_a_killed_daemon_did_not_finish_is_finished_by_the_next() -> None:
    with supervised() as world:
        settings(world, AT_ONCE)
        mark = f"5{os.getpid()}"
        program = f"trap '' TERM; sleep {mark}; sleep {mark}"
        stubborn = f'nohup setsid sh -c "{program}" >/dev/null 2>&1 &'
        script: Script = [bash(stubborn, "bg"), *loop(30), Say("I stop.")]
        running = world.bed.start("Fix the cart.", script, mode="bypassPermissions")
        until(lambda: stopping(world), "no stop was begun")
        world.kill()
        running.wait()
        [topic] = world.topics()
        world.run("Go on.", [Say("No.")], args=("--resume", topic.removeprefix("run:")))
        [confirmed] = until(lambda: stops(world), "the stop was not finished")
        assert confirmed.left == ()
        assert alive(mark) == []


def stopping(world: SupervisedSandbox) -> bool:
    return os.path.exists(world.state.log) and any(
        isinstance(event, Intervened)
        and event.intervention.means == InterventionName.EMERGENCY_STOP
        for event in world.events()
    )


def test_somebody_at_the_session_keeps_the_window_and_decides_in_it() -> None:
    with supervised() as world:
        settings(world, AT_ONCE)
        (world.repo / "cart.txt").write_text("three apples\n")
        read = ToolCall("Read", {"file_path": str(world.repo / "cart.txt")})

        def step(request: ModelRequest) -> Say | ToolCall:
            return Say("I am back.") if "Go on now." in request.text else read

        with terminal(world.bed, [step] * 99, "manual") as screen:
            screen.wait_for("? for shortcuts")
            screen.say("Count the apples.")
            screen.wait_for("hook stopped continuation")
            [confirmed] = until(lambda: stops(world), "no stop")
            assert "the window that the person sits at" in confirmed.says
            screen.say("Go on.")
            screen.wait_for("This prompt was not sent")
            world.handrail(
                "incident", "resume", confirmed.incident, "--option", "resume_with_limits"
            )
            screen.say("Go on now.")
            screen.wait_for("I am back.")


def test_limits_after_a_stop_are_put_on_commands_and_enforced() -> None:
    with supervised() as world:
        session, incident = stop(world)
        world.handrail("incident", "resume", incident, "--option", "resume_with_limits")
        before = len(world.events())
        calls = [bash(f"touch part{number}.txt", f"p{number}") for number in range(8)]

        def next_call(request: ModelRequest) -> ToolCall | Say:
            left = [call for call in calls if call.id not in request.tool_results]
            return left[0] if left else Say("Done.")

        world.run("Go on.", [next_call] * 99, args=("--resume", session))
        reviewed = [e for e in world.events()[before:] if isinstance(e, ActionReviewed)]
        assert reviewed[0].verdict.updated_input is not None
        assert reviewed[0].verdict.updated_input["timeout"] == STRICT.command_seconds * 1000
        made = sorted(path.name for path in world.repo.glob("part*.txt"))
        assert len(made) == STRICT.calls_per_minute
