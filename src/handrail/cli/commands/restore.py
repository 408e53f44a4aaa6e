"""`handrail restore`: bring back files from Handrail's trash."""

import os
from time import time

import click

from handrail.cli import options
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, clip, pad
from handrail.cli.restores.trash import (
    SAVED,
    NoSuchBatchError,
    TrashBatch,
    TrashItem,
    UnpackError,
    find_batch,
    list_batches,
    put_back,
    tidy_trash,
    trash_folder,
    unpack_batch,
)
from handrail.words.amounts import count, size

_SHOWN = 8


@click.command()
@click.argument("key", required=False, metavar="[ID]")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--into", metavar="DIR", help="The project for a saved patch or packed files.")
@options.json_option("Print JSON.")
@options.color_option
def command(key: str | None, dry_run: bool, into: str | None, as_json: bool) -> int:
    """List the trash, or put the files of one ID back where they were.

    Handrail moves files to its trash when it makes a deletion safe. It never
    overwrites a file: if something else is in the old place, the file stays in the
    trash, and Handrail tells you. An ID that ends with .over holds copies of files that
    an agent overwrote and no checkpoint holds. They change places with the files of now,
    so the same command takes it back.

    \b
    Examples:
      handrail restore                    list the trash, newest first
      handrail restore 1a1e10d2593        put these files back
      handrail restore 1a1e10d2593 --dry-run
      handrail restore 1a1e10d2593 --into .     a patch, or packed files

    Exit code: 0; 1 if something stays in the trash; 2 for an error.
    """
    folder = trash_folder()
    if key is None:
        batches = list_batches(folder)
        if as_json:
            print_json([_batch_json(batch) for batch in batches])
        else:
            _list(options.screen(), batches, folder)
        return 0
    try:
        batch = find_batch(folder, key)
    except NoSuchBatchError as error:
        raise click.ClickException(f"{error}; see handrail restore") from None
    return _restore(batch, into, dry_run=dry_run, as_json=as_json)


def _restore(batch: TrashBatch, into: str | None, *, dry_run: bool, as_json: bool) -> int:
    back: list[TrashItem] = []
    left: list[TrashItem] = []
    for item in batch.items:
        moved = not item.blocked and (dry_run or put_back(item))
        (back if moved else left).append(item)
    unpacked = batch.saved if into else ()
    if into and not dry_run:
        try:
            for name in batch.saved:
                unpack_batch(batch, name, into)
        except UnpackError as error:
            raise click.ClickException(str(error)) from None
    if not dry_run:
        tidy_trash(batch)
    if as_json:
        print_json(
            {
                "id": batch.id,
                "dry_run": dry_run,
                "restored": [_item_json(item) for item in back],
                "left": [_item_json(item) for item in left],
                "unpacked": unpacked,
                "packed": [name for name in batch.saved if name not in unpacked],
            }
        )
    else:
        screen = options.screen()
        _tell(screen, back, left, dry_run=dry_run)
        _tell_saved(screen, batch, dry_run=dry_run, unpacked=bool(into))
    return 1 if left or (batch.saved and not into) else 0


def _list(screen: TerminalOutput, batches: list[TrashBatch], folder: str) -> None:
    if not batches:
        screen.say(" The trash is empty.")
        screen.say(screen.paint(f" {clip(folder, screen.width - 1)}", "dim"))
        return
    for batch in batches:
        saved = (os.path.getsize(os.path.join(batch.folder, name)) for name in batch.saved)
        total = size(sum(item.size for item in batch.items) + sum(saved))
        head = f" {batch.id}"
        about = f"{_ago(batch.moved)}, {total}"
        screen.say(screen.paint(pad(head, 20), "bold") + screen.paint(about, "dim"))
        for item in batch.items[:_SHOWN]:
            _line(screen, item)
        if len(batch.items) > _SHOWN:
            more = len(batch.items) - _SHOWN
            screen.say(screen.paint(f"   … and {more} more", "dim"))
        for name in batch.saved:
            screen.say(f"   {name}  {screen.paint(SAVED[name], 'dim')}")
    screen.say()
    screen.say(f" Put one back: handrail restore {batches[0].id}")


def _line(screen: TerminalOutput, item: TrashItem) -> None:
    note = "  (something else is there now)" if item.blocked else ""
    note = "  (a copy, before it was overwritten)" if item.is_copy and not note else note
    taken = size(item.size)
    room = screen.width - 3 - 2 - len(taken) - len(note)
    text = clip(item.original, room)
    screen.say(f"   {text}  {screen.paint(taken, 'dim')}{screen.paint(note, 'yellow')}")


def _tell(
    screen: TerminalOutput, back: list[TrashItem], left: list[TrashItem], *, dry_run: bool
) -> None:
    word = "would restore" if dry_run else "restored"
    for item in back:
        path = clip(item.original, screen.width - len(word) - 5)
        screen.say(f" {screen.paint('✓ ' + word, 'green')}  {path}")
    for item in left:
        path = clip(item.original, screen.width - 15)
        screen.say(f" {screen.paint('! left alone', 'yellow')}  {path}")
        note = "something else is there now; this one stays in the trash:"
        screen.say(screen.paint(f"   {note}", "dim"))
        screen.say(f"   {clip(item.source, screen.width - 3)}")


def _tell_saved(
    screen: TerminalOutput, batch: TrashBatch, *, dry_run: bool, unpacked: bool
) -> None:
    word = "would unpack" if dry_run else "unpacked"
    for name in batch.saved:
        if unpacked:
            screen.say(f" {screen.paint('✓ ' + word, 'green')}  {name}")
        else:
            screen.say(f" {screen.paint('! not unpacked', 'yellow')}  {name}: {SAVED[name]}")
    if batch.saved and not unpacked:
        screen.say(f"   Into its project:  handrail restore {batch.id} --into DIR")
    if not batch.items and not batch.saved:
        screen.say(f" Nothing is left in {batch.id}.")


def _ago(moment: float) -> str:
    seconds = max(time() - moment, 0.0)
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return f"{count(int(seconds // length), unit)} ago"
    return "just now"


def _batch_json(batch: TrashBatch) -> dict[str, object]:
    return {
        "id": batch.id,
        "moved": batch.moved,
        "items": [_item_json(item) for item in batch.items],
        "packed": batch.saved,
    }


def _item_json(item: TrashItem) -> dict[str, object]:
    return {
        "path": item.original,
        "size": item.size,
        "exists": item.blocked,
        "copy": item.is_copy,
        "in_trash": item.source,
    }
