"""An editor in memory, which can be told to misbehave."""

import os
from collections.abc import Callable, Iterator

from handrail.desktop.errors import RecoveryError
from handrail.desktop.replay.editor import EditorReplayError


def keep(text: str) -> str:
    return text


class MemoryEditor:
    """Implements `Editor` by slices of a string. `saves` changes what reaches the disk."""

    name = "memory"

    def __init__(self, saves: Callable[[str], str] = keep) -> None:
        self.log: list[str] = []
        self.obstacles: Iterator[str] = iter(())
        """What has the keyboard when somebody asks, one after the other; then nothing."""
        self.refused_pastes = 0
        """How many pastes nobody takes."""
        self.is_open = False
        self._saves = saves
        self._path = ""
        self._text = ""

    def refuses(self, text: str) -> str:
        return "it has a NUL" if "\0" in text else ""

    def open(self, path: str) -> None:
        if not os.path.exists(path):
            raise EditorReplayError(path, "is not there")
        self.log.append(f"open {os.path.basename(path)}")
        self.is_open = True
        self._path = path
        with open(path, encoding="utf-8", newline="") as file:
            self._text = file.read()

    def not_ready(self, text: str) -> str:
        return "" if text == self._text else "it shows another text"

    def obstacle(self) -> str:
        return next(self.obstacles, "")

    def go_to(self, line: int) -> None:
        self._start(line)

    def delete_lines(self, line: int, count: int, *, to_end: bool) -> None:
        end = len(self._text) if to_end else self._start(line + count)
        self._text = self._text[: self._start(line)] + self._text[end:]

    def insert(self, line: int, text: str) -> None:
        if self.refused_pastes:
            self.refused_pastes -= 1
            raise RecoveryError("type", "nobody took the paste")
        at = self._start(line)
        self._text = self._text[:at] + text + self._text[at:]

    def save(self) -> None:
        self.log.append("save")
        with open(self._path, "w", encoding="utf-8", newline="") as file:
            file.write(self._saves(self._text))

    def reload(self) -> None:
        self.log.append("reload")
        self.open(self._path)

    def close(self) -> None:
        self.is_open = False

    def _start(self, line: int) -> int:
        at = 0
        for _ in range(line - 1):
            at = self._text.index("\n", at) + 1
        return at
