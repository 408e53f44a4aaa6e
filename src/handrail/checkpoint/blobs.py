"""The content of saved files, one after the other from one git process."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from handrail.checkpoint.errors import GitError, GitTooSlowError
from handrail.checkpoint.git import Git, end

ReadBlob = Callable[[str], bytes]
_COMMAND = "cat-file"


@contextmanager
def open_blobs(git: Git) -> Iterator[ReadBlob]:
    """A function that gives the content of a blob."""
    process = git.start(_COMMAND, "--batch")
    timer = Timer(git.deadline.left, process.kill)
    timer.start()

    def read(blob: str) -> bytes:
        try:
            return _read(process, blob)
        except (OSError, EOFError, ValueError) as error:
            if not git.deadline.left:
                raise GitTooSlowError(_COMMAND, git.deadline.seconds) from None
            raise GitError(_COMMAND, f"{blob}: {error}") from None

    try:
        yield read
    finally:
        timer.cancel()
        end(process)


def _read(process: "subprocess.Popen[bytes]", blob: str) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(os.fsencode(blob) + b"\n")
    process.stdin.flush()
    head = process.stdout.readline().split()
    if len(head) != 3 or head[1] != b"blob":
        raise EOFError(b" ".join(head).decode(errors="replace") or "git has ended")
    size = int(head[2])
    data = process.stdout.read(size + 1)
    if len(data) != size + 1:
        raise EOFError("it is cut off")
    return data[:-1]
