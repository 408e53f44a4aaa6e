"""Git that is pointed at Handrail's own folder, where checkpoints are kept as git keeps commits."""

import os
from collections.abc import Iterator

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.review.protection.controls import ProtectedControls
from handrail.shell.command import Command, ParsedProgram

_POINTERS = frozenset({".git", "alternates", "commondir", "config", "gitdir"})
"""Files by which a repository names another one."""


def pointed_at(program: ParsedProgram, controls: ProtectedControls) -> Iterator[Effect]:
    """A write for each command that has git work in Handrail's folder, whatever it does there."""
    for index, command in enumerate(program.commands):
        places = (os.path.normpath(os.path.join(command.cwd.text, at)) for at in _places(command))
        if (found := next(filter(controls.is_state, places), None)) is not None:
            yield _write(found, index)
    for path, text in program.files:
        yield from linked(path, text, controls)


def linked(path: str, text: str, controls: ProtectedControls) -> Iterator[Effect]:
    """The same for a file that makes it the repository of a project."""
    if os.path.basename(path) in _POINTERS:
        words = text.replace("=", " ").replace('"', " ").split()
        if (
            found := next(filter(controls.is_state, map(os.path.normpath, words)), None)
        ) is not None:
            yield _write(found, 0)


def _places(command: Command) -> Iterator[str]:
    """Paths that decide where git works."""
    words = [word.text for word in command.argv]
    named = [(name, word.text) for name, word in command.assignments]
    named += [(name, text) for name, _, text in (word.partition("=") for word in words)]
    is_git = command.name == "git"
    yield from (text for name, text in named if text and (is_git or name.startswith("GIT_")))
    if is_git:
        yield from (command.cwd.text, *words[1:])


def _write(path: str, command: int) -> Effect:
    says = f"has git work in {path}"
    return Effect(Kind.WRITE, path, Severity.NONE, Undo.CHECKPOINT, says, command=command)
