"""Files beside what a session should have made of them."""

import hashlib
import os
import socket
from pathlib import Path

import pytest

from handrail.desktop.errors import DesktopError, SessionFileError
from handrail.desktop.verify.session import (
    DeleteOperation,
    EditedFile,
    EditSession,
    InsertOperation,
    NavigateOperation,
    OriginalHash,
)
from handrail.desktop.verify.unified_diff import MAX_DIFF_LINES
from handrail.desktop.verify.verifier import (
    FileResult,
    MatchStatus,
    SessionVerifier,
    VerificationReport,
)

LINES = "".join(f"line {number}\n" for number in range(100))


def session(expected: str = LINES, path: str = "a.txt") -> EditSession:
    return EditSession((EditedFile(path, (InsertOperation(1, expected),)),))


def verify(root: Path, tolerance: float | None = None) -> FileResult:
    (found,) = SessionVerifier(str(root), tolerance=tolerance).verify(session()).comparisons
    return found


def damaged(number: int) -> str:
    lines = LINES.splitlines(keepends=True)
    return "".join(lines[:50] + ["other\n"] * number + lines[50 + number :])


def test_success_is_equality_byte_for_byte(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(LINES)
    report = SessionVerifier(str(tmp_path)).verify(session())
    assert report == VerificationReport(
        success=True,
        summary="1 of 1 file matches byte for byte",
        comparisons=(
            FileResult(
                path="a.txt",
                match_status=MatchStatus.MATCH,
                identical=True,
                accepted=True,
                similarity=1.0,
                expected_lines=100,
                actual_lines=100,
            ),
        ),
    )


@pytest.mark.parametrize(
    ("changed", "status"),
    [(1, MatchStatus.MATCH), (9, MatchStatus.PARTIAL), (30, MatchStatus.MISMATCH)],
)
def test_the_ratio_has_words_but_counts_as_different(
    tmp_path: Path, changed: int, status: MatchStatus
) -> None:
    (tmp_path / "a.txt").write_text(damaged(changed))
    found = verify(tmp_path)
    assert (found.match_status, found.identical, found.accepted) == (status, False, False)
    assert (found.missing_lines, found.extra_lines) == (changed, changed)


def test_a_tolerance_accepts_what_is_alike(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(damaged(5))
    found = verify(tmp_path)
    assert verify(tmp_path, tolerance=found.similarity).accepted
    assert not verify(tmp_path, tolerance=found.similarity + 0.001).accepted
    assert not verify(tmp_path, tolerance=0.0).identical


def test_lost_characters_of_one_line_are_no_match(tmp_path: Path) -> None:
    original = "def price():\n    return '5 € für zwei'\n\n\nprint(price())\n# ü\n# a\n# b\n# c\n"
    (tmp_path / "a.txt").write_text(original.replace("5 € für", "5 ï fr"))
    report = SessionVerifier(str(tmp_path)).verify(session(original))
    (found,) = report.comparisons
    assert not report.success
    assert found.match_status is MatchStatus.MISMATCH
    assert "-    return '5 € für zwei'" in found.diff_lines
    assert "+    return '5 ï fr zwei'" in found.diff_lines


def test_a_missing_file_is_missing_with_all_its_lines(tmp_path: Path) -> None:
    found = verify(tmp_path, tolerance=0.0)
    assert (found.match_status, found.exists, found.missing_lines) == ("missing", False, 100)
    assert not found.accepted


def test_whatever_is_no_readable_file_is_a_mismatch_and_does_not_hang(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    os.mkfifo(root / "pipe")
    (root / "folder").mkdir()
    (tmp_path / "outside").write_text(LINES)
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "device").symlink_to("/dev/zero")
    (root / "loop").symlink_to("loop")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(root / "socket"))
    names = {
        "pipe": "is a pipe, not a file",
        "folder": "is a folder, not a file",
        "socket": "is a socket, not a file",
        "link": "a symbolic link leads out of ROOT",
        "device": "a symbolic link leads out of ROOT",
        "loop": "is a symbolic link, not a file",
    }
    files = tuple(EditedFile(name, (InsertOperation(1, LINES),)) for name in names)
    report = SessionVerifier(str(root), tolerance=0.0).verify(EditSession(files))
    listening.close()
    assert {each.path: each.error for each in report.comparisons} == names
    assert {each.match_status for each in report.comparisons} == {MatchStatus.MISMATCH}
    assert not report.success


def test_a_file_that_may_not_be_read_says_so(tmp_path: Path, no_override: None) -> None:
    (tmp_path / "a.txt").write_text(LINES)
    (tmp_path / "a.txt").chmod(0)
    assert verify(tmp_path).error == "cannot be read: Permission denied"


def test_a_link_within_the_root_is_followed(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "real.txt").write_text(LINES)
    (tmp_path / "a.txt").symlink_to("sub/real.txt")
    assert verify(tmp_path).identical


def test_a_folder_that_is_a_link_out_of_the_root_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret.txt").write_text(LINES)
    (root / "up").symlink_to(tmp_path)
    (found,) = SessionVerifier(str(root)).verify(session(path="up/secret.txt")).comparisons
    assert found.error == "a symbolic link leads out of ROOT"


@pytest.mark.parametrize(
    ("actual", "note"),
    [
        (LINES.replace("\n", "\r\n"), "only line breaks differ (CRLF and LF)"),
        (LINES.rstrip("\n"), "only the line breaks at the end differ"),
        (LINES + "\n", "only the line breaks at the end differ"),
        (f"\ufeff{LINES}", "only the byte order mark differs"),
        (LINES.replace("line 7", "line\t7"), "only blanks and line breaks differ"),
        ("", "the file is empty"),
        (LINES.replace("7", "8"), ""),
    ],
)
def test_a_plain_kind_of_difference_is_named(tmp_path: Path, actual: str, note: str) -> None:
    (tmp_path / "a.txt").write_bytes(actual.encode())
    assert verify(tmp_path).note == note


def test_a_file_that_is_not_text_is_compared_too(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe\0" + LINES.encode())
    found = verify(tmp_path)
    assert (found.missing_lines, found.extra_lines) == (1, 1)
    assert "+\\xff\\xfe\0line 0" in found.diff_lines


def test_the_diff_is_that_of_diff_u(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(damaged(1).rstrip("\n"))
    assert verify(tmp_path).diff_lines == (
        "--- expected/a.txt",
        "+++ actual/a.txt",
        "@@ -48,7 +48,7 @@",
        " line 47",
        " line 48",
        " line 49",
        "-line 50",
        "+other",
        " line 51",
        " line 52",
        " line 53",
        "@@ -97,4 +97,4 @@",
        " line 96",
        " line 97",
        " line 98",
        "-line 99",
        "+line 99",
        "\\ No newline at end of file",
    )


def test_the_diff_is_bounded(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"{number}" * 2_000 + "\n" for number in range(5_000)))
    found = verify(tmp_path)
    assert len(found.diff_lines) == MAX_DIFF_LINES + 1
    assert found.diff_lines[-1].startswith("… the diff goes on")
    assert max(map(len, found.diff_lines)) < 600


def test_an_operation_out_of_range_is_an_error_of_the_session(tmp_path: Path) -> None:
    files = (
        EditedFile("a", ()),
        EditedFile("b", (NavigateOperation(1), DeleteOperation(1, 3)), "x\ny\n"),
    )
    with pytest.raises(SessionFileError) as raised:
        SessionVerifier(str(tmp_path), "S.json").verify(EditSession(files))
    assert str(raised.value).startswith(
        "S.json: files[1].operations[1].line_end: line 3 is beyond the end: the text has 2 lines"
    )


def test_a_session_without_originals_says_why_its_first_line_is_not_there(tmp_path: Path) -> None:
    files = (EditedFile("a", (NavigateOperation(40),)),)
    with pytest.raises(SessionFileError, match="no `original` of this file, so it begins empty"):
        SessionVerifier(str(tmp_path)).verify(EditSession(files))


def by_hash(text: str) -> EditSession:
    data = text.encode()
    original = OriginalHash(hashlib.sha256(data).hexdigest(), len(data))
    return EditSession((EditedFile("a.txt", (InsertOperation(1, "new\n"),), original),))


def test_an_original_by_hash_is_read_from_the_folder_of_originals(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "a.txt").write_text("was\n")
    (tmp_path / "a.txt").write_text("new\nwas\n")
    verifier = SessionVerifier(str(tmp_path), originals=str(tmp_path / "old"))
    assert verifier.verify(by_hash("was\n")).success
    (found,) = verifier.verify(by_hash("other\n")).comparisons
    assert found.match_status is MatchStatus.ERROR
    assert found.error == "is not the original: its hash or size is another"


def test_an_original_that_nobody_has_is_an_error_of_its_file(tmp_path: Path) -> None:
    report = SessionVerifier(str(tmp_path), tolerance=0.0).verify(by_hash("was\n"))
    assert report.comparisons[0].match_status is MatchStatus.ERROR
    assert "give --originals FOLDER" in report.comparisons[0].error
    assert not report.success


def test_the_summary_counts_each_kind(tmp_path: Path) -> None:
    texts = {"same": LINES, "alike": damaged(1), "other": damaged(60)}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "folder").mkdir()
    names = (*texts, "folder", "absent")
    files = tuple(EditedFile(name, (InsertOperation(1, LINES),)) for name in names)
    report = SessionVerifier(str(tmp_path), tolerance=0.95).verify(EditSession(files))
    assert report.summary == (
        "1 of 5 files match byte for byte, 1 similar enough, 1 different, 1 missing, 1 not readable"
    )


def test_the_root_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(DesktopError, match="there is no such folder"):
        SessionVerifier(str(tmp_path / "none"))


def test_a_difference_near_the_end_shows_all_lines_of_its_context(tmp_path: Path) -> None:
    expected = "a\na\nb\na\na\nb\na\n"
    (tmp_path / "a.txt").write_text("a\na\nb\nb\na\na\nb\na\n")
    (found,) = SessionVerifier(str(tmp_path)).verify(session(expected)).comparisons
    context = [line for line in found.diff_lines if line.startswith(" ")]
    assert context == [" a", " a", " b", " a", " a", " b"]
