"""Notice that somebody overwrote the files of an open log."""

import os

_DATABASE = (b"SQLite format 3\0",)
_WAL = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
_LENGTH = 16


class HeaderCheck:
    """Read how the files of a log begin, as often as wanted.

    It keeps the files open. When a process closes a file, it loses all its locks on it, SQLite's
    too; then the next program that closes the log deletes the journal of the one that writes it.
    """

    def __init__(self, log: str) -> None:
        self._marks = ((log, _DATABASE), (f"{log}-wal", _WAL))
        self._files: dict[tuple[int, int], int] = {}

    def is_whole(self) -> bool:
        """Return whether the files begin as SQLite begins them; a deleted log is not damaged.

        Raises OSError.
        """
        (database, marks), (journal, journal_marks) = self._marks
        begins = self._read(database)
        if begins is not None and not begins.startswith(marks):
            return False
        begins = self._read(journal)
        return not begins or begins.startswith(journal_marks)

    def _read(self, path: str) -> bytes | None:
        try:
            found = os.stat(path)
            file = self._files.get((found.st_dev, found.st_ino))
            if file is None:
                file = self._open(path)
        except FileNotFoundError:
            return None
        return os.pread(file, _LENGTH, 0)

    def _open(self, path: str) -> int:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        found = os.fstat(file)
        return self._files.setdefault((found.st_dev, found.st_ino), file)
