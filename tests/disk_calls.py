"""Counts how often this thread asks the kernel about paths."""

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_ASKING = ("stat", "lstat", "access", "readlink", "scandir", "listdir")


@contextmanager
def counted_disk_calls() -> Iterator[Counter[str]]:
    """Count the questions by their path, from now to the end of the block."""
    calls: Counter[str] = Counter()
    thread = threading.get_ident()

    def counting(ask: Callable[..., object]) -> Callable[..., object]:
        def asked(path: str | Path, *args: object, **options: object) -> object:
            if threading.get_ident() == thread:
                calls[str(path)] += 1
            return ask(path, *args, **options)

        return asked

    with pytest.MonkeyPatch.context() as patch:
        for name in _ASKING:
            patch.setattr(os, name, counting(getattr(os, name)))
        yield calls


def changed(folder: Path, change: Callable[[], object]) -> None:
    """Make a change that the folder's own time shows: the kernel's clock ticks slowly."""
    before = folder.stat().st_ctime_ns
    change()
    while folder.stat().st_ctime_ns == before:
        folder.chmod(folder.stat().st_mode & 0o7777)
