"""Handrail itself is at fault in the middle of a session: what would change anything waits.

Each fault has one session. The script brings the fault about when the model is asked, so the
calls of that turn meet it, and mends it for the last turn.
"""

import json
import resource
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest

from handrail.model.event import ActionReviewed, Event
from handrail.server.http.socket_client import call_daemon, daemon_health
from handrail.testing.model_server import Json, ModelRequest, ModelTurn, Say, Step, ToolCall
from tests.claude.sandbox import FinishedSession
from tests.claude.supervised import STOPPED, SupervisedSandbox, bash, supervised, until

HOST_BLOCKED = 'blocking because onFailure is "block"'
HOOK_SECONDS = 1


class Story(NamedTuple):
    """A session with a fault in it, and what is left of it."""

    session: FinishedSession
    events: list[Event]
    files: frozenset[str]
    """What is in the repository in the end."""

    def told(self, call: str) -> str:
        return self.session.tool_results()[call].text

    def alarms(self) -> list[str]:
        """What the person at the session was told at once."""
        return [
            str(line["content"])
            for line in self.session.lines
            if line.get("subtype") == "informational" and "Handrail" in str(line["content"])
        ]

    def steps(self) -> list[tuple[int, str]]:
        return [
            (event.step, event.action.id)
            for event in self.events
            if isinstance(event, ActionReviewed)
        ]


def told_of(world: SupervisedSandbox, *script: Step) -> Story:
    """A session with one good turn before the script, and an end behind it."""
    (world.bed.home / "photos").mkdir()
    session = world.run("Work.", [bash("touch before", "before"), *script, Say("Done.")])
    files = frozenset(path.name for path in world.repo.iterdir())
    assert (world.bed.home / "photos").exists()
    return Story(session, world.events(), files)


def mixed(world: SupervisedSandbox, name: str) -> ModelTurn:
    """A turn with calls that change something by two tools, and calls that read by two tools."""
    file = {"file_path": f"{world.repo}/{name}-write", "content": ""}
    return ModelTurn(
        [
            bash(f"touch {name}-bash", f"{name}-bash"),
            ToolCall("Write", file, f"{name}-write"),
            read(world, f"{name}-read"),
            bash("ls", f"{name}-ls"),
        ]
    )


def read(world: SupervisedSandbox, name: str) -> ToolCall:
    return ToolCall("Read", {"file_path": f"{world.repo}/README.md"}, name)


def change_handlers(world: SupervisedSandbox, change: Callable[[Json], Json | None]) -> None:
    """Replace each of Handrail's handlers in the settings, or leave it out."""
    settings = json.loads(world.settings.read_text())
    for group in (group for groups in settings["hooks"].values() for group in groups):
        changed = [change(handler) for handler in group["hooks"]]
        group["hooks"] = [handler for handler in changed if handler is not None]
    world.settings.write_text(json.dumps(settings))


def impatient(handler: Json) -> Json:
    """Nobody wants to wait half a minute for a test."""
    return {**handler, "timeout": HOOK_SECONDS} if handler["type"] == "http" else handler


def unaided(handler: Json) -> Json | None:
    """Nothing starts the daemon again."""
    return None if handler.get("async") else handler


def healthy(world: SupervisedSandbox) -> ModelTurn:
    """A turn for when the fault is over: one call may run, one may not."""
    until(lambda: (daemon_health(world.state) or {}).get("ok"), "Handrail is well again")
    return ModelTurn([bash("touch after", "after"), bash("rm -rf ~/photos", "danger")])


def assert_goes_on(story: Story) -> None:
    assert "after" in story.files
    assert STOPPED in story.told("danger")


# The daemon is killed, and its guardian is not


@pytest.fixture(scope="module")
def replaced(claude: Path) -> Story:
    with supervised() as world:

        def kill(request: ModelRequest) -> ModelTurn:
            world.kill_daemon()
            return mixed(world, "down")

        return told_of(world, kill, lambda request: healthy(world))


def test_what_a_killed_daemon_did_not_review_the_next_one_does_or_it_does_not_run(
    replaced: Story,
) -> None:
    reviewed = {call for _, call in replaced.steps()}
    assert replaced.files & {"down-bash", "down-write"} <= reviewed


def test_the_guardian_brings_the_daemon_back_and_the_session_goes_on(replaced: Story) -> None:
    assert_goes_on(replaced)


# Both are killed in one blow


@pytest.fixture(scope="module")
def killed(claude: Path) -> Story:
    with supervised() as world:

        def kill(request: ModelRequest) -> ModelTurn:
            world.kill()
            return mixed(world, "down")

        # Nobody but the session itself starts it again.
        return told_of(world, kill, lambda request: healthy(world), bash("ls", "later"))


def test_while_the_daemon_is_down_nothing_is_changed(killed: Story) -> None:
    assert not killed.files & {"down-bash", "down-write"}
    assert HOST_BLOCKED in killed.told("down-bash")
    assert HOST_BLOCKED in killed.told("down-write")


def test_while_the_daemon_is_down_reads_go_on(killed: Story) -> None:
    assert killed.session.ran("down-read")


def test_the_session_brings_the_daemon_back_and_goes_on(killed: Story) -> None:
    assert_goes_on(killed)


def test_the_model_is_told_that_the_daemon_is_back(killed: Story) -> None:
    assert "It has been started: try again." in killed.session.requests[-1].text


def test_the_run_goes_on_where_it_was_before_the_kill(killed: Story) -> None:
    assert killed.steps() == [(1, "before"), (2, "after"), (3, "danger"), (4, "later")]


# Daemon and guardian are stopped


@pytest.fixture(scope="module")
def stopped(claude: Path) -> Story:
    with supervised() as world:

        def stop(request: ModelRequest) -> ModelTurn:
            world.signal(signal.SIGSTOP)
            return ModelTurn([bash("touch woken", "woken"), bash("rm -rf ~/photos", "frozen")])

        return told_of(world, stop, lambda request: healthy(world))


def test_two_that_were_stopped_wake_with_the_next_call(stopped: Story) -> None:
    assert "woken" in stopped.files
    assert STOPPED in stopped.told("frozen")
    assert {"woken", "frozen"} <= {call for _, call in stopped.steps()}


def test_a_daemon_that_wakes_up_goes_on(stopped: Story) -> None:
    assert_goes_on(stopped)


# Nobody answers


@pytest.fixture(scope="module")
def silent(claude: Path) -> Story:
    with supervised() as world, ExitStack() as stack:
        change_handlers(world, lambda handler: unaided(impatient(handler)))

        def fall_silent(request: ModelRequest) -> ModelTurn:
            world.kill()
            listener = stack.enter_context(socket.socket())
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", world.state.port))
            listener.listen()
            return ModelTurn([bash("touch unheard", "unheard"), read(world, "unheard-read")])

        def speak(request: ModelRequest) -> ModelTurn:
            stack.close()
            world.handrail("serve", "--background")
            return healthy(world)

        return told_of(world, fall_silent, speak)


def test_while_nobody_answers_nothing_is_changed(silent: Story) -> None:
    assert "unheard" not in silent.files
    assert "timed out" in silent.told("unheard")


def test_while_nobody_answers_reads_go_on(silent: Story) -> None:
    assert silent.session.ran("unheard-read")


def test_when_a_daemon_answers_again_the_session_goes_on(silent: Story) -> None:
    assert_goes_on(silent)


# Somebody else answers

NO_VERDICT = {
    "garbage": (200, b"\x00\xff nonsense"),
    "html": (200, b"<html>It works!</html>"),
    "array": (200, b"[]"),
    "wrong-decision": (200, b'{"hookSpecificOutput": {"permissionDecision": "sure"}}'),
    "refused": (401, b'{"error": "the token is missing or wrong"}'),
    "moved": (302, b"{}"),
    "broken": (500, b"{}"),
}
NO_OPINION = {"empty": (200, b""), "object": (200, b"{}")}
"""What Claude Code cannot tell from an answer of Handrail: docs/threat-model.md names it."""


class Impostor:
    """Listens on Handrail's port while its block runs, and gives any answer."""

    def __init__(self, port: int) -> None:
        self.answer = (200, b"")
        self._port = port

    @contextmanager
    def listening(self) -> Iterator[None]:
        impostor = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                status, body = impostor.answer
                self.send_response(status)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                """Nothing."""

        with ThreadingHTTPServer(("127.0.0.1", self._port), Handler) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.02,))
            thread.start()
            try:
                yield
            finally:
                server.shutdown()
                thread.join()


@pytest.fixture(scope="module")
def deceived(claude: Path) -> Story:
    with supervised() as world, ExitStack() as stack:
        change_handlers(world, unaided)
        impostor = Impostor(world.state.port)

        def take_over(request: ModelRequest) -> ModelTurn:
            world.kill()
            stack.enter_context(impostor.listening())
            return answer_with("garbage", request)

        def answer_with(name: str, request: ModelRequest) -> ModelTurn:
            impostor.answer = {**NO_VERDICT, **NO_OPINION}[name]
            return mixed(world, name)

        def leave(request: ModelRequest) -> ModelTurn:
            stack.close()
            world.handrail("serve", "--background")
            return healthy(world)

        others = [name for name in (*NO_VERDICT, *NO_OPINION) if name != "garbage"]
        answers = [partial(answer_with, name) for name in others]
        return told_of(world, take_over, *answers, leave)


@pytest.mark.parametrize("answer", NO_VERDICT)
def test_what_is_no_answer_of_handrail_lets_nothing_be_changed(
    deceived: Story, answer: str
) -> None:
    assert not deceived.files & {f"{answer}-bash", f"{answer}-write"}
    assert HOST_BLOCKED in deceived.told(f"{answer}-bash")


@pytest.mark.parametrize("answer", NO_VERDICT)
def test_what_is_no_answer_of_handrail_does_not_stop_reads(deceived: Story, answer: str) -> None:
    assert deceived.session.ran(f"{answer}-read")


@pytest.mark.parametrize("answer", NO_OPINION)
def test_an_impostor_without_an_opinion_cannot_be_told_from_handrail(
    deceived: Story, answer: str
) -> None:
    """A limit of the host: whoever answers on the port is believed (docs/threat-model.md)."""
    assert {f"{answer}-bash", f"{answer}-write"} <= deceived.files


def test_when_the_impostor_is_gone_the_session_goes_on(deceived: Story) -> None:
    assert_goes_on(deceived)


# The log cannot be written


@pytest.fixture(scope="module")
def no_room(claude: Path) -> Story:
    if not hasattr(resource, "prlimit"):
        pytest.skip("only Linux can limit a process that runs")
    with supervised() as world:

        def fill(request: ModelRequest) -> ModelTurn:
            limit_files(world, 0)
            return mixed(world, "full")

        def make_room(request: ModelRequest) -> ModelTurn:
            limit_files(world, resource.RLIM_INFINITY)
            until(partial(takes_entries, world), "the log takes entries again")
            return healthy(world)

        return told_of(world, fill, lambda request: mixed(world, "fuller"), make_room)


def limit_files(world: SupervisedSandbox, size: int) -> None:
    """A disk on which no file of the daemon may grow beyond a size; it needs no real disk."""
    assert world.pid
    _, most = resource.prlimit(world.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(world.pid, resource.RLIMIT_FSIZE, (size, most))


def takes_entries(world: SupervisedSandbox) -> bool:
    """Whether the log works, seen by another session."""
    event = {"hook_event_name": "Stop", "session_id": "another", "cwd": str(world.repo)}
    call_daemon(world.state, "POST", "/hooks/claude", event)
    return (daemon_health(world.state) or {}).get("ok") is True


def test_what_cannot_be_recorded_is_not_done(no_room: Story) -> None:
    assert not no_room.files & {"full-bash", "full-write", "fuller-bash", "fuller-write"}
    assert STOPPED in no_room.told("full-bash")


def test_the_model_is_told_why_and_whom_to_tell(no_room: Story) -> None:
    assert "events.db: the disk reports an error" in no_room.told("full-write")
    assert "Tell the person who started you; for them: handrail doctor" in no_room.told(
        "full-write"
    )


def test_what_only_reads_needs_no_record(no_room: Story) -> None:
    assert no_room.session.ran("full-read", "full-ls", "fuller-read", "fuller-ls")


def test_the_alarm_is_given_once(no_room: Story) -> None:
    (alarm,) = no_room.alarms()
    assert "Handrail cannot do its work" in alarm


def test_when_there_is_room_again_the_session_goes_on(no_room: Story) -> None:
    assert_goes_on(no_room)


# The log is damaged


@pytest.fixture(scope="module")
def damaged(claude: Path) -> Story:
    with supervised() as world:

        def damage(request: ModelRequest) -> ModelTurn:
            world.kill()
            for log in world.bed.state.glob("events.db*"):
                log.write_bytes(b"garbage " * 4096)
            world.handrail("serve", "--background")
            return mixed(world, "damaged")

        def mend(request: ModelRequest) -> ModelTurn:
            world.handrail("doctor", "--fix")
            return healthy(world)

        return told_of(world, damage, lambda request: mixed(world, "still"), mend)


def test_with_a_damaged_log_nothing_is_changed(damaged: Story) -> None:
    assert not damaged.files & {"damaged-bash", "damaged-write", "still-bash", "still-write"}
    assert "the log is damaged" in damaged.told("damaged-bash")


def test_with_a_damaged_log_reads_go_on(damaged: Story) -> None:
    assert damaged.session.ran("damaged-read", "damaged-ls", "still-read", "still-ls")


def test_the_fix_is_named(damaged: Story) -> None:
    assert "handrail doctor --fix" in damaged.told("damaged-bash")


def test_the_damage_is_said_once(damaged: Story) -> None:
    (alarm,) = damaged.alarms()
    assert "the log is damaged" in alarm


def test_the_fix_works_in_the_middle_of_a_session(damaged: Story) -> None:
    assert_goes_on(damaged)
