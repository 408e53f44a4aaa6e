"""A co-process that reads hostile command lines, so that the one who asks can lose patience.

One name of `hostile.COMMANDS` or `hostile.HIDDEN` per line in, one JSON object per line out.
A parser that hangs in C cannot be interrupted from Python; a process can be ended.
"""

import json
import os
import resource
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

PATIENCE = 10.0
"""Seconds after which an answer is not waited for any more; nothing honest needs one."""
_MEMORY = 3 * 1024**3
_READY = b"ready\n"
_ROOT = Path(__file__).parents[2]


class ReviewMeasure(msgspec.Struct, frozen=True):
    """What came of reading one command line, in counts rather than in seconds."""

    fault: str = ""
    """An exception that should not have been, or that there was no answer."""
    unreadable: bool = False
    decision: str = ""
    reason: str = ""
    steps: int = 0
    commands: int = 0
    words: int = 0
    characters: int = 0
    effects: int = 0
    seconds: float = 0.0
    """Processor time of the review."""


class ReviewProcess:
    """Asks the co-process, and starts a new one when it gave no answer."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "ReviewProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def judge(self, name: str) -> ReviewMeasure:
        """Let a command line be read."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(name.encode() + b"\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], self._patience)
        line = process.stdout.readline() if ready else b""
        if line:
            return msgspec.json.decode(line, type=ReviewMeasure)
        fault = "its reader died" if ready else f"no answer in {self._patience:g} s"
        self.close()
        return ReviewMeasure(fault, seconds=self._patience)

    def close(self) -> None:
        """End the co-process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"PATH": os.environ.get("PATH", ""), "HOME": "/home/test"},
        )
        # A reader that cannot even start says nothing about what it would have read.
        assert self._process.stdout is not None
        if self._process.stdout.readline() != _READY:
            self.close()
            raise RuntimeError("Handrail cannot be imported; see above")
        return self._process


def _serve() -> None:
    sys.path.insert(0, str(_ROOT))
    from tests.fuzz.hostile import COMMANDS, HIDDEN

    from handrail.config import Config
    from handrail.review import Reviewer

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    reviewer = Reviewer(
        Config(scope=("/work/x/**",)), environ={"HOME": "/home/test"}, see_disk=False
    )
    _review(reviewer, "ls")
    sys.stdout.buffer.write(_READY)
    sys.stdout.buffer.flush()
    for line in sys.stdin:
        name = line.rstrip("\n")
        text = (COMMANDS.get(name) or HIDDEN[name])()
        print(json.dumps(_review(reviewer, text)), flush=True)  # noqa: T201 - the protocol


def _review(reviewer: Any, text: str) -> dict[str, object]:
    """Review a text and count what it took."""
    from handrail.model import Action
    from handrail.shell import walk

    walkers: list[walk.ProgramWalker] = []
    plain_read = walk.ProgramWalker.read

    def counted_read(walker: walk.ProgramWalker, text: str, env: Any) -> Any:
        walkers.append(walker)
        return plain_read(walker, text, env)

    walk.ProgramWalker.read = counted_read  # type: ignore[method-assign,assignment]
    answer: dict[str, object] = {}
    before = time.process_time()
    try:
        review = reviewer.review(Action("Bash", {"command": text}, "/work/x"))
        answer["decision"] = str(review.decision)
        answer["reason"] = ascii((review.reasons or ("",))[0][:200])
        answer["unreadable"] = "cannot be read" in str(answer["reason"])
        answer["effects"] = len(review.effects)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the finding
        answer["fault"] = ascii(f"{type(error).__name__}: {error}"[:300])
    finally:
        walk.ProgramWalker.read = plain_read  # type: ignore[method-assign]
    answer["seconds"] = time.process_time() - before
    commands = [command for walker in walkers for command in walker.commands]
    answer["steps"] = sum(walker._steps for walker in walkers)
    answer["commands"] = len(commands)
    answer["words"] = sum(len(command.argv) for command in commands)
    answer["characters"] = sum(len(word.text) for command in commands for word in command.argv)
    return answer


if __name__ == "__main__":
    _serve()
