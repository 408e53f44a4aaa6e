"""A first checkpoint takes over what the user's git remembers, and is right all the same."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from struct import pack

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.checkpoint import About, Coverage, Record, borrowing, index_file, seeding
from handrail.checkpoint.git import Git
from handrail.checkpoint.index_file import Index, UnreadableError
from handrail.checkpoint.private import Private

from .conftest import Bench

Change = Callable[[Bench], object]
LONG_AGO = 1_000_000_000


@contextmanager
def private(bench: Bench, tree: Path | None = None) -> Iterator[Git]:
    with Private(str(bench.folder), bench.environ).open(str(tree or bench.tree), 10) as git:
        yield git


def seed(bench: Bench, tree: Path | None = None) -> bool:
    with private(bench, tree) as git:
        return seeding.seed(git)


def settle(bench: Bench) -> bool:
    with private(bench) as git:
        return borrowing.settle(git)


def own_git(bench: Bench, *args: str) -> bytes:
    """What git says of the private repository."""
    command = ["git", f"--git-dir={bench.folder}/git", *args]
    return subprocess.run(command, env=bench.environ, capture_output=True, check=True).stdout


def held(bench: Bench, record: Record) -> dict[str, bytes | str]:
    """Every file and link of a checkpoint."""
    found: dict[str, bytes | str] = {}
    for line in own_git(bench, "ls-tree", "-r", "-z", record.tree).split(b"\0")[:-1]:
        head, _, name = line.partition(b"\t")
        mode, _, blob = head.decode().split()
        data = own_git(bench, "cat-file", "blob", blob)
        found[os.fsdecode(name)] = f"-> {os.fsdecode(data)}" if mode == "120000" else data
    return found


def written(bench: Bench) -> int:
    """How many objects the private store has of its own."""
    counted = dict(
        line.split(": ") for line in own_git(bench, "count-objects", "-v").decode().splitlines()
    )
    return int(counted["count"]) + int(counted["in-pack"])


def write(bench: Bench, path: str, content: str | bytes = "") -> Path:
    """A file that was changed long ago: git believes what it remembers of it."""
    file = bench.write(path, content)
    os.utime(file, (LONG_AGO, LONG_AGO))
    return file


def shop(bench: Bench) -> None:
    """A repository with some files, all of them as they are in it."""
    for name in ("a.txt", "src/b.py", "src/deep/c.py", "src/deep/d.py"):
        write(bench, name, f"this is {name}\n")
    write(bench, "bin/run", "#!/bin/sh\n").chmod(0o755)
    write(bench, "empty", "")
    bench.repository()
    (bench.tree / "link").symlink_to("a.txt")
    bench.git("add", ".")
    bench.git("commit", "-q", "-m", "link")


def test_of_an_unchanged_repository_nothing_is_written_but_the_checkpoint(bench: Bench) -> None:
    shop(bench)
    assert seed(bench)
    record = bench.save().record
    assert held(bench, record) == bench.content()
    with private(bench) as git:
        assert not git.run("diff-files", "--name-only")
    assert written(bench) == 1  # the commit


def test_what_is_changed_staged_untracked_or_deleted_is_as_it_is(bench: Bench) -> None:
    shop(bench)
    bench.write("a.txt", "changed")
    bench.write("src/b.py", "staged")
    bench.git("add", "src/b.py")
    bench.write("src/b.py", "and changed")
    bench.write("new.txt", "new")
    (bench.tree / "src/deep/c.py").unlink()
    bench.git("rm", "-q", "--cached", "src/deep/d.py")
    assert seed(bench)
    assert held(bench, bench.save().record) == bench.content()


def crlf(bench: Bench) -> None:
    bench.git("config", "core.autocrlf", "true")
    write(bench, "a.txt", "one\r\ntwo\r\n")
    bench.git("add", "a.txt")


def attributes(lines: str, name: str, data: bytes) -> Change:
    def change(bench: Bench) -> None:
        write(bench, ".gitattributes", lines)
        _rot13(bench)
        write(bench, name, data)
        bench.git("add", ".gitattributes", name)

    return change


def _rot13(bench: Bench) -> None:
    """A filter that keeps the length."""
    for way in ("clean", "smudge"):
        bench.git("config", f"filter.rot.{way}", "tr a-mn-z n-za-m")


def filter_outside(place: str) -> Change:
    def change(bench: Bench) -> None:
        write(bench, place, "*.txt filter=rot\n")
        _rot13(bench)
        write(bench, "a.txt", "changed on the way\n")
        bench.git("add", "a.txt")

    return change


def filter_by_settings(bench: Bench) -> None:
    write(bench, "../rules", "*.txt filter=rot\n")
    bench.git("config", "core.attributesFile", str(bench.home / "rules"))
    filter_outside("../unused")(bench)


def filter_gone(bench: Bench) -> None:
    attributes("*.txt filter=rot\n", "a.txt", b"changed on the way\n")(bench)
    (bench.tree / ".gitattributes").unlink()


def filter_of_a_folder(bench: Bench) -> None:
    filter_outside("src/.gitattributes")(bench)
    write(bench, "src/b.txt", "changed on the way\n")
    bench.git("add", "src/b.txt")


def flagged(flag: str) -> Change:
    def change(bench: Bench) -> None:
        bench.git("update-index", flag, "a.txt", "src/b.py")
        write(bench, "a.txt", "changed, and git was told not to look")
        (bench.tree / "src/b.py").unlink()

    return change


def intent_to_add(bench: Bench) -> None:
    write(bench, "planned.txt", "planned")
    write(bench, "planned.empty", "")
    bench.git("add", "-N", "planned.txt", "planned.empty")


def merge_under_way(bench: Bench) -> None:
    bench.git("checkout", "-q", "-b", "other")
    write(bench, "a.txt", "theirs\n")
    bench.git("commit", "-q", "-a", "-m", "theirs")
    bench.git("checkout", "-q", "main")
    write(bench, "a.txt", "ours\n")
    bench.git("commit", "-q", "-a", "-m", "ours")
    with pytest.raises(subprocess.CalledProcessError):
        bench.git("merge", "-q", "other")


def forced(bench: Bench) -> None:
    """A file that is ignored, tracked, and has to be read anew."""
    write(bench, ".gitignore", "*.out\n")
    write(bench, "kept.out", "one\r\n")
    bench.git("config", "core.autocrlf", "true")
    bench.git("add", "-f", "kept.out", ".gitignore")


def sparse(*options: str) -> Change:
    def change(bench: Bench) -> None:
        bench.git("sparse-checkout", "set", "--cone", *options, "bin")
        write(bench, "src/deep/mine.py", "in a folder that is not checked out")

    return change


def without_a_blob(bench: Bench) -> None:
    blob = bench.git("rev-parse", ":a.txt").strip()
    (bench.tree / ".git/objects" / blob[:2] / blob[2:]).unlink()


def with_a_damaged_blob(bench: Bench) -> None:
    blob = bench.git("rev-parse", ":a.txt").strip()
    file = bench.tree / ".git/objects" / blob[:2] / blob[2:]
    file.chmod(0o644)
    file.write_bytes(b"")


def partial_clone(bench: Bench) -> None:
    origin = bench.home / "origin"
    bench.tree.rename(origin)
    bench.git("config", "uploadpack.allowFilter", "true", at=origin)
    bench.git("clone", "-q", "--filter=blob:none", f"file://{origin}", "shop", at=bench.home)
    shutil.rmtree(origin)
    without_all_packs(bench)


def without_all_packs(bench: Bench) -> None:
    for pack_file in (bench.tree / ".git/objects/pack").iterdir():
        pack_file.unlink()


def shared_clone(bench: Bench) -> None:
    first, second = bench.home / "first", bench.home / "second"
    bench.tree.rename(first)
    bench.git("clone", "-q", "--shared", str(first), str(second), at=bench.home)
    bench.git("clone", "-q", "--shared", str(second), "shop", at=bench.home)


def relative_alternate(bench: Bench) -> None:
    shared_clone(bench)
    for name in ("shop", "second"):
        lender = {"shop": "second", "second": "first"}[name]
        alternates = bench.home / name / ".git/objects/info/alternates"
        alternates.write_text(f"../../../{lender}/.git/objects\n")


def git_directory_elsewhere(bench: Bench) -> None:
    (bench.tree / ".git").rename(bench.home / "of shop")
    (bench.tree / ".git").write_text("gitdir: ../of shop\n")


def sha256(bench: Bench) -> None:
    shutil.rmtree(bench.tree / ".git")
    bench.git("init", "-q", "--object-format=sha256")
    bench.git("add", ".")


def bare(bench: Bench) -> None:
    bench.git("config", "core.bare", "true")


def other_work_tree(bench: Bench) -> None:
    elsewhere = bench.home / "elsewhere"
    shutil.copytree(bench.tree, elsewhere, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    bench.git("config", "core.worktree", str(elsewhere))
    bench.git("status")


def git_is(make: Callable[[Path], object]) -> Change:
    def change(bench: Bench) -> None:
        shutil.rmtree(bench.tree / ".git")
        make(bench.tree / ".git")

    return change


def index_is(make: Callable[[Path], object]) -> Change:
    def change(bench: Bench) -> None:
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
    index_file.write(str(index), Index(names, [*records, *known.records], [], b"", 0))


def with_settings(**named: str) -> Change:
    def change(bench: Bench) -> None:
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


@pytest.mark.parametrize("case", ODD)
def test_an_odd_repository_ends_in_a_right_checkpoint(bench: Bench, case: str) -> None:
    shop(bench)
    ODD[case](bench)
    assert seed(bench) == (case not in COLD)
    record = bench.save().record
    assert held(bench, record) == bench.content()
    assert record.coverage == Coverage()


def test_a_program_that_the_repository_names_is_not_run(bench: Bench, tmp_path: Path) -> None:
    shop(bench)
    program = bench.write("../program", f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    bench.write(".gitattributes", "* filter=bad\n")
    with (bench.tree / ".git/config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {program}\n[include]\n\tpath = {program}\n")
        config.write(f'[filter "bad"]\n\tclean = {program}\n\tprocess = {program}\n')
    seed(bench)
    bench.save()
    assert not (tmp_path / "ran").exists()


def test_settings_that_are_a_pipe_are_not_waited_for(bench: Bench) -> None:
    shop(bench)
    (bench.tree / ".git/config").unlink()
    os.mkfifo(bench.tree / ".git/config")
    assert seed(bench)
    assert held(bench, bench.save().record) == bench.content()


def test_a_work_tree_whose_name_is_two_lines_is_read_anew(bench: Bench) -> None:
    shop(bench)
    odd = bench.home / "two\nlines"
    bench.tree.rename(odd)
    assert not seed(bench, odd)
    record = bench.of(odd).save(About(why="a test")).record
    odd.rename(bench.tree)
    assert held(bench, record) == bench.content()


def test_a_process_that_was_killed_before_the_index_was_written_did_no_harm(bench: Bench) -> None:
    shop(bench)
    with private(bench) as git:
        borrowing.borrow(git, str(bench.tree / ".git/objects"))
    bench.write("a.txt", "changed")
    assert held(bench, bench.save().record) == bench.content()


def test_a_file_that_changed_while_the_index_was_written_is_read_anew(bench: Bench) -> None:
    shop(bench)
    known = index_file.read(str(bench.tree / ".git/index"))
    at = known.names.index(b"a.txt")
    file = write(bench, "a.txt", "THIS IS A.TXT\n")
    facts = file.stat()
    times = [part for ns in (facts.st_ctime_ns, facts.st_mtime_ns) for part in divmod(ns, 10**9)]
    known.records[at] = pack(">4I", *times) + known.records[at][16:]
    lying = known._replace(written_ns=facts.st_mtime_ns)
    index_file.write(str(bench.tree / ".git/index"), lying)
    assert seed(bench)
    assert held(bench, bench.save().record) == bench.content()


def test_a_linked_work_tree_is_seeded_from_its_own_index(bench: Bench) -> None:
    shop(bench)
    bench.git("checkout", "-q", "-b", "other")
    for number in range(20):
        bench.write(f"only/{number}", f"only in the linked one {number}")
    bench.git("add", ".")
    bench.git("commit", "-q", "-m", "more")
    bench.git("checkout", "-q", "main")
    linked = bench.home / "linked"
    bench.git("worktree", "add", "-q", str(linked), "other")
    assert seed(bench, linked)
    with private(bench, linked) as git:
        assert len(git.paths("ls-files", "-z")) == 27 + 1
        assert not git.run("diff-files", "--name-only")
        git.run("write-tree")
    assert written(bench) == 0


def test_what_was_borrowed_is_copied_and_survives_the_users_repository(bench: Bench) -> None:
    shop(bench)
    seed(bench)
    record = bench.save().record
    before = bench.content()
    assert settle(bench)
    with private(bench) as git:
        assert not borrowing.borrowed(git)
    shutil.rmtree(bench.tree / ".git")
    assert held(bench, record) == before
    for name in before:
        (bench.tree / name).unlink()
    bench.restore(record)
    assert bench.content() == before


def test_what_was_borrowed_survives_a_branch_that_is_deleted(bench: Bench) -> None:
    shop(bench)
    bench.git("checkout", "-q", "-b", "feature")
    bench.write("feature.txt", "only here")
    bench.git("add", ".")
    bench.git("commit", "-q", "-m", "feature")
    bench.git("gc", "-q")
    seed(bench)
    record = bench.save().record
    before = bench.content()
    assert settle(bench)
    bench.git("checkout", "-q", "main")
    bench.git("branch", "-q", "-D", "feature")
    bench.git("reflog", "expire", "--expire=now", "--all")
    bench.git("gc", "-q", "--prune=now")
    assert held(bench, record) == before
    bench.restore(record)
    assert bench.content() == before


def test_only_what_is_needed_is_copied(bench: Bench) -> None:
    shop(bench)
    bench.write("a.txt", "in the history only")
    bench.git("commit", "-q", "-a", "-m", "more")
    past = bench.git("rev-parse", ":a.txt").strip()
    bench.write("a.txt", "now")
    bench.git("commit", "-q", "-a", "-m", "more")
    seed(bench)
    bench.save()
    assert settle(bench)
    with pytest.raises(subprocess.CalledProcessError):
        own_git(bench, "cat-file", "-e", past)


def test_a_second_settling_has_nothing_to_do(bench: Bench) -> None:
    shop(bench)
    seed(bench)
    bench.save()
    assert settle(bench)
    packs = sorted((bench.folder / "git/objects/pack").iterdir())
    assert settle(bench)
    assert sorted((bench.folder / "git/objects/pack").iterdir()) == packs


def test_settling_that_was_killed_half_way_can_be_done_again(bench: Bench) -> None:
    shop(bench)
    seed(bench)
    record = bench.save().record
    with private(bench) as git:
        assert borrowing.copy(git) == []  # and here it was killed
        assert borrowing.borrowed(git)
    (bench.folder / "alone/objects").mkdir(parents=True)
    assert held(bench, record) == bench.content()
    assert settle(bench)
    before = bench.content()
    shutil.rmtree(bench.tree / ".git")
    assert held(bench, record) == before


def test_the_index_of_another_work_tree_is_copied_too(bench: Bench) -> None:
    shop(bench)
    linked = bench.home / "linked"
    bench.git("worktree", "add", "-q", str(linked))
    (linked / "own.txt").write_text("only here")
    bench.git("add", ".", at=linked)
    seed(bench)
    bench.save()
    assert seed(bench, linked)  # and it was killed before there was a checkpoint
    assert settle(bench)
    with private(bench, linked) as git:
        assert git.text("write-tree")


@pytest.mark.parametrize("lost", ["the repository", "a blob"])
def test_a_store_that_has_lost_something_is_noticed(bench: Bench, lost: str) -> None:
    shop(bench)
    bench.write("src/b.py", "changed")
    seed(bench)
    bench.save()
    seed(bench)  # it has looked at the store once
    if lost == "a blob":
        without_a_blob(bench)
    else:
        shutil.rmtree(bench.tree / ".git")
    seed(bench)
    record = bench.save("after the loss").record
    assert held(bench, record) == bench.content()


def test_an_index_whose_objects_are_there_is_kept(bench: Bench) -> None:
    shop(bench)
    seed(bench)
    bench.save()
    bench.git("gc", "-q", "--prune=now")
    index = next(bench.folder.glob("index-*[0-9a-f]"))
    facts = index.stat()
    assert not seed(bench)
    assert index.stat().st_ino == facts.st_ino


def test_settling_waits_for_a_store_that_is_not_there(bench: Bench) -> None:
    shop(bench)
    seed(bench)
    record = bench.save().record
    (bench.tree / ".git").rename(bench.home / "unmounted")
    assert not settle(bench)
    (bench.home / "unmounted").rename(bench.tree / ".git")
    assert settle(bench)
    assert held(bench, record) == bench.content()


@pytest.mark.parametrize("lose", [without_a_blob, with_a_damaged_blob])
def test_settling_gives_up_what_nobody_has_and_the_next_checkpoint_is_whole(
    bench: Bench, lose: Change
) -> None:
    shop(bench)
    seed(bench)
    bench.save()
    lose(bench)
    assert settle(bench)
    shutil.rmtree(bench.tree / ".git")
    bench.write("src/b.py", "changed")
    assert held(bench, bench.save("after the loss").record) == bench.content()


def test_dropping_leaves_what_checkpoints_need(bench: Bench) -> None:
    shop(bench)
    seed(bench)
    with private(bench) as git:
        borrowing.drop(git)
        assert not borrowing.borrowed(git)
        os.unlink(git.index)
    seed(bench)
    bench.save()
    with private(bench) as git:
        borrowing.drop(git)
        assert borrowing.borrowed(git)


_NAMES = st.sets(
    st.lists(st.sampled_from(["a", "b.txt", "ü", "x" * 200]), min_size=1, max_size=30).map(
        lambda parts: "/".join(parts).encode()
    ),
    max_size=20,
)


@given(_NAMES, st.sampled_from([2, 3, 4]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_an_index_that_is_written_is_read_as_the_same(
    tmp_path: Path, names: set[bytes], version: int
) -> None:
    path = str(tmp_path / "index")
    split = len(names) // 3
    unsure = sorted(names)[:split]
    sure = sorted(names)[split:]
    index_file.write(path, Index([], [], sorted(names), b"", 7))
    assert index_file.read(path).unsure == sorted(names)
    whole = Index(sure, [_record(name) for name in sure], unsure, b"", 7)
    index_file.write(path, whole)
    assert index_file.read(path) == whole


def _record(name: bytes) -> bytes:
    facts = bytes(24) + pack(">I", 0o100644) + bytes(8) + pack(">I", 5) + b"\x11" * 20
    record = facts + pack(">H", min(len(name), 0xFFF)) + name
    return record + bytes(8 - len(record) % 8)


@given(st.binary(max_size=300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_bytes_are_an_index_or_are_said_to_be_none(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "index"
    for text in (data, b"DIRC\0\0\0\x02\0\0\0\x02" + data + bytes(20)):
        path.write_bytes(text)
        try:
            index_file.read(str(path))
        except UnreadableError:
            continue
