"""Compare the files in a folder with what a session should have made of them."""

import hashlib
import os
from codecs import BOM_UTF8
from enum import StrEnum

import msgspec

from handrail.desktop.errors import DesktopError, SessionFileError
from handrail.desktop.verify.bounded_reading import (
    AbsentFileError,
    UnreadableFileError,
    read_inside,
)
from handrail.desktop.verify.rebuild import LineRangeError, rebuild
from handrail.desktop.verify.session import EditedFile, EditSession, OriginalHash
from handrail.desktop.verify.similarity import LineSimilarity, compare_texts, line_count
from handrail.desktop.verify.unified_diff import unified_diff

MATCH_THRESHOLD = 0.98
PARTIAL_THRESHOLD = 0.90
MAX_FILE_BYTES = 200_000_000


class MatchStatus(StrEnum):
    """How alike two files are, in the words of the ratio; only `identical` says equal."""

    MATCH = "match"
    PARTIAL = "partial"
    MISMATCH = "mismatch"
    MISSING = "missing"
    """There is no such file."""
    ERROR = "error"
    """The session knows the original only by its hash, and nobody has it."""


class FileResult(msgspec.Struct, frozen=True):
    """One file, compared."""

    path: str
    match_status: MatchStatus
    exists: bool = True
    identical: bool = False
    """Whether it is what the session should have made of it, byte for byte."""
    accepted: bool = False
    """Whether it counts as right: it is identical, or similar enough for the tolerance."""
    similarity: float = 0.0
    expected_lines: int = 0
    actual_lines: int = 0
    missing_lines: int = 0
    """Expected lines that are not there."""
    extra_lines: int = 0
    """Lines that nobody expects."""
    diff_lines: tuple[str, ...] = ()
    note: str = ""
    """What kind of difference it is, if that is plain."""
    error: str = ""
    """Why it could not be read or judged."""


class VerificationReport(msgspec.Struct, frozen=True):
    """All files of a session, compared."""

    success: bool
    summary: str
    comparisons: tuple[FileResult, ...]


class SessionVerifier:
    """Compares the files below a folder with a session."""

    def __init__(
        self,
        root: str,
        file: str = "session",
        *,
        tolerance: float | None = None,
        threshold: float = MATCH_THRESHOLD,
        originals: str = "",
    ) -> None:
        """`file`: the name of the session, for errors; `tolerance`: the ratio that is enough;
        `originals`: a folder with the files as they were, for a session that has only hashes.
        """
        if not os.path.isdir(root):
            raise DesktopError(f"{root}: there is no such folder")
        self._root = root
        self._file = file
        self._tolerance = tolerance
        self._threshold = threshold
        self._originals = originals

    def verify(self, session: EditSession) -> VerificationReport:
        """Compare all files; raises SessionFileError for an operation out of range."""
        results = tuple(
            self._verify(edited, f"files[{index}]") for index, edited in enumerate(session.files)
        )
        success = all(result.accepted for result in results)
        return VerificationReport(success, summarize(results), results)

    def compare(self, path: str, expected: bytes) -> FileResult:
        """Compare one file with a text."""
        try:
            actual = read_inside(self._root, path, MAX_FILE_BYTES)
        except UnreadableFileError as error:
            return _unread(path, expected, error)
        found = compare_texts(expected, actual)
        identical = expected == actual
        return FileResult(
            path=path,
            match_status=self._word(found.similarity),
            identical=identical,
            accepted=identical or self._is_enough(found.similarity),
            similarity=found.similarity,
            expected_lines=found.expected_lines,
            actual_lines=found.actual_lines,
            missing_lines=found.missing_lines,
            extra_lines=found.extra_lines,
            diff_lines=unified_diff(path, found),
            note="" if identical else _note(expected, actual, found),
        )

    def _verify(self, edited: EditedFile, place: str) -> FileResult:
        try:
            original = self._original(edited)
        except UnreadableFileError as error:
            return FileResult(edited.path, MatchStatus.ERROR, error=str(error))
        return self.compare(edited.path, expected_text(edited, original, self._file, place))

    def _original(self, edited: EditedFile) -> str:
        original = edited.original
        if not isinstance(original, OriginalHash):
            return original or ""
        if not self._originals:
            raise UnreadableFileError(
                "the session has only the hash of the original; give --originals FOLDER"
            )
        return read_original(self._originals, edited.path, original)

    def _word(self, similarity: float) -> MatchStatus:
        if similarity >= self._threshold:
            return MatchStatus.MATCH
        partial = min(PARTIAL_THRESHOLD, self._threshold)
        return MatchStatus.PARTIAL if similarity >= partial else MatchStatus.MISMATCH

    def _is_enough(self, similarity: float) -> bool:
        return self._tolerance is not None and similarity >= self._tolerance


def read_original(root: str, path: str, known: OriginalHash) -> str:
    """Read a file that a session knows by its hash; raises UnreadableFileError."""
    data = read_inside(root, path, MAX_FILE_BYTES)
    if len(data) != known.size or hashlib.sha256(data).hexdigest() != known.sha256:
        raise UnreadableFileError("is not the original: its hash or size is another")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise UnreadableFileError("the original is not UTF-8") from None


def expected_text(edited: EditedFile, original: str, file: str, place: str) -> bytes:
    """Carry out the operations of a file; raises SessionFileError."""
    try:
        return rebuild(original, edited.operations).encode()
    except LineRangeError as error:
        where = f"{place}.operations[{error.index}].{error.key}"
        without = edited.original is None and not error.index
        hint = "; the session has no `original` of this file, so it begins empty" if without else ""
        raise SessionFileError(file, where, f"{error.problem}{hint}") from None


def summarize(results: tuple[FileResult, ...]) -> str:
    """One sentence about all files."""
    identical = sum(result.identical for result in results)
    of = "1 file matches" if len(results) == 1 else f"{len(results)} files match"
    says = [f"{identical} of {of} byte for byte"]
    similar = sum(result.accepted and not result.identical for result in results)
    refused = [result for result in results if not result.accepted]
    missing = sum(result.match_status == MatchStatus.MISSING for result in refused)
    unjudged = sum(bool(result.error) for result in refused) - missing
    differ = len(refused) - missing - unjudged
    for number, what in (
        (similar, "similar enough"),
        (differ, "different"),
        (missing, "missing"),
        (unjudged, "not readable"),
    ):
        if number:
            says.append(f"{number} {what}")
    return ", ".join(says)


def _unread(path: str, expected: bytes, error: UnreadableFileError) -> FileResult:
    """A file that is not there, or cannot be read: all its lines are missing."""
    exists = not isinstance(error, AbsentFileError)
    lines = line_count(expected)
    return FileResult(
        path,
        MatchStatus.MISMATCH if exists else MatchStatus.MISSING,
        exists,
        expected_lines=lines,
        missing_lines=lines,
        error=str(error),
    )


def _without_breaks(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n")


def _without_blanks(text: bytes) -> bytes:
    return b"".join(text.split())


def _note(expected: bytes, actual: bytes, found: LineSimilarity) -> str:
    """Return what kind of difference it is, if all differences are of one plain kind."""
    if not actual:
        return "the file is empty"
    if expected.rstrip(b"\r\n") == actual.rstrip(b"\r\n"):
        return "only the line breaks at the end differ"
    if expected.removeprefix(BOM_UTF8) == actual.removeprefix(BOM_UTF8):
        return "only the byte order mark differs"
    for plain, says in (
        (_without_breaks, "only line breaks differ (CRLF and LF)"),
        (_without_blanks, "only blanks and line breaks differ"),
    ):
        if all(plain(one) == plain(other) for one, other in found.pairs()):
            return says
    return ""
