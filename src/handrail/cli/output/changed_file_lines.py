"""A list of changed files, for `handrail diff` and the end of a run."""

from collections.abc import Iterator, Sequence

from handrail.checkpoint.comparison import ChangedFile, ChangeKind
from handrail.cli.output.terminal import TerminalOutput, columns, pad
from handrail.cli.restores.preview_lines import clip_path

_MAX_PATH = 54
_STYLES = {ChangeKind.NEW: "green", ChangeKind.CHANGED: "yellow",
           ChangeKind.DELETED: "red", ChangeKind.RENAMED: "yellow"}  # fmt: skip


def changed_file_lines(screen: TerminalOutput, files: Sequence[ChangedFile]) -> Iterator[str]:
    """List files: what became of each, and how many lines were added and deleted."""
    names = [clip_path(_name(each), _MAX_PATH) for each in files]
    width = max(map(columns, names))
    most = max(len(f"{max(each.added, each.deleted):,}") for each in files) + 1
    for each, name in zip(files, names, strict=True):
        word = screen.paint(pad(each.became, 9), _STYLES[each.became])
        yield f"   {word}{pad(name, width)}  {numbers(screen, each, most)}".rstrip()


def _name(each: ChangedFile) -> str:
    return f"{each.before} → {each.path}" if each.before else each.path


def numbers(screen: TerminalOutput, each: ChangedFile, width: int) -> str:
    """Show how many lines were added and deleted."""
    if each.binary:
        return screen.paint("binary", "dim")
    added = f"+{each.added:,}" if each.added else ""
    deleted = f"-{each.deleted:,}" if each.deleted else ""
    both = screen.paint(f"{added:>{width}}", "green"), screen.paint(f"{deleted:>{width}}", "red")
    return " ".join(both)
