"""Whether a person is upgrading packages right now, in a terminal of their own."""

import os
import re
from collections.abc import Sequence

import psutil

from handrail.hosts.driven_agent import MARK
from handrail.model.host import known_hosts

_INSTALLER = re.compile(r"(pip|pipx|uv)([0-9.]*|\.exe)")
_MOST_WORDS = 3
"""`python -m pip`, `python -EP /usr/bin/pipx`."""


def person_installs() -> bool:
    """Whether an installer of this user runs that no agent has started."""
    return any(map(is_a_persons, psutil.process_iter()))


def is_a_persons(process: psutil.Process) -> bool:
    """Whether a process is an installer that no agent has started."""
    try:
        return is_installer(process.cmdline()) and not _has_marks(process)
    except psutil.Error:  # it has ended, or belongs to somebody else
        return False


def is_installer(words: Sequence[str]) -> bool:
    """Whether a command line is that of pip, pipx or uv."""
    return any(_INSTALLER.fullmatch(os.path.basename(word)) for word in words[:_MOST_WORDS])


def _has_marks(process: psutil.Process) -> bool:
    """Agents leave marks in the environment of everything that they start."""
    marks = {MARK, *(name for host in known_hosts() for name in host.agent_variables)}
    return not marks.isdisjoint(process.environ())
