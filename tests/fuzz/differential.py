"""The reader against bash: does it see every call and every opened file, or say "unknown"?"""

import fnmatch
import os
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from tests.fuzz.real_bash import FILES, HOME, WORK, BashCall, BashRun

from handrail.shell import OPAQUE, Command, Reading, UnreadableError, Word, read
from handrail.shell.paths import join

_RUNS_TEXT = frozenset({"eval", ".", "source", "bash", "sh", "trap"})
"""Programs that run what they are given: if that is not known, neither is what they call."""
_RUNS_FILE = frozenset({".", "source", "bash", "sh"})
_IS_MISSING = ": No such file or directory"

_CLASSES = {"alpha": "A-Za-z", "digit": "0-9"}
_DESCRIPTOR = re.compile(r"/dev/fd/\d+")
"""A process substitution: its number means nothing."""


class Outcome(StrEnum):
    """How the reader did with one text."""

    SAME = "same"
    UNKNOWN = "unknown"
    """Something was left open that bash filled in."""
    DISK = "disk"
    """Bash did something else because a file or folder was missing, as only the disk tells."""
    DIFFERENT = "different"
    """Bash did something that the reader did not see, and did not mark as unknown."""


class Comparison(NamedTuple):
    """The outcome, and what was not seen."""

    outcome: Outcome
    missing: str = ""


def compare(text: str, run: BashRun) -> Comparison:
    """Read a text, and compare it with what bash did."""
    environ: Mapping[str, str] = {"HOME": run.home, "PATH": "/nonexistent", "LC_ALL": "C.UTF-8"}
    try:
        reading = read(text, cwd=run.cwd, environ=environ)
    except UnreadableError as error:
        return Comparison(Outcome.UNKNOWN, str(error))
    if reading.program.fault is not None:
        return Comparison(Outcome.UNKNOWN, reading.program.fault.says)
    if any(note.kind == "fork_bomb" for note in reading.program.notes):
        return Comparison(Outcome.UNKNOWN, "it is refused for that alone")
    calls = [call for call in run.calls if call.argv[0]]
    outcomes = [_call(call, reading, run) for call in calls]
    outcomes += [_file(path, reading) for path in run.written]
    if Outcome.DIFFERENT in outcomes:
        things = [*map(repr, calls), *run.written]
        outcome = Outcome.DISK if _IS_MISSING in run.says else Outcome.DIFFERENT
        return Comparison(outcome, things[outcomes.index(Outcome.DIFFERENT)])
    return Comparison(Outcome.UNKNOWN if Outcome.UNKNOWN in outcomes else Outcome.SAME)


def _call(call: BashCall, reading: Reading, run: BashRun) -> Outcome:
    commands = reading.program.commands
    best = Outcome.DIFFERENT
    for command in commands:
        if _is_open(command) or _runs_file_of_the_scene(command, run):
            best = Outcome.UNKNOWN
        elif _is_same(command, call):
            open_words = any(not word.exact for word in (*command.argv, command.cwd))
            if not open_words and OPAQUE not in (command.input or ""):
                return Outcome.SAME
            best = Outcome.UNKNOWN
    return best


def _is_open(command: Command) -> bool:
    """Whether what it runs is unknown."""
    if not command.argv:
        return False
    name = command.argv[0]
    if OPAQUE in name.raw:
        return True  # guessed from what stands behind it
    if not name.exact:
        return not name.text.strip(OPAQUE)
    if command.name not in _RUNS_TEXT:
        return False
    texts = [word.text for word in command.argv[1:]] or [command.input or OPAQUE]
    return any(OPAQUE in text for text in texts) or command.input == OPAQUE


def _runs_file_of_the_scene(command: Command, run: BashRun) -> bool:
    """Whether a command runs a file that was there before: only the disk has its text."""
    if command.name not in _RUNS_FILE or len(command.argv) < 2:
        return False
    place = {HOME: run.home, WORK: run.cwd}
    scene = {f"{place[part]}/{rest}" for part, _, rest in (name.partition("/") for name in FILES)}
    path = os.path.normpath(join(command.cwd, command.argv[1]).text)
    return path in scene and path not in run.written


def _is_same(command: Command, call: BashCall) -> bool:
    if command.elsewhere or not command.argv:
        return False
    if command.cwd.exact and command.cwd.text != call.cwd:
        return False
    known = command.input if call.given else None
    if known is not None and not re.fullmatch(_with_gaps(known), call.given, re.DOTALL):
        return False
    pattern = _DESCRIPTOR.sub("/dev/fd/N", "".join(map(_word_pattern, command.argv)))
    words = _DESCRIPTOR.sub("/dev/fd/N", "".join(f"{word}\0" for word in call.argv))
    return re.fullmatch(pattern, words, re.DOTALL) is not None


def _word_pattern(word: Word) -> str:
    if word.glob:
        return f"(?:{_glob(word.text)}\0)*" if word.exact else ".*"
    if word.exact:
        return re.escape(word.text) + "\0"
    whole = _with_gaps(word.text) + "\0"
    return f"(?:{whole})?" if not word.text.strip(OPAQUE) else whole


def _with_gaps(text: str) -> str:
    return ".*".join(map(re.escape, text.split(OPAQUE)))


def _path_with_gaps(path: Word) -> str:
    if path.glob:
        return ".*".join(map(_glob, path.text.split(OPAQUE)))
    return _with_gaps(path.text).replace("/.*/", "/(?:.*/)?")


def _glob(text: str) -> str:
    """What a pattern of bash takes; a star takes no slash."""
    literal = re.escape(text)
    for name, letters in _CLASSES.items():
        text = text.replace(f"[:{name}:]", letters)
    parts = (
        fnmatch.translate(part.replace("[^", "[!")).removesuffix(")\\Z") for part in text.split("/")
    )
    inside = "/".join(part.removeprefix("(?s:") for part in parts).replace(".*", "[^/\0]*")
    return f"(?:{inside}|{literal})"


def _file(path: str, reading: Reading) -> Outcome:
    best = Outcome.DIFFERENT
    for command in reading.program.commands:
        if _is_open(command):
            best = Outcome.UNKNOWN
        for item in command.redirects:
            target = join(command.cwd, item.target)
            if not item.writes:
                continue
            if target.exact and not target.glob and command.cwd.exact:
                if target.text == path:
                    return Outcome.SAME
            elif target.glob and target.exact:
                if re.fullmatch(_glob(target.text), path, re.DOTALL):
                    return Outcome.SAME
            elif re.fullmatch(".*" + _path_with_gaps(target), path, re.DOTALL):
                best = Outcome.UNKNOWN
    return best
