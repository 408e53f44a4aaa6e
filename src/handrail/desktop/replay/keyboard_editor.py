"""An editor that is driven by keys and the clipboard, as a person would."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Protocol

from handrail.desktop.errors import MissingPackageError, RecoveryError
from handrail.desktop.recover.input_device import InputDevice
from handrail.desktop.replay.editor import EditorReplayError
from handrail.desktop.replay.editors import ReplayEditorRow
from handrail.desktop.sense.screen_facts import DesktopFacts, WindowFacts

_SELECTION_SECONDS = 2.0
"""A busy machine needs more than a moment; keys that were lost are sent again after it."""
_KILL_SECONDS = 5.0
_NAME_CHARACTERS = r"[\w.-]"


class SelectionReader(Protocol):
    """Reads what is selected on the display."""

    def claim(self) -> None:
        """Take the selection over."""

    def read(self, seconds: float) -> str | None:
        """Return what was selected since; None: nothing. A large text may be ""."""


class KeyboardEditor:
    """Starts the editor anew for each file, with settings that leave texts as they are.

    Texts are pasted: typed key by key, they lose characters and gain indents. Lines are reached by
    the arrow keys from where the cursor is known to be: no dialog can come too late.
    """

    def __init__(
        self,
        row: ReplayEditorRow,
        device: InputDevice,
        read_windows: Callable[[], DesktopFacts],
        selection: SelectionReader,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self.name = row.name
        self._row = row
        self._device = device
        self._read_windows = read_windows
        self._selection = selection
        self._earlier: set[int] = set()
        self._environ = environ
        self._settings = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._path = ""
        self._window = 0
        self._line = 0
        """Where the cursor is, at the first character; 0: unknown."""

    def refuses(self, text: str) -> str:
        """Return why this editor would not keep a text as it is, or ""."""
        if "\0" in text:
            return "it has a NUL, which no clipboard carries"
        plain = text.replace("\r\n", "\n")
        odd = next((char for char in self._row.line_breaks if char in plain), "")
        if odd:
            return f"it has a U+{ord(odd):04X}, which {self.name} takes for the end of a line"
        breaks = text.count("\r\n")
        if breaks not in (0, text.count("\n")):
            return f"it mixes CRLF and LF, and {self.name} would make them equal"
        return ""

    def open(self, path: str) -> None:
        """Start to open a file in a window of its own."""
        self._end_process()
        self._path = path
        self._line = 0
        self._earlier = {window.window for window in self._read_windows().windows}
        self._start()

    def not_ready(self, text: str) -> str:
        """Return why keys would not reach the text of the opened file yet, or ""."""
        self._must_run()
        if not self._window and not self._find_window():
            return f"{self.name} does not show it"
        if obstacle := self.obstacle():
            with suppress(RecoveryError):
                self._device.focus_window(self._window)
            return f"{obstacle} has the keyboard"
        # A window has its keyboard some time before the text in it has: keys would get lost.
        self._selection.claim()
        self._press(self._row.top)
        self._press(self._row.select_to_end)
        shown = self._selection.read(_SELECTION_SECONDS) if text else ""
        self._press(self._row.top)
        self._line = 1
        if shown is None:
            return f"{self.name} does not give the text its keyboard"
        if shown and shown.replace("\r\n", "\n") != text.replace("\r\n", "\n"):
            return f"{self.name} shows another text than the file has"
        return ""

    def obstacle(self) -> str:
        """Return what has the keyboard in place of the open file, or ""."""
        self._must_run()
        desktop = self._read_windows()
        if desktop.open_menu:
            return "an open menu"
        if desktop.active == self._window:
            shown = desktop.find(self._window)
            return "" if shown is None or self._shows(shown) else f"the window {shown.title!r}"
        active = desktop.find(desktop.active)
        return f"the window {active.title!r}" if active else "no window"

    def go_to(self, line: int) -> None:
        """Go to the start of a line."""
        if not self._line or line < abs(line - self._line):
            self._press(self._row.top)
            self._line = 1
        key = self._row.down if line > self._line else self._row.up
        for _ in range(abs(line - self._line)):
            self._press(key)
        self._line = line

    def delete_lines(self, line: int, count: int, *, to_end: bool) -> None:
        """Delete whole lines; `to_end`: up to the end of the text."""
        self.go_to(line)
        for key in (self._row.select_to_end,) if to_end else (self._row.select_down,) * count:
            self._press(key)
        self._press(self._row.delete)

    def insert(self, line: int, text: str) -> None:
        """Put a text before the first character of a line."""
        self.go_to(line)
        # An editor keeps \n in its window, whatever it saves.
        plain = text.replace("\r\n", "\n")
        self._line = 0
        self._device.type_text(plain)
        if plain.endswith("\n"):
            self._line = line + plain.count("\n")

    def save(self) -> None:
        """Save the open file."""
        self._press(self._row.save)

    def reload(self) -> None:
        """Start to open the same file anew; what is not saved is lost."""
        self.open(self._path)

    def close(self) -> None:
        """Close what was opened; what is not saved is lost."""
        self._end_process()
        if self._settings:
            shutil.rmtree(self._settings, ignore_errors=True)
            self._settings = ""

    def _press(self, keys: str) -> None:
        self._device.press(keys)

    def _start(self) -> None:
        row = self._row
        if shutil.which(row.command[0], path=self._environ.get("PATH")) is None:
            raise MissingPackageError(row.command[0], f"install {row.package}")
        # Its own folder for each start: one that was killed leaves locks behind.
        if self._settings:
            shutil.rmtree(self._settings, ignore_errors=True)
        self._settings = tempfile.mkdtemp(prefix=f"handrail-{row.name}-")
        for name, text in row.settings.items():
            file = os.path.join(self._settings, name)
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "w", encoding="utf-8") as opened:
                opened.write(text)
        named = {"settings": self._settings, "path": self._path}
        added = {key: value.format(**named) for key, value in row.environment.items()}
        self._process = subprocess.Popen(
            [part.format(**named) for part in row.command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**self._environ, **added},
            start_new_session=True,
        )

    def _must_run(self) -> None:
        if self._process is None or self._process.poll() is not None:
            raise EditorReplayError(self._path, f"{self.name} has ended")

    def _find_window(self) -> bool:
        for shown in self._read_windows().windows:
            if shown.window not in self._earlier and self._shows(shown):
                self._window = shown.window
                return True
        return False

    def _shows(self, shown: WindowFacts) -> bool:
        """Whether a window is the editor with the open file."""
        if shown.dialog or shown.modal or shown.program not in self._row.window_class:
            return False
        name = re.escape(os.path.basename(self._path))
        pattern = f"(?<!{_NAME_CHARACTERS}){name}(?!{_NAME_CHARACTERS})"
        return re.search(pattern, shown.title) is not None

    def _end_process(self) -> None:
        process, self._process = self._process, None
        self._window = 0
        if process is None:
            return
        # Everything is saved and checked, or given up: it must not ask.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_KILL_SECONDS)
