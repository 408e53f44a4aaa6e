"""Find out whether a stopped process would lose its terminal to the shell that started it."""

import os
from contextlib import suppress
from typing import NamedTuple


class _TerminalUse(NamedTuple):
    parent: int
    group: int
    session: int
    terminal: int
    foreground: int
    """The process group that has the keyboard of the terminal."""


def loses_keyboard(pid: int) -> bool:
    """Return whether a shell with job control would take the keyboard from a stopped process.

    The shell waits for a job in the foreground. When the job stops, the shell reads the keyboard
    itself, and the job comes back in the background.
    """
    use = _terminal_use(pid)
    if use is None or not use.terminal or use.foreground != use.group:
        return False
    parent = _terminal_use(use.parent)
    return parent is not None and parent.session == use.session and parent.group != use.group


def _terminal_use(pid: int) -> _TerminalUse | None:
    """Read it from /proc; None: the system does not tell, or there is no such process."""
    with suppress(OSError, ValueError), open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
        return _TerminalUse(*map(int, fields[1:6]))
    with suppress(OSError):
        return _TerminalUse(0, os.getpgid(pid), os.getsid(pid), 0, 0)
    return None
