"""What a stopped run has left behind outside its work tree: find it, and clean it up.

Nothing is deleted: files and folders go to the trash, and `handrail restore` brings them back.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

import psutil

from handrail.checkpoint.git.user_repository import read_text, repository_directories
from handrail.intervene.incidents.record import Incident, Leftover, LeftoverKind
from handrail.intervene.processes.process_tree import GONE, ProcessFamily, end_processes
from handrail.model.event import CleanedUp
from handrail.server.home import Home

_DEPTH = 3
"""How deep below the temporary folder a folder named after the run may lie."""
_MAX_LOOKED_AT = 20_000
_MAX_LISTED = 100
_END_SECONDS = 5.0
_LOCKS = ("index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock")


def find_leftovers(record: Incident, home: Home, temporary: str = "") -> list[Leftover]:
    """List what the run of an incident has left behind: processes, files, worktrees, locks.

    `temporary`: the folder for temporary files; empty: the system's.
    """
    tree = _work_tree(record.cwd)
    places = [os.path.realpath(temporary or tempfile.gettempdir())]
    left = record.stop.left if record.stop is not None else ()
    found = [
        *(Leftover("process", each) for each in left),
        *_marked("temporary", _temporary(record, places, home), tree),
        *_marked("worktree", _worktrees(record, tree), tree),
        *_marked("lock", _locks(record, tree), ""),
    ]
    return found[:_MAX_LISTED]


def clean_up(
    record: Incident, family: ProcessFamily, home: Home, clock: Callable[[], float]
) -> CleanedUp:
    """Remove what the incident lists, as far as it is still the same, and say what is left."""
    removed: list[str] = []
    left: list[str] = []
    if any(each.kind == "process" for each in record.leftovers):
        ended = end_processes(family, keep_host=record.attended, seconds=_END_SECONDS)
        removed += ended.ended
        left += ended.left
    trash = os.path.join(home.path, "trash", record.id)
    for each in record.leftovers:
        if each.kind == "process" or not os.path.lexists(each.path):
            continue
        problem = _to_trash(each, trash)
        if problem:
            left.append(f"{each.path}: {problem}")
        else:
            removed.append(each.path)
    return CleanedUp(clock(), record.id, tuple(removed), tuple(left))


def _to_trash(each: Leftover, trash: str) -> str:
    """Move a leftover to the trash; return why it stays, or ""."""
    if _mark(each.path) != each.mark:
        return "it was changed since"
    if each.kind == "lock" and _is_in_use(each.path):
        return "git is at work there"
    target = trash + each.path
    try:
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        shutil.move(each.path, target)
    except (OSError, shutil.Error) as error:
        return str(error)
    return ""


def _marked(kind: LeftoverKind, paths: Iterable[str], tree: str) -> Iterator[Leftover]:
    """Describe the paths that are there, are this user's, and lie outside the work tree."""
    for path in dict.fromkeys(paths):
        if tree and _is_below(os.path.realpath(path), tree):
            continue
        if mark := _mark(path):
            yield Leftover(kind, path, mark)


def _mark(path: str) -> str:
    """Return what tells whether a thing is still the same; "": it is gone, or not this user's."""
    try:
        seen = os.lstat(path)
    except OSError:
        return ""
    if seen.st_uid != os.getuid():
        return ""
    # A folder's time changes with its content, which belongs to the run like the folder.
    changed = 0 if stat.S_ISDIR(seen.st_mode) else seen.st_mtime_ns
    return f"{seen.st_dev}:{seen.st_ino}:{changed}"


def _temporary(record: Incident, places: Iterable[str], home: Home) -> Iterator[str]:
    """Find the temporary files that the run made, and folders that carry its name."""
    roots = tuple(places)
    for path in record.made:
        real = os.path.realpath(path)
        if any(_is_below(real, root) for root in roots):
            yield path
    for root in roots:
        yield from _named_after(record.run, root)
    for folder, ending in (("driven", ".json"), ("frozen", "")):
        yield os.path.join(home.path, folder, f"{record.run}{ending}")


def _named_after(run: str, root: str) -> Iterator[str]:
    """Find the folders and files below a folder that are named after a run."""
    if len(run) < 8:  # too short to be anybody's own
        return
    looked_at = 0
    level = [root]
    for _ in range(_DEPTH):
        deeper: list[str] = []
        for folder in level:
            with suppress(OSError), os.scandir(folder) as entries:
                for entry in entries:
                    looked_at += 1
                    if looked_at > _MAX_LOOKED_AT:
                        return
                    if run in entry.name:
                        yield entry.path
                    elif entry.is_dir(follow_symlinks=False):
                        deeper.append(entry.path)
        level = deeper


def _worktrees(record: Incident, tree: str) -> Iterator[str]:
    """Find the linked worktrees that the run made with a command of its own.

    Read by hand: git would run programs from the repository's settings.
    """
    made_by = [each.text for each in record.actions if "worktree" in each.text.lower()]
    if not tree or not made_by:
        return
    admin = os.path.join(repository_directories(tree).common, "worktrees")
    with suppress(OSError):
        for name in os.listdir(admin):
            pointer = os.path.join(admin, name, "gitdir")
            path = os.path.dirname(read_text(pointer, 4096).strip())
            began = os.stat(pointer).st_mtime
            named = any(os.path.basename(path) in text for text in made_by)
            if path and began >= record.started and named:
                yield path


def _locks(record: Incident, tree: str) -> Iterator[str]:
    """Find git's locks from the time of the run, without a git that would hold them."""
    if not tree:
        return
    folder = repository_directories(tree).own
    for name in _LOCKS:
        path = os.path.join(folder, name)
        with suppress(OSError):
            if os.lstat(path).st_mtime >= record.started and not _is_in_use(path):
                yield path


def _is_in_use(lock: str) -> bool:
    """Return whether a git of this user works in the repository of a lock."""
    tree = os.path.dirname(os.path.dirname(lock))
    for process in psutil.process_iter(["name", "cwd"]):
        with suppress(*GONE):
            name, cwd = process.info["name"] or "", process.info["cwd"] or ""
            if name.startswith("git") and _is_below(f"{cwd}/.", tree):
                return True
    return False


def _work_tree(cwd: str) -> str:
    """Return the work tree around a folder, or the folder itself."""
    folder = os.path.realpath(cwd) if cwd else ""
    here = folder
    while here and here != "/":
        if os.path.lexists(os.path.join(here, ".git")):
            return here
        here = os.path.dirname(here)
    return folder


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")
