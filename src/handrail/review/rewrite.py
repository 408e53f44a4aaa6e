"""Safer commands that do what was asked for: one table, one function per idea."""

import shlex
from collections.abc import Callable, Iterable, Sequence

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity
from handrail.shell import OPAQUE, Command, Program, Word
from handrail.shell.paths import join


class Change(msgspec.Struct, frozen=True):
    """What to put in place of one simple command."""

    text: str
    says: str
    restore: str = ""


class Wish(msgspec.Struct, frozen=True):
    """One simple command whose serious effects want a rewrite."""

    command: Command
    effects: tuple[Effect, ...]
    trash: str
    """An empty folder of its own, for what is moved away."""


Rewriter = Callable[[Wish], Change | None]


def rewrite_command(
    text: str, program: Program, effects: Sequence[Effect], trash: str
) -> tuple[str, tuple[Change, ...]] | None:
    """The command line with every serious simple command made safe, if that is possible."""
    data = text.encode("utf-8", "replace")
    wishes: dict[int, list[Effect]] = {}
    for effect in effects:
        if effect.severity >= Severity.HIGH:
            wishes.setdefault(effect.command, []).append(effect)
    changes: list[tuple[tuple[int, int], Change]] = []
    for index, serious in wishes.items():
        command = program.commands[index]
        if command.span[0] < 0 or command.via or any(command.span == span for span, _ in changes):
            return None
        change = _change(Wish(command, tuple(serious), trash))
        if change is None:
            return None
        changes.append((command.span, change))
    for (start, end), change in sorted(changes, key=lambda item: -item[0][0]):
        data = data[:start] + change.text.encode() + data[end:]
    return data.decode("utf-8", "replace"), tuple(change for _, change in changes)


def _change(wish: Wish) -> Change | None:
    kinds = {effect.kind for effect in wish.effects}
    for wanted, rewriter in REWRITERS.get(wish.command.name, ()):
        if kinds <= wanted:
            return rewriter(wish)
    return None


# Deletions


def _to_trash(wish: Wish) -> Change | None:
    """`rm -rf build notes` deletes what a build makes again and moves the rest away."""
    command = wish.command
    endangered = {effect.target for effect in wish.effects}
    flags, operands = _split(command.argv[1:])
    if any(effect.severity is Severity.CRITICAL for effect in wish.effects):
        return None
    moved: list[tuple[Word, str]] = []
    kept: list[Word] = []
    for word in operands:
        path = join(command.cwd, word).text.replace(OPAQUE, "…")
        (moved.append((word, path)) if path in endangered else kept.append(word))
    if not moved:
        return None
    forced = any(flag.startswith("--force") or ("f" in flag and flag[1] != "-") for flag in flags)
    parts = [" ".join(["rm", *flags, *map(_spell, kept)])] if kept else []
    restores: list[str] = []
    for word, path in moved:
        known = "…" not in path
        folder = wish.trash + (path.rpartition("/")[0] if known else "")
        quoted = shlex.quote(folder)
        parts.append(f"mkdir -p {quoted}")
        ending = " || true" if forced and (word.glob or not known) else ""
        parts.append(f"mv -- {_spell(word)} {quoted}/{ending}")
        name = path.rpartition("/")[2]
        back = shlex.quote(path.rpartition("/")[0] or "/")
        restores.append(
            f"mv -n {quoted}/{name if word.glob else shlex.quote(name)} {back}/" if known else f"ls -A {quoted}"
        )
    text = " && ".join(parts)
    if ending := (" || true" in text):
        text = f"{{ {text}; }}"
    names = ", ".join(word.shown for word, _ in moved)
    also = f"; {', '.join(word.shown for word in kept)} deleted" if kept else ""
    del ending
    return Change(text, f"{names} moved to the trash instead of deleted{also}", " && ".join(restores))


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


def _spell(word: Word) -> str:
    """A word so that the shell reads it the same way again."""
    if (word.glob or not word.exact) and word.raw:
        return word.raw
    if word.glob:
        return word.text
    return shlex.quote(word.text)


# git


def _git_parts(command: Command) -> tuple[list[Word], list[Word]]:
    """Global options (with `git`), and the subcommand with its arguments."""
    words = list(command.argv)
    index = 1
    while index < len(words) and words[index].text.startswith("-"):
        takes_value = words[index].text in {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"}
        index += 2 if takes_value else 1
    return words[:index], words[index:]


def _with_lease(wish: Wish) -> Change | None:
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
    pieces = [*map(_spell, before), "push", "--force-with-lease", *words]
    return Change(
        " ".join(piece for piece in pieces if piece != "-"),
        "--force became --force-with-lease, so that commits of others are not overwritten",
    )


def _deletes_remote(text: str) -> bool:
    return text in {"--mirror", "--delete", "-d", "--prune", "--all", "--tags"} or text.startswith(":")


def _stash_first(wish: Wish) -> Change | None:
    """Uncommitted work is put into git's stash before it is thrown away."""
    before, (subcommand, *rest) = _git_parts(wish.command)
    if subcommand.text not in {"reset", "checkout", "switch", "restore", "read-tree", "checkout-index"}:
        return None
    git = " ".join(map(_spell, before))
    original = " ".join([git, *map(_spell, [subcommand, *rest])])
    return Change(
        f"{git} stash push --quiet -m 'handrail: before git {subcommand.text}' && {original}",
        "uncommitted changes are put into git's stash first",
        f"{git} stash pop",
    )


def _archive_untracked(wish: Wish) -> Change | None:
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
    git = " ".join(map(_spell, before))
    where = " ".join(map(_spell, paths))
    archive = shlex.quote(f"{wish.trash}/untracked.tar")
    listing = " ".join(f"{git} ls-files -z --others {selection} -- {where}".split())
    original = " ".join([git, *map(_spell, [subcommand, *rest])])
    return Change(
        f"mkdir -p {shlex.quote(wish.trash)} && {listing} | tar --null -T - -cf {archive} && {original}",
        "untracked files are packed into Handrail's trash first",
        f"tar -xf {archive} -C {shlex.quote(wish.command.cwd.text)}",
    )


def _keep_stash(wish: Wish) -> Change | None:
    """A dropped stash stays reachable under a name."""
    before, (subcommand, *rest) = _git_parts(wish.command)
    if subcommand.text != "stash" or not rest or rest[0].text != "drop":
        return None
    git = " ".join(map(_spell, before))
    which = next((word.text for word in rest[1:] if not word.text.startswith("-")), "stash@{0}")
    which = f"stash@{{{which}}}" if which.isdigit() else which
    name = f"refs/handrail/stash-{wish.trash.rpartition('/')[2]}"
    original = " ".join([git, *map(_spell, [subcommand, *rest])])
    return Change(
        f"{git} update-ref {name} {shlex.quote(which)} && {original}",
        f"the stash stays reachable as {name}",
        f"{git} stash store -m restored {name}",
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


def _least_mode(wish: Wish) -> Change | None:
    """`chmod 777` gives everybody everything; owners need write, others only read."""
    words = [_spell(word) for word in wish.command.argv]
    for index, word in enumerate(wish.command.argv[1:], 1):
        if word.text in _MODES:
            words[index] = _MODES[word.text]
            return Change(" ".join(words), f"{word.text} became {words[index]}: only the owner may write")
    return None


_SECONDS = 30


def _time_limit(wish: Wish) -> Change | None:
    """A command that would never end, or fill the disk, is ended after a while."""
    original = " ".join(map(_spell, wish.command.argv))
    return Change(f"timeout {_SECONDS} {original}", f"it ends after {_SECONDS} seconds")


_DELETE = frozenset({Kind.DELETE})
_ENDLESS = frozenset({Kind.EXHAUST})

REWRITERS: dict[str, tuple[tuple[frozenset[Kind], Rewriter], ...]] = {
    "rm": ((_DELETE, _to_trash),),
    "rmdir": ((_DELETE, _to_trash),),
    "unlink": ((_DELETE, _to_trash),),
    "git": (
        (frozenset({Kind.REWRITE}), _with_lease),
        (frozenset({Kind.DISCARD}), lambda wish: _first((_stash_first, _archive_untracked, _keep_stash), wish)),
    ),
    "chmod": ((frozenset({Kind.PERMIT}), _least_mode),),
    "yes": ((_ENDLESS, _time_limit),),
    "cat": ((_ENDLESS, _time_limit),),
    "dd": ((_ENDLESS, _time_limit),),
    "fallocate": ((_ENDLESS, _time_limit),),
}
"""By program: which kinds of effects a rewriter takes away, and the rewriter."""


def _first(rewriters: Iterable[Rewriter], wish: Wish) -> Change | None:
    for rewriter in rewriters:
        change = rewriter(wish)
        if change is not None:
            return change
    return None
