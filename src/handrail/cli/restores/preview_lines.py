"""The preview of a restore: a line for each file."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from os.path import commonpath, dirname
from shutil import get_terminal_size

import msgspec

from handrail.checkpoint import RestorePreview
from handrail.checkpoint.restore.target import FileRestoreAction
from handrail.cli.output.terminal import TerminalOutput, clip, columns, pad, visible, wrap
from handrail.server.files.restore_wording import MADE
from handrail.words.amounts import count, size

SHOWN = 20
_AROUND = 6
"""Lines of the terminal for the title, the question and the answer."""
_FEWEST = 6
_WORD = 10
_INDENT = "   "
_MAX_PATH = 44
_FOLDERS = 3
_WORDS = {
    FileRestoreAction.CREATE: ("restore", "green"),
    FileRestoreAction.CHANGE: ("change", "yellow"),
    FileRestoreAction.DELETE: ("delete", "red"),
}
_OVERWRITE = ("overwrite", "red")
_KEEP = ("keep", "dim")
_ORDER = (*_WORDS.values(), _OVERWRITE, _KEEP)
_NAMED = {"restore": "restored", "change": "changed", "delete": "deleted"}


class PreviewLine(msgspec.Struct, frozen=True):
    """What a restore does to one file."""

    word: tuple[str, str]
    """The verb and its style."""
    path: str
    note: str = ""


def show_preview(
    screen: TerminalOutput, preview: RestorePreview, *, over: bool = False, below: int = 0
) -> None:
    """Print a line for each file; of many, the first of each sort.

    `below` is the number of lines that follow and should stay visible with these.
    """
    lines = sorted(_lines(preview, over=over), key=_place)
    sorts = [[line for line in lines if line.word == word] for word in _ORDER]
    cuts = shares([len(each) for each in sorts], _room(below + sum(map(bool, sorts))))
    shown = [line for each, cut in zip(sorts, cuts, strict=True) for line in each[:cut]]
    width = min(max((columns(visible(line.path)) for line in shown), default=0), _MAX_PATH)
    for each, cut in zip(sorts, cuts, strict=True):
        for line in each[:cut]:
            _say(screen, line, width)
        if rest := each[cut:]:
            lead = f"{_INDENT}{' ' * _WORD}"
            text = f"… and {len(rest):,} more {folders_in_words([line.path for line in rest])}"
            screen.say(f"{lead}{screen.paint(clip(text, screen.width - len(lead)), 'dim')}")


def _room(below: int) -> int:
    """Return how many files fit on the terminal below the title."""
    if not sys.stdout.isatty():
        return SHOWN
    return max(min(get_terminal_size().lines - _AROUND - below, SHOWN), _FEWEST)


def changes_in_words(preview: RestorePreview, *, over: bool = False) -> str:
    """Count the changes: `3 changes`, or by sort if there are many."""
    lines = sorted(_lines(preview, over=over), key=_place)
    lines = [line for line in lines if line.word != _KEEP]
    if len(lines) <= SHOWN:
        return count(len(lines), "change")
    sorts = Counter(line.word[0] for line in lines)
    if len(sorts) == 1:
        return count(len(lines), "change")
    told = ", ".join(f"{number:,} {_NAMED.get(word, word)}" for word, number in sorts.items())
    return f"{count(len(lines), 'change')}: {told}"


def shares(sizes: Sequence[int], room: int) -> list[int]:
    """Divide the room among the sorts; small ones get all they need."""
    given = [0] * len(sizes)
    left = room
    for done, at in enumerate(sorted(range(len(sizes)), key=lambda each: sizes[each])):
        given[at] = min(sizes[at], -(-left // (len(sizes) - done)))
        left -= given[at]
    return given


def folders_in_words(paths: Sequence[str]) -> str:
    """Name the common folder, or count the paths by folder."""
    if shared := commonpath([f"/{dirname(path)}" for path in paths])[1:]:
        return f"in {shared}/"
    tops = Counter(path.partition("/")[0] + "/" if "/" in path else "" for path in paths)
    if tops[""] == len(paths):
        return "here"
    named = [(top, number) for top, number in tops.most_common() if top][:_FOLDERS]
    others = len(paths) - sum(number for _, number in named)
    told = [f"{number:,} in {top}" for top, number in named]
    return f"({', '.join([*told, f'{others:,} elsewhere'] if others else told)})"


def _lines(preview: RestorePreview, *, over: bool) -> Iterator[PreviewLine]:
    made = MADE.get(preview.way.level, "created since")
    for item in preview.items:
        taken = size(item.bytes) if item.bytes else ""
        notes = (made, taken) if item.does is FileRestoreAction.DELETE else (taken,)
        yield PreviewLine(_WORDS[item.does], item.path, ", ".join(filter(None, notes)))
    for spared in preview.spared:
        if over and spared.conflict:
            yield PreviewLine(_OVERWRITE, spared.path, spared.why)
        else:
            yield PreviewLine(_KEEP, spared.path, f"{spared.why} → left alone")


def _place(line: PreviewLine) -> tuple[int, str]:
    return _ORDER.index(line.word), line.path


def _say(screen: TerminalOutput, line: PreviewLine, width: int) -> None:
    word, style = line.word
    head = (
        f"{_INDENT}{screen.paint(pad(word, _WORD), style)}{pad(clip_path(line.path, width), width)}"
    )
    indent = len(_INDENT) + _WORD + width + 2
    first, *rest = wrap(line.note, screen.width - indent)
    screen.say(f"{head}  {screen.paint(first, 'dim')}".rstrip())
    for text in rest:
        screen.say(f"{' ' * indent}{screen.paint(text, 'dim')}")


def clip_path(path: str, width: int) -> str:
    """Shorten a path from the left to this width."""
    text = visible(path)
    if columns(text) <= width:
        return text
    while columns(text) >= width:
        text = text[1:]
    _, slash, tail = text.partition("/")
    return f"…/{tail}" if slash and len(tail) > width // 2 else f"…{text}"
