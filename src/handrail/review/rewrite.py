"""Safer commands that do what was asked for: one table, one function per idea."""

import shlex
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.shell import OPAQUE, Command, ParsedProgram, Word
from handrail.shell.paths import join


class CommandRewrite(msgspec.Struct, frozen=True):
    """What to put in place of one simple command."""

    text: str
    says: str
    restore: str = ""


class RewriteCandidate(msgspec.Struct, frozen=True):
    """One simple command whose serious effects want a rewrite."""

    command: Command
    effects: tuple[Effect, ...]
    trash: str
    """An empty folder of its own, for what is moved away."""
    repeated: bool = False
    """It stands in a loop or a function, so that it runs with several values."""
    prefix: str = ""
    """Wrappers in front of it (`sudo `), as they were written."""


Rewriter = Callable[[RewriteCandidate], CommandRewrite | None]


def rewrite_command(
    text: str, program: ParsedProgram, effects: Sequence[Effect], trash: str
) -> tuple[str, tuple[CommandRewrite, ...]] | None:
    """The command line with every serious simple command made safe, if that is possible."""
    data = text.encode("utf-8", "replace")
    serious: dict[tuple[int, int], list[Effect]] = {}
    commands: dict[tuple[int, int], Command] = {}
    for effect in effects:
        if effect.severity < Severity.HIGH:
            continue
        if effect.command >= len(program.commands):
            return None
        command = program.commands[effect.command]
        if command.span[0] < 0 or not _TRANSPARENT.issuperset(command.via):
            return None
        serious.setdefault(command.span, []).append(effect)
        commands[command.span] = command
    changes: list[CommandRewrite] = []
    for span in sorted(serious, reverse=True):
        # A command in a loop is read once for each value, but stands there once.
        here = [command for command in program.commands if command.span == span]
        repeated = sum(command.via == commands[span].via for command in here) > 1
        prefix = _prefix(here[0], commands[span])
        wish = RewriteCandidate(commands[span], tuple(serious[span]), trash, repeated, prefix)
        change = _change(wish)
        if change is None:
            return None
        changes.append(change)
        data = data[: span[0]] + change.text.encode() + data[span[1] :]
    return data.decode("utf-8", "replace"), tuple(reversed(changes))


def _prefix(outer: Command, inner: Command) -> str:
    """`sudo -u x ` of `sudo -u x rm -rf y`, to be put before each command of the rewrite."""
    words = outer.argv[: len(outer.argv) - len(inner.argv)] if inner.via else ()
    return "".join(f"{_spell(word)} " for word in words)


def _change(wish: RewriteCandidate) -> CommandRewrite | None:
    kinds = {effect.kind for effect in wish.effects}
    for wanted, rewriter in REWRITERS.get(wish.command.name, ()):
        if kinds <= wanted:
            return rewriter(wish)
    return None


def _group(*parts: str) -> str:
    """Commands that count as one, whatever stands around them."""
    return f"{{ {' && '.join(parts)}; }}"


# Deletions


def _to_trash(wish: RewriteCandidate) -> CommandRewrite | None:
    """`rm -rf build notes` deletes what a build makes again and moves the rest away."""
    command = wish.command
    if any(effect.undo is Undo.IMPOSSIBLE for effect in wish.effects):
        return None
    endangered = {effect.target for effect in wish.effects}
    flags, operands = _split(command.argv[1:])
    spelled = _spellings(operands)
    moved: dict[str, str] = {}
    kept: dict[str, None] = {}
    dynamic = wish.repeated
    for word in operands:
        path = join(command.cwd, word).text.replace(OPAQUE, "…")
        name = spelled[word]
        if path in endangered or wish.repeated:
            moved[name] = path
            dynamic = dynamic or word.glob or not word.exact or "$" in name
        else:
            kept[name] = None
    # A word with several possible values (`${DIR:-build}`) is safe only if all of them are.
    kept = {name: None for name in kept if name not in moved}
    if not moved or (dynamic and wish.prefix):
        return None
    parts = [" ".join([f"{wish.prefix}rm", *flags, *kept])] if kept else []
    names = ", ".join(moved)
    says = f"{names} moved to the trash instead of deleted"
    says += f"; {', '.join(kept)} deleted" if kept else ""
    if dynamic:
        return _moved_at_run_time(wish, parts, list(moved), says)
    restores: list[str] = []
    for folder, group in groupby(moved.items(), key=lambda item: item[1].rpartition("/")[0]):
        items = list(group)
        there, back = shlex.quote(wish.trash + folder), shlex.quote(folder or "/")
        names = " ".join(name for name, _ in items)
        parts += [f"{wish.prefix}mkdir -p {there}", f"{wish.prefix}mv -- {names} {there}/"]
        kept_names = " ".join(shlex.quote(wish.trash + path) for _, path in items)
        restores.append(f"{wish.prefix}mv -n -- {kept_names} {back}/")
    return CommandRewrite(_group(*parts), says, " && ".join(restores))


def _moved_at_run_time(
    wish: RewriteCandidate, parts: list[str], names: list[str], says: str
) -> CommandRewrite:
    """Paths that only the shell knows are moved to the same path below the trash."""
    trash = shlex.quote(wish.trash)
    loop = (
        f'for hr in {" ".join(names)}; do [ -e "$hr" ] || [ -L "$hr" ] || continue; '
        'hd=$(cd "$(dirname -- "$hr")" && pwd) && '
        f'mkdir -p {trash}"$hd" && mv -- "$hr" {trash}"$hd"/ || exit 1; done'
    )
    return CommandRewrite(
        _group(*parts, f"({loop})"), says, f"handrail restore {wish.trash.rpartition('/')[2]}"
    )


def _split(words: Sequence[Word]) -> tuple[list[str], list[Word]]:
    flags: list[str] = []
    operands: list[Word] = []
    for index, word in enumerate(words):
        if word.text == "--":
            operands.extend(words[index + 1 :])
            break
        if word.text.startswith("-") and len(word.text) > 1:
            flags.append(word.text)
        else:
            operands.append(word)
    return flags, operands


def _spellings(words: Sequence[Word]) -> dict[Word, str]:
    """How to write each word so that the shell reads it the same way again."""
    raws = [word.raw for word in words]
    return {
        word: shlex.quote(word.text)
        if word.exact and not word.glob and raws.count(word.raw) > 1 and "$" not in word.raw
        else _spell(word)
        for word in words
    }


def _spell(word: Word) -> str:
    if word.raw and (word.glob or not word.exact or "$" in word.raw or "`" in word.raw):
        return word.raw
    return word.text if word.glob else shlex.quote(word.text)


# git


def _git_parts(command: Command) -> tuple[list[Word], list[Word]]:
    """Global options (with `git`), and the subcommand with its arguments."""
    words = list(command.argv)
    index = 1
    while index < len(words) and words[index].text.startswith("-"):
        takes_value = words[index].text in {
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--config-env",
        }
        index += 2 if takes_value else 1
    return words[:index], words[index:]


def _with_lease(wish: RewriteCandidate) -> CommandRewrite | None:
    """A forced push that first makes sure that nobody else has pushed."""
    before, (subcommand, *rest) = _git_parts(wish.command)
    if subcommand.text != "push" or any(_deletes_remote(word.text) for word in rest):
        return None
    words: list[str] = []
    for word in rest:
        text = word.text
        if text in {"--force", "-f", "--forc", "--for"}:
            continue
        if text.startswith("-") and text[1:2] != "-" and "f" in text:
            text = text.replace("f", "")
        elif text.startswith("+"):
            text = text[1:]
        elif text.startswith("--force-with-lease"):
            continue
        words.append(text if text == word.text else shlex.quote(text))
    pieces = [_git(wish.command, before, wish.prefix), "push", "--force-with-lease", *words]
    return CommandRewrite(
        " ".join(piece for piece in pieces if piece != "-"),
        "--force became --force-with-lease, to keep the commits of others",
    )


def _deletes_remote(text: str) -> bool:
    if text.startswith("-") and not text.startswith("--"):
        return "d" in text
    return text.startswith(":") or text in {"--mirror", "--delete", "--prune", "--all", "--tags"}


def _patch_first(wish: RewriteCandidate) -> CommandRewrite | None:
    """Uncommitted changes are written down as a patch before they are thrown away."""
    before, (subcommand, *rest) = _git_parts(wish.command)
    if subcommand.text not in {
        "reset",
        "checkout",
        "switch",
        "restore",
        "read-tree",
        "checkout-index",
        "rm",
    }:
        return None
    git = _git(wish.command, before, wish.prefix)
    original = " ".join([git, *map(_spell, [subcommand, *rest])])
    patch = shlex.quote(f"{wish.trash}/work.patch")
    return CommandRewrite(
        _group(
            f"mkdir -p {shlex.quote(wish.trash)}", f"{git} diff --binary HEAD > {patch}", original
        ),
        "uncommitted changes are kept as a patch first",
        f'cd "$({git} rev-parse --show-toplevel)" && git apply --3way {patch}',
    )


def _git(command: Command, words: Sequence[Word], prefix: str) -> str:
    """`git` with its environment and global options, as it was written."""
    variables = [f"{name}={shlex.quote(value.text)}" for name, value in command.assignments]
    return prefix + " ".join([*variables, *map(_spell, words)])


def _archive_untracked(wish: RewriteCandidate) -> CommandRewrite | None:
    """Untracked files are packed into the trash before `git clean` deletes them."""
    before, (subcommand, *rest) = _git_parts(wish.command)
    if subcommand.text != "clean":
        return None
    flags, paths = _split(rest)
    short = "".join(flag[1:] for flag in flags if not flag.startswith("--"))
    if "X" in short:
        selection = "--ignored --exclude-standard"
    else:
        selection = "" if "x" in short else "--exclude-standard"
    git = _git(wish.command, before, wish.prefix)
    where = " ".join(map(_spell, paths))
    archive = shlex.quote(f"{wish.trash}/untracked.tar")
    listing = " ".join(f"{git} ls-files -z --others {selection} -- {where}".split())
    original = " ".join([git, *map(_spell, [subcommand, *rest])])
    return CommandRewrite(
        _group(
            f"mkdir -p {shlex.quote(wish.trash)}",
            f"{listing} | tar --null -T - -cf {archive}",
            original,
        ),
        "untracked files are packed into Handrail's trash first",
        f"tar -xf {archive} -C {shlex.quote(wish.command.cwd.text)}",
    )


def _keep_stash(wish: RewriteCandidate) -> CommandRewrite | None:
    """A dropped stash stays reachable under a name."""
    before, (subcommand, *rest) = _git_parts(wish.command)
    if subcommand.text != "stash" or not rest or rest[0].text != "drop":
        return None
    git = _git(wish.command, before, wish.prefix)
    which = next((word.text for word in rest[1:] if not word.text.startswith("-")), "stash@{0}")
    which = f"stash@{{{which}}}" if which.isdigit() else which
    name = f"refs/handrail/stash-{wish.trash.rpartition('/')[2]}"
    original = " ".join([git, *map(_spell, [subcommand, *rest])])
    return CommandRewrite(
        _group(f"{git} update-ref {name} {shlex.quote(which)}", original),
        f"the stash stays reachable as {name}",
        f"{git} stash store -m restored {name}",
    )


def _keep_branch(wish: RewriteCandidate) -> CommandRewrite | None:
    """A deleted branch stays reachable under a name of Handrail's."""
    before, (subcommand, *rest) = _git_parts(wish.command)
    names = [word for word in rest if not word.text.startswith("-")]
    if subcommand.text != "branch" or not names or not all(word.exact for word in names):
        return None
    if any(word.text in {"-r", "--remotes", "-rD", "-Dr"} for word in rest):
        return None
    git = _git(wish.command, before, wish.prefix)
    folder = f"refs/handrail/{wish.trash.rpartition('/')[2]}"
    keeps = [
        f"{git} update-ref {shlex.quote(f'{folder}/{w.text}')} {shlex.quote(w.text)}" for w in names
    ]
    original = " ".join([git, *map(_spell, [subcommand, *rest])])
    backs = [f"git branch {shlex.quote(w.text)} {shlex.quote(f'{folder}/{w.text}')}" for w in names]
    return CommandRewrite(
        _group(*keeps, original), f"the branch stays reachable below {folder}", " && ".join(backs)
    )


# Permissions and limits

_MODES = {
    "777": "u+rwX,go+rX",
    "0777": "u+rwX,go+rX",
    "a+rwx": "u+rwx,go+rx",
    "+rwx": "u+rwx,go+rx",
    "ugo+rwx": "u+rwx,go+rx",
    "666": "u+rw,go+r",
    "0666": "u+rw,go+r",
    "a+rw": "u+rw,go+r",
    "ugo+rw": "u+rw,go+r",
    "a+w": "u+w",
    "ugo+w": "u+w",
    "o+w": "u+w",
    "go+w": "u+w",
    "o+rw": "o+r",
    "o+rwx": "o+rx",
    "1777": "u+rwX,go+rX",
    "776": "u+rwX,go+r",
    "766": "u+rwX,go+r",
}


def _least_mode(wish: RewriteCandidate) -> CommandRewrite | None:
    """`chmod 777` gives everybody everything; owners need write, others only read."""
    words = [_spell(word) for word in wish.command.argv]
    words[0] = wish.prefix + words[0]
    for index, word in enumerate(wish.command.argv[1:], 1):
        if word.text in _MODES:
            words[index] = _MODES[word.text]
            return CommandRewrite(
                " ".join(words), f"{word.text} became {words[index]}: only the owner may write"
            )
    return None


_SECONDS = 30


def _time_limit(wish: RewriteCandidate) -> CommandRewrite | None:
    """A command that would never end, or fill the disk, is ended after a while."""
    original = " ".join(map(_spell, wish.command.argv))
    return CommandRewrite(
        f"{wish.prefix}timeout {_SECONDS} {original}", f"it ends after {_SECONDS} seconds"
    )


_TRANSPARENT = frozenset({"sudo", "doas", "time", "nohup", "nice", "ionice", "command", "env"})
"""Wrappers that may stand before each of several commands as well."""
_DELETE = frozenset({Kind.DELETE})
_ENDLESS = frozenset({Kind.EXHAUST})

REWRITERS: dict[str, tuple[tuple[frozenset[Kind], Rewriter], ...]] = {
    "rm": ((_DELETE, _to_trash),),
    "rmdir": ((_DELETE, _to_trash),),
    "unlink": ((_DELETE, _to_trash),),
    "git": (
        (frozenset({Kind.REWRITE}), lambda wish: _first((_with_lease, _keep_branch), wish)),
        (
            frozenset({Kind.DISCARD}),
            lambda wish: _first((_patch_first, _archive_untracked, _keep_stash), wish),
        ),
    ),
    "chmod": ((frozenset({Kind.PERMIT}), _least_mode),),
    "yes": ((_ENDLESS, _time_limit),),
    "cat": ((_ENDLESS, _time_limit),),
    "dd": ((_ENDLESS, _time_limit),),
}
"""By program: which kinds of effects a rewriter takes away, and the rewriter."""


def _first(rewriters: Iterable[Rewriter], wish: RewriteCandidate) -> CommandRewrite | None:
    for rewriter in rewriters:
        change = rewriter(wish)
        if change is not None:
            return change
    return None
