"""Counts the processes of git, by a program of that name that comes first."""

import os
import shlex
import shutil
from pathlib import Path

from .conftest import CheckpointProject


class GitCalls:
    """What git was asked since the last look."""

    def __init__(self, bench: CheckpointProject, root: Path) -> None:
        real = shutil.which("git")
        assert real is not None
        folder = root / "counted"
        folder.mkdir()
        self._log = folder / "log"
        program = folder / "git"
        log = shlex.quote(str(self._log))
        program.write_text(f'#!/bin/sh\necho "$*" >> {log}\nexec {shlex.quote(real)} "$@"\n')
        program.chmod(0o755)
        bench.environ["PATH"] = f"{folder}{os.pathsep}{bench.environ['PATH']}"

    def commands(self) -> list[str]:
        """One line for each process."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        self._log.unlink(missing_ok=True)
        return lines
