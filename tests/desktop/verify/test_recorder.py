"""A session from two git commits."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from tests.desktop.verify.git_repository import Repository
from tests.desktop.verify.texts import texts

from handrail.desktop.verify import recorder
from handrail.desktop.verify.rebuild import rebuild
from handrail.desktop.verify.recorder import (
    RecordingError,
    edit_operations,
    encode_session,
    record_session,
)
from handrail.desktop.verify.session import (
    DeleteOperation,
    InsertOperation,
    NavigateOperation,
    OriginalHash,
)
from handrail.desktop.verify.session_reading import read_session
from handrail.desktop.verify.verifier import SessionVerifier

pytestmark = pytest.mark.slow


@given(texts, texts)
def test_the_operations_make_the_new_text(old: str, new: str) -> None:
    assert rebuild(old, edit_operations(old, new)) == new


@given(texts)
def test_nothing_is_done_to_a_text_that_stays(text: str) -> None:
    assert edit_operations(text, text) == ()


def test_each_difference_is_gone_to_deleted_and_inserted() -> None:
    old = "a\nb\nc\nd\ne\n"
    assert edit_operations(old, "a\nB\nb2\nc\ne\nf") == (
        NavigateOperation(2),
        DeleteOperation(2, 2),
        InsertOperation(2, "B\nb2\n"),
        NavigateOperation(5),
        DeleteOperation(5, 5),
        NavigateOperation(6),
        InsertOperation(6, "f"),
    )


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def test_what_is_recorded_verifies_byte_for_byte(repository: Repository) -> None:
    repository.commit(src__a="ä\nb\r\nc", same="s\n", crlf="1\r\n2\r\n")
    repository.commit(src__a="ä\nB\r\nc\n", new="", other="neu\n", crlf="1\r\n\r\n2")
    root = str(repository.folder)
    session = read_session(encode_session(record_session(root)), "S.json")
    assert [each.path for each in session.files] == ["crlf", "new", "other", "src/a"]
    assert [each.original for each in session.files] == ["1\r\n2\r\n", None, None, "ä\nb\r\nc"]
    assert SessionVerifier(root).verify(session).success
    (repository.folder / "other").write_text("neu")
    assert not SessionVerifier(root).verify(session).success


def test_two_commits_are_named_as_git_names_them(repository: Repository) -> None:
    repository.commit(a="1\n")
    repository.git("tag", "begin")
    repository.commit(a="2\n")
    repository.commit(a="3\n")
    root = str(repository.folder)
    (file,) = record_session(root, "begin", "HEAD").files
    assert file.original == "1\n"
    (file,) = record_session(root, "begin", "HEAD~1").files
    assert rebuild("1\n", file.operations) == "2\n"


def test_a_folder_of_a_repository_is_a_root_of_its_own(repository: Repository) -> None:
    repository.commit(sub__a="1\n", b="1\n")
    repository.commit(sub__a="2\n", b="2\n")
    (file,) = record_session(str(repository.folder / "sub")).files
    assert file.path == "a"


def test_originals_can_be_kept_by_hash(repository: Repository) -> None:
    repository.commit(a="1\n")
    repository.commit(a="2\n")
    (file,) = record_session(str(repository.folder), by_hash=True).files
    assert isinstance(file.original, OriginalHash)
    assert file.original.size == 2


def test_what_no_operation_can_say_is_left_out_with_its_reason(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "MAX_RECORDED_BYTES", 2_000_000)
    other = Repository(tmp_path / "other")
    other.commit(x="x")
    repository.commit(old="stays the same\n" * 9, gone="g\n", mode="m\n", kind="k\n", kept="1\n")
    repository.git("submodule", "add", "-q", str(other.folder), "sub")
    (repository.folder / "old").rename(repository.folder / "renamed")
    (repository.folder / "mode").chmod(0o755)
    (repository.folder / "kind").unlink()
    (repository.folder / "kind").symlink_to("kept")
    (repository.folder / "link").symlink_to("kept")
    odd = os.path.join(os.fsencode(repository.folder), b"odd\xff")
    with open(odd, "wb") as file:
        file.write(b"odd\n")
    repository.commit(gone=None, binary=b"a\0b", latin=b"\xe4\n", huge="x" * 2_000_001, kept="2\n")
    session = record_session(str(repository.folder))
    assert [each.path for each in session.files] == [".gitmodules", "kept"]
    assert {each.path: each.reason for each in session.left_out} == {
        "binary": "it is binary",
        "latin": "it is not UTF-8",
        "huge": "it has more than 2 MB",
        "gone": "it is deleted, and no operation deletes a file",
        "mode": "only its mode changes",
        "kind": "it is a symbolic link",
        "link": "it is a symbolic link",
        "renamed": "it is renamed from old, and no operation renames a file",
        "sub": "it is a submodule",
        "odd\\xff": "its name is not UTF-8",
    }


def test_no_setting_of_a_repository_runs_a_program(repository: Repository) -> None:
    repository.commit(a="1\n")
    (repository.folder / ".gitattributes").write_text("* diff=evil filter=evil\n")
    for key in ("diff.evil.command", "diff.evil.textconv", "core.fsmonitor", "diff.external"):
        repository.git("config", key, f"touch {repository.folder}/ran; false")
    (repository.folder / "a").write_text("2\n")
    repository.git("add", "a")
    repository.git("-c", "core.fsmonitor=false", "commit", "-q", "-m", "a change")
    (repository.folder / "ran").unlink(missing_ok=True)
    (file,) = record_session(str(repository.folder)).files
    assert file.path == "a"
    assert not (repository.folder / "ran").exists()


@pytest.mark.parametrize("name", ["none", "HEAD~9", "--output=x", ""])
def test_a_commit_that_is_not_there_is_named(repository: Repository, name: str) -> None:
    repository.commit(a="1\n")
    with pytest.raises(RecordingError, match=f"there is no commit {name}"):
        record_session(str(repository.folder), name, "HEAD")


def test_a_folder_without_a_repository_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(RecordingError, match="is not in a git work tree"):
        record_session(str(tmp_path / "plain"))


def test_a_change_that_leaves_nothing_to_do_is_refused_with_the_reason(
    repository: Repository,
) -> None:
    repository.commit(a=b"\0")
    repository.commit(a=b"\0\0")
    with pytest.raises(RecordingError, match=r"can be recorded; a: it is binary"):
        record_session(str(repository.folder))
