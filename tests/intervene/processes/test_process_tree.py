"""Every process of a run is ended, and nobody else."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from handrail.intervene.processes.process_tree import (
    EndedProcesses,
    ProcessFamily,
    ProcessIdentity,
    end_processes,
    identity_of,
)
from tests.intervene.process_spawner import OURS, ProcessSpawner, is_alive, until

pytestmark = pytest.mark.slow


@pytest.fixture
def zoo(tmp_path: Path) -> Iterator[ProcessSpawner]:
    with ProcessSpawner(tmp_path) as zoo:
        yield zoo


def ended_pids(ended: EndedProcesses) -> set[int]:
    return {int(text.split()[0]) for text in ended.ended}


def finish(
    family: ProcessFamily, *, keep_host: bool = False, seconds: float = 3.0
) -> EndedProcesses:
    done = end_processes(family, keep_host=keep_host, seconds=seconds)
    assert done.left == ()
    return done


def test_an_obedient_shell_ends_with_its_children(zoo: ProcessSpawner) -> None:
    pid = zoo.sh("sleep 60 & echo $! > child; echo ready; wait")
    done = finish(ProcessFamily(zoo.marks))
    assert ended_pids(done) == {pid, zoo.number("child")}
    assert f"{zoo.number('child')} sleep 60" in done.ended
    assert not is_alive(pid)
    assert not is_alive(zoo.number("child"))


def test_a_shell_that_ignores_sigterm_is_ended_all_the_same(zoo: ProcessSpawner) -> None:
    pid = zoo.sh("trap '' TERM HUP INT; echo ready; while :; do sleep 60; done")
    finish(ProcessFamily(zoo.marks), seconds=1.0)
    assert not is_alive(pid)


def test_a_process_that_was_stopped_is_ended(zoo: ProcessSpawner) -> None:
    pid = zoo.sh("echo ready; sleep 60")
    os.kill(pid, signal.SIGSTOP)
    finish(ProcessFamily(zoo.marks))
    assert not is_alive(pid)


def test_a_daemon_in_a_session_of_its_own_is_found_by_its_mark(zoo: ProcessSpawner) -> None:
    detach = (
        "import os, sys, time\n"
        "if os.fork(): os.wait(); print('ready', flush=True); time.sleep(60)\n"
        "os.setsid()\n"
        "if os.fork(): os._exit(0)\n"
        "open('daemon', 'w').write(str(os.getpid()))\n"
        "os.close(1)\n"
        "time.sleep(60)\n"
    )
    (zoo.root / "detach.py").write_text(detach)
    (zoo.root / "daemon").write_text("")
    pid = zoo.sh(f"exec {sys.executable} detach.py")
    until((zoo.root / "daemon").read_text)
    daemon = zoo.number("daemon")
    assert psutil.Process(daemon).ppid() != pid
    done = finish(ProcessFamily(zoo.marks))
    assert daemon in ended_pids(done)
    assert not is_alive(daemon)


def test_the_host_and_all_below_it_need_no_mark(zoo: ProcessSpawner) -> None:
    script = "setsid sh -c 'echo $$ > inner; exec sleep 60' & sleep 60 & echo ready; wait"
    pid = zoo.sh(script, marked=False)
    until(lambda: (zoo.root / "inner").exists() and (zoo.root / "inner").read_text())
    finish(ProcessFamily({}, identity_of(pid)))
    assert not is_alive(pid)
    assert not is_alive(zoo.number("inner"))


def test_the_host_may_stay_while_its_children_end(zoo: ProcessSpawner) -> None:
    pid = zoo.sh("sleep 60 & echo $! > child; echo ready; wait; exec sleep 60", marked=False)
    done = finish(ProcessFamily({}, identity_of(pid)), keep_host=True)
    assert is_alive(pid)
    assert zoo.number("child") in ended_pids(done)
    assert pid not in ended_pids(done)


def test_a_host_that_starts_the_next_child_at_once_is_left_with_what_is_said(
    zoo: ProcessSpawner,
) -> None:
    """It cannot be ended while its host stays and makes more: that is said, in bounded time."""
    pid = zoo.sh("echo ready; while :; do sleep 60; done", marked=False)
    done = end_processes(ProcessFamily({}, identity_of(pid)), keep_host=True, seconds=0.5)
    assert done.ended
    assert is_alive(pid)
    finish(ProcessFamily({}, identity_of(pid)))


def test_a_process_with_the_number_of_the_host_is_not_the_host(zoo: ProcessSpawner) -> None:
    pid = zoo.sh("echo ready; sleep 60", marked=False)
    host = identity_of(pid)
    assert host is not None
    assert finish(ProcessFamily({}, ProcessIdentity(pid, host.began - 60))) == EndedProcesses()
    assert is_alive(pid)


def test_a_host_that_is_gone_has_no_moment(zoo: ProcessSpawner) -> None:
    pid = zoo.sh("echo ready; sleep 60")
    finish(ProcessFamily(zoo.marks))
    assert ProcessFamily({}, ProcessIdentity(pid, 0.0)).look() == []
    assert identity_of(2**22 + 1) is None


def test_a_script_that_forks_all_the_time_comes_to_an_end(zoo: ProcessSpawner) -> None:
    """Each one ignores SIGTERM and starts the next one; not for ever, should all else fail."""
    (zoo.root / "fork.sh").write_text(
        "trap '' TERM\n"
        '[ "$1" -lt 60 ] || exit 0\n'
        "(sleep 0.02; exec setsid sh fork.sh $(($1 + 1))) </dev/null >/dev/null &\n"
        '[ "$1" -gt 0 ] || echo ready\n'
        "sleep 60\n"
    )
    pid = zoo.sh("exec sh fork.sh 0")
    finish(ProcessFamily(zoo.marks), seconds=5.0)
    assert not is_alive(pid)
    assert ProcessFamily(zoo.marks).look() == []


def test_who_was_seen_once_stays_a_member(zoo: ProcessSpawner) -> None:
    """Its environment is empty and its parent is gone by the time of the stop."""
    script = (
        f"env -i {OURS}=${OURS} sh -c 'echo $$ > orphan; exec sleep 60' >/dev/null &"
        " echo ready; read x < go"
    )
    os.mkfifo(zoo.root / "go")
    pid = zoo.sh(script)
    until(lambda: (zoo.root / "orphan").exists() and (zoo.root / "orphan").read_text())
    family = ProcessFamily(zoo.marks)
    assert len(family.look()) >= 2
    (zoo.root / "go").write_text("go\n")
    until(lambda: not is_alive(pid))
    finish(family)
    assert not is_alive(zoo.number("orphan"))


def test_a_zombie_counts_as_ended(zoo: ProcessSpawner) -> None:
    parent = (
        "import os, time\n"
        "if os.fork() == 0: os._exit(0)\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    (zoo.root / "parent.py").write_text(parent)
    pid = zoo.sh(f"exec {sys.executable} parent.py", marked=False)
    until(lambda: any(not is_alive(c.pid) for c in psutil.Process(pid).children()))
    assert finish(ProcessFamily({}, identity_of(pid)), keep_host=True) == EndedProcesses()
    assert is_alive(pid)


def test_nobody_else_is_touched(zoo: ProcessSpawner) -> None:
    spared = zoo.sh("echo ready; exec sleep 60")
    stranger = zoo.sh("echo ready; sleep 60", marked=False)
    mine = zoo.sh("echo ready; sleep 60")
    done = finish(ProcessFamily({**zoo.marks, "NOTHING": ""}, spared=(spared,)))
    assert is_alive(spared)
    assert is_alive(stranger)
    assert mine in ended_pids(done)
    assert os.getpid() not in ended_pids(done)
    finish(ProcessFamily(zoo.marks))


def test_the_caller_is_spared_even_where_it_is_a_member(zoo: ProcessSpawner) -> None:
    script = (
        "import os\n"
        "from handrail.intervene.processes.process_tree import ProcessFamily, end\n"
        f"done = end(ProcessFamily({zoo.marks!r}), seconds=2)\n"
        "print('ready', flush=True)\n"
        "open('done', 'w').write(f'{os.getpid()} {done.left}')\n"
    )
    (zoo.root / "caller.py").write_text(script)
    (zoo.root / "done").write_text("")
    zoo.sh(f"exec {sys.executable} caller.py")
    until((zoo.root / "done").read_text)
    assert (zoo.root / "done").read_text().endswith(" ()")


def test_a_client_of_a_hook_is_left_to_wait_for_its_verdict(zoo: ProcessSpawner) -> None:
    client = zoo.root / "handrail-hook"
    client.write_text("sleep 60 >/dev/null & echo $! > curl; echo ready; wait\n")
    pid = zoo.sh(f"exec sh {client} PreToolUse")
    assert finish(ProcessFamily(zoo.marks, client=str(client))) == EndedProcesses()
    assert is_alive(pid)
    assert is_alive(zoo.number("curl"))
    finish(ProcessFamily(zoo.marks))
    assert not is_alive(zoo.number("curl"))


def test_a_client_whose_call_a_person_holds_is_left_to_wait(
    zoo: ProcessSpawner, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = zoo.root / "handrail-hook"
    client.write_text("echo ready; sleep 60\n")
    zoo.sh(f"exec sh {client} PreToolUse")
    later = time.clock_gettime(time.CLOCK_BOOTTIME) + 500
    monkeypatch.setattr("handrail.intervene.processes.process_tree._now", lambda: later)
    assert ProcessFamily(zoo.marks, client=str(client)).look() == []
    later += 500
    assert ProcessFamily(zoo.marks, client=str(client)).look() != []


def test_processes_of_others_are_not_even_looked_at(zoo: ProcessSpawner) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can start a process of somebody else")
    process = subprocess.Popen(
        ["/bin/sleep", "60"], env={**os.environ, **zoo.marks}, user=65534, extra_groups=[]
    )
    try:
        assert finish(ProcessFamily(zoo.marks)) == EndedProcesses()
        assert is_alive(process.pid)
    finally:
        process.kill()
        process.wait()
