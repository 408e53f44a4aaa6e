"""Read SESSION.json strictly: every error names the place, the key, and what is allowed there."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from handrail.desktop.errors import SessionFileError
from handrail.desktop.verify.bounded_reading import UnreadableFileError, read_bounded
from handrail.desktop.verify.session import (
    DeleteOperation,
    EditedFile,
    EditSession,
    InsertOperation,
    NavigateOperation,
    OriginalHash,
)
from handrail.model.near_names import did_you_mean

MAX_SESSION_BYTES = 200_000_000
MAX_FILES = 20_000
MAX_OPERATIONS = 2_000_000
_SHOWN = 40
_PLACE = re.compile(r"\A(?P<problem>.*?)(?: - at `\$(?P<place>.*)`)?\Z", re.DOTALL)
_KEY = re.compile(r"Object (?:missing required|contains unknown) field `(?P<key>.*)`", re.DOTALL)
_STEP = re.compile(r"\.?(?P<name>[^.\[\]]+)|\[(?P<index>\d+)\]")
_OPERATION = re.compile(r"files\[\d+\]\.operations\[\d+\]")
_FILE = re.compile(r"files\[\d+\]")
_TYPES: dict[str, type[msgspec.Struct]] = {
    "navigate": NavigateOperation,
    "delete": DeleteOperation,
    "insert": InsertOperation,
}
ALLOWED = {
    "version": "1",
    "files": f"a list of 1 to {MAX_FILES:,} files",
    "path": "a relative path with `/` between names, without `.` and `..`",
    "original": "the text before the session, or its hash (sha256, size), or null: no such file",
    "sha256": "64 hexadecimal digits in lower case",
    "size": "a number of bytes",
    "operations": "a list of operations",
    "type": "navigate, delete or insert",
    "line": "a whole number; the first line is 1",
    "line_end": "a whole number, `line` or more; only a delete has it",
    "content": "a text; only an insert has it",
    "left_out": "a list of files with path and reason",
}
"""What may stand behind a key, for messages."""


def load_session(file: str) -> EditSession:
    """Read a session; raises SessionFileError."""
    try:
        data = read_bounded(file, MAX_SESSION_BYTES)
    except UnreadableFileError as error:
        raise SessionFileError(file, "", str(error)) from None
    return read_session(data, file)


def read_session(data: bytes, file: str) -> EditSession:
    """Read a session from the content of a file, whose name stands in errors."""
    if not data.strip():
        raise SessionFileError(file, "", "is empty; a session is a JSON object with `files`")
    session = _decode(data, file)
    _check(session, file)
    return session


def _decode(data: bytes, file: str) -> EditSession:
    try:
        try:
            return msgspec.json.decode(data, type=EditSession)
        except msgspec.ValidationError as error:
            # It may be no JSON either, further on.
            raise _explain(file, msgspec.json.decode(data), str(error)) from None
    except RecursionError:
        problem = "is nested too deeply"
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8: {error.reason}"
    except msgspec.DecodeError as error:
        # Half of a surrogate pair is an error here, too: no file can hold it.
        problem = f"is not JSON: {error}"
    raise SessionFileError(file, "", problem)


def path_problem(path: str) -> str:
    """Return what is wrong with the path of a file of a session, or ""."""
    if path.startswith(("/", "~")):
        return "is not relative"
    names = path.split("/")
    if ".." in names:
        return "leads out of ROOT"
    if "" in names or "." in names:
        return "has an empty name or `.` in it"
    if "\0" in path:
        return "has a NUL in it"
    return ""


def _check(session: EditSession, file: str) -> None:
    if len(session.files) > MAX_FILES:
        problem = f"has {len(session.files):,} files; allowed: {ALLOWED['files']}"
        raise SessionFileError(file, "files", problem)
    if sum(len(each.operations) for each in session.files) > MAX_OPERATIONS:
        problem = f"there are more than {MAX_OPERATIONS:,} operations"
        raise SessionFileError(file, "files", problem)
    places: dict[str, str] = {}
    for index, each in enumerate(session.files):
        place = f"files[{index}]"
        problem = path_problem(each.path)
        if problem:
            says = f"{_shown(each.path)} {problem}; allowed: {ALLOWED['path']}"
            raise SessionFileError(file, f"{place}.path", says)
        earlier = places.setdefault(each.path, place)
        if earlier != place:
            says = f"{_shown(each.path)} is {earlier} already; put its operations there"
            raise SessionFileError(file, f"{place}.path", says)
        _check_ends(each, file, place)


def _check_ends(edited: EditedFile, file: str, place: str) -> None:
    for index, operation in enumerate(edited.operations):
        if isinstance(operation, DeleteOperation) and operation.last < operation.line:
            where = f"{place}.operations[{index}].line_end"
            says = f"{operation.last} is less than line {operation.line}"
            raise SessionFileError(file, where, f"{says}; allowed: {ALLOWED['line_end']}")


def _explain(file: str, value: Any, says: str) -> SessionFileError:
    """Turn the message of the decoder into place, value and what is allowed."""
    found = _PLACE.match(says)
    assert found
    problem = found["problem"]
    place = (found["place"] or "").removeprefix(".")
    field = _KEY.match(problem)
    values = list(_walk(value, place))
    if field:
        key = field["key"]
        where = f"{place}.{key}" if place else key
        return SessionFileError(file, where, _key_problem(problem, key, place, values[-1]))
    key = place.rpartition(".")[2].partition("[")[0]
    shown = _shown(values[-1])
    if not key:
        return SessionFileError(file, place, f"is {shown}; allowed: an object with `files`")
    if place.endswith("]"):
        return SessionFileError(file, place, f"is {shown}; allowed: an object")
    return SessionFileError(file, place, f"is {shown}; allowed: {ALLOWED.get(key, 'a text')}")


def _key_problem(problem: str, key: str, place: str, value: Any) -> str:
    if "missing" in problem:
        return f"is missing; expected {ALLOWED.get(key, 'a text')}"
    keys = _keys(place, value)
    near = did_you_mean(key, keys)
    return f"unknown key; {f'{near} ' if near else ''}allowed: {', '.join(keys)}"


def _keys(place: str, value: Any) -> list[str]:
    """The keys that are allowed at a place."""
    if _OPERATION.fullmatch(place):
        kind = value.get("type") if isinstance(value, dict) else None
        struct = _TYPES[kind if isinstance(kind, str) and kind in _TYPES else "insert"]
        return ["type", *struct.__struct_fields__]
    if _FILE.fullmatch(place):
        return list(EditedFile.__struct_fields__)
    if place.endswith(".original"):
        return list(OriginalHash.__struct_fields__)
    return ["path", "reason"] if place else list(EditSession.__struct_fields__)


def _walk(value: Any, place: str) -> Iterator[Any]:
    """The values on the way to a place, as far as it exists."""
    yield value
    for step in _STEP.finditer(place):
        try:
            value = value[step["name"] or int(step["index"])]
        except (LookupError, TypeError):
            return
        yield value


def _shown(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
