"""Find the `claude` on this machine, and its version."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping

from handrail.hosts.port import HostProgram, Version

_PATIENCE = 10.0
_USUAL = (
    "~/.local/bin/claude",
    "~/.claude/local/claude",
    "/opt/homebrew/bin/claude",
    "/usr/local/bin/claude",
)
"""Paths of its installers, for a PATH without them."""


def find_claude(environ: Mapping[str, str]) -> HostProgram | None:
    """Return the Claude Code that a terminal would start."""
    home = environ.get("HOME", "")
    usual = (path.replace("~", home, 1) for path in _USUAL)
    path = shutil.which("claude", path=environ.get("PATH", "")) or next(
        (path for path in usual if os.access(path, os.X_OK) and os.path.isfile(path)), None
    )
    return HostProgram(path, _version(path, environ)) if path else None


def _version(path: str, environ: Mapping[str, str]) -> Version | None:
    try:
        ran = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=dict(environ),
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return read_version(os.fsdecode(ran.stdout))


def read_version(text: str) -> Version | None:
    """Return the first version number in a text."""
    found = re.search(r"\b(\d{1,6})\.(\d{1,6})\.(\d{1,6})\b", text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None
