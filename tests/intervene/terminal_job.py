"""A program on a terminal of its own, and the job that a shell has started there."""

import os
import pty
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.intervene.process_spawner import until

BASH = ("bash", "--norc", "--noprofile", "-i")


@contextmanager
def on_a_terminal(folder: Path, *command: str, types: str = "") -> Iterator[int]:
    """A program on a terminal of its own, with something typed; its job's process."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        ["setsid", "--ctty", *command],
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={"PATH": os.environ["PATH"], "TERM": "dumb", "PS1": "$ "},
    )
    os.close(theirs)
    job = folder / "job"
    try:
        os.write(ours, types.encode())
        until(lambda: job.exists() and job.read_text().endswith("\n"))
        yield int(job.read_text())
    finally:
        os.close(ours)
        if job.exists():
            subprocess.run(["kill", "-9", job.read_text().strip()], check=False)
        process.kill()
        process.wait()
