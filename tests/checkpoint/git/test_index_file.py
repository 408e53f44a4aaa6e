"""An index is read and written without git, and junk is said to be junk."""

from pathlib import Path
from struct import pack

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handrail.checkpoint.git import index_file
from handrail.checkpoint.git.index_file import GitIndex, UnreadableIndexError
from tests.checkpoint.conftest import CheckpointProject
from tests.checkpoint.user_repositories import shop

_NAMES = st.sets(
    st.lists(st.sampled_from(["a", "b.txt", "ü", "x" * 200]), min_size=1, max_size=30).map(
        lambda parts: "/".join(parts).encode()
    ),
    max_size=20,
)


@given(_NAMES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_an_index_that_is_written_is_read_as_the_same(tmp_path: Path, names: set[bytes]) -> None:
    path = str(tmp_path / "index")
    split = len(names) // 3
    unsure = sorted(names)[:split]
    sure = sorted(names)[split:]
    index_file.write(path, GitIndex([], [], sorted(names), b"", 7))
    assert index_file.read(path).unsure == sorted(names)
    whole = GitIndex(sure, [_record(name) for name in sure], unsure, b"", 7)
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
        except UnreadableIndexError:
            continue


@pytest.mark.parametrize("version", [2, 3, 4])
def test_an_index_of_git_is_the_same_in_every_version(
    project: CheckpointProject, version: int
) -> None:
    shop(project)
    project.write("a.txt", "planned")
    project.git("add", ".")
    project.git("update-index", "--assume-unchanged", "src/b.py")
    project.write("new.txt", "new")
    project.git("add", "-N", "new.txt")
    path = str(project.tree / ".git/index")
    before = index_file.read(path)
    project.git("update-index", f"--index-version={version}")
    after = index_file.read(path)
    assert after[:3] == before[:3]
    named = project.git("ls-files", "-z").split("\0")[:-1]
    assert sorted([*after.names, *after.unsure]) == sorted(map(str.encode, named))
    assert after.unsure == [b"new.txt"]


def test_what_git_has_written_is_written_the_same(project: CheckpointProject) -> None:
    shop(project)
    path = project.tree / ".git/index"
    data = path.read_bytes()
    index_file.write(str(path), index_file.read(str(path)))
    assert path.read_bytes() == data
