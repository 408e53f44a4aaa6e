"""A real terminal: tmux, with somebody who types and reads the screen."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest

_PATIENCE = 60.0
_STEP = 0.05


class Tmux:
    """One window of a server of its own."""

    def __init__(self, program: str, socket: Path) -> None:
        self._tmux = (program, "-S", str(socket), "-f", os.devnull)

    def start(self, command: str, size: tuple[int, int], environ: Mapping[str, str]) -> None:
        """Run a command line in the window."""
        width, height = map(str, size)
        given = [part for name, value in environ.items() for part in ("-e", f"{name}={value}")]
        self._call("new-session", "-d", "-x", width, "-y", height, *given, command)

    def keys(self, *keys: str) -> None:
        """Press keys, by tmux's names of them."""
        self._call("send-keys", *keys)

    def paste(self, text: str) -> None:
        """Paste a text, as a terminal does it that tells pasted text from typed text."""
        self._call("set-buffer", text)
        self._call("paste-buffer", "-p")

    def resize(self, width: int, height: int) -> None:
        """Make the window another size."""
        self._call("resize-window", "-x", str(width), "-y", str(height))

    def screen(self, *options: str) -> str:
        """What the window shows."""
        return self._call("capture-pane", "-p", *options)

    def wait_for(self, text: str) -> str:
        """The screen, once it shows a text."""
        deadline = monotonic() + _PATIENCE
        while text not in (shown := self.screen()):
            assert monotonic() < deadline, f"never showed {text!r}, but:\n{shown}"
            sleep(_STEP)
        return shown

    def end(self) -> None:
        """End the server, and whatever runs in it."""
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)

    def _call(self, *args: str) -> str:
        done = subprocess.run([*self._tmux, *args], check=True, capture_output=True, timeout=30)
        return done.stdout.decode()


@contextmanager
def tmux(folder: Path) -> Iterator[Tmux]:
    """A terminal that is gone after the block; without tmux the test is skipped, in CI it fails."""
    program = shutil.which("tmux")
    if program is None:
        missing = "tmux is not here, and this test needs a real terminal"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    window = Tmux(program, folder / "tmux.sock")
    try:
        yield window
    finally:
        window.end()
