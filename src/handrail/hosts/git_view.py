"""Tell whether git would pick up a file, and which line prevents it."""

import os
import re
import subprocess
from typing import Literal

import msgspec

_PATIENCE = 10.0


class GitView(msgspec.Struct, frozen=True):
    """The state of a file in git."""

    state: Literal["outside", "ignored", "tracked", "visible"]
    """`visible`: the next `git add .` would take it."""
    exclude: str = ""
    """The repository's own ignore list, which is not committed."""
    line: str = ""
    """The line to add to it."""


def git_view(path: str) -> GitView:
    """Return the state of a file in git; the file need not exist."""
    path = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    found = _git(folder, "rev-parse", "--show-toplevel", "--git-path", "info/exclude")
    if found is None or found.count("\n") != 2:
        return GitView("outside")
    top, exclude = found.splitlines()
    if _git(folder, "ls-files", "--error-unmatch", "--", path) is not None:
        return GitView("tracked")
    if _git(folder, "check-ignore", "-q", "--", path) is not None:
        return GitView("ignored")
    inside = os.path.relpath(path, os.path.realpath(top))
    line = "/" + re.sub(r"([\\*?\[])", r"\\\1", inside)
    return GitView("visible", os.path.join(folder, exclude), line)


def _git(folder: str, *arguments: str) -> str | None:
    """Return git's output; None if it fails or is missing."""
    environ = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    # A repository's own settings can name a program that git would start here.
    command = ["git", "-c", "core.fsmonitor=false", "-C", folder, *arguments]
    try:
        ran = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environ,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return os.fsdecode(ran.stdout) if ran.returncode == 0 else None


def with_line(text: str, line: str) -> str:
    """Append a line to a list."""
    gap = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{gap}{line}\n"


def without_line(text: str, line: str) -> str:
    """Remove a line from a list."""
    return "".join(each for each in text.splitlines(keepends=True) if each.rstrip("\r\n") != line)
