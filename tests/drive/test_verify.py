"""The verify command: run by a real shell, bounded in time and space, nothing left behind."""

import asyncio
import os
import shlex
import sys
from pathlib import Path

import psutil
import pytest

from handrail.drive.command import KEPT
from handrail.drive.verify import Verification, verify

pytestmark = pytest.mark.slow


def run(command: str, cwd: Path, *, seconds: float = 60.0) -> Verification:
    return asyncio.run(verify(command, str(cwd), seconds=seconds))


def python(code: str) -> str:
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"


def gone(pid_file: Path) -> bool:
    """Whether a process ends now; what was killed may still be a zombie of somebody else."""
    try:
        process = psutil.Process(int(pid_file.read_text()))
    except psutil.NoSuchProcess:
        return True
    for _ in range(1_000):
        ended, _ = psutil.wait_procs([process], timeout=0.01)
        if ended or process.status() == psutil.STATUS_ZOMBIE:
            return True
    return False


def test_a_command_that_passes(tmp_path: Path) -> None:
    came = run("echo fine; echo loud >&2; pwd", tmp_path)
    assert came.ok
    assert came.how == "exit code 0"
    assert came.says == f"fine\nloud\n{tmp_path}"
    assert came.ms > 0


def test_a_command_that_fails(tmp_path: Path) -> None:
    came = run("echo two tests failed; exit 3", tmp_path)
    assert (came.ok, came.how, came.says) == (False, "exit code 3", "two tests failed")


def test_a_command_that_does_not_exist(tmp_path: Path) -> None:
    came = run("no-such-program-here", tmp_path)
    assert (came.ok, came.how) == (False, "exit code 127")
    assert "no-such-program-here" in came.says


def test_syntax_errors_do_not_pass(tmp_path: Path) -> None:
    assert not run("if then (", tmp_path).ok


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    came = run("true", tmp_path / "gone")
    assert not came.ok
    assert came.how.startswith("it cannot be run: ")


def test_a_command_that_no_system_takes(tmp_path: Path) -> None:
    came = run("true\0", tmp_path)
    assert not came.ok
    assert came.how.startswith("it cannot be run: ")


def test_a_command_that_is_killed(tmp_path: Path) -> None:
    came = run("echo begun; kill -KILL $$", tmp_path)
    assert (came.ok, came.how, came.says) == (False, "killed by SIGKILL", "begun")


def test_it_reads_nothing(tmp_path: Path) -> None:
    assert run("cat", tmp_path).ok


def test_only_the_end_of_the_output_is_kept(tmp_path: Path) -> None:
    came = run(python("for i in range(100_000): print('line', i)"), tmp_path)
    first, *lines = came.says.splitlines()
    printed = sum(len(f"line {i}\n") for i in range(100_000))
    assert came.ok
    assert first == f"… {printed - KEPT:,} bytes before this are left out"
    assert lines[-1] == "line 99999"
    assert lines == [f"line {i}" for i in range(100_000 - len(lines), 100_000)]


def test_one_long_line_is_cut_inside_a_character(tmp_path: Path) -> None:
    came = run(
        python("import sys; sys.stdout.buffer.write('é'.encode() * 50_000 + b'.')"), tmp_path
    )
    assert came.says.endswith("é.")
    assert len(came.says.encode()) < KEPT + 100


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    assert run(r"printf '\377\376 ok'", tmp_path).says.endswith(" ok")


def test_a_command_that_prints_for_ever_is_killed(tmp_path: Path) -> None:
    came = run("echo $$ > pid; yes", tmp_path, seconds=0.3)
    assert (came.ok, came.how) == (False, "no end after 0.3 s, so it was killed")
    assert came.says.endswith("y\ny")
    assert len(came.says) < KEPT + 100
    assert gone(tmp_path / "pid")


def test_a_command_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    came = run("trap '' TERM INT; sleep 600 & echo $! > child; wait", tmp_path, seconds=0.3)
    assert came.how == "no end after 0.3 s, so it was killed"
    assert gone(tmp_path / "child")


def test_who_stays_in_the_background_does_not_keep_it_waiting(tmp_path: Path) -> None:
    came = run("sleep 600 & echo $! > child; echo passed", tmp_path)
    assert (came.ok, came.says) == (True, "passed")
    assert gone(tmp_path / "child")


def test_a_command_that_has_ended_with_all_its_children_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("handrail.drive.command._LAST_WORDS", 3600.0)
    assert run("sleep 600 & echo passed", tmp_path).says == "passed"


def test_who_has_left_the_group_and_holds_the_pipe_does_not_keep_it_waiting(tmp_path: Path) -> None:
    code = "import os, time; os.setsid(); open('pid', 'w').write(str(os.getpid())); time.sleep(600)"
    try:
        came = run(f"{python(code)} & while ! [ -s pid ]; do :; done; echo passed", tmp_path)
        assert (came.ok, came.says) == (True, "passed")
    finally:
        psutil.Process(int((tmp_path / "pid").read_text())).kill()


@pytest.mark.parametrize("at_once", [False, True])
def test_whoever_is_cancelled_leaves_nothing_behind(tmp_path: Path, *, at_once: bool) -> None:
    """At once: in the moment in which the command has begun and nobody has been told so."""
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    before = psutil.Process().children()

    async def cancel() -> None:
        command = "sleep 600 & echo $! > child; echo $$ > pid; echo > begun; wait"
        task = asyncio.create_task(verify(command, str(tmp_path)))
        if at_once:
            while psutil.Process().children() == before:
                await asyncio.sleep(0)
            begun.read_text()
        else:
            await asyncio.to_thread(begun.read_text)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert gone(tmp_path / "pid")
    assert gone(tmp_path / "child")


def test_its_processes_carry_the_marks_of_the_run(tmp_path: Path) -> None:
    came = asyncio.run(
        verify('echo "$RUN_MARK"; [ -n "$PATH" ]', str(tmp_path), environ={"RUN_MARK": "run-1"})
    )
    assert (came.ok, came.says) == (True, "run-1")
    assert "RUN_MARK" not in os.environ
