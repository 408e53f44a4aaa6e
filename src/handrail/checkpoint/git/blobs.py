"""The content of saved files, one after the other from one git process."""

import hashlib
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Timer

from handrail.checkpoint.errors import GitError, GitTooSlowError
from handrail.checkpoint.git.runner import Git, end_process, join_lines

CopyBlob = Callable[[str, Callable[[bytes], object]], None]
"""Gives the content of a blob to a function, in pieces."""
_COMMAND = "cat-file"
_PIECE = 1_000_000


@contextmanager
def open_blobs(git: Git) -> Iterator[CopyBlob]:
    """Give a function that copies blobs; it raises GitError for a damaged one."""
    process = git.start(_COMMAND, "--batch")
    timer = Timer(git.deadline.left, process.kill)
    timer.start()

    def copy(blob: str, write: Callable[[bytes], object]) -> None:
        pieces = _pieces(process, blob)
        while True:
            try:
                piece = next(pieces, None)
            except (OSError, EOFError, ValueError) as error:
                if not git.deadline.left:
                    raise GitTooSlowError(_COMMAND, git.deadline.seconds) from None
                raise GitError(_COMMAND, f"{blob}: {error}") from None
            if piece is None:
                return
            write(piece)

    try:
        yield copy
    finally:
        timer.cancel()
        end_process(process)


def _pieces(process: "subprocess.Popen[bytes]", blob: str) -> Iterator[bytes]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(os.fsencode(blob) + b"\n")
    process.stdin.flush()
    head = process.stdout.readline().split()
    if len(head) != 3 or head[1] != b"blob":
        raise EOFError(b" ".join(head).decode(errors="replace") or "git has ended")
    left = int(head[2])
    # Git itself does not look whether what it reads is what the name says.
    seen = hashlib.sha1(b"blob %d\0" % left, usedforsecurity=False)
    while left:
        piece = process.stdout.read(min(left, _PIECE))
        if not piece:
            raise EOFError("it is cut off")
        left -= len(piece)
        seen.update(piece)
        yield piece
    if process.stdout.read(1) != b"\n":
        raise EOFError("it is cut off")
    if seen.hexdigest() != blob:
        raise ValueError("it is damaged")


def blob_sizes(git: Git, blobs: Sequence[str]) -> list[int]:
    """How large each blob is; 0 where it is missing."""
    if not blobs:
        return []
    asked = (_COMMAND, "--batch-check=%(objectsize)")
    found = git.run(*asked, given=join_lines(blobs)).splitlines()
    return [int(size) if size.isdigit() else 0 for size in found]
