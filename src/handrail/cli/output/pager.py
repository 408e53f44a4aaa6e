"""Show long text through the user's pager."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress

_PAGER = "less"
_LESS = "FRX"
"""Options for less: quit if everything fits, show colours, keep the text on the screen."""


def show_in_pager(lines: Iterable[str], *, wanted: bool = True) -> None:
    """Print lines, through $PAGER if `wanted` and on a terminal."""
    command = _command() if wanted and sys.stdout.isatty() else []
    if not command:
        for line in lines:
            sys.stdout.write(f"{line}\n")
        return
    sys.stdout.flush()
    environ = {"LESS": _LESS, **os.environ}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environ) as process:
        assert process.stdin is not None
        with suppress(BrokenPipeError, KeyboardInterrupt):
            for line in lines:
                process.stdin.write(f"{line}\n".encode(errors="replace"))
        with suppress(BrokenPipeError):
            process.stdin.close()
        while process.poll() is None:
            with suppress(KeyboardInterrupt):  # for the pager
                process.wait()


def _command() -> list[str]:
    command = shlex.split(os.environ.get("PAGER", _PAGER))
    if not command or command[0] == "cat" or shutil.which(command[0]) is None:
        return []
    return command
