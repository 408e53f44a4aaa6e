"""Generated repositories, and changes in them that are counted."""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from pathlib import Path
from random import Random
from time import sleep, time
from typing import IO

import msgspec

_IN_FOLDER = 12
_FOLDERS = 20
"""In each folder that holds folders."""
_IN_A_ROW = 5
"""Changes lie side by side, as those of an agent do."""
_WORDS = 800
_TEXTS = 64
_SMALLEST, _LARGEST = 1_000, 8_000
_SETTINGS = ("gc.auto=0", "maintenance.auto=false", "advice.detachedHead=false")


class Changes(msgspec.Struct, frozen=True):
    """What was done to a tree."""

    changed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    bytes: int = 0
    """How much was written."""

    def __len__(self) -> int:
        return len(self.changed) + len(self.new) + len(self.deleted)


class Repository:
    """A git repository with a commit, whose files can be changed."""

    def __init__(self, path: Path, environ: Mapping[str, str], files: Sequence[str]) -> None:
        self.path = path
        self.files = list(files)
        self.environ = environ
        self._random = Random(len(files))
        self._made = 0

    def git(self, *arguments: str, **environ: str) -> str:
        """What git prints; gc never comes between."""
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        done = subprocess.run(
            ["git", *settings, *arguments],
            cwd=self.path,
            env={**self.environ, **environ},
            check=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
        )
        return os.fsdecode(done.stdout).strip()

    def change(self, count: int) -> Changes:
        """Change `count` files: three in five rewritten, half of them with as many bytes as
        before, one in five new and one deleted, so that there are always as many."""
        new = deleted = count // 5
        picked = self._pick(count - new)
        gone, kept = picked[:deleted], picked[deleted:]
        fresh = [self._new_name(beside) for beside in kept[:new]]
        for path in gone:
            (self.path / path).unlink()
        written = sum(self._write(path, same=number % 2 == 0) for number, path in enumerate(kept))
        written += sum(map(self._write, fresh))
        self._swap(gone, fresh)
        return Changes(tuple(kept), tuple(fresh), tuple(gone), written)

    def change_again(self, changes: Changes) -> None:
        """Give the files that are there other contents than these."""
        for path in (*changes.changed, *changes.new):
            self._write(path)

    def went_back(self, changes: Changes) -> None:
        """Git has put back what was changed and deleted: without what was new, it is undone."""
        for path in changes.new:
            (self.path / path).unlink(missing_ok=True)
        self._swap(changes.new, changes.deleted)

    def _pick(self, count: int) -> list[str]:
        picked: dict[str, None] = {}
        while len(picked) < count:
            first = self._random.randrange(len(self.files))
            picked.update(dict.fromkeys(self.files[first : first + _IN_A_ROW]))
        return list(picked)[:count]

    def _new_name(self, beside: str) -> str:
        self._made += 1
        return f"{os.path.dirname(beside)}/new{self._made:06}.bin"

    def _write(self, path: str, *, same: bool = False) -> int:
        """Bytes that cannot be compressed."""
        full = self.path / path
        size = full.stat().st_size if same else self._random.randint(_SMALLEST, _LARGEST)
        full.write_bytes(self._random.randbytes(size))
        return size

    def _swap(self, gone: Sequence[str], fresh: Sequence[str]) -> None:
        without = set(gone)
        self.files = sorted([*(path for path in self.files if path not in without), *fresh])


def make_repository(path: Path, count: int, environ: Mapping[str, str]) -> Repository:
    """A new one with so many files, a few kilobytes each, no two alike."""
    path.mkdir(parents=True)
    names = sorted(_names(count))
    repository = Repository(path, environ, names)
    repository.git("init", "-q", "-b", "main")
    argv = ["git", "-c", "core.compression=0", "fast-import", "--quiet", "--depth=0"]
    with subprocess.Popen(argv, cwd=path, env=dict(environ), stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        _write_commit(process.stdin, names)
    repository.git("reset", "-q", "--hard")
    if len(repository.git("ls-files").splitlines()) != count:
        raise RuntimeError(f"git has not made {count:,} files")
    let_rest(path / ".git" / "index")
    return repository


def let_rest(index: Path) -> None:
    """Make the index a second younger than all files, as in a repository that was not just made.

    Git reads again what was written in the same second as the index.
    """
    later = ceil(time())
    sleep(later - time())
    os.utime(index, (later, later))


def _names(count: int) -> Iterator[str]:
    for number in range(count):
        above, inner = divmod(number // _IN_FOLDER, _FOLDERS)
        outer, middle = divmod(above, _FOLDERS)
        yield f"part{outer:02}/module{middle:02}/group{inner:02}/file{number:06}.py"


def _write_commit(file: IO[bytes], names: Sequence[str]) -> None:
    texts = _some_texts()
    file.write(b"commit refs/heads/main\ncommitter A <a@localhost> 0 +0000\ndata 5\nfirst\n")
    for number, name in enumerate(names):
        text = f"# {name}\n".encode() + texts[number % _TEXTS]
        file.write(f"M 100644 inline {name}\ndata {len(text)}\n".encode() + text + b"\n")


def _some_texts() -> list[bytes]:
    random = Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(random.choices(letters, k=random.randint(2, 10))) for _ in range(_WORDS)]
    lines = (random.randint(4, 60) for _ in range(_TEXTS))
    return [
        "".join(" ".join(random.choices(words, k=6)) + "\n" for _ in range(many)).encode()
        for many in lines
    ]
