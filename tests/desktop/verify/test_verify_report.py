"""`handrail desktop verify` and `record`, as people and programs read them."""

import json
from pathlib import Path

import msgspec
import pytest
from tests.desktop.verify.git_repository import Repository

from handrail.cli.desktop.record import record_file
from handrail.cli.desktop.verify_report import print_schema, show_left_out, verify_files
from handrail.cli.output.terminal import TerminalOutput
from handrail.desktop.errors import SessionFileError
from handrail.desktop.verify.session import (
    EditedFile,
    EditSession,
    InsertOperation,
    LeftOutFile,
)
from handrail.desktop.verify.verifier import VerificationReport

pytestmark = pytest.mark.slow

PLAIN = TerminalOutput(colour=False)
LINES = "".join(f"line {number}\n" for number in range(100))


@pytest.fixture
def session(tmp_path: Path) -> str:
    """A session of three files, and the files as they should be."""
    names = ("a.txt", "b.txt", "c.txt")
    files = tuple(EditedFile(name, (InsertOperation(1, LINES),)) for name in names)
    file = tmp_path / "S.json"
    file.write_bytes(msgspec.json.encode(EditSession(files)))
    for name in names:
        (tmp_path / name).write_text(LINES)
    return str(file)


def test_the_first_line_answers_the_question(
    session: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify_files(PLAIN, session, str(tmp_path)) == 0
    assert capsys.readouterr().out.splitlines() == [
        " 3 of 3 files match byte for byte",
        "   identical  a.txt  100 lines",
        "   identical  b.txt  100 lines",
        "   identical  c.txt  100 lines",
    ]


def test_each_word_can_be_read_without_colours(
    session: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text(LINES.replace("line 50\n", ""))
    (tmp_path / "b.txt").unlink()
    assert verify_files(PLAIN, session, str(tmp_path)) == 1
    assert capsys.readouterr().out.splitlines() == [
        " 1 of 3 files match byte for byte, 1 different, 1 missing",
        "   different  a.txt  0.9949 (match), 1 of 100 lines missing",
        "   missing    b.txt  there is no such file",
        "   identical  c.txt  100 lines",
        "",
        " --- expected/a.txt",
        " +++ actual/a.txt",
        " @@ -48,7 +48,6 @@",
        "  line 47",
        "  line 48",
        "  line 49",
        " -line 50",
        "  line 51",
        "  line 52",
        "  line 53",
    ]


def test_a_tolerance_is_a_success_that_says_so(
    session: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text(LINES.replace("line 50\n", ""))
    coloured = TerminalOutput(colour=True)
    assert verify_files(coloured, session, str(tmp_path), tolerance=0.99) == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == " \x1b[33m2 of 3 files match byte for byte, 1 similar enough\x1b[0m"
    assert second.startswith("   \x1b[33msimilar    \x1b[0ma.txt")


def test_what_a_file_says_cannot_steer_the_terminal(
    session: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text(LINES + "\x1b]0;owned\x07\n")
    verify_files(PLAIN, session, str(tmp_path))
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert " +\\x1b]0;owned\\x07" in out


def test_json_has_the_whole_report(
    session: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text(LINES[:-1])
    assert verify_files(PLAIN, session, str(tmp_path), as_json=True) == 1
    out = capsys.readouterr().out
    report = msgspec.json.decode(out, type=VerificationReport)
    assert not report.success
    first = json.loads(out)["comparisons"][0]
    assert first == {
        "path": "a.txt",
        "match_status": "match",
        "exists": True,
        "identical": False,
        "accepted": False,
        "similarity": first["similarity"],
        "expected_lines": 100,
        "actual_lines": 100,
        "missing_lines": 1,
        "extra_lines": 1,
        "diff_lines": first["diff_lines"],
        "note": "only the line breaks at the end differ",
        "error": "",
    }
    assert first["diff_lines"][0] == "--- expected/a.txt"


def test_a_wrong_session_is_an_error_and_no_report(tmp_path: Path) -> None:
    (tmp_path / "S.json").write_text('{"files": [{"path": "/etc/x", "operations": []}]}')
    with pytest.raises(SessionFileError, match=r"S.json: files\[0\].path"):
        verify_files(PLAIN, str(tmp_path / "S.json"), str(tmp_path))


def test_the_schema_is_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_schema() == 0
    assert json.loads(capsys.readouterr().out)["title"] == "A recorded editing session"


def test_what_a_session_leaves_out_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    show_left_out(PLAIN, tuple(LeftOutFile(f"f{number}", "it is binary") for number in range(7)))
    assert capsys.readouterr().out.splitlines() == [
        " The session leaves out 7 files:",
        *(f"   f{number}: it is binary" for number in range(5)),
        "   … and 2 more; `left_out` in the session names all",
    ]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "repository")
    repository.commit(a="1\n", b=b"\0")
    repository.commit(a="2\n", b=b"\0\0")
    return repository


def test_a_recording_says_what_is_in_it(
    repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = str(tmp_path / "S.json")
    assert record_file(PLAIN, str(repository.folder), output=output) == 0
    assert capsys.readouterr().out.splitlines() == [
        f" {output}: 1 file, 3 operations",
        " The session leaves out 1 file:",
        "   b: it is binary",
    ]
    assert verify_files(PLAIN, output, str(repository.folder)) == 0


def test_a_recording_can_be_printed(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert record_file(PLAIN, str(repository.folder)) == 0
    assert json.loads(capsys.readouterr().out)["files"][0]["path"] == "a"


def test_a_recording_does_not_overwrite_a_session(repository: Repository, tmp_path: Path) -> None:
    output = tmp_path / "S.json"
    output.write_text("mine")
    with pytest.raises(FileExistsError):
        record_file(PLAIN, str(repository.folder), output=str(output))
    assert output.read_text() == "mine"
