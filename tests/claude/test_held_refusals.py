"""The real Claude Code is refused something that a person may overrule: they decide, not it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from handrail.api.messages.approvals import ApprovalDecision, EditOrder
from handrail.model.event import ApprovalAsked, ApprovalDecided
from handrail.server.http.api_connection import connect_api
from handrail.testing.model_server import ModelRequest, Say, Step, ToolCall
from tests.claude.supervised import STOPPED, SupervisedSandbox, bash, supervised, until
from tests.claude.test_approvals import waiting
from tests.claude.test_corrections import once, settings
from tests.message_box import mailbox

PUBLISH = "npm publish --access public"


@contextmanager
def publishing(approvals: str = "", more: str = "") -> Iterator[SupervisedSandbox]:
    """A project whose refusals wait for a person; `npm` only notes what it should publish."""
    with supervised() as world:
        world.program("npm", 'echo "$*" >> "$HOME/published"')
        settings(world, f"approvals: {{hold_refused: true{approvals}}}\n{more}")
        yield world


def published(world: SupervisedSandbox) -> list[str]:
    file = world.bed.home / "published"
    return file.read_text().splitlines() if file.exists() else []


def in_turn(*steps: Step) -> list[Step]:
    """A script whose steps come one after the other, however often the model is asked."""
    return [*steps, Say("Done.")]


def test_a_held_call_is_approved_once_and_the_next_is_denied_over_the_api() -> None:
    with publishing() as world:
        calls = [bash(PUBLISH, "first"), bash(PUBLISH, "second")]
        running = world.bed.start("Publish it.", [*calls, Say("Done.")], mode="bypassPermissions")
        name = waiting(world, PUBLISH)
        assert published(world) == []
        world.handrail("approve", name, "--reason", "version 2.1")
        until(lambda: waiting(world, PUBLISH) != name, "the second call does not wait")
        other = waiting(world, PUBLISH)
        row = connect_api(world.state).get_approval(other)
        assert (row.state, row.refused, row.input["command"]) == ("waiting", True, PUBLISH)
        assert row.why
        assert PUBLISH in row.always
        connect_api(world.state).decide_approval(other, ApprovalDecision("deny", "once is enough"))
        results = running.wait().tool_results()
        assert published(world) == ["publish --access public"]
        assert "once is enough" in results["second"].text


def test_a_person_runs_another_command_instead_and_the_agent_reads_it() -> None:
    with publishing() as world:
        running = world.bed.start("Publish.", once(bash(PUBLISH, "a")), mode="bypassPermissions")
        name = waiting(world, PUBLISH)
        edited: dict[str, object] = {"command": "npm publish --dry-run"}
        seen = connect_api(world.state).review_edit(name, EditOrder(edited))
        assert seen.possible
        said = world.handrail(
            "approve", name, "--edit", "npm publish --dry-run", "--reason", "look first"
        )
        assert "npm publish --dry-run" in said
        done = running.wait()
        assert published(world) == ["publish --dry-run"]
        assert any("changed it to `Bash: npm publish --dry-run`" in e.text for e in done.requests)
        assert any("Why: look first" in each.text for each in done.requests)


def test_an_approval_after_the_wait_is_told_and_lets_exactly_this_through_once() -> None:
    def approve(request: ModelRequest) -> ToolCall:
        assert "Go on with something else" in request.tool_results["late"].text
        world.handrail("approve", waiting(world, PUBLISH))
        return bash("ls", "look")

    with publishing(", wait_seconds: 1") as world:
        script = in_turn(
            bash(PUBLISH, "late"),
            approve,
            bash(f"{PUBLISH} --tag next", "other"),
            bash(PUBLISH, "again"),
            bash(PUBLISH, "twice"),
        )
        done = world.run("Publish it.", script)
        assert published(world) == ["publish --access public"]
        assert any("make exactly this call again, it may run once" in e.text for e in done.requests)
        for refused in ("late", "other", "twice"):
            assert STOPPED in done.tool_results()[refused].text


def test_a_question_that_nobody_answers_is_a_no() -> None:
    def closed(request: ModelRequest) -> ToolCall:
        until(lambda: json.loads(world.handrail("approvals", "--json")) == [], "still open")
        return bash(PUBLISH, "again")

    with publishing(", answer_minutes: 0.03, unanswered: deny") as world:
        done = world.run("Publish it.", in_turn(bash(PUBLISH, "first"), closed))
        assert "nobody answered in time" in done.tool_results()["again"].text
        assert published(world) == []
        assert len([e for e in world.events() if isinstance(e, ApprovalAsked)]) == 1


def test_what_is_allowed_for_good_is_not_asked_about_again() -> None:
    with publishing() as world:
        running = world.bed.start("Publish.", once(bash(PUBLISH, "a")), mode="bypassPermissions")
        shown = world.handrail("approve", waiting(world, PUBLISH), "--always", "--yes")
        assert f'command: "{PUBLISH}"' in shown
        running.wait()
        world.run("Publish again.", once(bash(PUBLISH, "b")))
        assert published(world) == ["publish --access public"] * 2
        assert len([e for e in world.events() if isinstance(e, ApprovalAsked)]) == 1


def test_an_agent_can_neither_approve_nor_see_the_link() -> None:
    with mailbox() as (address, letters):
        notify = f"notify: {{approvals: ['{address}']}}\n"
        with publishing(", wait_seconds: 1", notify) as world:
            socket = world.state.socket
            tries = [
                bash(PUBLISH, "want"),
                bash("handrail approve last", "a"),
                bash("env -u CLAUDECODE handrail approve last --always --yes", "b"),
                bash(f"curl --unix-socket {socket} -X POST http://x/api/v1/approvals", "c"),
                bash(f"curl http://127.0.0.1:{world.state.port}/api/v1/approvals", "d"),
                bash("echo 'approvals: {}' >> ~/.config/handrail/handrail.yaml", "e"),
            ]
            done = world.run("Publish it.", in_turn(*tries))
            for each in tries:
                assert STOPPED in done.tool_results()[each.id].text, each
            assert not any(isinstance(event, ApprovalDecided) for event in world.events())
            [asked] = [e for e in world.events() if isinstance(e, ApprovalAsked)]
            letter = letters.get(timeout=60)
            link = f"http://127.0.0.1:{world.state.port}/approvals/{asked.approval}"
            assert f"Open: {link}" in letter
            assert not any(f"/approvals/{asked.approval}" in each.text for each in done.requests)
            assert published(world) == []
