"""Makes a first index from the user's own, so that git reads no file again."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from handrail.checkpoint.errors import GitFailedError, GitTooSlowError
from handrail.checkpoint.git import alternates, index_file
from handrail.checkpoint.git.content_filters import filtered_paths
from handrail.checkpoint.git.index_file import GitIndex, UnreadableIndexError
from handrail.checkpoint.git.runner import Git, GitDeadline
from handrail.checkpoint.git.user_repository import RepositoryDirectories, repository_directories

_SHARE = 0.5
"""Of the time there is: files that are read anew need some, too."""
_SIZES = ("cat-file", "--batch-check=%(objectsize)", "--buffer")


class _UserIndexError(Exception):
    """The user's index is odd, or an object cannot be read."""


def seed_index(git: Git) -> list[bytes] | None:
    """Fill a missing index, or one that has lost objects; gives its file names, None: not possible.

    It takes over an entry only if the file has the size of its blob, so that no content filter can
    fool it. Other files are announced: the next listing finds them changed, and a tree does not
    hold them until git has read them.
    """
    if os.path.exists(git.index):
        if not alternates.has_lost(git):
            return None
        os.unlink(git.index)
    where = repository_directories(git.work_tree)
    objects = os.path.realpath(os.path.join(where.common, "objects"))
    try:
        found = index_file.read(os.path.join(where.own, "index"))
        if not os.path.isdir(objects) or "\n" in objects:
            return None
        alternates.borrow(git, objects)
        index = _certain(git.with_deadline(GitDeadline(git.deadline.left * _SHARE)), where, found)
        index_file.write(git.index, index)
    except (OSError, UnreadableIndexError, GitFailedError, GitTooSlowError, _UserIndexError):
        alternates.stop_borrowing(git)
        return None
    return index.names


def _certain(git: Git, where: RepositoryDirectories, found: GitIndex) -> GitIndex:
    """Keep only the files whose blobs certainly hold their bytes."""
    folders = _folders(found.names)
    if not {folder[:-1] for folder in folders}.isdisjoint(found.names):
        raise _UserIndexError("a file is in the place of a folder")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(git.run, *_SIZES, given=found.blob_lines())
        unsure = filtered_paths(git, where, found, folders)
        unsure.update(_of_other_size(where, found, asked.result().split(b"\n")[:-1]))
    if not unsure and not found.unsure:
        return found
    top = os.fsencode(git.work_tree)
    here = [name for name in found.unsure if os.path.lexists(os.path.join(top, name))]
    named = zip(found.names, found.records, strict=True)
    kept = {name: record for name, record in named if name not in unsure}
    return GitIndex([*kept], [*kept.values()], [*here, *unsure], b"", found.written_ns)


def _folders(names: list[bytes]) -> set[bytes]:
    """All that hold a file, directly or further down, each with its slash; the top is empty."""
    folders = {name[: name.rfind(b"/") + 1] for name in names}
    for folder in list(folders):
        above = folder
        while above:
            above = above[: above.rfind(b"/", 0, -1) + 1]
            if above in folders:
                break
            folders.add(above)
    return folders


def _of_other_size(
    where: RepositoryDirectories, found: GitIndex, said: Sequence[bytes]
) -> Iterator[bytes]:
    """Names of files whose blobs are of another size, or cannot be had."""
    sizes = found.sizes()
    with suppress(ValueError):  # nearly always all are the same
        if list(map(int, said)) == sizes:
            return
    for name, blob, size, says in zip(found.names, found.blobs(), sizes, said, strict=True):
        if says.isdigit():
            if int(says) & 0xFFFFFFFF != size:
                yield name
            continue
        # Git would not write what seems to be there.
        if os.path.lexists(os.path.join(where.common, "objects", blob[:2], blob[2:])):
            raise _UserIndexError(blob)
        yield name
