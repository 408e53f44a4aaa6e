"""A first index, made in parts by several git processes at once.

Git compares each file of a batch with all before it, and writes the whole index after each batch:
many files at once take as much longer as many batches into one index.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from handrail.checkpoint.errors import GitFailedError, GitTooSlowError
from handrail.checkpoint.files import scratch_folder
from handrail.checkpoint.git import index_file
from handrail.checkpoint.git.index_file import GitIndex
from handrail.checkpoint.git.runner import Git

FOLDER = "parts"
_MOST_AT_ONCE = 4

T = TypeVar("T")


def index_in_parallel(git: Git, batches: Sequence[T], take_in: Callable[[Git, T], None]) -> list[T]:
    """Fill an index that is not there yet; gives the batches that git did not take as they are."""

    def is_taken(part: str, batch: T) -> bool:
        try:
            take_in(git.with_index(part), batch)
        except (GitFailedError, GitTooSlowError):
            return False
        return True

    with scratch_folder(git.index, FOLDER) as folder:
        parts = [os.path.join(folder, str(number)) for number in range(len(batches))]
        with ThreadPoolExecutor(min(os.cpu_count() or 1, _MOST_AT_ONCE)) as pool:
            taken = list(pool.map(is_taken, parts, batches))
        good = [part for part, is_good in zip(parts, taken, strict=True) if is_good]
        index_file.write(git.index, _joined(good))
    return [batch for batch, is_good in zip(batches, taken, strict=True) if not is_good]


def _joined(parts: Sequence[str]) -> GitIndex:
    found = [index_file.read(part) for part in parts]
    named = {
        name: record
        for index in found
        for name, record in zip(index.names, index.records, strict=True)
    }
    names = sorted(named)
    # The oldest: what was changed since any of them was written is looked at once more.
    written = min((index.written_ns for index in found), default=0)
    return GitIndex(names, [named[name] for name in names], [], b"", written)
