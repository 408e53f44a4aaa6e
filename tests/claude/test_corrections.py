"""The real Claude Code goes wrong, and is corrected: a hint, the next level, a way back, a stop."""

import os

import psutil

from handrail.model.event import (
    CheckpointTaken,
    Event,
    FindingMade,
    Intervened,
    InterventionJudged,
    RolledBack,
    StopConfirmed,
)
from handrail.model.intervention import InterventionName
from handrail.testing.model_server import Say, Script, Step, ToolCall
from tests.claude.sandbox import FinishedSession
from tests.claude.supervised import SupervisedSandbox, bash, supervised, until
from tests.project_settings import write_confirmed

AT_ONCE = """\
interventions:
  intervention_cooldown_seconds: 0
  strategy: {escalation_delay_seconds: 0, escalation_delay_actions: 1}
"""
FAILING = "echo 'cannot open cart.txt' >&2; exit 3"


def settings(world: SupervisedSandbox, text: str) -> None:
    write_confirmed(world.repo, text, world.bed.environ)


def loop(times: int, command: str = FAILING) -> list[ToolCall]:
    return [bash(command, f"c{number}") for number in range(1, times + 1)]


def once(call: ToolCall) -> list[Step]:
    """A script for a session that goes on: one call, however long it was before."""
    return [lambda request: Say("Done.") if call.id in request.tool_results else call] * 99


def made(world: SupervisedSandbox) -> list[str]:
    """The means of all interventions, in order."""
    return [e.intervention.means for e in world.events() if isinstance(e, Intervened)]


def interventions(world: SupervisedSandbox) -> list[Intervened]:
    return [event for event in world.events() if isinstance(event, Intervened)]


def request(session: FinishedSession, turn: int) -> str:
    """All that the model was sent for its answer with this number, counted from 0."""
    return next(asked.text for asked in session.requests if asked.turn == turn and asked.tools)


def test_a_hint_is_in_the_models_next_request() -> None:
    with supervised() as world:
        session = world.run("Fix the cart.", [*loop(4), Say("I stop.")])
        first = interventions(world)[0].intervention
        assert first.means == InterventionName.SOFT_CORRECTION
        assert "cannot open cart.txt" in first.guidance
        before, after = (request(session, first.step + each) for each in (-1, 0))
        assert first.guidance not in before
        assert first.guidance in after


def test_who_goes_on_gets_the_next_level_and_never_the_same_text() -> None:
    with supervised() as world:
        settings(world, AT_ONCE)
        world.run("Fix the cart.", [*loop(9), Say("I stop.")])
        texts = [each.intervention.guidance for each in interventions(world)]
        assert len(set(texts)) == len(texts)
        ladder = list(InterventionName)
        levels = [ladder.index(InterventionName(means)) for means in made(world)]
        assert levels[0] == 0
        assert levels[-1] > levels[0]
        assert levels == sorted(levels)


def test_who_changes_course_was_helped() -> None:
    with supervised() as world:
        other = [bash(f"echo {number} > part{number}.txt", f"d{number}") for number in range(8)]
        world.run("Fix the cart.", [*loop(3), *other, Say("Done.")])
        judged = [event for event in world.events() if isinstance(event, InterventionJudged)]
        assert [event.worked for event in judged][-1:] == [True]


def test_an_agent_that_gets_on_is_left_alone() -> None:
    with supervised() as world:
        script: Script = [
            bash("ls", "a"),
            ToolCall("Write", {"file_path": f"{world.repo}/cart.py", "content": "x = 1\n"}, "b"),
            bash("python3 cart.py", "c"),
            ToolCall("Read", {"file_path": f"{world.repo}/cart.py"}, "d"),
            bash("echo 'print(x)' >> cart.py", "e"),
            bash("python3 cart.py", "f"),
            Say("The cart prints 1."),
        ]
        world.run("Write the cart.", script)
        assert [event for event in world.events() if isinstance(event, FindingMade)] == []


def alive(mark: str) -> list[str]:
    """Command lines of living processes that hold a text."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        line = " ".join(process.info["cmdline"] or ())
        if mark in line and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(line)
    return found


def test_an_emergency_stop_leaves_no_process() -> None:
    with supervised() as world:
        settings(world, AT_ONCE)
        mark = f"4{os.getpid()}"
        program = f"trap '' TERM; sleep {mark}; sleep {mark}"
        stubborn = f'nohup setsid sh -c "{program}" >/dev/null 2>&1 &'
        world.run("Fix the cart.", [bash(stubborn, "bg"), *loop(30), Say("I stop.")])
        confirmed = until(
            lambda: [e for e in world.events() if isinstance(e, StopConfirmed)], "no stop"
        )
        assert made(world)[-1] == InterventionName.EMERGENCY_STOP
        assert confirmed[0].left == ()
        assert alive(mark) == []
        incident = confirmed[0].incident
        assert "# " in world.handrail("incident", "show", incident)


def steps_after_stop(events: list[Event]) -> int:
    stop = next(
        number
        for number, event in enumerate(events)
        if isinstance(event, Intervened)
        and event.intervention.means == InterventionName.EMERGENCY_STOP
    )
    return sum(type(event).__name__ == "ActionEnded" for event in events[stop:])


def test_a_stopped_run_does_nothing_more_until_a_person_lets_it() -> None:
    with supervised() as world:
        settings(world, AT_ONCE)
        world.run("Fix the cart.", [*loop(30), Say("I stop.")])
        until(lambda: [e for e in world.events() if isinstance(e, StopConfirmed)], "no stop")
        assert steps_after_stop(world.events()) == 0
        incident = interventions(world)[-1].intervention.incident
        [run] = world.topics()
        resume = ("--resume", run.removeprefix("run:"))
        world.run("Go on.", once(bash("touch before.txt", "x1")), args=resume)
        assert not (world.repo / "before.txt").exists()
        world.handrail("incident", "resume", incident, "--option", "resume_with_limits")
        world.run("Go on now.", once(bash("touch after.txt", "x2")), args=resume)
        assert (world.repo / "after.txt").exists()


def test_a_rollback_puts_back_what_shell_commands_did() -> None:
    with supervised() as world:
        text = AT_ONCE + "  soft_correction: {enabled: false}\n"
        settings(world, text + "  context_reinforcement: {enabled: false}\n")
        (world.repo / "cart.txt").write_text("three apples\n")
        (world.repo / "check.sh").write_text(f"grep -q apples cart.txt || {{ {FAILING}; }}\n")
        spoil = bash("echo spoilt > cart.txt; touch junk.txt", "spoil")
        check = "sh check.sh"
        world.run("Fix the cart.", [bash(check, "ok"), spoil, *loop(8, check), Say("I stop.")])
        events = world.events()
        assert any(isinstance(event, CheckpointTaken) for event in events)
        back = [event for event in events if isinstance(event, RolledBack)]
        assert [event.problem for event in back][:1] == [""]
        assert {"cart.txt", "junk.txt"} <= set(back[0].files)
