"""What programs send that use Handrail as a library; whatever cannot be read is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.hosts import find_host
from handrail.hosts.port import HostError, NotDrivenError, Reply, SessionOrigin
from handrail.hosts.python.hooks import PythonHooks
from handrail.model.host import known_hosts, profile_of
from handrail.store.journal import Journal
from handrail.store.memory import MemoryStore
from handrail.supervise.decision.decision_progress import Ready
from handrail.supervise.runs.project import Projects
from handrail.supervise.runs.run_registry import RunRegistry

CALL = {"event": "before", "run": "r1", "cwd": "/tmp", "id": "1", "tool": "Bash"}


def make_hooks() -> PythonHooks:
    runs = RunRegistry(Journal(MemoryStore()), Projects({"HOME": "/home/you"}))
    return PythonHooks(runs)


def ask(hooks: PythonHooks, body: bytes) -> Reply:
    progress = hooks.handle(body, SessionOrigin())
    while not isinstance(progress, Ready):
        progress = progress.answer()
    return progress.wait()


def decision(body: object) -> str:
    verdict = ask(make_hooks(), json.dumps(body).encode())["verdict"]
    assert isinstance(verdict, dict)
    return str(verdict["decision"])


def test_an_action_is_reviewed_whether_its_start_was_heard_or_not() -> None:
    assert decision({**CALL, "input": {"command": "ls"}}) == "allow"
    assert decision({**CALL, "input": {"command": "rm -rf /"}}) == "block"


@pytest.mark.parametrize(
    "wrong",
    [
        {"event": "befor"},
        {"event": None},
        {"run": ""},
        {"run": "x" * 201},
        {"run": "a\0b"},
        {"cwd": "tmp"},
        {"cwd": ""},
        {"id": ""},
        {"tool": ""},
        {"tool": 3},
        {"input": None},
        {"input": ["ls"]},
        {"agent": 3},
    ],
    ids=str,
)
def test_a_call_that_cannot_be_read_is_refused(wrong: dict[str, object]) -> None:
    assert decision({**CALL, "input": {"command": "ls"}, **wrong}) == "block"


@given(st.binary() | st.text().map(str.encode))
def test_noise_is_refused(body: bytes) -> None:
    verdict = ask(make_hooks(), body)["verdict"]
    assert isinstance(verdict, dict)
    assert verdict["decision"] == "block"


def test_a_fault_of_handrail_is_a_refusal() -> None:
    for reply in (make_hooks().failed("a bug", b""), make_hooks().unreadable("a bug")):
        verdict = reply["verdict"]
        assert isinstance(verdict, dict)
        assert verdict["decision"] == "block"
        assert "a bug" in str(verdict["reason"])


def test_it_has_nothing_to_protect_and_nothing_to_install() -> None:
    host = find_host("python")
    assert host.profile == profile_of("python")
    assert "python" not in [each.name for each in known_hosts()]
    assert host.find_program({}) is None
    with pytest.raises(HostError, match="nothing to install"):
        host.settings_file({}, "")
    with pytest.raises(NotDrivenError):
        host.check_mode("")
