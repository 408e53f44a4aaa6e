"""Which existing files an action overwrites, as far as its effects and its words tell."""

import os
from collections.abc import Callable, Iterable, Iterator

import msgspec

from handrail.model.action import SHELL_TOOLS, Action
from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Undo
from handrail.shell.command import Command, ParsedProgram
from handrail.shell.paths import join

_MAX = 100
_OVERWRITING = frozenset({Kind.WRITE, Kind.LINK})
_UNDO = frozenset({Undo.CHECKPOINT, Undo.UNKNOWN})
"""What a checkpoint would undo, if it held the file."""

_ADDING = frozenset({"touch", "mkdir", "mkfifo", "chmod", "chown", "setfacl"})
"""Programs that write a file and lose nothing of its content."""
_MOVING = frozenset({"mv", "gmv"})
_INTO_FOLDERS = frozenset({"cp", "gcp", "install", "ginstall", "ln", "rsync"}) | _MOVING
"""Programs that put files into a folder under their own names."""
_EDITING = frozenset(
    """
    sed gsed perl ruby patch ed ex vi vim nvim nano emacs jq yq sponge tee black ruff isort prettier
    eslint gofmt rustfmt clang-format autopep8 yapf biome dos2unix unix2dos git
    """.split()
)
"""Programs that keep most of a file when they write it, or whose changes are small."""
_EDITING_TOOLS = frozenset({"edit", "multiedit", "notebookedit", "replace", "applypatch"})

_CHECKING_OUT = frozenset(
    "checkout switch merge rebase reset restore cherry-pick pull read-tree".split()
)
"""Calls of git that may put the files of another commit over ignored ones."""


class Overwrite(msgspec.Struct, frozen=True):
    """A file that an action overwrites, if it is there."""

    path: str
    whole: bool = True
    """Nothing of the old content is left: `>`, cp, mv. An edit leaves most of it."""
    glob: bool = False
    """The path holds wildcards."""


class PossibleOverwrites(msgspec.Struct, frozen=True):
    """What an action may overwrite."""

    files: tuple[Overwrite, ...] = ()
    commits: tuple[str, ...] = ()
    """Words that may name commits whose files git puts into the work tree."""


NO_OVERWRITES = PossibleOverwrites()


def possible_overwrites(
    action: Action,
    effects: Iterable[Effect],
    program: ParsedProgram | None,
    is_replaceable: Callable[[str], bool],
) -> PossibleOverwrites:
    """Return what an action may overwrite.

    `is_replaceable`: whether a build, a cache or a log makes a path again, or the run made it.
    """
    found: dict[str, Overwrite] = {}
    commands = program.commands if program else ()
    for effect in effects:
        if effect.kind not in _OVERWRITING or effect.undo not in _UNDO or effect.opaque:
            continue
        command = commands[effect.command] if effect.command < len(commands) else None
        for each in _overwritten(action, effect, command):
            if len(found) < _MAX and not is_replaceable(each.path):
                found.setdefault(each.path, each)
    return PossibleOverwrites(tuple(found.values()), tuple(_commits(commands)))


def _overwritten(action: Action, effect: Effect, command: Command | None) -> Iterator[Overwrite]:
    if command is None:
        name = action.tool.lower().replace("_", "")
        whole = name not in _EDITING_TOOLS and name not in SHELL_TOOLS
        yield Overwrite(effect.target, whole)
        return
    if command.name in _ADDING or effect.kind is Kind.LINK or _is_moved_away(effect, command):
        return
    redirects = {
        join(command.cwd, each.target).text: each.appends
        for each in command.redirects
        if each.writes
    }
    if redirects.get(effect.target, False):
        return
    whole = effect.target in redirects or command.name not in _EDITING
    if effect.glob:
        yield Overwrite(effect.target, whole, glob=True)
    elif command.name in _INTO_FOLDERS and os.path.isdir(effect.target):
        for word in command.argv[1:]:
            name = word.text.rstrip("/").rpartition("/")[2]
            if name and not word.text.startswith("-") and word.exact:
                yield Overwrite(os.path.join(effect.target, name), whole)
    else:
        yield Overwrite(effect.target, whole)


def _is_moved_away(effect: Effect, command: Command) -> bool:
    return effect.recursive and command.name in _MOVING


def _commits(commands: Iterable[Command]) -> Iterator[str]:
    """Words of git commands that may name what is checked out."""
    for command in commands:
        if command.name != "git" or command.elsewhere:
            continue
        words = [word.text for word in command.argv[1:] if word.exact]
        if _CHECKING_OUT.isdisjoint(words):
            continue
        for word in words:
            name = word.removeprefix("--source=")
            if name not in _CHECKING_OUT and not name.startswith("-"):
                yield name
