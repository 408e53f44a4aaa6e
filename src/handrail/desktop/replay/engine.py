"""Replays a session in an editor, file by file, and looks at what was saved."""

import os
from collections.abc import Callable
from threading import Lock, Thread
from time import monotonic

import msgspec

from handrail.desktop.errors import DesktopError, RecoveryError
from handrail.desktop.replay.editor import Editor, EditorReplayError
from handrail.desktop.replay.preparation import ReplayJob, make_file, prepare
from handrail.desktop.replay.safe_point import SafePoint, WorkAbortedError
from handrail.desktop.verify.bounded_reading import (
    UnreadableFileError,
    read_inside,
    resolve_inside,
)
from handrail.desktop.verify.rebuild import LineText, carry_out
from handrail.desktop.verify.session import (
    DeleteOperation,
    EditOperation,
    EditSession,
    InsertOperation,
)
from handrail.desktop.verify.verifier import (
    MAX_FILE_BYTES,
    FileResult,
    SessionVerifier,
    VerificationReport,
    summarize,
)
from handrail.desktop.watch.worker import WorkerProgress

_LOOK_AGAIN = 0.05
_TRIES = 3

FileTrace = tuple[int, int, int]
"""What changes whenever a file is written: its number, size and time."""


class ReplayPace(msgspec.Struct, frozen=True):
    """How fast a replay goes, and how long it waits."""

    operation_seconds: float = 0.0
    """Between two operations, for people who look on."""
    save_every: int = 25
    """Operations after which the file is saved and checked."""
    save_seconds: float = 10.0
    """How long a file may take to be as it should be after the editor began to write it."""
    patience: float = 120.0
    """How long something else may have the keyboard, or the editor may be busy, in seconds."""


USUAL_PACE = ReplayPace()


class ReplayedFile(msgspec.Struct, frozen=True):
    """A file that was replayed."""

    path: str
    operations: int
    seconds: float
    repaired: int = 0
    """How often Handrail wrote the file itself, because the editor had saved something else."""


class ReplayOutcome(msgspec.Struct, frozen=True):
    """What came of a replay."""

    finished: bool = False
    """Whether every operation was carried out."""
    aborted: bool = False
    error: str = ""
    files: tuple[ReplayedFile, ...] = ()
    damage: FileResult | None = None
    """The file of the error, if the editor saved something else than it should have."""
    verification: VerificationReport | None = None
    """All files, compared in the end; None: it did not come so far."""
    seconds: float = 0.0


class ReplayEngine:
    """A replay in a thread of its own; the worker of a watch.

    It works in one window and never sends a key while another one has the keyboard: it waits then,
    at a safe point, until a person or a watch has cleared the way.
    """

    def __init__(
        self,
        session: EditSession,
        root: str,
        editor: Editor,
        *,
        file: str = "session",
        pace: ReplayPace = USUAL_PACE,
        repair: bool = False,
        verify: bool = True,
        check_between: Callable[[str], object] = lambda _context: None,
    ) -> None:
        """Check the whole session; raises SessionFileError or EditorReplayError.

        `repair`: write a file directly where the editor saved something else. `verify`: compare
        all files once more in the end. `check_between` is called after each file with what was
        done; the replay stands still meanwhile.
        """
        self._root = root
        self._editor = editor
        self._pace = pace
        self._repair = repair
        self._verifies = verify
        self._check_between = check_between
        self._verifier = SessionVerifier(root, file)
        self._jobs = prepare(session, root, editor, file)
        self._point = SafePoint()
        self._thread = Thread(target=self._run, name="replay", daemon=True)
        self._lock = Lock()
        self._done = 0
        self._path = ""
        self._saved = b""
        self._files: list[ReplayedFile] = []
        self._damage: FileResult | None = None
        self._outcome: ReplayOutcome | None = None

    @property
    def outcome(self) -> ReplayOutcome | None:
        """What came of it; None: it goes on."""
        return self._outcome

    def start(self) -> None:
        """Begin, in a thread of its own."""
        self._thread.start()

    def join(self, seconds: float | None = None) -> ReplayOutcome | None:
        """Wait for the end, for so long at most."""
        self._thread.join(seconds)
        return self._outcome

    def abort(self) -> None:
        """End it at the next safe point. What is not saved is lost."""
        self._point.abort()

    def pause(self, seconds: float) -> bool:
        """Stop between two operations; return whether it stands still within the time."""
        return self._point.hold(seconds)

    def resume(self) -> None:
        """Go on."""
        self._point.let_go()

    def progress(self) -> WorkerProgress | None:
        """Return how far it is; the size is that of the file on the disk."""
        with self._lock:
            done, path = self._done, self._path
        size = 0
        if path:
            try:
                size = os.stat(resolve_inside(self._root, path)).st_size
            except OSError:
                size = 0
        return WorkerProgress(done, self._total, path, size)

    def check_open_file(self) -> FileResult | None:
        """Compare the open file with what was saved last; None: no file is open."""
        with self._lock:
            path, saved = self._path, self._saved
        return self._verifier.compare(path, saved) if path else None

    @property
    def _total(self) -> int:
        return sum(len(job.operations) for job in self._jobs)

    def _run(self) -> None:
        began = monotonic()
        finished, aborted, error, verification = False, False, "", None
        try:
            self._point.leave()
            for job in self._jobs:
                self._replay(job)
            verification = self._verify() if self._verifies else None
            finished = True
        except WorkAbortedError:
            aborted = True
        except (DesktopError, OSError) as problem:
            error = str(problem)
        finally:
            self._editor.close()
            with self._lock:
                self._path = ""
            self._outcome = ReplayOutcome(
                finished, aborted, error, tuple(self._files), self._damage, verification,
                monotonic() - began,
            )  # fmt: skip
            self._point.arrive()

    def _replay(self, job: ReplayJob) -> None:
        began, repaired = monotonic(), 0
        make_file(self._root, job)
        with self._lock:
            self._path, self._saved = job.path, job.original.encode()
        self._editor.open(resolve_inside(self._root, job.path))
        self._wait_until_ready(job.original)
        text = LineText(job.original)
        unsaved = 0
        for index, operation in enumerate(job.operations):
            self._carry_out(operation, text)
            carry_out(text, index, operation)
            unsaved += 1
            with self._lock:
                self._done += 1
            if unsaved == self._pace.save_every or index + 1 == len(job.operations):
                repaired += self._save(job.path, text.text().encode())
                unsaved = 0
        self._files.append(
            ReplayedFile(job.path, len(job.operations), monotonic() - began, repaired)
        )
        self._point.arrive()
        self._check_between(f"just finished {job.path}")
        self._point.leave()

    def _carry_out(self, operation: EditOperation, text: LineText) -> None:
        """Send the keys of one operation, once more if the way was blocked meanwhile."""
        if self._pace.operation_seconds:
            self._point.rest(self._pace.operation_seconds)
        for tried in range(_TRIES):
            self._wait_for_keyboard()
            try:
                self._send(operation, text)
            except RecoveryError:
                # A paste that nobody took has changed nothing.
                if tried + 1 == _TRIES:
                    raise
            else:
                return

    def _send(self, operation: EditOperation, text: LineText) -> None:
        match operation:
            case InsertOperation():
                if operation.content:
                    self._editor.insert(operation.line, operation.content)
            case DeleteOperation():
                count = operation.last - operation.line + 1
                to_end = operation.last == len(text)
                self._editor.delete_lines(operation.line, count, to_end=to_end)
            case _:
                self._editor.go_to(operation.line)

    def _wait_until_ready(self, text: str) -> None:
        self._wait(lambda: self._editor.not_ready(text))

    def _wait_for_keyboard(self) -> None:
        self._wait(self._editor.obstacle, " has the keyboard")

    def _wait(self, obstacle: Callable[[], str], says: str = "") -> None:
        """Stand until nothing is in the way; raises EditorReplayError after a long time."""
        self._point.pass_by()
        waited = 0.0
        while True:
            began = monotonic()
            problem = obstacle()
            if not problem:
                return
            if waited >= self._pace.patience:
                problem = f"{problem}{says}, after {self._pace.patience:g} s of waiting"
                raise EditorReplayError(self._path, problem)
            waited += monotonic() - began + _LOOK_AGAIN
            # Not the time that somebody holds it there.
            self._point.rest(_LOOK_AGAIN)

    def _save(self, path: str, expected: bytes) -> int:
        """Save, and look at the file; return how often it had to be repaired."""
        blocked = True
        for _ in range(_TRIES):
            if not blocked:
                break
            self._wait_for_keyboard()
            before = self._trace(path)
            self._editor.save()
            is_there, blocked = self._wait_for_file(path, expected, before)
            if is_there:
                with self._lock:
                    self._saved = expected
                return 0
        found = self._verifier.compare(path, expected)
        if not self._repair:
            self._damage = found
            raise EditorReplayError(path, _damage(self._editor.name, found))
        # Not through the keyboard, which has just failed.
        with open(resolve_inside(self._root, path), "wb") as opened:
            opened.write(expected)
        with self._lock:
            self._saved = expected
        self._editor.reload()
        self._wait_until_ready(expected.decode())
        return 1

    def _wait_for_file(
        self, path: str, expected: bytes, before: FileTrace | None
    ) -> tuple[bool, bool]:
        """Whether the file is as expected in time, and whether something had the keyboard.

        A file that is untouched is still to be saved: the editor may have much to do before.
        """
        waited, blocked, now = 0.0, False, before
        while True:
            if self._on_disk(path) == expected:
                return True, blocked
            blocked = blocked or bool(self._editor.obstacle())
            if now != (now := self._trace(path)):
                waited = 0.0
            is_due = blocked or now != before
            if waited >= (self._pace.save_seconds if is_due else self._pace.patience):
                return False, blocked
            self._point.rest(_LOOK_AGAIN)
            waited += _LOOK_AGAIN

    def _trace(self, path: str) -> FileTrace | None:
        try:
            found = os.stat(resolve_inside(self._root, path))
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns

    def _on_disk(self, path: str) -> bytes | None:
        try:
            return read_inside(self._root, path, MAX_FILE_BYTES)
        except UnreadableFileError:
            return None

    def _verify(self) -> VerificationReport:
        results = tuple(self._verifier.compare(job.path, job.final) for job in self._jobs)
        success = all(result.accepted for result in results)
        return VerificationReport(success, summarize(results), results)


def _damage(editor: str, found: FileResult) -> str:
    if found.error:
        return f"{editor} has saved it, and {found.error}"
    return (
        f"{editor} has saved something else: {found.missing_lines} of {found.expected_lines} "
        f"expected lines are not there, and {found.extra_lines} others are"
    )
