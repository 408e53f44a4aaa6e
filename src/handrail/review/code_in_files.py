"""Code in files: what this run wrote or downloaded is read when it is about to run.

Only what a checkpoint cannot undo counts, and only where its target is known: tests delete folders
that they were given, and build scripts clean up in the project. Past the limits the action is
judged without the file, as if nobody could see it.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Protocol

import msgspec

from handrail.model.effect import HOST_KINDS, PATH_KINDS, Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.review.context import ReviewContext
from handrail.review.flows import join_flows
from handrail.review.judgment.weigh import weigh
from handrail.review.own_files import OwnFiles
from handrail.shell import ParsedProgram, Reading, UnreadableError
from handrail.shell.code_runner import LANGUAGES
from handrail.shell.errors import TooLargeError, TooSlowError
from handrail.shell.inline import forget_parsed, load_readers
from handrail.shell.readers.hosts import is_loopback, parse_host
from handrail.shell.reading_clock import reading_time

MAX_FILES = 12
MAX_CHARACTERS = 64 * 1024
"""Of all files of one action together."""
MAX_GUIDE = 16 * 1024
"""Of a file from before the run, which is read only to find the run's own files behind it."""
MAX_SECONDS = 0.02
"""Of this thread's own time, so that a busy machine changes nothing."""

_LANGUAGES = frozenset(call.name for call in LANGUAGES.values())
_ALWAYS = frozenset({Kind.TAMPER, Kind.SECRET, Kind.DEVICE})
_ONLY_CRITICAL = frozenset({Kind.UNSEEN, Kind.EXHAUST, Kind.RUN, Kind.INSTALL})
"""Kinds that say little of a file: a program that evaluates text is nothing unusual."""
_SHELL_FOR = re.compile("gives a shell on this machine to ")
_TEST = re.compile(r"/(?:test_[^/]*|[^/]*_test|conftest)\.py$|\.(?:test|spec)\.[cm]?[jt]s$")
_MOVES_HOME = re.compile(
    r"setenv\(\s*[\"']HOME[\"']|(?:environ|ENV)\[[\"']HOME[\"']\]\s*=[^=]|env\.HOME\s*=[^=]"
)


class ReadWith(Protocol):
    """Reads the command again, with the text of files and until moments of this thread's time."""

    def __call__(
        self, *, files: Mapping[str, str], deadline: float, code_deadline: float
    ) -> Reading: ...


def code_file_effects(reading: Reading, read_with: ReadWith, at: ReviewContext) -> Iterator[Effect]:
    """Yield what the files do that the command runs, as far as this run wrote them."""
    try:
        yield from _effects_of_files(reading, read_with, at)
    finally:
        forget_parsed()


def _effects_of_files(reading: Reading, read_with: ReadWith, at: ReviewContext) -> Iterator[Effect]:
    own = OwnFiles(at)
    # Each file with the command that runs it, and the text of the files on the way to it.
    waiting: dict[str, tuple[int, dict[str, str]]] = {
        path: (command, {}) for path, command in _found(reading, own)
    }
    words = dict(reading.program.word_files)
    if not waiting:
        return
    load_readers()
    deadline = reading_time() + MAX_SECONDS
    known = _weighed(reading, at)
    size = 0
    for index in range(MAX_FILES):
        path = next(islice(waiting, index, None), None)
        if path is None:
            return
        command, before = waiting[path]
        is_own = own.has(path)
        texts = {**before, path: own.text(path)}
        size += len(texts[path])
        try:
            if size > MAX_CHARACTERS:
                raise TooLargeError(size, MAX_CHARACTERS, path)
            if reading_time() > deadline:
                raise TooSlowError
            inner = read_with(files=texts, deadline=deadline + MAX_SECONDS, code_deadline=deadline)
        except UnreadableError:
            size -= len(texts[path])
            if is_own and path not in words:
                yield _not_read(own.place(path), command)
            continue
        for name, _ in _found(inner, own):
            waiting.setdefault(name, (command, texts))
        found = _weighed(inner, at)
        for key, effect in found.items():
            if not is_own or key in known or not _counts(effect, inner.program, at):
                continue
            if not _is_in_another_home(effect, texts, at):
                yield _in_file(own.place(path), effect, command)
        known |= found


def _found(reading: Reading, own: OwnFiles) -> Iterator[tuple[str, int]]:
    """The run's own files that a command runs, and the number of the command.

    Behind them come older files that may run the run's own: the Makefile for `make test`.
    """
    program = reading.program
    for name, command in (*program.code_files, *program.word_files):
        yield from ((path, command) for path in own.matching(name))
    for name, command in program.code_files:
        if own.is_guide(name, MAX_GUIDE):
            yield name, command


def _weighed(reading: Reading, at: ReviewContext) -> dict[tuple[object, ...], Effect]:
    """The effects of a reading as they weigh here, each once."""
    controls = at.places.controls
    effects = [
        weigh(effect, at)
        for effect in reading.effects
        if effect.kind is not Kind.RUN or controls.is_state(effect.target)
    ]
    # A program that uses the project's own secrets is what they are there for.
    effects = [
        effect
        for effect in effects
        if effect.kind is not Kind.SECRET or not at.in_scope(effect.target)
    ]
    joined = join_flows(reading.program, effects, at)
    return {(each.kind, each.target, each.severity, each.says): each for each in joined}


def _counts(effect: Effect, program: ParsedProgram, at: ReviewContext) -> bool:
    """Whether an effect of code in a file is a reason to refuse the command."""
    if effect.severity < Severity.HIGH or effect.undo <= Undo.CHECKPOINT:
        return False
    if effect.kind in _ALWAYS:
        return not effect.target.startswith(("$", "…"))
    if effect.kind in HOST_KINDS:
        return "…" not in parse_host(effect.target).host
    if effect.opaque:
        return False
    if effect.kind in PATH_KINDS:
        return not at.in_scope(effect.target) or at.places.protected(effect.target)
    if _is_of_code(effect, program):
        return _SHELL_FOR.match(effect.says) is not None and _is_outside_host(effect)
    return effect.severity is Severity.CRITICAL or effect.kind not in _ONLY_CRITICAL


def _is_outside_host(effect: Effect) -> bool:
    host = parse_host(effect.says.rpartition(" ")[2]).host
    return "…" not in host and "." in host and not is_loopback(host)


def _is_in_another_home(effect: Effect, texts: Mapping[str, str], at: ReviewContext) -> bool:
    """Whether it may be in the home folder that a test has made for itself.

    A file that spells this home out means this one.
    """
    is_test = any(map(_TEST.search, texts))
    moves_home = any(map(_MOVES_HOME.search, texts.values()))
    home = f"{at.places.home}/"
    if not (is_test or moves_home) or not effect.target.startswith(home):
        return False
    if any(home in text for text in texts.values()):
        return False
    if effect.kind is Kind.TAMPER:
        return is_test and moves_home
    return effect.kind in PATH_KINDS or effect.kind is Kind.SECRET


def _is_of_code(effect: Effect, program: ParsedProgram) -> bool:
    """Whether a program in another language does it, or starts what does it.

    There the folder, the database or the remote are often somebody else's: those of a test.
    """
    if any(
        each.kind is effect.kind and each.command == effect.command for each in program.code_effects
    ):
        return True
    via = program.commands[effect.command].via if effect.command < len(program.commands) else ()
    return not _LANGUAGES.isdisjoint(via)


def _in_file(path: str, effect: Effect, command: int) -> Effect:
    return msgspec.structs.replace(
        effect,
        command=command,
        says=f"runs {path}, which {effect.text}",
        instead=effect.instead or f"Take that out of {path}, or leave it to a person to run it.",
    )


def _not_read(path: str, command: int) -> Effect:
    says = f"runs {path}, which is too much to read here"
    return Effect(Kind.RUN, path, Severity.LOW, Undo.UNKNOWN, says, command=command)
