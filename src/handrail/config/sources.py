"""Where settings are looked for."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

FILE_NAME = "handrail.yaml"


class Safety(Struct, frozen=True):
    """A pipeline's `safety:` mapping as its reader found it, with where it stands."""

    settings: Mapping[str, object]
    file: str
    line: int = 0


def user_file(environ: Mapping[str, str]) -> Path | None:
    """The user's own file, if there is one."""
    folder = environ.get("XDG_CONFIG_HOME", "")
    if not folder.startswith("/"):  # the XDG rules: a relative path is to be ignored
        home = environ.get("HOME", "")
        if not home:
            return None
        folder = f"{home}/.config"
    return _existing(Path(folder, "handrail", FILE_NAME))


def project_file(cwd: Path, home: str) -> Path | None:
    """The nearest `handrail.yaml` from `cwd` up to the root of its git work tree, or HOME.

    Where neither is above, only `cwd` counts: anyone may put a file into /tmp.
    """
    folders = [cwd, *cwd.parents]
    ends = [index for index, folder in enumerate(folders) if _is_end(folder, home)]
    for folder in folders[: ends[0] + 1 if ends else 1]:
        if found := _existing(folder / FILE_NAME):
            return found
    return None


def work_tree(cwd: Path) -> Path | None:
    """The root of the git work tree around a folder."""
    return next((folder for folder in (cwd, *cwd.parents) if _is_work_tree(folder)), None)


def shown_path(path: Path, cwd: Path, home: str) -> str:
    """A path as people like to read it."""
    if path.is_relative_to(cwd):
        return str(path.relative_to(cwd))
    if home and path.is_relative_to(home):
        return f"~/{path.relative_to(home)}"
    return str(path)


def _is_end(folder: Path, home: str) -> bool:
    return str(folder) == home or _is_work_tree(folder)


def _is_work_tree(folder: Path) -> bool:
    return os.path.lexists(folder / ".git")


def _existing(path: Path) -> Path | None:
    """Something in its place counts, even a broken link: its reader says what is wrong."""
    return path if os.path.lexists(path) else None
