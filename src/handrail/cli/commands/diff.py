"""`handrail diff`: show what changed since a checkpoint."""

import os
import re
import sys
from collections.abc import Iterator, Sequence

import click
import msgspec

from handrail.checkpoint import (
    CheckpointRecord,
    CheckpointStore,
    CheckpointTrigger,
    RestoreTarget,
    UndoLevel,
)
from handrail.checkpoint.comparison import ChangedFile
from handrail.checkpoint.errors import NoSuchCheckpointError, NothingToUndoError
from handrail.checkpoint.restore.undo_levels import restore_target
from handrail.cli import options
from handrail.cli.output.changed_file_lines import changed_file_lines
from handrail.cli.output.json_line import print_json
from handrail.cli.output.pager import show_in_pager
from handrail.cli.output.terminal import TerminalOutput, clip, visible
from handrail.cli.restores.preview_lines import SHOWN, folders_in_words
from handrail.cli.restores.project_checkpoints import (
    checkpoint_age,
    find_saved,
    open_checkpoints,
)
from handrail.words.amounts import count
from handrail.words.checkpoints import checkpoint_reason

_ID = re.compile(r"c\d+")
_TAB = 8
_LINES = (("+++", "bold"), ("---", "bold"), ("+", "green"), ("-", "red"), ("@@", "dim"))
_CONTENT = (" ", "+", "-", "@@", "\\")


class DiffRequest(msgspec.Struct, frozen=True):
    """A comparison of a checkpoint with another one, or with the current files."""

    old: CheckpointRecord
    new: CheckpointRecord | None
    paths: tuple[str, ...]

    @property
    def title(self) -> str:
        """Describe the comparison in one line."""
        since = f"c{self.old.number} ({checkpoint_reason(self.old)})"
        if self.new is None:
            return f"Since {since}, {checkpoint_age(self.old)} ago"
        return f"From {since} to {self.new.id} ({checkpoint_reason(self.new)})"


@click.command()
@click.argument("words", nargs=-1, metavar="[ID [ID2]] [PATH]…")
@click.option("--stat", is_flag=True, help="List only the files and their line counts.")
@click.option("--no-pager", is_flag=True, help="Do not use a pager (also: PAGER=cat).")
@options.json_option("Print JSON.")
@options.color_option
def command(words: tuple[str, ...], stat: bool, no_pager: bool, as_json: bool) -> int:
    """Show what changed since a checkpoint, or between two checkpoints.

    Without an ID, Handrail compares with the checkpoint before your last prompt: you
    see what the agent did since. An ID may also be a name. If a file is called like
    a checkpoint, write ./c12. A pipe or a file gets only the patch.

    \b
    Examples:
      handrail diff                       since your last prompt
      handrail diff c12 --stat
      handrail diff c12 c14 src/
      handrail diff before-refactor | git apply -R
    """
    folder = find_saved()
    checkpoints = open_checkpoints(folder, options.load_config(folder).checkpoints)
    asked = _asked(checkpoints, words)
    if asked.new is None:
        now = checkpoints.preview(RestoreTarget(UndoLevel.CHECKPOINT, asked.old)).now
    else:
        now = asked.new.tree
    trees = (asked.old.tree, now)
    comparison = checkpoints.compare(trees, asked.paths)
    for path in asked.paths:
        if not comparison.knows(path):
            raise click.ClickException(f"no checkpoint and no file is called {path!r}")
    files = comparison.files()
    patch = b"" if stat else comparison.patch()
    if as_json:
        _print_json(asked, files, patch, stat=stat)
        return 0
    screen = options.screen()
    if not sys.stdout.isatty() and not stat:
        sys.stdout.flush()
        sys.stdout.buffer.write(patch)  # byte for byte, for programs
        return 0
    show_in_pager(_lines(screen, asked, files, patch, stat=stat), wanted=not no_pager)
    return 0


def _asked(checkpoints: CheckpointStore, words: Sequence[str]) -> DiffRequest:
    """Split the arguments into checkpoints and paths."""
    records: list[CheckpointRecord] = []
    rest = list(words)
    while rest and len(records) < 2 and (found := _find(checkpoints, rest[0])):
        records.append(found)
        del rest[0]
    paths = tuple(_inside(checkpoints.work_tree, path) for path in rest)
    old, new = [*records, None, None][:2]
    return DiffRequest(old or _default(checkpoints), new, paths)


def _find(checkpoints: CheckpointStore, word: str) -> CheckpointRecord | None:
    try:
        return checkpoints.find(word)
    except NoSuchCheckpointError as error:
        if _ID.fullmatch(word) and not os.path.lexists(word):
            raise click.ClickException(f"{error}; see handrail checkpoints") from None
        return None


def _default(checkpoints: CheckpointStore) -> CheckpointRecord:
    """Return the checkpoint before the last iteration that changed files."""
    records = list(checkpoints.newest_first())
    try:
        return restore_target(records, UndoLevel.ITERATION).target
    except NothingToUndoError:
        prompts = (record for record in records if record.moment is CheckpointTrigger.PROMPT)
        return next(prompts, records[0])


def _inside(work_tree: str, path: str) -> str:
    """Return a path relative to the work tree."""
    folder, name = os.path.split(os.path.abspath(path))
    inside = os.path.relpath(os.path.join(os.path.realpath(folder), name), work_tree)
    if inside == os.pardir or inside.startswith(f"{os.pardir}/"):
        raise click.ClickException(f"{path} is outside of {work_tree}")
    return "" if inside == os.curdir else inside


def _lines(
    screen: TerminalOutput,
    asked: DiffRequest,
    files: Sequence[ChangedFile],
    patch: bytes,
    *,
    stat: bool,
) -> Iterator[str]:
    head = f"{asked.title}: {count(len(files), 'file') if files else 'nothing changed'}"
    yield f" {screen.paint(clip(head, screen.width - 1), 'bold')}"
    if not files:
        return
    yield ""
    shown = files if stat else files[:SHOWN]
    yield from changed_file_lines(screen, shown)
    if rest := files[len(shown) :]:
        paths = [each.path for each in rest]
        text = clip(f"… and {len(rest):,} more {folders_in_words(paths)}", screen.width - 11)
        yield screen.paint(f"   {text}: --stat", "dim")
    yield ""
    yield from painted(screen, patch)


def painted(screen: TerminalOutput, patch: bytes) -> Iterator[str]:
    """Colour the patch, and escape everything that a terminal would act on."""
    for line in patch.decode(errors="replace").split("\n")[:-1]:
        mark = line[:1] if line.startswith(_CONTENT) else ""
        text = mark + visible(line[len(mark) :].expandtabs(_TAB))
        style = next((style for start, style in _LINES if line.startswith(start)), "")
        yield screen.paint(text, style if mark or style else "bold")


def _print_json(
    asked: DiffRequest, files: Sequence[ChangedFile], patch: bytes, *, stat: bool
) -> None:
    to = asked.new.id if asked.new else ""
    shown = {} if stat else {"patch": os.fsdecode(patch)}
    print_json({"from": asked.old.id, "to": to, "files": files, **shown})
