"""Make a session from two git commits: what an editor would do to get from one to the other."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from handrail.checkpoint.errors import GitError, GitFailedError
from handrail.checkpoint.git.blobs import blob_sizes, open_blobs
from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.git.user_git import user_git
from handrail.desktop.errors import DesktopError
from handrail.desktop.verify.line_diff import diff_lines
from handrail.desktop.verify.rebuild import split_lines
from handrail.desktop.verify.session import (
    DeleteOperation,
    EditedFile,
    EditOperation,
    EditSession,
    InsertOperation,
    LeftOutFile,
    NavigateOperation,
    OriginalHash,
)

MAX_RECORDED_BYTES = 16_000_000
"""Of one file, before or after."""
_SECONDS = 120.0
_NAMED = 3
_SUBMODULE, _LINK = "160000", "120000"
_REASONS = {
    "D": "it is deleted, and no operation deletes a file",
    "T": "its kind changes (file, link, submodule)",
    "U": "it is not merged",
}
"""By the letter that git gives a change."""


class RecordingError(DesktopError):
    """No session can be made of two commits."""


class _Change(NamedTuple):
    letter: str
    path: str
    before: str
    """The earlier path, if it is another."""
    old_mode: str
    mode: str
    old_blob: str
    blob: str


def record_session(
    root: str, start: str = "HEAD~1", end: str = "HEAD", *, by_hash: bool = False
) -> EditSession:
    """Record what happens below a folder between two commits; raises RecordingError.

    `by_hash`: keep the originals by their hash only; a replay needs the files then.
    """
    folder = os.path.realpath(root)
    git = user_git(_work_tree(folder), _SECONDS)
    below = os.path.relpath(folder, git.work_tree)
    try:
        commits = [_commit(git, name) for name in (start, end)]
        changes = list(_changes(git, commits, "" if below == os.curdir else below))
        session = _record(git, changes, by_hash=by_hash)
    except GitError as error:
        raise RecordingError(f"{root}: {error}") from None
    if not session.files:
        reasons = "".join(f"; {each.path}: {each.reason}" for each in session.left_out[:_NAMED])
        raise RecordingError(f"{root}: nothing between {start} and {end} can be recorded{reasons}")
    return session


def edit_operations(old: str, new: str) -> tuple[EditOperation, ...]:
    """Return operations that turn a text into another: go there, delete, insert, and so on."""
    lines, others = split_lines(old), split_lines(new)
    operations: list[EditOperation] = []
    for hunk in diff_lines(lines, others):
        # What stands before is as in the new text by now.
        line = hunk.other_start + 1
        operations.append(NavigateOperation(line))
        if hunk.end > hunk.start:
            operations.append(DeleteOperation(line, line + hunk.end - hunk.start - 1))
        if hunk.other_end > hunk.other_start:
            content = "".join(others[hunk.other_start : hunk.other_end])
            operations.append(InsertOperation(line, content))
    return tuple(operations)


def encode_session(session: EditSession) -> bytes:
    """Return the content of SESSION.json, without what the format takes for granted."""
    value = msgspec.to_builtins(session)
    for edited in value["files"]:
        edited["operations"] = [
            {key: part for key, part in operation.items() if part is not None}
            for operation in edited["operations"]
        ]
    plain = {key: part for key, part in value.items() if part is not None}
    return msgspec.json.format(msgspec.json.encode(plain), indent=2) + b"\n"


def _work_tree(folder: str) -> str:
    at = folder
    while not os.path.lexists(os.path.join(at, ".git")):
        above = os.path.dirname(at)
        if above == at:
            raise RecordingError(f"{folder}: is not in a git work tree")
        at = above
    return at


def _commit(git: Git, name: str) -> str:
    try:
        return git.text(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
        )
    except GitFailedError:
        raise RecordingError(f"{git.work_tree}: there is no commit {name}") from None


def _changes(git: Git, commits: Sequence[str], below: str) -> Iterator[_Change]:
    """What differs, with paths relative to the folder."""
    relative = [f"--relative={below}"] if below else []
    options = ("-r", "-z", "--raw", "--find-renames", "--no-abbrev", *relative)
    parts = iter(os.fsdecode(git.run("diff-tree", *options, *commits)).split("\0"))
    for head in parts:
        if not head:
            return
        old_mode, mode, old_blob, blob, kind = head.removeprefix(":").split()
        first = next(parts)
        path = next(parts) if kind[0] in "RC" else first
        yield _Change(kind[0], path, "" if path == first else first, old_mode, mode, old_blob, blob)


def _record(git: Git, changes: Sequence[_Change], *, by_hash: bool) -> EditSession:
    left_out: list[LeftOutFile] = []
    files: list[EditedFile] = []
    sizes = _sizes(git, changes)
    with open_blobs(git) as copy:

        def read(blob: str) -> bytes:
            pieces: list[bytes] = []
            copy(blob, pieces.append)
            return b"".join(pieces)

        for change in changes:
            reason = _unsayable(change, sizes)
            if not reason:
                old = None if change.letter == "A" else read(change.old_blob)
                edited = _edited(change.path, old, read(change.blob), by_hash=by_hash)
                if isinstance(edited, EditedFile):
                    files.append(edited)
                    continue
                reason = edited
            left_out.append(LeftOutFile(_shown(change.path), reason))
    return EditSession(tuple(files), left_out=tuple(left_out))


def _sizes(git: Git, changes: Sequence[_Change]) -> dict[str, int]:
    blobs = [
        blob
        for change in changes
        for mode, blob in ((change.old_mode, change.old_blob), (change.mode, change.blob))
        if mode not in (_SUBMODULE, "000000")
    ]
    return dict(zip(blobs, blob_sizes(git, blobs), strict=True))


def _unsayable(change: _Change, sizes: dict[str, int]) -> str:
    """Return why no operations can say this change, or ""."""
    if _SUBMODULE in (change.mode, change.old_mode):
        return "it is a submodule"
    if _LINK in (change.mode, change.old_mode):
        return "it is a symbolic link"
    if change.before:
        return f"it is renamed from {_shown(change.before)}, and no operation renames a file"
    if change.letter in _REASONS:
        return _REASONS[change.letter]
    if change.blob == change.old_blob:
        return "only its mode changes"
    try:
        change.path.encode()
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    if max(sizes.get(blob, 0) for blob in (change.old_blob, change.blob)) > MAX_RECORDED_BYTES:
        return f"it has more than {MAX_RECORDED_BYTES // 1_000_000} MB"
    return ""


def _shown(path: str) -> str:
    """A path as a text; what is not UTF-8 is escaped."""
    return os.fsencode(path).decode(errors="backslashreplace")


def _edited(path: str, old: bytes | None, new: bytes, *, by_hash: bool) -> EditedFile | str:
    """The operations of one file, or why there are none."""
    if b"\0" in new or b"\0" in (old or b""):
        return "it is binary"
    try:
        before, after = (old or b"").decode(), new.decode()
    except UnicodeDecodeError:
        return "it is not UTF-8"
    operations = edit_operations(before, after)
    if old is None:
        return EditedFile(path, operations)
    known = OriginalHash(hashlib.sha256(old).hexdigest(), len(old))
    return EditedFile(path, operations, known if by_hash else before)
