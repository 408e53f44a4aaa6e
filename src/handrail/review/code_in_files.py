"""Code in files: what this run wrote or downloaded is read when it is about to run.

Only what a checkpoint cannot undo counts, and only where its target is known: tests delete folders
that they were given, and build scripts clean up in the project. Past the limits the action is
judged without the file, as if nobody could see it.
"""

import re
from collections.abc import Iterator, Mapping
from time import thread_time
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
from handrail.shell.errors import TooLargeError
from handrail.shell.inline import load_readers
from handrail.shell.readers.hosts import parse_host

MAX_LOOKED_AT = 40
"""Names under which a program may look for its file, each a look at the disk."""
MAX_CHARACTERS = 64 * 1024
"""Of all files of one action together."""
MAX_SECONDS = 0.02
"""Of this thread's own time, so that a busy machine changes nothing."""

_ALWAYS = frozenset({Kind.TAMPER, Kind.SECRET, Kind.DEVICE})
_ONLY_CRITICAL = frozenset({Kind.UNSEEN, Kind.EXHAUST, Kind.RUN, Kind.INSTALL})
"""Kinds that say little of a file: a program that evaluates text is nothing unusual."""
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
    waiting = dict(reading.program.code_files)
    own = OwnFiles(at)
    if not waiting or not at.history.began or not any(map(own.has, waiting)):
        return
    load_readers()
    deadline = thread_time() + MAX_SECONDS
    texts: dict[str, str] = {}
    known = _weighed(reading, at)
    for _ in range(MAX_LOOKED_AT):
        path = next((path for path in waiting if path not in texts), None)
        if path is None:
            return
        command = waiting[path]
        texts[path] = own.text(path)
        if not texts[path]:
            continue
        try:
            if sum(map(len, texts.values())) > MAX_CHARACTERS:
                raise TooLargeError(len(texts[path]), MAX_CHARACTERS, path)
            reading = read_with(
                files={name: text for name, text in texts.items() if text},
                deadline=deadline + MAX_SECONDS,
                code_deadline=deadline,
            )
        except UnreadableError:
            texts[path] = ""
            yield _not_read(own.place(path), command)
            continue
        # What a file runs is run by the command that runs the file.
        waiting |= {name: command for name, _ in reading.program.code_files if name not in waiting}
        found = _weighed(reading, at)
        for key, effect in found.items():
            if key in known or not _counts(effect, reading.program, at):
                continue
            if not (_MOVES_HOME.search(texts[path]) and _is_in_home(effect, at)):
                yield _in_file(own.place(path), effect, command)
        known |= found


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
        return not effect.target.startswith("$")
    if effect.kind in HOST_KINDS:
        return "…" not in parse_host(effect.target).host
    if effect.opaque:
        return False
    if effect.kind in PATH_KINDS:
        return not at.in_scope(effect.target) or at.places.protected(effect.target)
    if effect.severity is Severity.CRITICAL:
        return True
    return effect.kind not in _ONLY_CRITICAL and not _is_of_code(effect, program)


def _is_in_home(effect: Effect, at: ReviewContext) -> bool:
    """Whether it is in another folder where the code has set another home: tests do that."""
    in_home = effect.kind in PATH_KINDS or effect.kind is Kind.SECRET
    return in_home and effect.target.startswith(f"{at.places.home}/")


def _is_of_code(effect: Effect, program: ParsedProgram) -> bool:
    """Whether a program in another language does it, or starts what does it.

    There the folder, the database or the remote are often somebody else's: those of a test.
    """
    if any(
        each.kind is effect.kind and each.command == effect.command for each in program.code_effects
    ):
        return True
    via = program.commands[effect.command].via if effect.command < len(program.commands) else ()
    return not LANGUAGES.keys().isdisjoint(via)


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
