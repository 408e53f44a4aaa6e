"""What `handrail install` and `uninstall` do to a real Claude Code."""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from handrail.model.event import ActionReviewed, Event, PromptGiven
from handrail.testing.model_server import Answer, ModelRequest, ModelTurn, Say, Step, ToolCall
from tests.claude.sandbox import FinishedSession
from tests.claude.supervised import STOPPED, SupervisedSandbox, bash, supervised

OWN = """{
    "model" : "sonnet",   "env": {},
\t"hooks":{"PreToolUse":[ {"matcher":"Bash","hooks":[
        {"type":"command","command":"echo call >> $CLAUDE_PROJECT_DIR/own.log"} ]} ],

      "Stop": [{"hooks": [{"type": "command", "command": "echo stop >> own.log"}]}]
    }
}   """
"""Settings with hooks of their own, as somebody wrote them by hand."""


def danger(world: SupervisedSandbox) -> ModelTurn:
    """Three calls: one that is refused, one that is changed, one that is left alone."""
    for folder in (world.bed.home / "photos", world.repo / "notes"):
        folder.mkdir()
        (folder / "one.txt").write_text("not in git")
    return ModelTurn(
        [
            bash("rm -rf ~/photos", "deny"),
            bash("rm -rf notes", "trash"),
            bash("touch made", "make"),
        ]
    )


def assert_supervised(world: SupervisedSandbox, session: FinishedSession) -> None:
    assert STOPPED in session.tool_results()["deny"].text
    assert (world.bed.home / "photos" / "one.txt").exists()
    assert session.ran("trash", "make")
    assert list((world.bed.state / "trash").rglob("one.txt"))
    assert "notes moved to the trash instead of deleted" in session.told()


# Beside other hooks


class Story(NamedTuple):
    """A session with Handrail, and one after it was taken out."""

    world: SupervisedSandbox
    supervised: FinishedSession
    own: list[str]
    """What the user's own hooks wrote in the first one."""
    again: bytes
    """The settings after a second installation."""
    first: bytes
    given_back: bytes
    events: list[Event]


@pytest.fixture(scope="module")
def beside(claude: Path) -> Iterator[Story]:
    with supervised(settings=OWN) as world:
        first = world.settings.read_bytes()
        world.handrail("install", "claude", "--yes")
        again = world.settings.read_bytes()
        session = world.run("With it.", [danger(world), Say("Done.")])
        own = (world.repo / "own.log").read_text().split()
        world.handrail("uninstall", "claude", "--yes")
        world.run("Without it.", [bash("touch later", "later"), Say("Done.")])
        given_back = world.settings.read_bytes()
        yield Story(world, session, own, again, first, given_back, world.events())


def test_every_action_is_supervised(beside: Story) -> None:
    assert_supervised(beside.world, beside.supervised)


def test_the_users_own_hooks_run_too(beside: Story) -> None:
    assert beside.own == ["call", "call", "call", "stop"]


def test_a_second_installation_changes_nothing(beside: Story) -> None:
    assert beside.first != OWN.encode()
    assert beside.again == beside.first


def test_uninstalling_gives_the_file_back_byte_for_byte(beside: Story) -> None:
    assert beside.given_back == OWN.encode()


def test_after_uninstalling_nothing_is_reviewed(beside: Story) -> None:
    assert (beside.world.repo / "later").exists()
    prompts = [event.text for event in beside.events if isinstance(event, PromptGiven)]
    assert prompts == ["With it."]


# In one project


def test_an_installation_in_a_project_supervises_it_and_stays_out_of_git(claude: Path) -> None:
    with supervised("--project") as world:
        session = world.run("Go.", [danger(world), Say("Done.")])
        assert_supervised(world, session)
        assert not world.settings.exists()
        status = ["git", "-C", str(world.repo), "status", "--porcelain"]
        assert subprocess.run(status, capture_output=True, check=True).stdout == b"?? made\n"


# As a command


class Called(NamedTuple):
    """A session in which Handrail is called as a command, and its daemon dies twice."""

    world: SupervisedSandbox
    session: FinishedSession
    events: list[Event]

    def told(self, call: str) -> str:
        return self.session.tool_results()[call].text

    def made(self, name: str) -> bool:
        return (self.world.repo / name).exists()


@pytest.fixture(scope="module")
def called(claude: Path) -> Iterator[Called]:
    with supervised("--handler", "command") as world, ExitStack() as stack:

        def kill(request: ModelRequest) -> Answer:
            world.kill()
            return bash("touch killed", "killed")

        def kill_for_good(request: ModelRequest) -> Answer:
            world.kill()
            stack.enter_context(taken(world.state.port))
            read = ToolCall("Read", {"file_path": str(world.repo / "README.md")}, "read")
            return ModelTurn([bash("touch unstartable", "unstartable"), read])

        def mend(request: ModelRequest) -> Answer:
            stack.close()
            world.handrail("serve", "--background")
            return bash("touch mended", "mended")

        again = bash("touch again", "again")
        script: list[Step] = [danger(world), kill, again, kill_for_good, mend, Say("Done.")]
        session = world.run("Go.", script)
        yield Called(world, session, world.events())


@contextmanager
def taken(port: int) -> Iterator[None]:
    """Somebody else has Handrail's port, so that its daemon cannot start."""
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        yield


def test_a_command_enforces_too(called: Called) -> None:
    assert_supervised(called.world, called.session)


def test_when_the_daemon_was_killed_nothing_runs_until_it_is_back(called: Called) -> None:
    assert not called.made("killed")
    assert "It has been started: try again." in called.told("killed")
    assert called.made("again")


def test_when_the_daemon_cannot_be_started_nothing_is_changed(called: Called) -> None:
    assert not called.made("unstartable")
    assert "Handrail does not answer" in called.told("unstartable")
    assert "for them: handrail doctor" in called.told("unstartable")


def test_when_the_daemon_cannot_be_started_reads_go_on(called: Called) -> None:
    assert called.session.ran("read")


def test_when_it_can_be_started_again_the_run_goes_on(called: Called) -> None:
    assert called.made("mended")
    reviewed = [event.action.id for event in called.events if isinstance(event, ActionReviewed)]
    assert reviewed == ["deny", "trash", "make", "again", "mended"]
