"""Read `chmod`: who gets which rights."""

import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.readers.make_effects import effect, path_effect
from handrail.shell.word import Word

_WORLD = re.compile(r"0*[2-7]?[0-7]{2}[2367]")
"""Others may write; except with the sticky bit (1777), as on shared temp folders."""
_SET_UID = re.compile(r"0*[4567][0-7]{3}")
_SET_GID = re.compile(r"0*[2367][0-7]{3}")
_AS_ROOT = frozenset({"sudo", "doas", "su", "pkexec", "run0", "sudo-rs", "please"})
_NO_ACCESS = re.compile(r"0+|(?:a|ugo)?-rwx|(?:a|ugo)?=")
_PRIVATE = re.compile(r"0*[4-7]00|(?:go|og|o|g)(?:-[rwxX]+|=),?")
"""Modes that only take rights from others, as for keys."""
_MINUS_MODE = re.compile(r"-[rwxXst]+(?:,.*)?")
_OPERATOR = re.compile(r"^[=+](?=[0-7]+$)")
_CLAUSE = re.compile(r"([ugoa]*)((?:[-+=][rwxXstugo]*)+)")


def _opens_to_all(mode: str) -> bool:
    if _WORLD.fullmatch(mode):
        return True
    for clause in mode.split(","):
        match = _CLAUSE.fullmatch(clause)
        # Without `o` or `a` the umask still keeps others from writing.
        if match and set(match[1]) & {"o", "a"} and re.search(r"[+=][rxXst]*w", match[2]):
            return True
    return False


def _sets_identity(mode: str, octal: re.Pattern[str], who: str) -> bool:
    """Return whether a mode makes a program act as its owner (`u`) or as its group (`g`)."""
    if octal.fullmatch(mode):
        return True
    for clause in mode.split(","):
        match = _CLAUSE.fullmatch(clause)
        if match is None or (match[1] and not set(match[1]) & {who, "a"}):
            continue
        if re.search(r"[+=][rwxXt]*s", match[2]):
            return True
    return False


def _mode_and_files(command: Command, call: ParsedArguments) -> tuple[str, tuple[Word, ...]]:
    """Return mode and files; `chmod -x file` looks like an option, `--reference` is a mode."""
    minus = [word.text for word in command.argv[1:] if _MINUS_MODE.fullmatch(word.text)]
    if minus:
        return minus[0], call.operands
    if call.has("--reference") or not call.operands:
        return "", call.operands
    return _OPERATOR.sub("", call.operands[0].text), call.operands[1:]


def _chmod(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    mode, files = _mode_and_files(command, call)
    deep = call.has("-R", "--recursive")
    for word in files:
        path = join(command.cwd, word)
        if _sets_identity(mode, _SET_UID, "u"):
            yield _acts_as(word, path, "owner (setuid)")
        elif _AS_ROOT.intersection(command.via) and _sets_identity(mode, _SET_GID, "g"):
            # Without root it is the own group, as usual for shared folders.
            yield _acts_as(word, path, "group (setgid)")
        if _opens_to_all(mode):
            says = f"lets every user change {path.shown}"
        elif _NO_ACCESS.fullmatch(mode):
            says = f"locks everyone out of {path.shown}"
        else:
            calm = Severity.NONE if _PRIVATE.fullmatch(mode) else None
            yield path_effect(Kind.PERMIT, path, recursive=deep, severity=calm)
            continue
        wide = path_effect(
            Kind.PERMIT,
            path,
            recursive=deep,
            severity=Severity.HIGH,
            says=says,
            instead=f"Give only yourself access: `chmod -R u+rwX {word.shown}`.",
        )
        # Afterwards nobody knows the old mode of each file.
        yield msgspec.structs.replace(wide, undo=Undo.UNKNOWN)


def _acts_as(word: Word, path: Word, whom: str) -> Effect:
    return effect(
        Kind.PRIVILEGE,
        path.shown,
        says=f"lets everyone who runs {path.shown} act as its {whom}",
        instead=f"Make it executable only: `chmod 755 {word.shown}`.",
    )


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "chmod": _chmod,
}
