"""Find files of an agent or its guard among those that git and patch change.

Only the review knows the exact files; this module goes by their names, so that ordinary files
do not show up twice.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from handrail.model.effect import Effect, Kind
from handrail.model.host import known_hosts
from handrail.model.ordinal import Severity
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.readers.make_effects import effect, path_effect, takes_over
from handrail.shell.word import Word

UNTRACKED = "untracked files"
IGNORED = "untracked and ignored files"
ADDED = "untracked files, into the index"
TRACKED = "files as another version has them"
"""Targets for commands of git that change all files of a sort."""

_FOLDERS = "".join(f"|{re.escape(host.folder)}" for host in known_hosts())
_STEERING = re.compile(rf"(?:^|/)(?:handrail\.yaml{_FOLDERS})(?:/|$)")
_WHOLE = frozenset({".", "./", ":/", ":", "*", ":(top)"})
_CHANGING = frozenset({
    "am", "apply", "checkout", "checkout-index", "cherry-pick", "clean", "merge", "pull",
    "read-tree", "rebase", "reset", "restore", "revert", "rm", "stash", "switch",
})  # fmt: skip
_PATCHED = re.compile(r"(?m)^(?:\+\+\+|---|rename (?:from|to)|copy to) ([^\t\n]+)")


def touched(command: Command, words: Iterable[Word]) -> Iterator[Effect]:
    """Yield the paths that are or contain settings of an agent or its guard."""
    for word in words:
        path = join(command.cwd, word)
        if word.glob or _STEERING.search(path.text):
            yield path_effect(Kind.WRITE, path)


def swept(target: str) -> Effect:
    """Return an effect on all files of a sort; it has no weight by itself."""
    return effect(Kind.DISCARD, target, severity=Severity.NONE, says=f"changes {target}")


def replaced(command: Command, paths: tuple[Word, ...], *, other: bool) -> Iterator[Effect]:
    """Find files that get the content of the index, or of another version."""
    yield from touched(command, paths)
    if other and any(path.text in _WHOLE for path in paths):
        yield swept(TRACKED)


def work_tree(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Find the work tree of git, if an option or a variable names another one."""
    named = [*call.values("--work-tree")]
    named += [value for name, value in command.assignments if name == "GIT_WORK_TREE"]
    for word in named:
        yield takes_over(join(command.cwd, word), "makes git work in {target}")
    if call.operands and call.operands[0].text in _CHANGING:
        yield from touched(command, (Word("."),))


def cleaned(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `git clean`: all untracked files, or only those below the named paths."""
    kept = call.values("-e", "--exclude")
    if call.operands:
        yield from touched(command, call.operands)
    if any(_STEERING.search(word.text) for word in kept):
        return
    if not call.operands or any(word.text in _WHOLE for word in call.operands):
        yield swept(IGNORED if call.has("-x", "-X") else UNTRACKED)


def _restore(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    if call.has("-S", "--staged") and not call.has("-W", "--worktree"):
        return
    yield from replaced(command, call.operands, other=call.has("-s", "--source"))


def _stash(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    verb = call.operands[0].text if call.operands else "push"
    dashes = any(word.text == "--" for word in command.argv)
    if verb not in {"push", "save"} and not dashes:
        return
    paths = call.operands[1:] if verb == "push" else call.operands if dashes else ()
    yield from touched(command, paths)
    if not paths and call.has("-u", "--include-untracked", "-a", "--all"):
        yield swept(IGNORED if call.has("-a", "--all") else UNTRACKED)


def _add(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    if call.has("-A", "--all") or any(word.text in _WHOLE for word in call.operands):
        yield swept(ADDED)


def _paths(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `git rm`, `update-index`, `checkout-index`: paths, some after a mode and a number."""
    given = [*call.operands, *call.values("--cacheinfo")]
    yield from touched(command, (Word(word.text.rpartition(",")[2]) for word in given))


def _patch(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read a patch on the standard input, if the command line contains it."""
    folders = call.values("-d", "--directory") or [Word(".")]
    for name in _PATCHED.findall(command.input or ""):
        path = name.strip().strip('"')
        for part in (path, path.partition("/")[2]):
            yield from touched(command, (Word(f"{folders[-1].text}/{part}"),) if part else ())


def _tree(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `git read-tree -u`: the files become those of another version."""
    if call.has("-u", "--reset"):
        yield swept(TRACKED)


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "git_restore": _restore,
    "git_stash": _stash,
    "git_add": _add,
    "git_paths": _paths,
    "git_tree": _tree,
    "patch": _patch,
}
