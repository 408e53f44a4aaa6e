"""The packages that Handrail is made of, compared with the records that their installer wrote.

The guardian compares them before it starts a daemon, so little is loaded here, and most of it late.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

_COARSE = 0.05
"""Seconds by which the clock of a file system may be behind ours."""
_INFO = ".dist-info"
_COMPILED = "__pycache__"
_LOADED = (".py", ".pyc", ".so", ".pth")
"""What Python may load without being told its name in full."""
_START = re.compile(r".*\.pth|(site|user)customize\..*")
"""What Python loads from a folder of packages whenever it starts."""
_DEDICATED = {
    "/pipx/venvs/": "pipx reinstall handrail",
    "/uv/tools/": "uv tool install --reinstall handrail",
}
"""Where environments of Handrail alone are, and what makes one anew."""

Digests = dict[str, str]
"""By path, as a record has it; empty where it has none."""


class Packages(NamedTuple):
    """Where Handrail's packages are, and how they were when somebody last looked."""

    folders: tuple[str, ...]
    names: tuple[str, ...]
    """Handrail's, and of all that it needs."""
    python: str
    interpreter: str
    """Where the program of Python leads."""
    config: str
    """The text that makes its folder a virtual environment; empty: it is none."""
    since: float
    """When nothing was wrong with them; 0.0: nobody has looked yet."""

    def as_of(self, now: float) -> "Packages":
        """The same, after a look that began now."""
        return self._replace(since=max(self.since, now - _COARSE))


def find_changes(packages: Packages) -> list[str]:
    """The files that no installer has left like this since somebody last looked."""
    digests: Digests = {}
    found = [] if is_own_python(packages) else [packages.python]
    for folder in packages.folders:
        digests.update(_recorded(folder, packages.names))
    present = {_name(each) for folder in packages.folders for each in _infos(folder)}
    missing = (name for name in packages.names if name not in present)
    found += [os.path.join(packages.folders[0], name) for name in missing]
    touched = _touched(digests, packages)
    for path, digest in digests.items():
        if _is_changed(path, digest, packages.since, touched):
            found.append(path)
    extra = [path for path in _unrecorded(packages, digests) if _is_new(path, packages.since)]
    if extra:
        known = {path for folder in packages.folders for path, _ in _recorded(folder, None)}
        found += [path for path in extra if path not in known]
    return sorted(dict.fromkeys(found))


def find_replaced(packages: Packages) -> list[str]:
    """The records of packages that were written since somebody last looked."""
    return [
        record
        for folder in packages.folders
        for info in _infos(folder)
        if _name(info) in packages.names
        and _is_new(record := os.path.join(folder, info, "RECORD"), packages.since)
    ]


def is_own_python(packages: Packages) -> bool:
    """Whether the program and the environment of Python are as they were."""
    leads = os.path.realpath(packages.python) == packages.interpreter
    return leads and read_config(packages.python) == packages.config


def read_config(python: str) -> str:
    """The file that makes the folder around a program of Python a virtual environment."""
    place = os.path.join(os.path.dirname(os.path.dirname(python)), "pyvenv.cfg")
    with suppress(OSError), open(place, encoding="utf-8", errors="replace") as file:
        return file.read()
    return ""


def reinstall_command(python: str) -> str:
    """What puts the packages back, as they were installed."""
    for place, command in _DEDICATED.items():
        if place in python:
            return command
    return f"{python} -m pip install --force-reinstall handrail"


def is_dedicated(python: str) -> bool:
    """Whether an environment holds Handrail and nothing of a project."""
    return any(place in python for place in _DEDICATED)


def says_changed(changes: list[str]) -> str:
    """A sentence without its end about changed files."""
    shown = ", ".join(changes[:3])
    more = f" and {len(changes) - 3} more" if len(changes) > 3 else ""
    return f"Handrail's own packages were changed: {shown}{more}"


def canonical(name: str) -> str:
    """The name of a package as all its spellings have it in common."""
    return re.sub(r"[-_.]+", "-", name).lower()


def folders_of(packages: Packages) -> list[str]:
    """Every folder with files of these packages."""
    digests: Digests = {}
    for folder in packages.folders:
        digests.update(_recorded(folder, packages.names))
    return sorted({*packages.folders, *_folders(digests, packages)})


def _infos(folder: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if name.endswith(_INFO)]
    except OSError:
        return []


def _name(info: str) -> str:
    return canonical(info.removesuffix(_INFO).rpartition("-")[0])


def _recorded(folder: str, names: Iterable[str] | None) -> Iterator[tuple[str, str]]:
    """The files of some packages in a folder, or of all, with their digests."""
    import csv  # noqa: PLC0415 - rarely needed, and the guardian stays small

    for info in _infos(folder):
        if names is not None and _name(info) not in names:
            continue
        with suppress(OSError), open(os.path.join(folder, info, "RECORD"), newline="") as file:
            for row in csv.reader(file):
                if len(row) > 1 and _COMPILED not in row[0]:
                    yield os.path.normpath(os.path.join(folder, row[0])), row[1]


def _folders(digests: Digests, packages: Packages) -> set[str]:
    """The folders of files, below those of the packages."""
    found: set[str] = set()
    for path in digests:
        folder = os.path.dirname(path)
        while folder not in found and folder.startswith(tuple(f"{f}/" for f in packages.folders)):
            found.add(folder)
            folder = os.path.dirname(folder)
    return found


def _touched(digests: Digests, packages: Packages) -> set[str]:
    """Folders that were changed or put in place since: any file in them may be another one."""
    return {each for each in _folders(digests, packages) if _is_new(each, packages.since)}


def _is_changed(path: str, digest: str, since: float, touched: set[str]) -> bool:
    try:
        is_new = os.stat(path).st_ctime >= since
    except OSError:
        return True
    is_new = is_new or any(path.startswith(f"{folder}/") for folder in touched)
    return bool(digest) and is_new and not _has_digest(path, digest)


def _is_new(path: str, since: float) -> bool:
    try:
        return os.lstat(path).st_ctime >= since
    except OSError:
        return False


def _has_digest(path: str, digest: str) -> bool:
    from base64 import urlsafe_b64encode  # noqa: PLC0415 - as above
    from hashlib import new  # noqa: PLC0415

    kind, _, value = digest.partition("=")
    try:
        with open(path, "rb") as file:
            made = new(kind, file.read(), usedforsecurity=False).digest()
    except (OSError, ValueError):
        return False
    return urlsafe_b64encode(made).rstrip(b"=").decode() == value


def _unrecorded(packages: Packages, digests: Digests) -> Iterator[str]:
    """Files that Python would load, and that no record of these packages names."""
    for folder in packages.folders if packages.since else ():  # the first ones may be anybody's
        with suppress(OSError):
            for name in os.listdir(folder):
                path = os.path.join(folder, name)
                if _START.fullmatch(name) and path not in digests:
                    yield path
    for top in {_top(path, packages.folders) for path in digests} - {""}:
        for place, folders, files in os.walk(top):
            folders[:] = [each for each in folders if each != _COMPILED]
            for name in files:
                path = os.path.join(place, name)
                if name.endswith(_LOADED) and path not in digests:
                    yield path


def _top(path: str, folders: Iterable[str]) -> str:
    """The folder of a package that a file is in; empty: it is in none."""
    for folder in folders:
        if path.startswith(f"{folder}/") and "/" in (rest := path[len(folder) + 1 :]):
            return os.path.join(folder, rest.partition("/")[0])
    return ""
