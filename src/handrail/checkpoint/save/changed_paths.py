"""Lists the paths of a work tree that differ from the private index."""

import os
import re
from collections.abc import Mapping, Sequence

import msgspec

from handrail.checkpoint.errors import BadIncludeError
from handrail.checkpoint.git import nested_repositories
from handrail.checkpoint.git.file_content import FileContent
from handrail.checkpoint.git.runner import Git, split_paths
from handrail.checkpoint.record import LeftOut

UNREADABLE = "it cannot be read"
_MAX_PATTERN = 4096
"""Bytes; no path is longer."""
_MAX_PATTERNS = 100_000
"""Bytes of all together: they are on a command line."""
_STARS = re.compile(r"\*+")
_MAX_STARS = 10
"""Git tries each of them at every place: the time it takes is beyond all bounds with many."""
_SHOWN = 40
_CLOSED = re.compile(rb"could not open directory '(.*)': ")


class ChangedPaths(msgspec.Struct, frozen=True):
    """Paths from the top of the work tree."""

    changed: Mapping[str, FileContent] = {}
    """Known paths that were changed, deleted or replaced, with their content in the index."""
    new: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    """Folders that could not be looked into."""


def list_changed_paths(git: Git, include: Sequence[str]) -> ChangedPaths:
    """List changed and new paths; `include`: patterns of ignored files to save."""
    changed, others = git.run_together(
        ("diff-files", "-z", "--raw", "--no-abbrev", "--no-renames"),
        ("ls-files", "-o", "-z", "--exclude-standard", *include_options(include)),
    )
    new: list[str] = []
    closed = [os.fsdecode(folder).rstrip("/") + "/" for folder in _CLOSED.findall(others.err)]
    left_out = [LeftOut(folder, UNREADABLE) for folder in closed]
    for path in split_paths(others.out):
        if not path.endswith("/"):
            new.append(path)
        else:
            new += nested_repositories.files_of(git, path, include_options(include))
    return ChangedPaths(_held(changed.out), tuple(new), tuple(left_out))


def _held(data: bytes) -> dict[str, FileContent]:
    fields = data.split(b"\0")
    found: dict[str, FileContent] = {}
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        mode, _, blob, _ = head.decode().split(maxsplit=3)
        found[os.fsdecode(path)] = FileContent(mode[1:], blob)
    return found


def list_deleted_paths(git: Git, before: Sequence[str], include: Sequence[str]) -> list[str]:
    """Ignored files in the index that only older patterns included."""
    dropped = usable_patterns(set(before).difference(include))
    if not dropped:
        return []
    patterns = [part for pattern in dropped for part in ("-x", pattern)]
    once, ignored = git.run_together(
        ("ls-files", "-c", "-i", "-z", *patterns),
        ("ls-files", "-c", "-i", "-z", "--exclude-standard", *include_options(include)),
    )
    return sorted(set(split_paths(once.out)).intersection(split_paths(ignored.out)))


def include_options(include: Sequence[str]) -> list[str]:
    """Options of `ls-files` for these patterns; they win over every .gitignore."""
    return [part for pattern in usable_patterns(include) for part in ("-x", f"!{pattern}")]


def usable_patterns(include: Sequence[str] | set[str]) -> list[str]:
    """The patterns that can match; raises BadIncludeError for too many."""
    patterns = [
        pattern
        for pattern in include
        if pattern.strip()
        and "\0" not in pattern
        and not pattern.startswith("!")
        and len(os.fsencode(pattern)) <= _MAX_PATTERN
    ]
    for pattern in patterns:
        if len(_STARS.findall(pattern)) > _MAX_STARS:
            raise BadIncludeError(f"{pattern[:_SHOWN]!r} has more than {_MAX_STARS} stars")
    if sum(len(os.fsencode(pattern)) for pattern in patterns) > _MAX_PATTERNS:
        raise BadIncludeError(f"more than {_MAX_PATTERNS} bytes of patterns; name folders instead")
    return patterns
