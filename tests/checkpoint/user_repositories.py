"""A repository of a user with files, and what becomes of it in the private one."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handrail.checkpoint import CheckpointRecord
from handrail.checkpoint.git import alternates
from handrail.checkpoint.git.repository import CheckpointRepository
from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.save import index_seed

from .conftest import CheckpointProject

LONG_AGO = 1_000_000_000


@contextmanager
def private(bench: CheckpointProject, tree: Path | None = None) -> Iterator[Git]:
    with CheckpointRepository(str(bench.folder), bench.environ).open(
        str(tree or bench.tree), 10
    ) as git:
        yield git


def seed(bench: CheckpointProject, tree: Path | None = None) -> bool:
    with private(bench, tree) as git:
        return index_seed.seed_index(git) is not None


def settle(bench: CheckpointProject) -> bool:
    with private(bench) as git:
        return alternates.copy_and_drop(git)


def own_git(bench: CheckpointProject, *args: str) -> bytes:
    """What git says of the private repository."""
    command = ["git", f"--git-dir={bench.folder}/git", *args]
    return subprocess.run(command, env=bench.environ, capture_output=True, check=True).stdout


def held(bench: CheckpointProject, record: CheckpointRecord) -> dict[str, bytes | str]:
    """Every file and link of a checkpoint."""
    found: dict[str, bytes | str] = {}
    for line in own_git(bench, "ls-tree", "-r", "-z", record.tree).split(b"\0")[:-1]:
        head, _, name = line.partition(b"\t")
        mode, _, blob = head.decode().split()
        data = own_git(bench, "cat-file", "blob", blob)
        found[os.fsdecode(name)] = f"-> {os.fsdecode(data)}" if mode == "120000" else data
    return found


def written(bench: CheckpointProject) -> int:
    """How many objects the private store has of its own."""
    counted = dict(
        line.split(": ") for line in own_git(bench, "count-objects", "-v").decode().splitlines()
    )
    return int(counted["count"]) + int(counted["in-pack"])


def write(bench: CheckpointProject, path: str, content: str | bytes = "") -> Path:
    """A file that was changed long ago: git believes what it remembers of it."""
    file = bench.write(path, content)
    os.utime(file, (LONG_AGO, LONG_AGO))
    return file


def shop(bench: CheckpointProject) -> None:
    """A repository with some files, all of them as they are in it."""
    for name in ("a.txt", "src/b.py", "src/deep/c.py", "src/deep/d.py"):
        write(bench, name, f"this is {name}\n")
    write(bench, "bin/run", "#!/bin/sh\n").chmod(0o755)
    write(bench, "empty", "")
    bench.repository()
    (bench.tree / "link").symlink_to("a.txt")
    bench.git("add", ".")
    bench.git("commit", "-q", "-m", "link")
