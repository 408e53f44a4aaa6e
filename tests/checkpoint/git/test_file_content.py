"""What a file is for git, found without git."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.checkpoint.git.file_content import FileContent, file_content


def _content(path: Path) -> FileContent | None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        return file_content(path.name, folder)
    finally:
        os.close(folder)


def _by_git(data: bytes) -> str:
    argv = ["git", "hash-object", "--stdin"]
    return subprocess.run(argv, input=data, check=True, capture_output=True).stdout.decode().strip()


@given(st.binary(max_size=2_000))
def test_a_file_has_the_name_that_git_gives_it(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    file = tmp_path_factory.mktemp("content") / "file"
    file.write_bytes(data)
    assert _content(file) == FileContent("100644", _by_git(data))


def test_a_file_of_many_pieces_too(tmp_path: Path) -> None:
    data = os.urandom(2_500_000)
    (tmp_path / "large").write_bytes(data)
    assert _content(tmp_path / "large") == FileContent("100644", _by_git(data))


def test_a_program_is_one_for_its_owner(tmp_path: Path) -> None:
    for name, mode, says in (("run", 0o700, "100755"), ("odd", 0o655, "100644")):
        file = tmp_path / name
        file.write_bytes(b"#!/bin/sh\n")
        file.chmod(mode)
        assert _content(file) == FileContent(says, _by_git(b"#!/bin/sh\n"))


def test_a_link_is_what_it_says_and_never_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/passwd")
    assert _content(tmp_path / "link") == FileContent("120000", _by_git(b"/etc/passwd"))


def test_nothing_else_is_read(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe", "missing"):
        assert _content(tmp_path / name) is None
