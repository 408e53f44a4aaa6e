"""The secrets of a project that its files tell."""

import os
import stat
from collections.abc import Iterator

from handrail.config.sources import Exists, find_work_tree
from handrail.redact import env_values

_MAX_BYTES = 64 * 1024
_FILES = (".env", ".env.local", ".env.development", ".env.production", ".env.test")


def env_files(folder: str, exists: Exists = os.path.lexists) -> Iterator[str]:
    """Yield where a project may have its secrets; not all of these files are there."""
    for place in dict.fromkeys((folder, find_work_tree(folder, exists) or folder)):
        for name in _FILES:
            yield f"{place}/{name}"


def project_secrets(folder: str) -> list[str]:
    """Return the values in the project's .env files."""
    values: list[str] = []
    for path in env_files(folder):
        try:
            values += env_values(_read_start(path))
        except OSError:
            continue
    return values


def _read_start(path: str) -> str:
    """Read the beginning of a regular file; anything else might never answer."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return ""
        return file.read(_MAX_BYTES).decode("utf-8", "replace")
