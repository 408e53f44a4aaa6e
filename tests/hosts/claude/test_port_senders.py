"""Who may speak for a session on the port, by a sender of which everything is known."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.intervene.processes.process_tree import start_time_of_pid
from handrail.model.event import FaultNoted, RunStarted
from tests.hosts.claude.desk import SESSION, Desk, decision

ME = os.getpid()


class Sender:
    """A connection that some process holds; None: the system does not tell which."""

    def __init__(self, owner: int | None, *, is_open: bool = True) -> None:
        self.owner = owner
        self.is_open = is_open
        self.admitted: set[str] = set()
        self.looks = 0

    def is_held_by(self, pid: int) -> bool | None:
        self.looks += 1
        return None if self.owner is None else self.owner == pid

    def find_owner(self) -> int:
        return self.owner or 0


@pytest.fixture
def shop(tmp_path: Path) -> Desk:
    """A desk for a project that is really there."""
    folder = tmp_path / "home" / "shop"
    (folder / ".git").mkdir(parents=True)
    return Desk(str(folder), str(tmp_path / "home"))


@pytest.fixture
def other() -> Iterator[int]:
    """Another process of this user."""
    program = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(program, stdin=subprocess.PIPE) as process:
        yield process.pid


def start(shop: Desk, pid: int) -> None:
    """The session's process has told its number over the socket."""
    event = RunStarted(
        1.0, "claude", shop.folder, "startup", pid=pid, pid_began=start_time_of_pid(pid)
    )
    shop.runs.get(SESSION, shop.folder).record(event)


def faults(shop: Desk) -> list[str]:
    return [each.says for each in shop.events() if isinstance(each, FaultNoted)]


def before(shop: Desk, sender: Sender, call: str = "t1", command: str = "ls") -> str:
    return decision(shop.before(command, call, sender=sender))


def test_the_process_of_the_session_is_heard(shop: Desk) -> None:
    start(shop, ME)
    assert before(shop, Sender(ME)) == "run"


def test_another_process_is_not_and_the_log_says_so_once(shop: Desk, other: int) -> None:
    start(shop, ME)
    assert before(shop, Sender(other)) == "deny"
    assert before(shop, Sender(other), "t2") == "deny"
    assert len(faults(shop)) == 1
    assert "Another process" in faults(shop)[0]


def test_what_another_process_tells_changes_nothing(shop: Desk, other: int) -> None:
    start(shop, ME)
    shop.before("ls", "t1")
    state = shop.runs.get(SESSION, shop.folder).state
    for event in ("PostToolUse", "PostToolBatch", "Stop", "SessionEnd"):
        shop.tell(event, sender=Sender(other), tool_name="Bash", tool_input={"command": "ls"})
    assert [each.id for each in state.open] == ["t1"]
    assert state.phase != "ended"


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_starts_and_prompts_come_over_the_socket(shop: Desk, event: str) -> None:
    start(shop, ME)
    seq = shop.runs.get(SESSION, shop.folder).state.seq
    answer = shop.tell(event, sender=Sender(ME), source="startup", prompt="go")
    assert "over its socket only" in answer["systemMessage"]
    assert [type(each).__name__ for each in shop.events()][seq:] == ["FaultNoted"]


def test_where_the_system_does_not_tell_it_is_heard(shop: Desk) -> None:
    start(shop, ME)
    assert before(shop, Sender(None)) == "run"


def test_a_sender_that_is_gone_is_not_heard(shop: Desk) -> None:
    """It could not wait for an answer, so that nobody would see whose it is."""
    start(shop, ME)
    assert before(shop, Sender(ME, is_open=False)) == "run"  # it was found in time
    gone = Sender(0, is_open=False)
    assert before(shop, gone, "t2") == "deny"
    assert "has left" in faults(shop)[0]


def test_a_session_that_waited_no_longer_still_closes_its_calls(shop: Desk) -> None:
    """A daemon that was stopped hears of a batch when nobody waits for the answer any more."""
    start(shop, ME)
    shop.before("ls", "t1")
    call = {"tool_use_id": "t1", "tool_name": "Bash", "tool_input": {}, "tool_response": "late"}
    shop.tell("PostToolBatch", sender=Sender(0, is_open=False), tool_calls=[call])
    assert shop.runs.get(SESSION, shop.folder).state.open == []


@pytest.mark.parametrize("pid", [0, 2**22 - 7])
def test_a_session_whose_process_nobody_knows_belongs_to_who_speaks_first(
    shop: Desk, pid: int, other: int
) -> None:
    """Claude Code without a number, or a number that means something in another namespace only."""
    shop.runs.get(SESSION, shop.folder).record(RunStarted(1.0, "claude", shop.folder, pid=pid))
    assert before(shop, Sender(ME), "t1") == "run"
    assert before(shop, Sender(other), "t2") == "deny"
    assert before(shop, Sender(ME), "t3") == "run"


def test_a_session_that_began_before_handrail_is_joined_in_the_middle(
    shop: Desk, other: int
) -> None:
    assert before(shop, Sender(ME), "t1") == "run"
    assert before(shop, Sender(other), "t2") == "deny"


def test_a_session_that_goes_on_in_another_process_is_heard_from_there(
    shop: Desk, other: int
) -> None:
    start(shop, ME)
    assert before(shop, Sender(ME), "t1") == "run"
    start(shop, other)
    assert before(shop, Sender(other), "t2") == "run"
    assert before(shop, Sender(ME), "t3") == "run"


def test_a_connection_is_looked_up_once(shop: Desk) -> None:
    start(shop, ME)
    sender = Sender(ME)
    for number in range(5):
        assert before(shop, sender, f"t{number}") == "run"
    assert sender.looks == 1
