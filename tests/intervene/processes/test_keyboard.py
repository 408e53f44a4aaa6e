"""A job in the foreground of a shell would lose its keyboard; other processes keep theirs."""

import subprocess
from pathlib import Path

import pytest

from handrail.intervene.processes.keyboard import loses_keyboard
from tests.intervene.process_spawner import until
from tests.intervene.terminal_job import BASH, on_a_terminal

WAITS = "sh -c 'echo $$ > job; exec sleep 600'"

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="only /proc tells who has the keyboard"
)


def test_a_job_in_the_foreground_of_a_shell_loses_it(tmp_path: Path) -> None:
    with on_a_terminal(tmp_path, *BASH, types=f"{WAITS}\n") as job:
        until(lambda: loses_keyboard(job))  # the shell gives it the keyboard first


def test_a_job_in_the_background_has_none(tmp_path: Path) -> None:
    with on_a_terminal(tmp_path, *BASH, types=f"{WAITS} &\n") as job:
        until(lambda: not loses_keyboard(job))


def test_a_program_that_has_the_terminal_for_itself_keeps_it(tmp_path: Path) -> None:
    with on_a_terminal(tmp_path, "sh", "-c", "echo $$ > job; exec sleep 600") as job:
        assert not loses_keyboard(job)


def test_a_program_without_a_terminal_has_none(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as process:
        assert not loses_keyboard(process.pid)
        process.kill()
    assert not loses_keyboard(process.pid)
