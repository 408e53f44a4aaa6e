"""What stands in the input of a tool, however it is packed: texts, and the names they stand under.

An input is written by the one who is reviewed. So it is gone through without recursion, and only
so far as any honest call goes.
"""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

import msgspec

from handrail.model.action import Action
from handrail.shell import UnreadableError
from handrail.shell.paths import join
from handrail.shell.word import Word

MAX_VALUES = 10_000
"""Values in the input of one call; more is not read, so it is not run."""
LONGEST_PATH = 4096
_MAX_SHORT = 1024 * 1024
"""Characters in texts that are short enough to be paths."""
_LONGEST_NAME = 40

PATH_NAMES = frozenset(
    """
    path paths file files filepath filepaths filename filenames notebookpath absolutepath
    relativepath fullpath localpath inputpath inputfile outputpath outputfile outputdir savepath
    dir dirs dirpath directory directories directorypath folder folders folderpath targetpath
    targetfile targetdir oldpath newpath sourcepath destinationpath destpath srcpath dstpath
    frompath topath sourcefile destinationfile
    """.split()
)
"""Fields that hold a path, also one that is relative to the folder of the server."""
TEXT_NAMES = frozenset(
    """
    content contents text newstring newstr newtext newsource newcontent newcontents filetext
    filecontent replacement repl body data codeedit
    """.split()
)
"""Fields that hold what is written into a file."""


Fields = tuple[tuple[str, object], ...]
"""An object's fields by plain names, of which one may stand there twice."""
_FILE = re.compile(r"file:(?://[^/]*)?(/[^?#]*)", re.IGNORECASE)


class TooManyValuesError(UnreadableError):
    """An input holds more than is looked through."""

    def __init__(self, tool: str, limit: int, what: str) -> None:
        super().__init__(f"the input of {tool} holds more than {limit:,} {what}")
        self.tool = tool
        self.limit = limit


class InputText(msgspec.Struct, frozen=True, gc=False):
    """One text of an input."""

    name: str
    """The field around it, in small letters alone: `file_path` and `filePath` are `filepath`."""
    text: str
    beside: str = ""
    """The path that stands in the same object, or in one around it."""


class InputContents(msgspec.Struct, frozen=True):
    """An input, taken apart."""

    leaves: tuple[InputText, ...]
    objects: tuple[Fields, ...]
    """Every object in it; the input itself is the first."""


def plain(name: object) -> str:
    """A field's name without its spelling."""
    short = str(name)[:_LONGEST_NAME]
    return "".join(char for char in short if char.isalnum()).lower()


def look_through(action: Action) -> InputContents:
    """All texts and objects of an action's input, in order; raises TooManyValuesError."""
    leaves: list[InputText] = []
    objects: list[Fields] = []
    waiting: list[tuple[str, object, str]] = [("", action.input, "")]
    seen = short = 0
    while waiting:
        name, value, beside = waiting.pop()
        seen += 1
        if isinstance(value, str):
            leaves.append(InputText(name, value, beside))
            short += len(value) if len(value) <= LONGEST_PATH else 0
            if short > _MAX_SHORT:
                raise TooManyValuesError(action.tool, _MAX_SHORT, "characters in short texts")
            continue
        if not isinstance(value, dict | list):
            continue
        if seen + len(waiting) + len(value) > MAX_VALUES:
            raise TooManyValuesError(action.tool, MAX_VALUES, "values")
        if isinstance(value, list):
            waiting.extend((name, item, beside) for item in reversed(value))
            continue
        fields = tuple((plain(key), item) for key, item in value.items())
        objects.append(fields)
        if name == "files":
            waiting.extend(_named_files(value))
        beside = _own_path(fields) or beside
        waiting.extend((key, item, beside) for key, item in reversed(fields))
    return InputContents(tuple(leaves), tuple(objects))


def _named_files(files: Mapping[str, object]) -> Iterator[tuple[str, object, str]]:
    """`{"files": {"a.py": "text"}}`: the names are the paths."""
    for path, text in files.items():
        if plain(path) not in PATH_NAMES | TEXT_NAMES:
            yield "path", path, ""
            yield "content", text, path


def _own_path(fields: Fields) -> str:
    for name, value in fields:
        if name in PATH_NAMES and isinstance(value, str):
            return value
    return ""


def joined(action: Action, text: str) -> Word:
    """A path of a tool's input, seen from the action's folder and home."""
    if address := _FILE.match(text):
        text = unquote(address[1])
    if text == "~" or text.startswith("~/"):
        text = action.env.get("HOME", "") + text[1:]
    return join(Word(action.cwd or "/"), Word(text))
