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
        for place in filter(None, _places(command)):
            path = os.path.normpath(os.path.join(command.cwd.text, place))
            if controls.is_state(path):
                yield _write(path, index)
                break
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
    is_git = command.name == "git"
    for name, word in command.assignments:
        if is_git or name.startswith("GIT_"):
            yield word.text
    for word in command.argv:
        if is_git or word.text.startswith("GIT_"):
            yield word.text.partition("=")[2]
    if is_git:
        yield command.cwd.text
        yield from (word.text for word in command.argv[1:])


def _write(path: str, command: int) -> Effect:
    says = f"has git work in {path}"
    return Effect(Kind.WRITE, path, Severity.NONE, Undo.CHECKPOINT, says, command=command)
