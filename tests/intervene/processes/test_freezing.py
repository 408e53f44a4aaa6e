"""Every process of a run stands still, or none does; and exactly those go on again."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from handrail.intervene.processes.freezing import (
    FreezeResult,
    ThawResult,
    freeze_processes,
    stopped_processes,
    thaw_processes,
)
from handrail.intervene.processes.process_tree import (
    ProcessFamily,
    ProcessIdentity,
    end_processes,
    identity_of,
)
from tests.intervene.process_spawner import ProcessSpawner, is_alive, until

pytestmark = pytest.mark.slow

STAND = (psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP)


@pytest.fixture
def zoo(tmp_path: Path) -> Iterator[ProcessSpawner]:
    with ProcessSpawner(tmp_path) as zoo:
        yield zoo


def is_still(pid: int) -> bool:
    return psutil.Process(pid).status() in STAND


def pids(stills: tuple[ProcessIdentity, ...]) -> set[int]:
    return {each.pid for each in stills}


def frozen(family: ProcessFamily, before: tuple[ProcessIdentity, ...] = ()) -> FreezeResult:
    done = freeze_processes(family, before)
    assert done.loose == ()
    return done


def thawed(done: FreezeResult) -> ThawResult:
    back = thaw_processes(done.stopped)
    assert back.still == ()
    return back


def python(zoo: ProcessSpawner, name: str, script: str, *, marked: bool = True) -> int:
    (zoo.root / name).write_text(script)
    return zoo.sh(f"exec {sys.executable} {name}", marked=marked)


def test_a_run_stands_still_and_goes_on(zoo: ProcessSpawner) -> None:
    pid = zoo.sh("sleep 60 & echo $! > child; echo ready; wait", marked=False)
    done = frozen(ProcessFamily({}, identity_of(pid)))
    child = zoo.number("child")
    assert pids(done.stopped) == {pid, child}
    assert f"{child} sleep 60" in done.all
    assert is_still(pid)
    assert is_still(child)
    back = thawed(done)
    assert f"{child} sleep 60" in back.going
    assert not is_still(pid)
    assert not is_still(child)


def test_children_in_sessions_of_their_own_stand_still_too(zoo: ProcessSpawner) -> None:
    script = "setsid sh -c 'echo $$ > inner; echo ready; exec sleep 60' & wait"
    pid = zoo.sh(script)
    until((zoo.root / "inner").read_text)
    done = frozen(ProcessFamily(zoo.marks))
    assert os.getsid(zoo.number("inner")) != os.getsid(pid)
    assert is_still(zoo.number("inner"))
    thawed(done)
    assert not is_still(zoo.number("inner"))


def test_who_was_stopped_by_somebody_else_stays_so(zoo: ProcessSpawner) -> None:
    pid = zoo.sh("sleep 60 & echo $! > child; echo ready; wait")
    child = zoo.number("child")
    os.kill(child, signal.SIGSTOP)
    until(lambda: is_still(child))
    family = ProcessFamily(zoo.marks)
    before = stopped_processes(family)
    assert pids(before) == {child}
    done = frozen(family, before)
    assert pids(done.stopped) == {pid}
    assert len(done.all) == 2
    thawed(done)
    assert not is_still(pid)
    assert is_still(child)


def test_who_was_stopped_before_and_let_go_meanwhile_goes_on_with_the_others(
    zoo: ProcessSpawner,
) -> None:
    pid = zoo.sh("echo ready; exec sleep 60")
    os.kill(pid, signal.SIGSTOP)
    until(lambda: is_still(pid))
    family = ProcessFamily(zoo.marks)
    before = stopped_processes(family)
    os.kill(pid, signal.SIGCONT)
    done = frozen(family, before)
    assert pids(done.stopped) == {pid}
    thawed(done)
    assert not is_still(pid)


def test_who_is_let_go_while_the_freeze_is_under_way_is_stopped_again(zoo: ProcessSpawner) -> None:
    pid = zoo.sh("echo ready; exec sleep 60")
    family = Contrary(zoo, pid)
    done = frozen(family)
    assert family.times == 3
    assert pids(done.stopped) == {pid}
    assert is_still(pid)


class Contrary(ProcessFamily):
    """Somebody lets the run go again each time that it is looked at, for a while."""

    def __init__(self, zoo: ProcessSpawner, pid: int) -> None:
        super().__init__(zoo.marks)
        self._pid = pid
        self.times = 0

    def look(self, *, keep_host: bool = False) -> list[psutil.Process]:
        if self.times < 3:
            self.times += 1
            os.kill(self._pid, signal.SIGCONT)
        return super().look(keep_host=keep_host)


def test_a_run_that_cannot_be_stopped_as_a_whole_is_let_go_as_a_whole(
    zoo: ProcessSpawner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One is not ours to stop, whatever the reason: the system denies it."""
    good = zoo.sh("echo ready; exec sleep 60")
    bad = zoo.sh("echo ready; exec sleep 61")
    sent = psutil.Process.send_signal

    def send(process: psutil.Process, number: int) -> None:
        if process.pid == bad:
            raise psutil.AccessDenied(bad)
        sent(process, number)

    monkeypatch.setattr(psutil.Process, "send_signal", send)
    done = freeze_processes(ProcessFamily(zoo.marks), seconds=0.5)
    assert f"{bad} sleep 61" in done.loose
    assert (done.stopped, done.all) == ((), ())
    assert not is_still(good)


def test_nobody_new_gets_away(zoo: ProcessSpawner) -> None:
    """Each one starts the next one in a session of its own; not for ever, should all else fail."""
    (zoo.root / "fork.sh").write_text(
        '[ "$1" -lt 200 ] || exit 0\n'
        "(sleep 0.01; exec setsid sh fork.sh $(($1 + 1))) </dev/null >/dev/null &\n"
        '[ "$1" -gt 0 ] || echo ready\n'
        "exec sleep 60\n"
    )
    zoo.sh("exec sh fork.sh 0")
    done = frozen(ProcessFamily(zoo.marks))
    assert len(done.stopped) >= 2
    assert {is_still(each.pid) for each in done.stopped} == {True}
    assert {each.pid for each in ProcessFamily(zoo.marks).look()} == pids(done.stopped)
    end_processes(ProcessFamily(zoo.marks))


def test_it_comes_to_an_end_where_ever_more_are_found(zoo: ProcessSpawner) -> None:
    family = Rabbits(zoo)
    done = freeze_processes(family, seconds=0.3)
    assert done.loose
    assert done.stopped == ()
    assert not any(is_still(pid) for pid in family.pids)


class Rabbits(ProcessFamily):
    """There is a new one each time that anybody looks."""

    def __init__(self, zoo: ProcessSpawner) -> None:
        super().__init__(zoo.marks)
        self._zoo = zoo
        self.pids: list[int] = []

    def look(self, *, keep_host: bool = False) -> list[psutil.Process]:
        self.pids.append(self._zoo.sh("echo ready; exec sleep 60"))
        return super().look(keep_host=keep_host)


def test_a_parent_that_is_kept_in_the_kernel_by_its_child_counts_as_standing(
    zoo: ProcessSpawner,
) -> None:
    """The child opens a file before it becomes another program, and its parent waits for that."""
    os.mkfifo(zoo.root / "fifo")
    script = (
        "import os\n"
        "print('ready', flush=True)\n"
        "opens = [(os.POSIX_SPAWN_OPEN, 0, 'fifo', os.O_RDONLY, 0)]\n"
        "pid = os.posix_spawn('/bin/sleep', ['sleep', '60'], os.environ, file_actions=opens)\n"
        "open('child', 'w').write(str(pid))\n"
    )
    pid = python(zoo, "spawn.py", script)
    parent = psutil.Process(pid)
    until(lambda: parent.status() == psutil.STATUS_DISK_SLEEP)
    done = frozen(ProcessFamily(zoo.marks))
    assert pids(done.stopped) == {pid, *(each.pid for each in parent.children())}
    thawed(done)
    os.close(os.open(zoo.root / "fifo", os.O_WRONLY))
    until((zoo.root / "child").exists)


def test_a_parent_does_not_notice_that_its_child_stood_still(zoo: ProcessSpawner) -> None:
    script = (
        "import os, time\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os.execv('/bin/cat', ['cat', 'fifo'])\n"
        "print('ready', flush=True)\n"
        "while not os.WIFEXITED(status := os.waitpid(child, os.WUNTRACED)[1]):\n"
        "    open('noticed', 'w').write(str(status))\n"
        "open('over', 'w').close()\n"
    )
    os.mkfifo(zoo.root / "fifo")
    python(zoo, "wait.py", script)
    thawed(frozen(ProcessFamily(zoo.marks)))
    os.close(os.open(zoo.root / "fifo", os.O_WRONLY))
    until((zoo.root / "over").exists)
    assert not (zoo.root / "noticed").exists()


def test_who_dies_while_it_stands_still_is_gone(zoo: ProcessSpawner) -> None:
    pid = zoo.sh("sleep 60 & echo $! > child; echo ready; wait; exec sleep 60")
    done = frozen(ProcessFamily(zoo.marks))
    os.kill(zoo.number("child"), signal.SIGKILL)
    until(lambda: not is_alive(zoo.number("child")))
    back = thawed(done)
    assert [text.split()[0] for text in back.going] == [str(pid)]


def test_a_zombie_need_not_stand_still(zoo: ProcessSpawner) -> None:
    script = (
        "import os, time\n"
        "if os.fork() == 0: os._exit(0)\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    pid = python(zoo, "parent.py", script, marked=False)
    until(lambda: any(not is_alive(each.pid) for each in psutil.Process(pid).children()))
    done = frozen(ProcessFamily({}, identity_of(pid)))
    assert pids(done.stopped) == {pid}


def test_another_process_with_the_number_is_not_let_go(zoo: ProcessSpawner) -> None:
    pid = zoo.sh("echo ready; exec sleep 60")
    [one] = frozen(ProcessFamily(zoo.marks)).stopped
    assert thaw_processes([ProcessIdentity(pid, one.began - 60)]) == ThawResult()
    assert is_still(pid)


def test_whom_a_freeze_has_stopped_can_be_found_again_by_somebody_who_knows_nothing_of_it(
    zoo: ProcessSpawner,
) -> None:
    pid = zoo.sh("sleep 60 & echo $! > child; sleep 61 & echo $! > other; echo ready; wait")
    os.kill(zoo.number("other"), signal.SIGSTOP)
    until(lambda: is_still(zoo.number("other")))
    before = stopped_processes(ProcessFamily(zoo.marks))
    done = frozen(ProcessFamily(zoo.marks), before)
    assert pids(stopped_processes(ProcessFamily(zoo.marks), but=before)) == {
        pid,
        zoo.number("child"),
    }
    thawed(done)
    assert is_still(zoo.number("other"))


def test_a_freeze_that_was_broken_off_is_finished_by_the_next(zoo: ProcessSpawner) -> None:
    pid = zoo.sh("sleep 60 & echo $! > child; echo ready; wait")
    os.kill(zoo.number("child"), signal.SIGSTOP)  # the first one came as far as this
    done = frozen(ProcessFamily(zoo.marks), before=())
    assert pids(done.stopped) == {pid, zoo.number("child")}
    thawed(done)
    assert not is_still(zoo.number("child"))


def test_the_client_of_a_hook_the_driver_and_others_go_on(zoo: ProcessSpawner) -> None:
    client = zoo.root / "handrail-hook"
    client.write_text("sleep 60 >/dev/null & echo $! > curl; echo ready; wait\n")
    waits = zoo.sh(f"exec sh {client} PreToolUse")
    driver = zoo.sh("echo ready; exec sleep 60")
    stranger = zoo.sh("echo ready; exec sleep 60", marked=False)
    pid = zoo.sh("echo ready; exec sleep 60")
    done = frozen(ProcessFamily(zoo.marks, spared=(driver,), client=str(client)))
    assert pids(done.stopped) == {pid}
    assert not any(map(is_still, (waits, zoo.number("curl"), driver, stranger)))


def test_a_run_without_processes_has_nobody_to_stop(zoo: ProcessSpawner) -> None:
    assert freeze_processes(ProcessFamily(zoo.marks)) == FreezeResult()
    assert thaw_processes(()) == ThawResult()


def test_who_has_lost_the_terminal_stands_still_again_and_that_is_said(zoo: ProcessSpawner) -> None:
    """The shell in the window takes the terminal back when what it runs stands still."""
    (zoo.root / "agent.py").write_text(
        "import os, signal, termios\n"
        "def take_back(*_): termios.tcsetattr(0, termios.TCSANOW, termios.tcgetattr(0))\n"
        "signal.signal(signal.SIGCONT, take_back)\n"
        "open('agent.tmp', 'w').write(str(os.getpid()))\n"
        "os.rename('agent.tmp', 'agent')\n"
        "while True: signal.pause()\n"
    )
    thawed(
        frozen(ProcessFamily({}, identity_of(zoo.sh("echo ready; exec sleep 60", marked=False))))
    )
    with Window(zoo) as window:
        window.type(f"{sys.executable} agent.py")
        until((zoo.root / "agent").exists)
        agent = zoo.number("agent")
        done = frozen(ProcessFamily({}, identity_of(agent)))
        until(window.has_terminal_back)
        back = thaw_processes(done.stopped)
        assert [text.split()[0] for text in back.still] == [str(agent)]


class Window:
    """An interactive shell in a terminal."""

    def __init__(self, zoo: ProcessSpawner) -> None:
        self._ours, theirs = os.openpty()
        self._shell = subprocess.Popen(
            ["setsid", "--ctty", "bash", "--norc", "--noprofile", "-i"],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=zoo.root,
            env=zoo.environ,
        )
        os.close(theirs)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> "Window":
        return self

    def __exit__(self, *_: object) -> None:
        for each in psutil.Process(self._shell.pid).children():
            each.kill()
        self._shell.kill()
        self._shell.wait()
        self._reader.join()
        os.close(self._ours)

    def type(self, line: str) -> None:
        os.write(self._ours, f"{line}\n".encode())

    def has_terminal_back(self) -> bool:
        return os.tcgetpgrp(self._ours) == self._shell.pid

    def _read(self) -> None:
        """Nobody writes into a terminal that is not read."""
        while True:
            try:
                if not os.read(self._ours, 4096):
                    return
            except OSError:
                return
