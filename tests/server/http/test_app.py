"""The endpoints: a hook always gets 200 and an answer that holds, whatever goes wrong."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from blockbuster import BlockingError, blockbuster_ctx
from hypothesis import given
from hypothesis import strategies as st

from handrail.hosts.port import MAX_BYTES
from handrail.server.control.feedback_recorder import NoSuchStepError
from handrail.server.daemon import Daemon
from handrail.server.http.token_auth import TokenAuth
from handrail.store.errors import DiskFullError, StoreError
from handrail.store.memory import MemoryStore
from handrail.store.port import Receipt, StoredEntry
from tests.hosts.claude.accepted import check
from tests.hosts.claude.desk import SESSION, Desk, decision, said, samples
from tests.hosts.claude.failing import Failing
from tests.hosts.claude.wild import MUST_STOP, fields
from tests.server.asgi import ask
from tests.server.daemon_sandbox import DaemonSandbox
from tests.server.in_process_api import WHO, InProcessApi, call, message

pytestmark = pytest.mark.slow

PATIENT = 20.0
CRITICAL = "rm -rf /"


@pytest.fixture
def office() -> Iterator[InProcessApi]:
    with InProcessApi() as office:
        yield office


# Hooks


@pytest.mark.parametrize("path", samples(), ids=lambda path: path.name)
def test_every_real_message_is_answered_as_at_the_desk(office: InProcessApi, path: Path) -> None:
    answer = office.post(path.read_bytes())
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json == Desk().post(path.read_bytes())


def test_a_refusal_is_a_200_too(office: InProcessApi) -> None:
    answer = office.post(call(CRITICAL))
    assert (answer.status, decision(answer.json)) == (200, "deny")


@pytest.mark.parametrize(("header", "outcome"), [("1", "ask"), ("0", "deny"), ("?", "deny")])
def test_whether_somebody_is_there_comes_with_a_header(
    office: InProcessApi, header: str, outcome: str
) -> None:
    office.post(message("SessionStart", source="startup"), x_handrail_attended=header)
    answer = office.post(call("npm publish", permission_mode="default"))
    assert decision(answer.json) == outcome


def test_a_proxy_is_told_by_a_header(office: InProcessApi) -> None:
    office.post(message("SessionStart", source="startup"), x_handrail_proxy="yes")
    office.post(message("SessionStart", source="startup"), x_handrail_proxy="")
    assert [visit.origin.proxied for visit, _ in office.desk.asked_about] == [True, False]


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"null", b"\xff\xff", b"[" * 100_000, b'{"hook_event_name":"PreToolUse"}'],
    ids=["empty", "object", "null", "no text", "deep", "no session"],
)
def test_what_may_be_about_a_call_is_refused(office: InProcessApi, body: bytes) -> None:
    answer = office.post(body)
    assert (answer.status, decision(answer.json)) == (200, "deny")


def test_more_than_can_be_read_is_refused_without_keeping_it(office: InProcessApi) -> None:
    parts = [b" " * 1_000_000] * (MAX_BYTES // 1_000_000 + 2)
    answer = office.run(lambda: ask(office.app, "POST", "/hooks/claude", parts))
    assert (answer.status, decision(answer.json)) == (200, "deny")


def test_33_megabytes_of_a_real_call_are_refused(office: InProcessApi) -> None:
    answer = office.post(call("echo " + "x" * 33_000_000))
    assert (answer.status, decision(answer.json)) == (200, "deny")


def test_an_event_loop_that_is_kept_waiting_would_be_noticed(office: InProcessApi) -> None:
    async def block() -> None:
        time.sleep(0)

    with pytest.raises(BlockingError):
        office.run(block)


def test_a_client_that_hangs_up_disturbs_nobody(office: InProcessApi) -> None:
    async def hang_up() -> int:
        await ask(office.app, "POST", "/hooks/claude", b"{", hangs_up=True)
        return (await office.hook(call("ls"))).status

    assert office.run(hang_up) == 200


def test_parallel_calls_are_all_answered(office: InProcessApi) -> None:
    # Twice in each session: the same again and again would be a trouble of its own.
    async def at_once() -> list[str]:
        commands = [("ls", "run"), (CRITICAL, "deny"), ("git push --force origin main", "rewrite")]
        answers = await asyncio.gather(
            *(
                office.hook(call(command, f"t{number}-{index}", session_id=f"s{number % 20}"))
                for number in range(40)
                for index, (command, _) in enumerate(commands)
            )
        )
        return [decision(answer.json) for answer in answers]

    assert office.run(at_once) == ["run", "deny", "rewrite"] * 40
    assert {office.desk.state(f"s{number}").step for number in range(20)} == {6}


@given(
    st.binary(max_size=200),
    st.dictionaries(st.sampled_from(["x-handrail-attended", "x-a"]), st.text("01yes", max_size=3)),
)
def test_any_bytes_get_an_answer(body: bytes, headers: dict[str, str]) -> None:
    with InProcessApi() as office:
        answer = office.run(lambda: ask(office.app, "POST", "/hooks/claude", body, headers))
    assert answer.status == 200
    check("PreToolUse", answer.json)


@given(st.sampled_from(samples()), fields, st.sampled_from(["", "0", "1"]))
def test_any_message_gets_an_answer_that_is_taken(
    path: Path, other: dict[str, object], attended: str
) -> None:
    given = {**json.loads(path.read_text()), **other}
    with InProcessApi() as office:
        answer = office.post(json.dumps(given).encode(), x_handrail_attended=attended)
        assert office.metric("handrail_hook_seconds_count") == 1
    assert answer.status == 200
    check(given["hook_event_name"], answer.json)


@given(st.sampled_from(MUST_STOP), fields, st.sampled_from(["", "0", "1"]))
def test_whatever_else_it_says_a_dangerous_call_does_not_run_as_it_is(
    dangerous: tuple[str, dict[str, object]], other: dict[str, object], attended: str
) -> None:
    tool, given_input = dangerous
    fixed = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given_input}
    body = json.dumps({"session_id": SESSION, "cwd": "/home/dev/project", **other, **fixed})
    with InProcessApi() as office:
        answer = office.post(body.encode(), x_handrail_attended=attended)
    check("PreToolUse", answer.json)
    assert decision(answer.json) in ("deny", "ask", "rewrite")


# When something is wrong


def test_a_brain_that_hangs_refuses_changes_lets_reads_go_on_and_comes_back() -> None:
    release = threading.Event()
    with InProcessApi(think=0.1) as office:

        async def hang() -> list[str]:
            stuck = asyncio.create_task(
                office.supervision.call(lambda: release.wait(PATIENT), PATIENT)
            )
            await asyncio.sleep(0)
            answers = [await office.hook(call("touch a", "t1"))]
            read = message("PreToolUse", tool_name="Read", tool_input={"file_path": "/x"})
            answers += [await office.hook(read), await office.hook(message("Stop"))]
            release.set()
            await stuck
            answers += [await office.hook(call("touch a", "t2"))]
            return [decision(answer.json) for answer in answers]

        assert office.run(hang) == ["deny", "run", "run", "run"]
        assert office.metric('handrail_faults_total{kind="slow"}') == 3
    assert office.desk.state().step == 1, "what was refused was not judged behind its back"


@pytest.mark.parametrize(
    ("policy", "answers"),
    [("deny", ["deny", "run"]), ("deny_all", ["deny", "deny"]), ("warn", ["run", "run"])],
)
def test_a_brain_that_hangs_does_what_the_run_wants_in_a_fault(
    policy: str, answers: list[str]
) -> None:
    release = threading.Event()
    read = message("PreToolUse", tool_name="Read", tool_input={"file_path": "/x"})
    with InProcessApi(think=0.5, environ={"HANDRAIL_ON_FAULT": policy}) as office:

        async def hang() -> list[str]:
            await office.hook(message("SessionStart", source="startup"))
            stuck = asyncio.create_task(
                office.supervision.call(lambda: release.wait(PATIENT), PATIENT)
            )
            await asyncio.sleep(0)
            said = [await office.hook(call("touch a")), await office.hook(read)]
            release.set()
            await stuck
            return [decision(answer.json) for answer in said]

        assert office.run(hang) == answers


def test_a_run_that_nobody_knows_yet_may_only_read_in_a_fault() -> None:
    release = threading.Event()
    read = message("PreToolUse", tool_name="Read", tool_input={"file_path": "/x"})
    with InProcessApi(think=0.1, environ={"HANDRAIL_ON_FAULT": "warn"}) as office:

        async def hang() -> list[str]:
            stuck = asyncio.create_task(
                office.supervision.call(lambda: release.wait(PATIENT), PATIENT)
            )
            await asyncio.sleep(0)
            said = [await office.hook(call("touch a")), await office.hook(read)]
            release.set()
            await stuck
            return [decision(answer.json) for answer in said]

        assert office.run(hang) == ["deny", "run"]


def test_a_bug_is_a_refusal_and_is_counted(
    office: InProcessApi, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(*_: object) -> None:
        raise KeyError("a bug \udcff")

    monkeypatch.setattr(office.desk.runs, "get", break_down)
    answer = office.post(call("ls"))
    assert (answer.status, decision(answer.json)) == (200, "deny")
    assert "KeyError" in said(answer.json)["permissionDecisionReason"]
    assert office.metric('handrail_faults_total{kind="bug"}') == 1
    assert "could not be answered" in caplog.text
    monkeypatch.undo()
    assert office.post(call("ls")).json == {}


class Silent(MemoryStore):
    """A log that takes everything and confirms nothing."""

    def append(self, entries: object) -> Receipt:
        return Receipt()


def test_a_verdict_that_is_not_on_the_disk_is_not_given() -> None:
    with InProcessApi(store=Silent(), write=0.05) as office:
        assert decision(office.post(call("touch a")).json) == "deny"


def test_a_full_disk_is_told_and_forgotten_when_there_is_room() -> None:
    store = Failing()
    with InProcessApi(store=store) as office:
        store.on_write = DiskFullError("/x/events.db")
        assert decision(office.post(call("touch a")).json) == "deny"
        assert decision(office.post(call("cat a", "t2")).json) == "run"
        assert office.get("/healthz").json["problem"] == "/x/events.db: the disk is full"
        store.on_write = None
        assert office.post(call("touch a", "t3")).json == {}
        assert office.get("/healthz").json["ok"]


# Health, metrics, feedback


def test_health_says_who_this_is(office: InProcessApi) -> None:
    answer = office.get("/healthz")
    told = answer.json
    assert answer.status == 200
    assert {"up_seconds", "memory_mb"} < told.keys()
    assert {**told, "ok": True, "problem": "", "runs": 0, **WHO} == told


def test_health_is_told_while_the_brain_hangs(office: InProcessApi) -> None:
    release = threading.Event()

    async def hang() -> dict[str, object]:
        stuck = asyncio.create_task(office.supervision.call(lambda: release.wait(PATIENT)))
        await asyncio.sleep(0)
        answer = await ask(office.app, "GET", "/healthz")
        release.set()
        await stuck
        found: dict[str, object] = answer.json
        return found

    told = office.run(hang)
    assert (told["ok"], told["pid"]) == (False, 7)
    assert "1 s" in str(told["problem"])


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/hooks/claude", 405),
        ("PUT", "/hooks/claude", 405),
        ("POST", "/healthz", 405),
        ("POST", "/metrics", 405),
        ("GET", "/", 404),
        ("GET", "/hooks/codex", 405),
        ("GET", "/../etc/passwd", 404),
    ],
)
def test_nothing_else_is_there(office: InProcessApi, method: str, path: str, status: int) -> None:
    assert office.run(lambda: ask(office.app, method, path)).status == status


def test_a_host_that_nobody_knows_is_refused(office: InProcessApi) -> None:
    """It would pass over an error, and let the tool run."""
    body = json.dumps({"hook_event_name": "PreToolUse"}).encode()
    answer = office.run(lambda: ask(office.app, "POST", "/hooks/codex", body))
    said = json.loads(answer.body)["hookSpecificOutput"]
    assert (answer.status, said["permissionDecision"]) == (200, "deny")
    assert "no host is called 'codex'" in said["permissionDecisionReason"]


def test_a_person_may_say_whether_a_verdict_was_right(office: InProcessApi) -> None:
    office.post(call(CRITICAL))
    office.judge(1, right=True)
    assert office.desk.kinds()[-1] == "FeedbackGiven"
    assert office.desk.state().usage.right == 1


@pytest.mark.parametrize(("step", "run"), [(2, SESSION), (0, SESSION), (1, "nobody")])
def test_feedback_about_nothing_is_refused_and_leaves_no_trace(
    office: InProcessApi, step: int, run: str
) -> None:
    office.post(call(CRITICAL))
    with pytest.raises(NoSuchStepError):
        office.judge(step, right=True, run=run)
    assert "FeedbackGiven" not in office.desk.kinds()
    assert len(office.desk.runs) == 1


class Watched(MemoryStore):
    """A log that notes which thread reads in it."""

    def __init__(self) -> None:
        super().__init__()
        self.readers: list[str] = []

    def read(self, topic: str, after: int = 0, limit: int = 1000) -> list[StoredEntry]:
        self.readers.append(threading.current_thread().name)
        return super().read(topic, after, limit)


def test_a_step_is_looked_for_without_keeping_other_runs_waiting() -> None:
    store = Watched()
    with InProcessApi(store=store) as office:
        office.post(call(CRITICAL))
        store.readers.clear()
        office.judge(1, right=True)
    assert store.readers
    assert "supervision" not in store.readers


def test_feedback_that_cannot_be_kept_is_an_error() -> None:
    store = Failing()
    with InProcessApi(store=store) as office:
        office.post(call(CRITICAL))
        store.on_write = DiskFullError("/x/events.db")
        with pytest.raises(StoreError):
            office.judge(1, right=True)


def test_the_event_loop_of_the_real_daemon_is_never_kept_waiting(place: DaemonSandbox) -> None:
    """With the log on the disk, settings that are looked for, and a project that is there."""
    with (
        asyncio.Runner() as runner,
        closing(Daemon(place.home, place.environ, runner.get_loop())) as daemon,
    ):
        app = TokenAuth(daemon.app(), hook_token="h", control_token="c")
        headers = {"host": "127.0.0.1:1", "authorization": "Bearer c"}

        hooks = [("POST", "/hooks/claude", path.read_bytes()) for path in samples()]
        hooks += [("POST", "/hooks/claude", call("rm -rf /", "t9"))]
        asked = [("GET", path, b"") for path in ("/healthz", "/metrics", "/nothing")]

        async def everything() -> list[int]:
            by_socket = [(await ask(daemon.app(), *each)).status for each in hooks]
            by_port = [(await ask(app, *each, headers)).status for each in (*hooks, *asked)]
            return by_socket + by_port

        with blockbuster_ctx():
            statuses = runner.run(everything())
    assert statuses == [200] * (len(statuses) - 1) + [404]
