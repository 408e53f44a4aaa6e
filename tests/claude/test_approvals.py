"""The real Claude Code works under approval: a person answers each change, the agent cannot."""

import json
from collections.abc import Iterator

import pytest

from handrail.model.event import ActionReviewed, ApprovalAsked, ApprovalDecided
from handrail.testing.model_server import ModelRequest, Say, Step, ToolCall
from tests.claude.supervised import SupervisedSandbox, bash, supervised, until
from tests.claude.test_corrections import AT_ONCE, once, settings
from tests.claude.test_resume import stop


@pytest.fixture(scope="module")
def stopped() -> Iterator[tuple[SupervisedSandbox, str]]:
    """A run that a person lets go on under approval, with a note, and its session."""
    with supervised() as world:
        session, incident = stop(world)
        world.handrail(
            "incident",
            "resume",
            incident,
            "--option",
            "manual_approval",
            "--note",
            "Leave the cart alone.",
        )
        yield world, session


def waiting(world: SupervisedSandbox, says: str) -> str:
    """The id of the question about an action, as soon as it waits."""

    def look() -> str | None:
        listed = json.loads(world.handrail("approvals", "--json"))
        return next((each["id"] for each in listed if says in each["says"]), None)

    return until(look, f"nothing waits: {says}")


def going_on(session: str) -> tuple[str, ...]:
    return ("--resume", session)


@pytest.mark.parametrize("answer", ["approve", "deny"])
def test_a_change_waits_until_a_person_has_answered(
    stopped: tuple[SupervisedSandbox, str], answer: str
) -> None:
    world, session = stopped
    call = bash(f"touch {answer}.txt", f"call-{answer}")
    running = world.bed.start(
        "Go on.", once(call), mode="bypassPermissions", args=going_on(session)
    )
    name = waiting(world, f"touch {answer}.txt")
    assert not (world.repo / f"{answer}.txt").exists()
    world.handrail(answer, name, "--reason", "because I say so")
    done = running.wait()
    assert (world.repo / f"{answer}.txt").exists() is (answer == "approve")
    if answer == "deny":
        assert "because I say so" in done.tool_results()[call.id].text
    decided = [event for event in world.events() if isinstance(event, ApprovalDecided)]
    assert decided[-1].approved is (answer == "approve")
    if answer == "approve":
        used = [event for event in world.events() if isinstance(event, ActionReviewed)]
        assert used[-1].approval == name


def test_the_note_is_in_the_model_s_next_request(stopped: tuple[SupervisedSandbox, str]) -> None:
    world, session = stopped
    done = world.run("Go on.", once(bash("ls", "look")), args=going_on(session))
    # It was told with the first prompt of the session, which is part of every later request.
    assert any("Leave the cart alone." in request.text for request in done.requests)


def test_an_agent_can_neither_approve_nor_deny_its_own_action() -> None:
    with supervised() as world:
        settings(world, f"{AT_ONCE}control: {{hold_seconds: 1}}\n")
        session, incident = stop(world, settle=False)
        world.handrail("incident", "resume", incident, "--option", "manual_approval")
        tries = [
            bash("touch mine.txt", "want"),
            bash("handrail approve last", "a"),
            bash("env -u CLAUDECODE handrail approve last", "b"),
            bash("handrail deny last", "c"),
        ]

        def step(request: ModelRequest) -> ToolCall | Say:
            left = [call for call in tries if call.id not in request.tool_results]
            return left[0] if left else Say("I cannot.")

        script: list[Step] = [step] * 99
        world.run("Go on.", script, args=going_on(session))
        assert not (world.repo / "mine.txt").exists()
        assert any(isinstance(event, ApprovalAsked) for event in world.events())
        assert not any(isinstance(event, ApprovalDecided) for event in world.events())
        # A person approves it later: the same call runs, once, and the agent is told.
        world.handrail("approve", waiting(world, "touch mine.txt"))
        done = world.run("Go on.", once(bash("touch mine.txt", "again")), args=going_on(session))
        assert (world.repo / "mine.txt").exists()
        assert any("approved `Bash: touch mine.txt`" in each.text for each in done.requests)
