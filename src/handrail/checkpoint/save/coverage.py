"""Describes the files that a checkpoint does not hold, in a bounded list."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence

from handrail.checkpoint.files import folders_above
from handrail.checkpoint.git.runner import Git, split_paths
from handrail.checkpoint.path_keys import is_text
from handrail.checkpoint.record import CheckpointRecord, Coverage, LeftOut
from handrail.checkpoint.save.changed_paths import include_options
from handrail.config.glob import known_folder
from handrail.config.glob_reach import may_mean

MAX_LEFT_OUT = 1_000
MAX_UNCOVERED = 50
_MAX_LOOKED_AT = 100_000


def bounded_coverage(
    left_out: Sequence[LeftOut], known: Callable[[], Iterable[str]], *, unfinished: bool = False
) -> Coverage:
    """Make a coverage with a list of bounded length.

    `known`: gives the paths in the index; a folder without any stands for all its files.
    """
    entries = {each.path: each.why for each in left_out}
    if len(entries) > MAX_LEFT_OUT:
        entries = _by_folder(entries, known())
    listed = sorted(entries)[:MAX_LEFT_OUT]
    # A name that is not text cannot be written down as it is.
    exact = len(listed) == len(entries) and all(map(is_text, listed))
    return Coverage(
        tuple(LeftOut(_shown(path), entries[path]) for path in listed),
        unfinished or not exact,
    )


def _by_folder(entries: dict[str, str], known: Iterable[str]) -> dict[str, str]:
    used = {folder for path in known for folder in folders_above(path)}
    found: dict[str, str] = {}
    for path, why in entries.items():
        unused = [folder for folder in folders_above(path) if folder not in used]
        found.setdefault(unused[-1] if unused else path, why)
    return found


def _shown(path: str) -> str:
    return path if is_text(path) else path.encode(errors="backslashreplace").decode()


def uncovered_files(
    git: Git, last: CheckpointRecord, globs: Sequence[str], include: Sequence[str]
) -> tuple[str, ...]:
    """The first files that match absolute globs and that the checkpoint does not hold."""
    outside: list[str] = []
    inside: dict[str, str] = {}
    for target in map(known_folder, globs):
        path = path_within(git.work_tree, target)
        if path is None or ".git" in path.split("/"):
            outside += existing_paths([target])
        elif os.path.lexists(target):
            inside.setdefault(path, target.rstrip("/") or "/")
    found = _topmost(_not_held(git, last, list(inside), include)) if inside else []
    named = (name for path in found for name in _as_asked(path, inside))
    return tuple(matching_paths(globs, dict.fromkeys([*outside, *named])))[:MAX_UNCOVERED]


def matching_paths(globs: Sequence[str], found: Iterable[str]) -> Iterator[str]:
    """The files, and folders with a slash at their end, that may match the globs."""
    for path in found:
        if any(may_mean(glob, path) or _means_some_in(glob, path) for glob in globs):
            yield path


def _means_some_in(glob: str, folder: str) -> bool:
    """Whether a glob may match something in a folder; a huge folder counts as a match."""
    if not folder.endswith("/"):
        return False
    looked = 0
    for top, folders, files in os.walk(folder):
        looked += len(folders) + len(files)
        if looked > _MAX_LOOKED_AT:
            return True
        if any(may_mean(glob, os.path.join(top, name)) for name in (*folders, *files)):
            return True
    return False


def existing_paths(targets: Iterable[str]) -> list[str]:
    """The existing paths, folders with a slash at their end."""
    there = (target.rstrip("/") or "/" for target in targets if os.path.lexists(target))
    return [f"{path}/" if _is_folder(path) and path != "/" else path for path in there]


def path_within(work_tree: str, target: str) -> str | None:
    """From the top of the work tree, "" for the top itself; None: it is somewhere else."""
    plain = os.path.normpath(target)
    if os.path.realpath(plain) == work_tree:
        return ""
    folder, name = os.path.split(plain)
    real = os.path.join(os.path.realpath(folder), name)  # a link itself is what is meant
    return real.removeprefix(f"{work_tree}/") if real.startswith(f"{work_tree}/") else None


def _not_held(
    git: Git, last: CheckpointRecord, paths: Sequence[str], include: Sequence[str]
) -> Iterator[str]:
    below = ("--", *(path or "." for path in paths))
    # Of the whole tree: git fails where a path is asked for that lies in a folder of the answer.
    others = ("-o", "-z", "--exclude-standard", "--directory", *include_options(include))
    ignored, new, changed, other, known = git.with_literal_paths().run_together(
        ("ls-files", "-i", *others),
        ("ls-files", "--no-empty-directory", *others),
        ("diff-files", "-z", "--name-only", *below),
        ("diff-index", "--cached", "-z", "--name-only", "--no-renames", last.tree, *below),
        ("ls-files", "-z", *below),
    )
    for path in (*split_paths(ignored.out), *split_paths(new.out)):
        if any(_meet(path, asked) for asked in paths):
            yield path
    for path in {*split_paths(changed.out), *split_paths(other.out)}:
        if os.path.lexists(os.path.join(git.work_tree, path)):
            yield path
    for entry in last.coverage.left_out:
        if any(_meet(entry.path, path) for path in paths):
            yield from _there(git.work_tree, entry.path)
    yield from _repositories(git.work_tree, paths, split_paths(known.out))


def _repositories(work_tree: str, paths: Sequence[str], known: Iterable[str]) -> Iterator[str]:
    """Git's own folders, which no checkpoint holds."""
    folders = {folder for path in known for folder in folders_above(path)}
    below = [folder for folder in folders if any(_is_below(folder, path) for path in paths)]
    for folder in (*below, *([""] if "" in paths else [])):
        yield from _there(work_tree, f"{folder}.git")


def _there(work_tree: str, path: str) -> Iterator[str]:
    full = os.path.join(work_tree, path.rstrip("/"))
    if os.path.lexists(full):
        yield path.rstrip("/") + ("/" if _is_folder(full) else "")


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def _is_below(path: str, top: str) -> bool:
    return not top or f"{path.rstrip('/')}/".startswith(f"{top}/")


def _meet(path: str, other: str) -> bool:
    return _is_below(path, other) or (path.endswith("/") and other.startswith(path))


def _topmost(paths: Iterable[str]) -> list[str]:
    """Drop paths inside a folder that is listed itself."""
    found: list[str] = []
    for path in sorted(set(paths)):
        if not (found and found[-1].endswith("/") and path.startswith(found[-1])):
            found.append(path)
    return found


def _as_asked(path: str, asked: dict[str, str]) -> Iterator[str]:
    """Absolute paths at or below the asked ones, which may lead through links."""
    for top, target in asked.items():
        if not top:
            yield os.path.join(target, path)
        elif _is_below(path, top):
            yield target + path[len(top) :]
        elif _meet(path, top):
            yield from existing_paths([target])
