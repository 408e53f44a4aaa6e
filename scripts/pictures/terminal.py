"""A real terminal for a real command: type into it, read its screen, draw it as SVG."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from itertools import groupby
from time import monotonic
from typing import NamedTuple

import pyte
from pyte.screens import Char
from wcwidth import wcwidth

_SECONDS = 60.0
_CHAR, _LINE, _PAD, _BAR = 8.4, 19.0, 14.0, 30.0
_WORDS = re.compile(r"\S+(?: \S+)*")
_FAINT = 2
_GREY = 90
_COLORS = {
    "default": "#d7dae0", "black": "#3f4451", "red": "#f0717b", "green": "#8cc265",
    "brown": "#e5c07b", "yellow": "#e5c07b", "blue": "#6cb2f7", "magenta": "#d587e8",
    "cyan": "#56c8d8", "white": "#d7dae0", "brightblack": "#858c9a", "brightred": "#ff8b94",
    "brightgreen": "#a5e075", "brightbrown": "#f0d197", "brightyellow": "#f0d197",
    "brightblue": "#8cc8ff", "brightmagenta": "#de9bf0", "brightcyan": "#76dbe8",
    "brightwhite": "#ffffff",
}  # fmt: skip
_PAPER = "#1c1f26"
_HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" \
aria-label="{title}">
<style>text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", \
monospace }} .b {{ font-weight: bold }}</style>
<rect width="100%" height="100%" rx="8" fill="{paper}"/>
<text x="{middle:.0f}" y="20" fill="#858c9a" text-anchor="middle">{title}</text>
"""


class TimedOutError(TimeoutError):
    """The screen never showed an expected text."""

    def __init__(self, text: str, screen: str) -> None:
        super().__init__(f"{text!r} did not appear within {_SECONDS:g} s on:\n{screen}")


class Span(NamedTuple):
    """Neighbouring characters that look alike."""

    column: int
    text: str
    color: str
    paper: str
    bold: bool


class _Screen(pyte.Screen):
    """Shows faint text in grey: pyte does not know faint."""

    def select_graphic_rendition(self, *attrs: int) -> None:
        told = [_GREY if attr == _FAINT else attr for attr in attrs]
        super().select_graphic_rendition(*told)


class Terminal:
    """One command on a screen of its own."""

    def __init__(self, columns: int, lines: int, fd: int) -> None:
        self._screen = _Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        self._fd = fd

    @property
    def text(self) -> str:
        """The screen without colours."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def wait_for(self, text: str) -> None:
        """Read until the screen shows a text."""
        self._wait(text, shown=True)

    def wait_without(self, text: str) -> None:
        """Read until the screen no longer shows a text."""
        self._wait(text, shown=False)

    def _wait(self, text: str, *, shown: bool) -> None:
        until = monotonic() + _SECONDS
        while (text in self.text) is not shown:
            if monotonic() > until or not self._read(until - monotonic()):
                raise TimedOutError(text, self.text)

    def press(self, keys: str) -> None:
        """Type something."""
        os.write(self._fd, keys.encode())

    def finish(self) -> None:
        """Read until the command ends."""
        while self._read(_SECONDS):
            pass

    def rows(self) -> list[list[Span]]:
        """The screen as it looks, without the empty lines at its end."""
        count = len(self.text.splitlines())
        return [list(self._spans(line)) for line in range(count)]

    def _read(self, seconds: float) -> bool:
        """Take in what the command prints; False: it has ended, or is silent for too long."""
        if not select.select([self._fd], [], [], max(seconds, 0))[0]:
            return False
        try:
            data = os.read(self._fd, 65536)
        except OSError:  # Linux says so when the other side has closed
            return False
        self._stream.feed(data)
        return bool(data)

    def _spans(self, line: int) -> Iterator[Span]:
        row = self._screen.buffer[line]
        cells = [(column, row[column]) for column in range(self._screen.columns)]
        for look, group in groupby(cells, key=lambda cell: _look(cell[1])):
            run = list(group)
            text = "".join(char.data for _, char in run)
            if text.strip() or look[1]:
                yield Span(run[0][0], text, *look)


def _look(char: Char) -> tuple[str, str, bool]:
    front, back = _color(char.fg, "default"), _color(char.bg, "") if char.bg != "default" else ""
    if char.reverse:
        front, back = back or _PAPER, front
    return front, back, char.bold


def _color(name: str, otherwise: str) -> str:
    return _COLORS.get(name) or (f"#{name}" if name else _COLORS.get(otherwise, ""))


@contextmanager
def terminal(
    command: Sequence[str], environ: Mapping[str, str], cwd: str, columns: int, lines: int
) -> Iterator[Terminal]:
    """Run a command in a terminal; it is ended when the block is left."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd, env=dict(environ),
        start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    try:
        yield Terminal(columns, lines, ours)
    finally:
        process.terminate()
        process.wait(_SECONDS)
        os.close(ours)


def draw(rows: Sequence[Sequence[Span]], title: str, columns: int) -> str:
    """A picture of a terminal that shows these rows."""
    width = columns * _CHAR + 2 * _PAD
    height = len(rows) * _LINE + _BAR + 2 * _PAD
    parts = [
        _HEAD.format(
            width=width, height=height, middle=width / 2, title=escape(title), paper=_PAPER
        )
    ]
    for at, row in enumerate(rows):
        top = _BAR + _PAD + at * _LINE
        parts += [_span(span, top) for span in row]
    return "".join(parts) + "</svg>\n"


def _span(span: Span, top: float) -> str:
    """Each word has its place, so that columns stand right in whatever font there is."""
    out = []
    if span.paper:
        x, wide = _PAD + span.column * _CHAR, _columns(span.text) * _CHAR
        out.append(
            f'<rect x="{x:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{_LINE}" '
            f'fill="{span.paper}"/>\n'
        )
    bold = ' class="b"' if span.bold else ""
    for words in _WORDS.finditer(span.text):
        x = _PAD + (span.column + _columns(span.text[: words.start()])) * _CHAR
        out.append(
            f'<text x="{x:.1f}" y="{top + 14:.1f}" fill="{span.color}"{bold} '
            f'textLength="{_columns(words[0]) * _CHAR:.1f}">{escape(words[0])}</text>\n'
        )
    return "".join(out)


def _columns(text: str) -> int:
    return sum(max(wcwidth(char), 0) for char in text)
