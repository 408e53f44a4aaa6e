"""Repositories from which an index cannot simply be taken over."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from struct import pack

import pytest

from handrail.checkpoint.git import index_file
from handrail.checkpoint.git.index_file import GitIndex

from .conftest import CheckpointProject
from .user_repositories import write

Change = Callable[[CheckpointProject], object]


def crlf(bench: CheckpointProject) -> None:
    bench.git("config", "core.autocrlf", "true")
    write(bench, "a.txt", "one\r\ntwo\r\n")
    bench.git("add", "a.txt")


def attributes(lines: str, name: str, data: bytes) -> Change:
    def change(bench: CheckpointProject) -> None:
        write(bench, ".gitattributes", lines)
        _rot13(bench)
        write(bench, name, data)
        bench.git("add", ".gitattributes", name)

    return change


def _rot13(bench: CheckpointProject) -> None:
    """A filter that keeps the length."""
    for way in ("clean", "smudge"):
        bench.git("config", f"filter.rot.{way}", "tr a-mn-z n-za-m")


def filter_outside(place: str) -> Change:
    def change(bench: CheckpointProject) -> None:
        write(bench, place, "*.txt filter=rot\n")
        _rot13(bench)
        write(bench, "a.txt", "changed on the way\n")
        bench.git("add", "a.txt")

    return change


def filter_by_settings(bench: CheckpointProject) -> None:
    write(bench, "../rules", "*.txt filter=rot\n")
    bench.git("config", "core.attributesFile", str(bench.home / "rules"))
    filter_outside("../unused")(bench)


def filter_gone(bench: CheckpointProject) -> None:
    attributes("*.txt filter=rot\n", "a.txt", b"changed on the way\n")(bench)
    (bench.tree / ".gitattributes").unlink()


def filter_of_a_folder(bench: CheckpointProject) -> None:
    filter_outside("src/.gitattributes")(bench)
    write(bench, "src/b.txt", "changed on the way\n")
    bench.git("add", "src/b.txt")


def flagged(flag: str) -> Change:
    def change(bench: CheckpointProject) -> None:
        bench.git("update-index", flag, "a.txt", "src/b.py")
        write(bench, "a.txt", "changed, and git was told not to look")
        (bench.tree / "src/b.py").unlink()

    return change


def intent_to_add(bench: CheckpointProject) -> None:
    write(bench, "planned.txt", "planned")
    write(bench, "planned.empty", "")
    bench.git("add", "-N", "planned.txt", "planned.empty")


def merge_under_way(bench: CheckpointProject) -> None:
    bench.git("checkout", "-q", "-b", "other")
    write(bench, "a.txt", "theirs\n")
    bench.git("commit", "-q", "-a", "-m", "theirs")
    bench.git("checkout", "-q", "main")
    write(bench, "a.txt", "ours\n")
    bench.git("commit", "-q", "-a", "-m", "ours")
    with pytest.raises(subprocess.CalledProcessError):
        bench.git("merge", "-q", "other")


def forced(bench: CheckpointProject) -> None:
    """A file that is ignored, tracked, and has to be read anew."""
    write(bench, ".gitignore", "*.out\n")
    write(bench, "kept.out", "one\r\n")
    bench.git("config", "core.autocrlf", "true")
    bench.git("add", "-f", "kept.out", ".gitignore")


def sparse(*options: str) -> Change:
    def change(bench: CheckpointProject) -> None:
        bench.git("sparse-checkout", "set", "--cone", *options, "bin")
        write(bench, "src/deep/mine.py", "in a folder that is not checked out")

    return change


def without_a_blob(bench: CheckpointProject) -> None:
    blob = bench.git("rev-parse", ":a.txt").strip()
    (bench.tree / ".git/objects" / blob[:2] / blob[2:]).unlink()


def with_a_damaged_blob(bench: CheckpointProject) -> None:
    blob = bench.git("rev-parse", ":a.txt").strip()
    file = bench.tree / ".git/objects" / blob[:2] / blob[2:]
    file.chmod(0o644)
    file.write_bytes(b"")


def partial_clone(bench: CheckpointProject) -> None:
    origin = bench.home / "origin"
    bench.tree.rename(origin)
    bench.git("config", "uploadpack.allowFilter", "true", at=origin)
    bench.git("clone", "-q", "--filter=blob:none", f"file://{origin}", "shop", at=bench.home)
    shutil.rmtree(origin)
    without_all_packs(bench)


def without_all_packs(bench: CheckpointProject) -> None:
    for pack_file in (bench.tree / ".git/objects/pack").iterdir():
        pack_file.unlink()


def shared_clone(bench: CheckpointProject) -> None:
    first, second = bench.home / "first", bench.home / "second"
    bench.tree.rename(first)
    bench.git("clone", "-q", "--shared", str(first), str(second), at=bench.home)
    bench.git("clone", "-q", "--shared", str(second), "shop", at=bench.home)


def relative_alternate(bench: CheckpointProject) -> None:
    shared_clone(bench)
    for name in ("shop", "second"):
        lender = {"shop": "second", "second": "first"}[name]
        alternates = bench.home / name / ".git/objects/info/alternates"
        alternates.write_text(f"../../../{lender}/.git/objects\n")


def git_directory_elsewhere(bench: CheckpointProject) -> None:
    (bench.tree / ".git").rename(bench.home / "of shop")
    (bench.tree / ".git").write_text("gitdir: ../of shop\n")


def sha256(bench: CheckpointProject) -> None:
    shutil.rmtree(bench.tree / ".git")
    bench.git("init", "-q", "--object-format=sha256")
    bench.git("add", ".")


def bare(bench: CheckpointProject) -> None:
    bench.git("config", "core.bare", "true")


def other_work_tree(bench: CheckpointProject) -> None:
    elsewhere = bench.home / "elsewhere"
    shutil.copytree(bench.tree, elsewhere, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    bench.git("config", "core.worktree", str(elsewhere))
    bench.git("status")


def git_is(make: Callable[[Path], object]) -> Change:
    def change(bench: CheckpointProject) -> None:
        shutil.rmtree(bench.tree / ".git")
        make(bench.tree / ".git")

    return change


def index_is(make: Callable[[Path], object]) -> Change:
    def change(bench: CheckpointProject) -> None:
        make(bench.tree / ".git/index")

    return change


def damaged(index: Path) -> None:
    data = bytearray(index.read_bytes())
    data[100] ^= 1
    index.write_bytes(data)


def pipe(index: Path) -> None:
    index.unlink()
    os.mkfifo(index)


def leading_out(index: Path) -> None:
    """An index that git would never write."""
    known = index_file.read(str(index))
    names = [b"../outside", *known.names]
    records = [b"".join((known.records[0][:60], pack(">H", 10), b"../outside", bytes(8)))]
    index_file.write(str(index), GitIndex(names, [*records, *known.records], [], b"", 0))


def with_settings(**named: str) -> Change:
    def change(bench: CheckpointProject) -> None:
        for name, text in named.items():
            bench.git("config", name.replace("__", "."), text)
        bench.git("update-index", "--force-write-index")
        bench.git("status")

    return change


ODD: dict[str, Change] = {
    "ends of lines by a setting": crlf,
    "ends of lines by attributes": attributes("*.txt text eol=crlf\n", "a.txt", b"x\r\ny\r\n"),
    "names of blobs": attributes("*.c ident\n", "id.c", b"$Id: 0123456789 $\n"),
    "a filter of the same length": attributes("*.txt filter=rot\n", "a.txt", b"on the way\n"),
    "an encoding of the same length": attributes(
        "*.ru working-tree-encoding=GBK\n", "x.ru", "привет\n".encode("gbk")
    ),
    "a filter in the repository": filter_outside(".git/info/attributes"),
    "a filter of the user": filter_outside("../.config/git/attributes"),
    "a filter by a setting": filter_by_settings,
    "a filter that is gone": filter_gone,
    "a filter of a folder": filter_of_a_folder,
    "assume-unchanged": flagged("--assume-unchanged"),
    "skip-worktree": flagged("--skip-worktree"),
    "intent to add": intent_to_add,
    "a merge under way": merge_under_way,
    "an ignored file that is tracked": forced,
    "a sparse checkout": sparse(),
    "a sparse index": sparse("--sparse-index"),
    "a split index": lambda bench: bench.git("update-index", "--split-index"),
    "an untracked cache": lambda bench: bench.git("update-index", "--untracked-cache"),
    "a short index": lambda bench: bench.git("update-index", "--index-version=4"),
    "no trust in modes": with_settings(core__fileMode="false"),
    "a missing blob": without_a_blob,
    "a damaged blob": with_a_damaged_blob,
    "a partial clone": partial_clone,
    "a shared clone of a shared clone": shared_clone,
    "stores that name each other by relative paths": relative_alternate,
    "a git directory elsewhere": git_directory_elsewhere,
    "another object format": sha256,
    "a bare repository": bare,
    "a work tree elsewhere": other_work_tree,
    "no repository": git_is(lambda _: None),
    "a dangling link": git_is(lambda path: path.symlink_to("nowhere")),
    "a loop": git_is(lambda path: path.symlink_to(".git")),
    "a file that says nothing": git_is(lambda path: path.write_bytes(b"\xff\0")),
    "a file that points to itself": git_is(lambda path: path.write_text("gitdir: .git\n")),
    "an empty folder": git_is(lambda path: path.mkdir()),
    "no index": index_is(Path.unlink),
    "an empty index": index_is(lambda path: path.write_bytes(b"")),
    "a damaged index": index_is(damaged),
    "a cut index": index_is(lambda path: os.truncate(path, 300)),
    "a huge index": index_is(lambda path: os.truncate(path, index_file.MAX_BYTES + 1)),
    "a pipe for an index": index_is(pipe),
    "an index that leads out": index_is(leading_out),
    "an index being written": lambda bench: bench.write(".git/index.lock", "half"),
}


COLD = {
    "a split index",
    "a damaged blob",
    "another object format",
    "no repository",
    "a dangling link",
    "a loop",
    "a file that says nothing",
    "a file that points to itself",
    "an empty folder",
    "no index",
    "an empty index",
    "a damaged index",
    "a cut index",
    "a huge index",
    "a pipe for an index",
    "an index that leads out",
}
"""Where there is nothing to be taken over."""
