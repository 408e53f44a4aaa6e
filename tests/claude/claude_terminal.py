"""Claude Code on a terminal, with somebody who reads the screen and types."""

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from handrail.testing.model_server import ModelServer, Script
from tests.claude.sandbox import CLAUDE, QUIET, ClaudeSandbox

_KEY = "sk-ant-test-0123456789-abcdefghij"
_PATIENCE = 60.0
_PRESS_AGAIN = 1.0
"""A question does not hear keys in its first moments, so that nobody answers it by accident."""
_ROWS, _COLUMNS = 50, 150
_CONTROL = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[\[(][0-9;?<>=]*[a-zA-Z]|\x1b.")


class ClaudeTerminal:
    """The screen and the keys of a session."""

    def __init__(self, descriptor: int, model: ModelServer) -> None:
        self.model = model
        self._descriptor = descriptor
        self._raw = b""
        self._read_to = 0

    def say(self, prompt: str) -> None:
        """Write a prompt, and send it off."""
        self._type(prompt)
        self.wait_for(prompt)
        self._type("\r")

    def answer(self, key: str, text: str) -> str:
        """Press a key until the screen shows what comes of it."""
        self._type(key)
        deadline = time.monotonic() + _PATIENCE
        while not self._shows(text, _PRESS_AGAIN) and time.monotonic() < deadline:
            os.write(self._descriptor, key.encode())
        return self.wait_for(text)

    def wait_for(self, text: str) -> str:
        """The screen, once it shows a text that was not there before the last keys."""
        assert self._shows(text, _PATIENCE), f"never showed {text!r}, but: {self._shown()[-3000:]}"
        return self._shown()

    def _type(self, keys: str) -> None:
        self._read_to = len(self._raw)
        os.write(self._descriptor, keys.encode())

    def _shows(self, text: str, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while squeezed(text) not in self._shown():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            if select.select([self._descriptor], [], [], left)[0]:
                self._raw += os.read(self._descriptor, 65536)
        return True

    def _shown(self) -> str:
        text = self._raw[self._read_to :].decode("utf-8", "replace")
        return squeezed(_CONTROL.sub("", text))


def squeezed(text: str) -> str:
    """The text without blanks: on the screen these are movements of the cursor."""
    return re.sub(r"\s", "", text)


@contextmanager
def terminal(
    bed: ClaudeSandbox, script: Script, mode: str, command: str = ""
) -> Iterator[ClaudeTerminal]:
    """A session that a person sits at; it is over after the block.

    `command`: a command line that ends with a call of Claude Code, by default just that.
    """
    options = f"--model claude-sonnet-4-5 --permission-mode {mode}"
    (bed.config / ".claude.json").write_text(json.dumps(_first_questions_answered(bed)))
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    with ModelServer(script) as model:
        environ = {
            **bed.environ,
            **QUIET,
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": _KEY,
            "IS_SANDBOX": "1",
            "TERM": "xterm-256color",
        }
        process = subprocess.Popen(
            ["sh", "-c", f"{command or f'exec {CLAUDE}'} {options}"],
            cwd=bed.repo,
            env=environ,
            stdin=its,
            stdout=its,
            stderr=its,
            start_new_session=True,
        )
        os.close(its)
        try:
            yield ClaudeTerminal(ours, model)
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()
            os.close(ours)


def _first_questions_answered(bed: ClaudeSandbox) -> dict[str, object]:
    return {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [_KEY[-20:]]},
        "projects": {str(bed.repo): {"hasTrustDialogAccepted": True}},
    }
