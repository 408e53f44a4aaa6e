"""Control of a run by a real daemon: by every way in, by two at once, and over its death."""

import http.client
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import count

import pytest

from handrail.control.client import make_request
from handrail.control.message import Ack, AnyMessage, Request, Result, encode
from handrail.control.topics import CONTROL
from handrail.model.control import HOLDING, ControlCommand, Standing
from handrail.model.event import ActionReviewed, ControlAnswered, ControlAsked
from handrail.model.ordinal import Decision
from handrail.server.http.socket_client import SocketConnection
from handrail.store.sqlite import SqliteStore
from handrail.supervise.state.run_state import RunState
from handrail.testing.model_server import ToolCall
from handrail.testing.scripted_agent import CallResult, ScriptedAgent
from tests.control import protocol_checks
from tests.run_controller import PATIENCE, RunController
from tests.server.daemon_sandbox import DaemonSandbox

pytestmark = pytest.mark.slow

RUN = "0b5ee1f2-5ce7-4f0e-9d52-2c6c5d0b3a11"
TIMES = 1000


@pytest.fixture
def ann(place: DaemonSandbox) -> RunController:
    place.start()
    return RunController(place.home)


class SurvivingAgent(ScriptedAgent):
    """One that survives its daemon."""

    def reconnect(self) -> None:
        """Talk to the next daemon from now on."""
        self._line.close()


def agent_in(place: DaemonSandbox) -> SurvivingAgent:
    """An agent that is asked to work; it does one thing at a time."""
    return SurvivingAgent(
        place.home.socket, str(place.project), session=RUN, environ=place.environ, prompt="Go."
    )


def touch(name: str) -> ToolCall:
    return ToolCall("Bash", {"command": f"touch {name}"}, id=name)


def kinds(messages: list[AnyMessage]) -> list[str]:
    return [type(each).__name__.upper() for each in messages]


# Ways in


def write_elsewhere(place: DaemonSandbox, request: Request) -> None:
    """Another process writes a row, as any program may that knows the store."""
    code = """if True:
        import sys
        from handrail.store.port import NewEntry
        from handrail.store.sqlite import SqliteStore
        store = SqliteStore(sys.argv[1])
        store.append([NewEntry("loop:control", sys.argv[2].encode())]).result()
        store.close()
    """
    row = encode(request).decode()
    subprocess.run([sys.executable, "-c", code, place.home.log, row], check=True)


def send_to_port(
    place: DaemonSandbox, request: Request, token: str
) -> tuple[int, dict[str, object]]:
    line = http.client.HTTPConnection("127.0.0.1", place.home.port, timeout=PATIENCE)
    try:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        line.request("POST", "/control?wait=30", encode(request), headers)
        answer = line.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        line.close()


def by_socket(place: DaemonSandbox, ann: RunController, request: Request) -> None:
    ann.send(request, seconds=PATIENCE)


def by_port(place: DaemonSandbox, ann: RunController, request: Request) -> None:
    assert send_to_port(place, request, place.home.control_token)[0] == 200


def by_row(place: DaemonSandbox, ann: RunController, request: Request) -> None:
    write_elsewhere(place, request)


WAYS = {"socket": by_socket, "port": by_port, "row": by_row}
Way = Callable[[DaemonSandbox, RunController, Request], None]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_every_way_in_leads_to_the_same_rows(
    place: DaemonSandbox, ann: RunController, way: Way
) -> None:
    with agent_in(place):
        request = ann.request(ControlCommand.PAUSE, RUN, reason="lunch")
        way(place, ann, request)
        ann.when(RUN, lambda state: state.hand.standing == Standing.PAUSED)
        messages = ann.messages()
        assert kinds(messages) == ["REQUEST", "ACK", "RESULT"]
        assert {each.request_id for each in messages} == {request.request_id}
        assert ann.rows(CONTROL)[0].body == encode(request)
        assert messages[-1].payload == {
            "status": "success",
            "message": "Loop paused at iteration 1",
        }
        assert ann.current()[-1]["stack"] == [
            {"id": RUN, "mode": "session", "iter": 1, "max": 0, "model": "", "state": "paused"}
        ]


def test_requests_written_as_rows_are_answered_in_their_order(
    place: DaemonSandbox, ann: RunController
) -> None:
    with agent_in(place):
        commands = [ControlCommand.PAUSE, ControlCommand.RESUME] * 10
        for command in commands:
            ann.write(ann.request(command, RUN))
        ann.when(RUN, lambda _: kinds(ann.messages()).count("RESULT") == len(commands))
        requests = [each for each in ann.messages() if isinstance(each, Request)]
        results = [each for each in ann.messages() if isinstance(each, Result)]
        assert [each.command for each in requests] == commands
        assert {each.request_id for each in results} == {each.request_id for each in requests}
        assert ann.state(RUN).hand.standing == Standing.RUNNING


def test_a_row_that_is_no_good_request_is_answered_too(
    place: DaemonSandbox, ann: RunController
) -> None:
    with agent_in(place):
        bad = make_request(ControlCommand.STEER, RUN, by="ann")  # without anything to say
        write_elsewhere(place, bad)
        ann.when(RUN, lambda _: len(ann.rows(CONTROL)) == 2)
        (_, result) = ann.messages()
        assert isinstance(result, Result)
        assert (result.code, result.request_id) == ("bad_request", bad.request_id)


def test_the_token_of_the_hooks_opens_no_controls(place: DaemonSandbox, ann: RunController) -> None:
    with agent_in(place):
        request = ann.request(ControlCommand.PAUSE, RUN)
        status, _ = send_to_port(place, request, place.home.hook_token)
        assert status == 401
        assert ann.rows(CONTROL) == []
        assert ann.state(RUN).hand.standing == Standing.RUNNING


# An agent that is held


def test_an_agent_waits_while_its_run_is_paused(place: DaemonSandbox, ann: RunController) -> None:
    with agent_in(place) as agent, ThreadPoolExecutor() as pool:
        ann.do(ControlCommand.PAUSE, RUN)
        held = pool.submit(agent.do, touch("made"))
        ann.when_held(RUN, "made")
        assert not (place.project / "made").exists()
        ann.do(ControlCommand.RESUME, RUN)
        assert held.result().ok
        assert (place.project / "made").exists()


def test_a_daemon_that_is_ended_in_order_refuses_what_it_holds(
    place: DaemonSandbox, ann: RunController
) -> None:
    with agent_in(place) as agent, ThreadPoolExecutor() as pool:
        ann.do(ControlCommand.PAUSE, RUN, reason="lunch")
        held = pool.submit(agent.do, touch("made"))
        ann.when_held(RUN, "made")
        place.run("serve", "--stop")
        done = held.result()
        assert done.refused
        assert "paused by ann: lunch" in done.said("permissionDecisionReason")
        assert ann.state(RUN).hand.standing == Standing.PAUSED
        place.start()
        agent.reconnect()


# The daemon is killed


def kill(place: DaemonSandbox) -> None:
    """End the daemon in a way that leaves it no time for anything, and start the next one."""
    pid = place.pid
    os.kill(pid, signal.SIGKILL)
    place.start()
    assert place.pid != pid


class LostError(Exception):
    """The daemon is gone."""


def asks(agent: ScriptedAgent, call: ToolCall) -> CallResult:
    try:
        return agent.do(call)
    except (ConnectionError, http.client.HTTPException) as error:
        raise LostError from error


def test_a_paused_run_is_paused_after_a_kill(place: DaemonSandbox, ann: RunController) -> None:
    with agent_in(place) as agent, ThreadPoolExecutor() as pool:
        request = ann.request(ControlCommand.PAUSE, RUN, reason="lunch")
        result = ann.send(request, seconds=PATIENCE)[-1]
        held = pool.submit(asks, agent, touch("first"))
        ann.when_held(RUN, "first")
        kill(place)
        with pytest.raises(LostError):
            held.result()
        agent.reconnect()
        again = pool.submit(asks, agent, touch("second"))
        state = ann.when_held(RUN, "second")
        assert (state.hand.standing, state.hand.by) == (Standing.PAUSED, "ann")
        assert not (place.project / "first").exists()
        assert ann.send(request)[-1] == result
        assert len([e for e in ann.events(RUN) if isinstance(e, ControlAsked)]) == 1
        ann.do(ControlCommand.RESUME, RUN)
        assert again.result().ok


def test_a_pause_that_was_acknowledged_is_confirmed_by_the_next_daemon(
    place: DaemonSandbox, ann: RunController
) -> None:
    with agent_in(place) as agent:
        call = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "ls"}}
        agent.tell("PreToolUse", **call)
        request = ann.ask(ControlCommand.PAUSE, RUN)
        kill(place)
        assert not ann.has_result(request)
        assert ann.send(request)[-1].payload["code"] == "duplicate"
        agent.reconnect()
        agent.tell("PostToolUse", **call, tool_response={"stdout": ""})
        assert ann.result(request).ok
        assert ann.state(RUN).hand.standing == Standing.PAUSED


def test_a_message_that_nobody_has_heard_yet_is_given_by_the_next_daemon_once(
    place: DaemonSandbox, ann: RunController
) -> None:
    with agent_in(place) as agent:
        request = ann.ask(ControlCommand.STEER, RUN, text="Use pathlib.")
        kill(place)
        agent.reconnect()
        told = [agent.do(touch(name)).said("additionalContext") for name in ("one", "two")]
        assert "ann tells you: Use pathlib." in told[0]
        assert told[1] == ""
        assert ann.result(request).ok


def test_a_row_that_nobody_was_there_for_is_taken_by_the_next_daemon(
    place: DaemonSandbox, ann: RunController
) -> None:
    with agent_in(place) as agent:
        os.kill(place.pid, signal.SIGKILL)
        ann.write(ann.request(ControlCommand.PAUSE, RUN))
        place.start()
        agent.reconnect()
        ann.when(RUN, lambda state: state.hand.standing == Standing.PAUSED)
        assert kinds(ann.messages()) == ["REQUEST", "ACK", "RESULT"]


# Two who want the opposite


@contextmanager
def working(place: DaemonSandbox, ann: RunController) -> Iterator[list[CallResult]]:
    """An agent that works as fast as it may until the block ends, and what it has done."""
    done: list[CallResult] = []
    over = threading.Event()

    def work(agent: ScriptedAgent) -> None:
        for number in count():
            if over.is_set():
                return
            file = {"file_path": f"{number % 20}.txt", "content": f"{number}\n"}
            done.append(agent.do(ToolCall("Write", file)))

    with agent_in(place) as agent, ThreadPoolExecutor() as pool:
        worker = pool.submit(work, agent)
        try:
            yield done
        finally:
            over.set()
            ann.get(ControlCommand.RESUME, RUN)
            worker.result()


def insist(line: http.client.HTTPConnection, by: str, command: ControlCommand, token: str) -> None:
    """Ask for the same thing again and again, and wait for each result."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    for _ in range(TIMES):
        request = make_request(command, RUN, by=by)
        line.request("POST", "/control?wait=30", encode(request), headers)
        answer = line.getresponse()
        messages = json.loads(answer.read())["messages"]
        assert [each["type"] for each in messages] == ["REQUEST", "ACK", "RESULT"]
        assert {each["request_id"] for each in messages} == {request.request_id}
    line.close()


def test_two_who_want_the_opposite_a_thousand_times_leave_a_lawful_run(
    place: DaemonSandbox, ann: RunController
) -> None:
    with working(place, ann) as done, ThreadPoolExecutor() as pool:
        lines = {
            ControlCommand.PAUSE: SocketConnection(place.home.socket, PATIENCE),
            ControlCommand.RESUME: http.client.HTTPConnection(
                "127.0.0.1", place.home.port, timeout=PATIENCE
            ),
        }
        token = place.home.control_token
        both: list[Future[None]] = [
            pool.submit(insist, line, command, command, token) for command, line in lines.items()
        ]
        for each in both:
            each.result()
        assert_every_request_has_one_result(ann)
        last = last_success(ann)
        standing = {ControlCommand.PAUSE: Standing.PAUSED, ControlCommand.RESUME: Standing.RUNNING}[
            last
        ]
        assert ann.state(RUN).hand.standing == standing
    assert done
    assert_lawful(ann)
    assert_nothing_began_while_it_was_held(ann)


def assert_every_request_has_one_result(ann: RunController) -> None:
    by_id: dict[str, list[AnyMessage]] = {}
    for message in ann.messages():
        by_id.setdefault(message.request_id, []).append(message)
    assert len(by_id) == 2 * TIMES
    for messages in by_id.values():
        assert [type(each) for each in messages] == [Request, Ack, Result]


def last_success(ann: RunController) -> ControlCommand:
    """The last command that was confirmed; each of those is shown to those who watch."""
    done = [
        ControlCommand(each.command)
        for each in ann.messages()
        if isinstance(each, Result) and each.ok
    ]
    assert {ControlCommand.PAUSE, ControlCommand.RESUME} <= set(done)
    assert len(ann.current()) == len(done)
    return done[-1]


def assert_lawful(ann: RunController) -> None:
    """By what is in the log."""
    with closing(SqliteStore(ann.home.log, read_only=True)) as store:
        protocol_checks.check_rows(store)
        protocol_checks.check_events(store, RUN)
        protocol_checks.check_current(store, RUN)
        protocol_checks.check_under_way(store, RUN)


def assert_nothing_began_while_it_was_held(ann: RunController) -> None:
    """By what is in the log: and each pause was confirmed when nothing was under way."""
    state = RunState(RUN)
    for event in ann.events(RUN):
        if (
            isinstance(event, ControlAnswered)
            and event.command == ControlCommand.PAUSE
            and event.ok
        ):
            assert not state.at_work, event
        elif isinstance(event, ActionReviewed) and event.verdict.decision is not Decision.BLOCK:
            assert state.hand.standing not in HOLDING, event
        state.apply(event)


# A disk that takes nothing


@contextmanager
def claude_at(place: DaemonSandbox) -> Iterator["subprocess.Popen[str]"]:
    """A program that is named as the agent, and says to the daemon which process it is."""
    program = place.root / "claude"
    program.write_text("echo ready\nsleep 60\n")
    agent = subprocess.Popen(["sh", str(program)], stdout=subprocess.PIPE, text=True)
    try:
        assert agent.stdout is not None
        agent.stdout.readline()
        session = {"hook_event_name": "SessionStart", "session_id": RUN, "source": "startup"}
        with closing(SocketConnection(place.home.socket, PATIENCE)) as line:
            body = json.dumps({**session, "cwd": str(place.project)})
            line.request("POST", "/hooks/claude", body, {"x-handrail-pid": str(agent.pid)})
            assert line.getresponse().status == 200
        yield agent
    finally:
        agent.kill()
        agent.communicate()


def test_a_stop_works_on_a_full_disk_and_says_so(place: DaemonSandbox) -> None:
    daemon = place.start()
    with claude_at(place) as agent:
        _, most = resource.prlimit(daemon, resource.RLIMIT_FSIZE)
        resource.prlimit(daemon, resource.RLIMIT_FSIZE, (1, most))
        done = place.run("stop", RUN)
        ended = agent.wait(PATIENCE)
    said = " ".join((done.stdout + done.stderr).split())
    # The shell ends by the signal, or after its child that got it first.
    assert ended in {-signal.SIGTERM, 128 + signal.SIGTERM}
    assert "NOT sent" in said
    assert "All the same, no process of the run is left. That is not in the log." in said
    assert done.returncode != 0
