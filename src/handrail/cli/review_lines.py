"""Reviews as a co-process: one JSON line in, one JSON line out, in order."""

import os
import re
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from handrail.cli import freeze_loaded_objects
from handrail.cli.bounded_review import bounded_review
from handrail.cli.output.json_line import to_json
from handrail.cli.output.review_json import refusal_json, review_json
from handrail.model.action import SHELL_TOOLS, Action
from handrail.review import Reviewer

MAX_LINE = 4 * 1024 * 1024
_MAX_PATH = 4096
_CHUNK = 64 * 1024
_ID = re.compile(rb'\s*\{\s*"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,18})\s*[,}]')


class _LineRequest(msgspec.Struct):
    """One line of input; unknown fields are ignored."""

    id: object = None
    tool: str | None = None
    input: dict[str, object] | None = None
    cwd: str | None = None
    env: dict[str, str] | None = None
    command: str | None = None


class _NamedLine(msgspec.Struct):
    id: object = None


_request = msgspec.json.Decoder(_LineRequest)
_named = msgspec.json.Decoder(_NamedLine)


class _BadLineError(ValueError):
    """The line is not an action."""


def review_each_line(source: BinaryIO, sink: BinaryIO, reviewer: Reviewer, folder: str) -> None:
    """Answer every line; `folder` is the `cwd` of actions without one."""
    freeze_loaded_objects()
    for line in _lines(source):
        sink.write(answer_line(line, reviewer, folder) + b"\n")
        sink.flush()


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """Yield lines without line ends; cut a line that is too long."""
    first = True
    while line := source.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE and not line.endswith(b"\n"):
            while (more := source.readline(_CHUNK)) and not more.endswith(b"\n"):
                pass
        if first:
            line, first = line.removeprefix(b"\xef\xbb\xbf"), False
        yield line.rstrip(b"\r\n")


def answer_line(line: bytes, reviewer: Reviewer, folder: str) -> bytes:
    """Answer one line. If Handrail itself fails, it refuses the action."""
    key: object = None
    try:
        request = _read(line)
        key = request.id
        return to_json(review_json(bounded_review(reviewer, _action(request, folder)), key))
    except _BadLineError as error:
        problem = str(error)
    except RecursionError:
        problem = "it is nested too deeply"
    except Exception as error:  # noqa: BLE001 - one bad line must not end the others
        problem = f"Handrail failed on it ({type(error).__name__}: {error})"
    try:
        return to_json(refusal_json(problem, key if key is not None else _sniff_id(line)))
    except (ValueError, RecursionError):  # the id itself cannot be written
        return to_json(refusal_json(ascii(problem)))


def _read(line: bytes) -> _LineRequest:
    if len(line) > MAX_LINE:
        raise _BadLineError(f"the line is longer than {MAX_LINE // 1024 // 1024} MB")
    if not line.strip():
        raise _BadLineError("the line is empty")
    try:
        line.decode()
        return _request.decode(line)
    except UnicodeDecodeError:
        raise _BadLineError("the line is not UTF-8 text") from None
    except msgspec.ValidationError as error:
        raise _BadLineError(f"the line is not an action: {error}") from None
    except msgspec.DecodeError as error:
        raise _BadLineError(f"the line is not JSON: {error}") from None


def _action(request: _LineRequest, folder: str) -> Action:
    tool, given = request.tool, request.input
    if tool is None and request.command is not None:
        tool, given = "Bash", {"command": request.command}
    if not tool:
        raise _BadLineError("`tool` is missing")
    if given is None:
        raise _BadLineError("`input` is missing")
    env = request.env or {}
    texts = [tool, request.cwd or "", *env, *env.values()]
    if tool.lower() in SHELL_TOOLS:
        texts += [value for value in given.values() if isinstance(value, str)]
    if any("\0" in text for text in texts):
        raise _BadLineError("there is a NUL byte in it")
    if len(request.cwd or "") > _MAX_PATH:
        raise _BadLineError("`cwd` is too long for a folder")
    cwd = os.path.join(folder, request.cwd) if request.cwd else folder
    key = request.id if isinstance(request.id, str) else ""
    return Action(tool, given, cwd, env, key)


def _sniff_id(line: bytes) -> object:
    """Find the id in a line that is not an action."""
    if len(line) <= MAX_LINE:
        try:
            return _named.decode(line).id
        except (ValueError, RecursionError):
            pass
    found = _ID.match(line[:_CHUNK])
    try:
        return msgspec.json.decode(found.group(1)) if found else None
    except ValueError:
        return None
