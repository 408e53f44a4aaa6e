"""The port of an editor that replays a session: a text in a window, changed line by line."""

from typing import Protocol

from handrail.desktop.errors import DesktopError


class EditorReplayError(DesktopError):
    """A session cannot be replayed, or not any further."""

    def __init__(self, file: str, problem: str) -> None:
        super().__init__(f"{file}: {problem}" if file else problem)
        self.file = file
        self.problem = problem


class Editor(Protocol):
    """An editor, used from one thread at a time. Lines count from 1.

    A method returns when its keys are sent. Only the saved file shows what came of them.
    """

    name: str

    def refuses(self, text: str) -> str:
        """Return why this editor would not keep a text as it is, or ""."""

    def open(self, path: str) -> None:
        """Start to open a file in a window of its own."""

    def not_ready(self, text: str) -> str:
        """Return why keys would not reach the text of the opened file yet, or ""."""

    def obstacle(self) -> str:
        """Return what has the keyboard in place of the open file, or ""."""

    def delete_lines(self, line: int, count: int, *, to_end: bool) -> None:
        """Delete whole lines; `to_end`: up to the end of the text."""

    def insert(self, line: int, text: str) -> None:
        """Put a text before the first character of a line."""

    def go_to(self, line: int) -> None:
        """Go to the start of a line."""

    def save(self) -> None:
        """Save the open file."""

    def reload(self) -> None:
        """Start to open the same file anew; what is not saved is lost."""

    def close(self) -> None:
        """Close what was opened; what is not saved is lost."""
