"""Decide which effects a checkpoint can undo."""

import msgspec

from handrail.config.glob import known_folder
from handrail.config.glob_reach import may_mean
from handrail.model.effect import CHANGING_KINDS, Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.shell.command import Command

_ELSEWHERE = ("-C", "--git-dir", "--work-tree", "-R", "--repository", "--cwd")
"""Options by which a program works in another folder, where what they take is not looked at."""


class CheckpointCover(msgspec.Struct, frozen=True):
    """What the latest checkpoint covers, for an action about to run."""

    root: str
    """The saved work tree."""
    complete: bool = True
    """Whether the checkpoint holds all files that git does not ignore."""
    uncovered: tuple[str, ...] = ()
    """Paths that the action may touch and no checkpoint holds; folders end with a slash."""
    irreplaceable: tuple["IrreplaceableFile", ...] = ()
    """Files that it would replace as a whole, and that no checkpoint and no copy holds."""


class IrreplaceableFile(msgspec.Struct, frozen=True):
    """A file without a copy, and the reason."""

    path: str
    why: str


def undoable_by_checkpoint(effect: Effect, kept: CheckpointCover) -> Effect:
    """Return the effect with its undo adjusted to the checkpoint."""
    for each in kept.irreplaceable if effect.kind in CHANGING_KINDS else ():
        if _touches(effect, each.path):
            return _unreplaced(effect, each)
    if effect.kind in CHANGING_KINDS and effect.undo is Undo.CHECKPOINT:
        lost = next((path for path in kept.uncovered if _touches(effect, path)), "")
        if not lost:
            return effect
        says = f"{effect.text}; no checkpoint holds {lost}"
        return msgspec.structs.replace(effect, undo=Undo.IMPOSSIBLE, says=says)
    if effect.kind is Kind.DISCARD and effect.undo is Undo.UNKNOWN and kept.complete:
        return msgspec.structs.replace(effect, undo=Undo.CHECKPOINT)
    return effect


def _unreplaced(effect: Effect, file: IrreplaceableFile) -> Effect:
    """The effect of losing a file for good."""
    folder, _, name = file.path.rpartition("/")
    return msgspec.structs.replace(
        effect,
        severity=Severity.HIGH,
        undo=Undo.IMPOSSIBLE,
        says=f"replaces {file.path}, which no checkpoint holds: {file.why}",
        instead=f"Write to a new name, such as {folder}/{name}.new; a person can replace the file.",
    )


def works_in(command: Command, root: str) -> bool:
    """Whether a command works in a work tree, as far as can be told."""
    cwd = command.cwd.text
    if command.elsewhere or not f"{cwd}/".startswith(f"{root}/"):
        return False
    named = (word.text for word in command.argv[1:])
    moved = any(text.startswith(_ELSEWHERE) for text in named)
    return not moved and not any(name.startswith("GIT_") for name, _ in command.assignments)


def _touches(effect: Effect, path: str) -> bool:
    if effect.glob and not path.endswith("/"):
        return may_mean(effect.target, path)
    target = known_folder(effect.target) if effect.glob else effect.target
    bare = path.rstrip("/")
    return bare == target or bare.startswith(f"{target}/") or target.startswith(f"{bare}/")
