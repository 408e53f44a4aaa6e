"""Before a replay: the whole session is checked, and the files are as it expects them."""

import os

import msgspec

from handrail.desktop.replay.editor import Editor, EditorReplayError
from handrail.desktop.verify.bounded_reading import (
    AbsentFileError,
    UnreadableFileError,
    read_inside,
    resolve_inside,
)
from handrail.desktop.verify.session import EditedFile, EditOperation, EditSession, OriginalHash
from handrail.desktop.verify.verifier import MAX_FILE_BYTES, expected_text, read_original


class ReplayJob(msgspec.Struct, frozen=True):
    """One file to replay."""

    path: str
    original: str
    operations: tuple[EditOperation, ...]
    final: bytes
    """What it holds in the end."""
    missing: bool
    """Whether the file has to be made, with the original text."""


def prepare(session: EditSession, root: str, editor: Editor, file: str) -> tuple[ReplayJob, ...]:
    """Check everything and change nothing; raises SessionFileError or EditorReplayError."""
    jobs = tuple(
        _job(edited, root, file, f"files[{index}]") for index, edited in enumerate(session.files)
    )
    for job, edited in zip(jobs, session.files, strict=True):
        for text in (job.original, job.final.decode()):
            if problem := editor.refuses(text):
                raise EditorReplayError(job.path, problem)
        if edited.original is None and b"\r\n" in job.final:
            problem = "a new file gets \\n at the end of its lines, and this one has CRLF"
            raise EditorReplayError(job.path, problem)
    return jobs


def make_file(root: str, job: ReplayJob) -> None:
    """Put the original where there is no file yet; raises EditorReplayError."""
    if not job.missing:
        return
    try:
        place = resolve_inside(root, job.path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        # Nobody may have put a link there meanwhile.
        place = resolve_inside(root, job.path)
        with open(place, "xb") as opened:
            opened.write(job.original.encode())
    except OSError as error:
        raise EditorReplayError(job.path, f"cannot be made: {error}") from None


def _job(edited: EditedFile, root: str, file: str, place: str) -> ReplayJob:
    try:
        original, missing = _starting_text(edited, root)
    except UnreadableFileError as error:
        raise EditorReplayError(edited.path, str(error)) from None
    final = expected_text(edited, original, file, place)
    return ReplayJob(edited.path, original, edited.operations, final, missing)


def _starting_text(edited: EditedFile, root: str) -> tuple[str, bool]:
    """The text before the session, and whether there is no such file yet."""
    original = edited.original
    if isinstance(original, OriginalHash):
        return read_original(root, edited.path, original), False
    text = original or ""
    try:
        found = read_inside(root, edited.path, MAX_FILE_BYTES)
    except AbsentFileError:
        return text, True
    if original is None and found:
        raise UnreadableFileError("is there already; the session begins without it")
    if found != text.encode():
        raise UnreadableFileError("is not as the session begins: put the original back first")
    return text, False
