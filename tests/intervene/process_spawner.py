"""Real processes for tests, none of which is left behind."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

import psutil

MARK = "HANDRAIL_TEST_SESSION"
OURS = "HANDRAIL_TEST_ZOO"
"""In the environment of all that a test starts, whether it is a member or not."""
PATIENCE = 60.0


class ProcessSpawner:
    """Starts processes that say when they are ready, and leaves none behind."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.marks = {MARK: str(root)}
        self.environ = {**os.environ, OURS: str(root)}
        self._started: list[subprocess.Popen[bytes]] = []

    def sh(self, script: str, *, marked: bool = True) -> int:
        """A shell, marked as the run's own or not; back when the script has said `ready`."""
        process = subprocess.Popen(
            ["/bin/sh", "-c", script],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            cwd=self.root,
            env={**self.environ, **(self.marks if marked else {})},
        )
        self._started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        return process.pid

    def driver(self, script: str) -> int:
        """A process that adopts the orphans of a shell which it has started."""
        code = (
            "import subprocess, sys; "
            "from handrail.intervene.processes.subreaper import become_subreaper; "
            "assert become_subreaper(); "
            "subprocess.Popen(['sh', '-c', sys.argv[1]]); print('ready', flush=True); "
            "import signal; signal.pause()"
        )
        (self.root / "driver.py").write_text(code)
        (self.root / "script.sh").write_text(script)
        return self.sh(f'exec {sys.executable} driver.py "$(cat script.sh)"')

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while ours := [one for one in psutil.process_iter() if self._is_ours(one)]:
            for one in ours:
                with suppress(psutil.Error):
                    one.kill()
        for process in self._started:
            process.wait()
            assert process.stdout is not None
            process.stdout.close()

    def _is_ours(self, one: psutil.Process) -> bool:
        with suppress(psutil.Error):
            return one.environ().get(OURS) == str(self.root)
        return False

    def number(self, name: str) -> int:
        """A process that a script has noted."""
        return int((self.root / name).read_text())


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def until(condition: Callable[[], object]) -> None:
    """Polls: no process tells another one what has become of it."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)
