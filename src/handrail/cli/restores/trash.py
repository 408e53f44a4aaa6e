"""Files in `$HANDRAIL_HOME/trash/<id>/<absolute path>`.

Rewritten deletions moved them there. In a batch called `<id>.over` are copies of files that no
checkpoint holds, from before an action overwrote them.
"""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from itertools import count

import msgspec

from handrail.model.state_folder import state_folder
from handrail.server.files.trash_copies import OVERWRITTEN, copy_file

SAVED = {
    "untracked.tar": "untracked files that git clean deleted, packed",
    "work.patch": "uncommitted changes, as a patch",
}
"""Archives in a batch. They do not record the project that they belong to."""


class TrashItem(msgspec.Struct, frozen=True):
    """One file or folder in the trash."""

    source: str
    original: str
    """Its old place."""
    size: int
    blocked: bool = False
    """Something else is in its old place."""
    is_copy: bool = False
    """An action overwrote the file; what is there now takes its place in the trash."""


class TrashBatch(msgspec.Struct, frozen=True):
    """The files that one rewritten action moved to the trash."""

    id: str
    folder: str
    moved: float
    """The time, in seconds since 1970."""
    items: tuple[TrashItem, ...]
    saved: tuple[str, ...] = ()
    """The archives, by their names in SAVED."""


class NoSuchBatchError(LookupError):
    def __init__(self, key: str) -> None:
        super().__init__(f"the trash has no entry {key!r}")
        self.key = key


class UnpackError(RuntimeError):
    def __init__(self, path: str, says: str) -> None:
        super().__init__(f"{path} stays as it is: {says}")


def trash_folder(environ: Mapping[str, str] = os.environ) -> str:
    """Return the folder of the trash."""
    return f"{state_folder(environ)}/trash"


def list_batches(folder: str) -> list[TrashBatch]:
    """List the trash, newest first."""
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return []
    return sorted((find_batch(folder, name) for name in names), key=lambda batch: -batch.moved)


def find_batch(folder: str, key: str) -> TrashBatch:
    """Find a batch by its id."""
    place = os.path.join(folder, key)
    if not key or key in {".", ".."} or "/" in key or "\0" in key or not os.path.isdir(place):
        raise NoSuchBatchError(key)
    names = sorted(os.listdir(place))
    saved = tuple(name for name in names if name in SAVED)
    plan = _copies if key.endswith(OVERWRITTEN) else _plan
    items = tuple(
        item
        for name in names
        if name not in saved
        for item in plan(os.path.join(place, name), f"/{name}")
    )
    return TrashBatch(key, place, os.stat(place).st_mtime, items, saved)


def _plan(source: str, original: str) -> Iterator[TrashItem]:
    """Yield the largest pieces that can go back as a whole."""
    is_folder = os.path.isdir(source) and not os.path.islink(source)
    if not os.path.lexists(original):
        yield TrashItem(source, original, _size(source))
    elif is_folder and os.path.isdir(original):
        for name in sorted(os.listdir(source)):
            yield from _plan(os.path.join(source, name), os.path.join(original, name))
    else:
        yield TrashItem(source, original, _size(source), blocked=True)


def _copies(source: str, original: str) -> Iterator[TrashItem]:
    """Yield every copy; a file of now gives way, anything else does not."""
    if os.path.isdir(source):
        for name in sorted(os.listdir(source)):
            yield from _copies(os.path.join(source, name), os.path.join(original, name))
        return
    is_file = os.path.isfile(original) and not os.path.islink(original)
    blocked = os.path.lexists(original) and not is_file
    yield TrashItem(source, original, _size(source), blocked, is_copy=True)


def _size(path: str) -> int:
    if os.path.islink(path) or not os.path.isdir(path):
        return os.lstat(path).st_size
    return sum(
        os.lstat(os.path.join(folder, name)).st_size
        for folder, _, names in os.walk(path)
        for name in names
    )


def put_back(item: TrashItem) -> bool:
    """Move an item to its old place; return False if something else is there now."""
    parent = os.path.dirname(item.original)
    os.makedirs(parent, exist_ok=True)
    if item.is_copy:
        return _exchange(item, parent)
    try:
        _rename(item.source, item.original)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return _copy_back(item, parent)
    return True


def _copy_back(item: TrashItem, parent: str) -> bool:
    """Copy across filesystems, beside the target first, so that no half copy is visible."""
    with tempfile.TemporaryDirectory(prefix=".handrail-", dir=parent) as scratch:
        copy = os.path.join(scratch, "copy")
        if os.path.isdir(item.source) and not os.path.islink(item.source):
            shutil.copytree(item.source, copy, symlinks=True)
        else:
            shutil.copy2(item.source, copy, follow_symlinks=False)
        try:
            _rename(copy, item.original)
        except FileExistsError:
            return False
    if os.path.isdir(item.source) and not os.path.islink(item.source):
        shutil.rmtree(item.source)
    else:
        os.unlink(item.source)
    return True


def _names_beside(path: str) -> Iterator[str]:
    """Yield names for another version of a file; files of the user may have some of them."""
    yield f"{path}.now"
    yield from (f"{path}.now{number}" for number in count(2))


def _exchange(item: TrashItem, parent: str) -> bool:
    """Exchange a copy with the file of now: to restore it again takes the restore back."""
    # Not in a scratch folder: if the command is killed, the file of now stays in the trash.
    aside = next(name for name in _names_beside(item.source) if not os.path.lexists(name))
    is_there = os.path.lexists(item.original)
    if is_there:
        copy_file(item.original, aside)
    with tempfile.TemporaryDirectory(prefix=".handrail-", dir=parent) as scratch:
        copy = os.path.join(scratch, "copy")
        copy_file(item.source, copy)
        os.replace(copy, item.original)
    if is_there:
        os.replace(aside, item.source)
    else:
        os.unlink(item.source)
    return True


def _rename(source: str, target: str) -> None:
    """Rename without overwriting."""
    if os.path.isdir(source) and not os.path.islink(source):
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, "exists", target)
        os.rename(source, target)  # fails by itself if the target is a non-empty folder
        return
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.ENOTSUP, errno.EMLINK}:
            raise
        if os.path.lexists(target):  # without hard links, a check before the rename has to do
            raise FileExistsError(errno.EEXIST, "exists", target) from None
        os.rename(source, target)
    else:
        os.unlink(source)


def unpack_batch(batch: TrashBatch, name: str, into: str) -> None:
    """Unpack an archive; keep existing files."""
    path = os.path.join(batch.folder, name)
    if name == "untracked.tar":
        _unpack_archive(path, into)
    elif os.path.getsize(path):
        _apply_patch(path, into)
    os.unlink(path)


def _unpack_archive(path: str, into: str) -> None:
    import tarfile

    if not hasattr(tarfile, "data_filter"):  # Python 3.11.0 to 3.11.3
        raise UnpackError(path, f"this Python cannot unpack safely; use tar -xkf {path} -C {into}")
    try:
        with tarfile.open(path) as packed:
            for member in packed.getmembers():
                if not os.path.lexists(os.path.join(into, member.name)):
                    packed.extract(member, into, filter="data")
    except tarfile.TarError as error:
        raise UnpackError(path, str(error)) from None


def _apply_patch(path: str, into: str) -> None:
    import subprocess

    top = subprocess.run(
        ["git", "-C", into, "rev-parse", "--show-toplevel"], capture_output=True, check=False
    )
    root = os.fsdecode(top.stdout).strip() or into
    done = subprocess.run(
        ["git", "-C", root, "apply", "--3way", path], capture_output=True, text=True, check=False
    )
    if done.returncode:
        says = (done.stderr.strip().splitlines() or ["git apply failed"])[-1]
        raise UnpackError(path, says)


def tidy_trash(batch: TrashBatch) -> None:
    """Remove the empty folders of a batch."""
    for folder, _, _ in os.walk(batch.folder, topdown=False):
        try:
            os.rmdir(folder)
        except OSError:  # something is left in it
            continue
