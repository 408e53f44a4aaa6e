"""What the agent is told."""

from types import SimpleNamespace
from typing import cast

from handrail.drive.completion_mark import BLOCKED, DONE, find_completion_mark
from handrail.drive.daemon_client import IterationPermission
from handrail.drive.prompts import AgentBriefing, first_prompt, next_prompt
from handrail.drive.verify import Verification
from handrail.hosts.driven_agent import DrivenAgent
from handrail.model.control import Standing

FAILED = Verification(ok=False, how="exit code 1", says="E  assert 1 == 2")


def an_agent() -> DrivenAgent:
    return cast("DrivenAgent", SimpleNamespace(pid=1, model=""))


def go(*messages: str, goal: str = "") -> IterationPermission:
    return IterationPermission(standing=Standing.RUNNING, goal=goal, messages=messages)


def test_the_first_prompt_has_the_goal_and_how_to_say_that_it_is_done() -> None:
    prompt = first_prompt("Fix the parser", verify="make test")
    assert prompt.startswith("Fix the parser\n")
    assert f"\n{DONE}\n" in prompt
    assert f"\n{BLOCKED}: " in prompt
    assert "make test" in prompt


def test_an_agent_that_only_repeats_its_prompt_is_not_done() -> None:
    mark = find_completion_mark(first_prompt("Fix the parser"))
    assert mark is None or not mark.done


def test_the_next_prompt_tells_what_the_verify_command_printed() -> None:
    prompt = next_prompt(verify="make test", verified=FAILED)
    assert "did not pass (exit code 1): make test" in prompt
    assert "```\nE  assert 1 == 2\n```" in prompt
    assert f"\n{DONE}\n" in prompt


def test_a_verification_that_has_passed_is_not_told() -> None:
    assert (
        next_prompt(verified=Verification(ok=True, how="exit code 0", says="ok")) == next_prompt()
    )


def test_output_with_fences_stays_in_its_fence() -> None:
    prompt = next_prompt(
        verify="x", verified=Verification(ok=False, how="exit code 1", says="```\na")
    )
    assert "````\n```\na\n````" in prompt


def test_an_agent_is_told_the_goal_once_and_then_only_to_go_on() -> None:
    brief, agent = AgentBriefing("Fix it", ""), an_agent()
    brief.note(go())
    assert brief.prompt(agent, None, resumed=False) == first_prompt("Fix it")
    brief.told(broken_off=False)
    assert brief.prompt(agent, None, resumed=True) == next_prompt()


def test_another_process_is_told_everything_again() -> None:
    brief = AgentBriefing("Fix it", "make test")
    brief.prompt(an_agent(), None, resumed=False)
    brief.told(broken_off=False)
    prompt = brief.prompt(an_agent(), FAILED, resumed=True)
    assert prompt == first_prompt("Fix it", verify="make test", verified=FAILED, resumed=True)
    assert "started again" in prompt


def test_messages_are_told_until_the_agent_has_got_them() -> None:
    brief, agent = AgentBriefing("Fix it", ""), an_agent()
    brief.note(go("Use tabs"))
    assert "Use tabs" in brief.prompt(agent, None, resumed=False)
    brief.note(go("And no globals"))
    again = brief.prompt(agent, None, resumed=False)
    assert again == first_prompt("Fix it", news=["Use tabs", "And no globals"])
    brief.told(broken_off=False)
    assert brief.prompt(agent, None, resumed=True) == next_prompt()


def test_a_new_goal_is_told_once_and_stays() -> None:
    brief, agent = AgentBriefing("Fix it", ""), an_agent()
    brief.prompt(agent, None, resumed=False)
    brief.told(broken_off=False)
    brief.note(go(goal="Write docs"))
    assert brief.prompt(agent, None, resumed=True) == next_prompt(goal="Write docs")
    brief.told(broken_off=False)
    brief.note(go(goal="Write docs"))
    assert brief.prompt(agent, None, resumed=True) == next_prompt()
    assert brief.prompt(an_agent(), None, resumed=True) == first_prompt("Write docs", resumed=True)


def test_a_new_goal_that_somebody_tells_is_not_told_twice() -> None:
    brief, agent = AgentBriefing("Fix it", ""), an_agent()
    brief.prompt(agent, None, resumed=False)
    brief.told(broken_off=False)
    brief.note(go("Ada has given you another task: Write docs", goal="Write docs"))
    assert brief.prompt(agent, None, resumed=True).count("Write docs") == 1


def test_who_was_interrupted_is_told_so() -> None:
    brief, agent = AgentBriefing("Fix it", ""), an_agent()
    brief.prompt(agent, None, resumed=False)
    brief.told(broken_off=True)
    assert "interrupted" in brief.prompt(agent, None, resumed=True)


def test_an_agent_that_stopped_without_a_marker_hears_so_once() -> None:
    brief, agent = AgentBriefing("Fix it", ""), an_agent()
    brief.prompt(agent, None, resumed=False)
    brief.told(broken_off=False, missing="No line says how it stands.")
    assert brief.prompt(agent, None, resumed=False).startswith("No line says how it stands.\n")
    brief.told(broken_off=False)
    assert "No line" not in brief.prompt(agent, None, resumed=False)
