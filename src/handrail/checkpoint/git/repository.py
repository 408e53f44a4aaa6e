"""The private folder of a project's checkpoints: made, locked, and swept."""

import fcntl
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from time import monotonic, sleep

from handrail.checkpoint.errors import (
    BusyError,
    CheckpointError,
    CheckpointStoreError,
    FolderRefusedError,
)
from handrail.checkpoint.files import unlink_all, work_tree_key
from handrail.checkpoint.git import index_file, nested_repositories
from handrail.checkpoint.git.excludes import excluded_lines, global_excludes
from handrail.checkpoint.git.runner import ATTRIBUTES, Git, GitDeadline
from handrail.checkpoint.git.user_repository import read_text
from handrail.checkpoint.restore.journal import RestoreJournals
from handrail.checkpoint.save.file_signature import Look, file_signature
from handrail.checkpoint.tidy.sweep import parts_of_packs, sweep_all, sweep_locks

_PAUSE = 0.02
_LOCK = "lock"
"""Of everything that writes objects, indexes, refs or records."""
_PACKING = "packing"
"""The lock for packing; a save does not wait for it."""

_SMALL = {"HEAD": "ref: ", "config": "[core]\n", os.path.join("info", "attributes"): ATTRIBUTES}
"""Files of a git directory without which it is none, and how they begin."""


class CheckpointRepository:
    """A git directory of Handrail's own, with an index for each work tree."""

    def __init__(self, folder: str, environ: Mapping[str, str]) -> None:
        self.folder = folder
        self.directory = os.path.join(folder, "git")
        self._environ = environ
        self._global_excludes: str | None = None
        self._whole: dict[str, Look | None] = {}
        """Indexes as they were left here: a machine that goes down takes this with it."""

    @contextmanager
    def open(self, work_tree: str, seconds: float) -> Iterator[Git]:
        """Git for a work tree, for one process at a time."""
        with self._store_errors(), self._locked_and_swept(work_tree, seconds) as held:
            git = Git(
                *(self.directory, self.index_of(work_tree), work_tree, GitDeadline(seconds)),
                self._environ,
                [held],
            )
            self._prepare(git)
            RestoreJournals(self.folder, work_tree).sweep()
            yield git
            self._whole[git.index] = file_signature(git.index)

    @contextmanager
    def look(self, work_tree: str, seconds: float) -> Iterator[Git]:
        """Git for a work tree, to ask what it ignores; waits for others only the first time."""
        if not self.is_made:
            with self.open(work_tree, seconds) as git:
                yield git
            return
        with self._store_errors():
            git = Git(
                *(self.directory, self.index_of(work_tree), work_tree, GitDeadline(seconds)),
                self._environ,
            )
            if self._global_excludes is None:
                self._global_excludes = global_excludes(git)
            git.excludes = self._global_excludes
            yield git

    @contextmanager
    def open_store(self, seconds: float) -> Iterator[Git]:
        """Git without a work tree, for one process at a time."""
        with self._store_errors(), self._locked_and_swept(self.folder, seconds) as held:
            yield self._without_tree(seconds, held)

    @contextmanager
    def open_for_packing(self, seconds: float, wait: float) -> Iterator[Git]:
        """Git without a work tree, while others save: to write packs, and nothing else."""
        with self._store_errors(), self._locked(_PACKING, wait) as held:
            yield self._without_tree(seconds, held)

    @property
    def is_made(self) -> bool:
        """Whether anything was ever saved here."""
        return os.path.exists(self._ready)

    def index_of(self, work_tree: str) -> str:
        """Where git remembers a work tree."""
        return os.path.join(self.folder, f"index-{work_tree_key(work_tree)}")

    def indexes(self) -> list[str]:
        """The indexes of all work trees."""
        names = sorted(name for name in os.listdir(self.folder) if name.startswith("index-"))
        return [os.path.join(self.folder, name) for name in names if "." not in name]

    def forget_index(self, index: str) -> None:
        """Remove an index and the files beside it."""
        key = os.path.basename(index).removeprefix("index-")
        names = (f"index-{key}", f"index-{key}.borrowed", f"memory-{key}")
        unlink_all(os.path.join(self.folder, name) for name in names)

    @property
    def _ready(self) -> str:
        return os.path.join(self.folder, "ready")

    def _without_tree(self, seconds: float, held: int) -> Git:
        none = os.path.join(self.folder, "no-index")
        return Git(self.directory, none, self.folder, GitDeadline(seconds), self._environ, [held])

    @contextmanager
    def _store_errors(self) -> Iterator[None]:
        """Report a full or read-only disk as CheckpointStoreError."""
        try:
            yield
        except CheckpointError:
            raise
        except OSError as error:
            raise CheckpointStoreError(
                error.filename or self.folder, error.strerror or str(error)
            ) from error

    @contextmanager
    def _locked_and_swept(self, work_tree: str, seconds: float) -> Iterator[int]:
        self._own(work_tree)
        with self._locked(_LOCK, seconds) as held, self._swept():
            yield held

    def _own(self, work_tree: str) -> None:
        """Make the folder; refuse one that is not this user's alone."""
        with suppress(FileExistsError):
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
        found = os.lstat(self.folder)
        if not stat.S_ISDIR(found.st_mode):
            raise FolderRefusedError(work_tree, f"{self.folder} is not a folder; remove it")
        if found.st_uid != os.geteuid():
            raise FolderRefusedError(work_tree, f"{self.folder} belongs to somebody else")
        if stat.S_IMODE(found.st_mode) != stat.S_IRWXU:
            os.chmod(self.folder, stat.S_IRWXU)

    @contextmanager
    def _locked(self, name: str, seconds: float) -> Iterator[int]:
        """Hold a lock. It lasts until every git process under it has ended, orphans too."""
        until = monotonic() + seconds
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        file = os.open(os.path.join(self.folder, name), flags, 0o600)
        try:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if monotonic() > until:
                        raise BusyError(self.folder, seconds) from None
                    sleep(_PAUSE)
            yield file
        finally:
            os.close(file)

    @contextmanager
    def _swept(self) -> Iterator[None]:
        """Remove leftovers of killed processes; the lock keeps all others out."""
        busy = os.path.join(self.folder, "busy")
        sweep_locks(self.folder)
        with suppress(FileNotFoundError):
            sweep_all(self.folder, since=os.stat(busy).st_mtime)
        if parts := parts_of_packs(self.folder):
            with suppress(BusyError), self._locked(_PACKING, 0):  # else they are being written
                unlink_all(parts)
        with open(busy, "w", encoding="ascii"):
            pass
        yield
        os.unlink(busy)  # stays if something went wrong, or this process is killed

    def _prepare(self, git: Git) -> None:
        if not self.is_made or not self._is_sound():
            unlink_all(os.path.join(self.directory, name) for name in _SMALL)
            git.make()
            self._write(os.path.join(self.directory, "info", "attributes"), ATTRIBUTES)
            # Where the state folder lies in a repository, nobody commits it by mistake.
            self._write(os.path.join(self.folder, ".gitignore"), "*\n")
            self._write(self._ready, "")
        self._check_index(git.index)
        if self._global_excludes is None:
            self._global_excludes = global_excludes(git)
        git.excludes = self._global_excludes
        excluded = excluded_lines(git.work_tree, self.folder)
        excluded += nested_repositories.excluded_lines(git)
        self._write(os.path.join(self.directory, "info", "exclude"), excluded)

    def _check_index(self, index: str) -> None:
        """Remove an index that a crash of the machine has damaged: git makes it anew."""
        seen = file_signature(index)
        if seen and seen != self._whole.get(index) and not index_file.is_whole(index):
            os.unlink(index)

    def _is_sound(self) -> bool:
        """Whether git accepts the directory; a crash of the machine leaves files empty."""
        folders = (os.path.join(self.directory, name) for name in ("objects", "refs"))
        texts = {name: read_text(os.path.join(self.directory, name), 4096) for name in _SMALL}
        return all(map(os.path.isdir, folders)) and all(
            text.startswith(_SMALL[name]) and text.endswith("\n") for name, text in texts.items()
        )

    def _write(self, path: str, text: str) -> None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(os.fsencode(text))
