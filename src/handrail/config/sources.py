"""Find the files with settings."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

FILE_NAME = "handrail.yaml"

Exists = Callable[[str], bool]
"""Whether anything is at a path, even a broken link: its reader reports the problem."""


class PipelineSafety(Struct, frozen=True):
    """A pipeline's `safety:` mapping as read, and its place."""

    settings: Mapping[str, object]
    file: str
    line: int = 0


def user_file(environ: Mapping[str, str]) -> Path | None:
    """Return the user's own file, if it exists."""
    found = find_user_file(environ)
    return Path(found) if found else None


def find_user_file(environ: Mapping[str, str], exists: Exists = os.path.lexists) -> str:
    """Return the same as text, or ""."""
    folder = user_folder(environ)
    path = os.path.join(folder, FILE_NAME)
    return path if folder and exists(path) else ""


def user_folder(environ: Mapping[str, str]) -> str:
    """Return the folder of the user's own file, or "" if nobody can say where it is."""
    folder = environ.get("XDG_CONFIG_HOME", "")
    if not folder.startswith("/"):  # the XDG rules: ignore a relative path
        home = environ.get("HOME", "")
        if not home:
            return ""
        folder = f"{home}/.config"
    return os.path.join(folder, "handrail")


def project_file(cwd: Path, home: str) -> Path | None:
    """Return the nearest `handrail.yaml` from `cwd` up to the root of its git work tree, or HOME.

    If neither is above, only `cwd` counts: anyone may put a file into /tmp.
    """
    found = find_project_file(str(cwd), home)
    return Path(found) if found else None


def find_project_file(cwd: str, home: str, exists: Exists = os.path.lexists) -> str:
    """Return the same as text, or ""."""
    folders: list[str] = []
    for folder in _upwards(cwd):
        folders.append(folder)
        if folder == home or _is_work_tree(folder, exists):
            break
    else:
        del folders[1:]
    paths = (os.path.join(each, FILE_NAME) for each in folders)
    return next(filter(exists, paths), "")


def work_tree(cwd: Path) -> Path | None:
    """Return the root of the git work tree around a folder."""
    found = find_work_tree(str(cwd))
    return Path(found) if found else None


def find_work_tree(folder: str, exists: Exists = os.path.lexists) -> str:
    """Return the same as text: a daemon looks every second, and paths are slow."""
    return next((each for each in _upwards(folder) if _is_work_tree(each, exists)), "")


def shown_path(path: Path, cwd: Path, home: str) -> str:
    """Return a path in its short form for people."""
    if path.is_relative_to(cwd):
        return str(path.relative_to(cwd))
    if home and path.is_relative_to(home):
        return f"~/{path.relative_to(home)}"
    return str(path)


def _upwards(folder: str) -> Iterator[str]:
    """Yield a folder and all above it."""
    at, above = "", folder
    while above != at:
        yield above
        at, above = above, os.path.dirname(above) or "."


def _is_work_tree(folder: str, exists: Exists) -> bool:
    return exists(os.path.join(folder, ".git"))
