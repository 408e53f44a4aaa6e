"""`handrail desktop replay`, as people and programs read it."""

import json
from pathlib import Path

import pytest
from tests.desktop.replay.memory_editor import MemoryEditor, keep

from handrail.cli.desktop.replay import run_replay
from handrail.cli.output.terminal import TerminalOutput
from handrail.desktop.replay.engine import ReplayEngine, ReplayPace
from handrail.desktop.verify.session import EditedFile, EditSession, InsertOperation, LeftOutFile

PLAIN = TerminalOutput(colour=False)
SESSION = EditSession(
    (EditedFile("a", (InsertOperation(1, "ü\n"),)), EditedFile("b", ())),
    left_out=(LeftOutFile("c", "it is binary"),),
)


def lose(text: str) -> str:
    return text.replace("ü", "")


def engine(root: Path, editor: MemoryEditor, *, repair: bool = False) -> ReplayEngine:
    pace = ReplayPace(save_seconds=0.1, patience=0.1)
    return ReplayEngine(SESSION, str(root), editor, pace=pace, repair=repair)


def test_the_first_line_answers_the_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_replay(PLAIN, engine(tmp_path, MemoryEditor(keep)), SESSION) == 0
    assert capsys.readouterr().out.splitlines() == [
        " 2 of 2 files match byte for byte",
        "   identical  a  1 line",
        "   identical  b  0 lines",
        " Replayed 1 operation in 2 files, in 0 s.",
        " The session leaves out 1 file:",
        "   c: it is binary",
    ]


def test_a_replay_that_stopped_says_where_and_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_replay(PLAIN, engine(tmp_path, MemoryEditor(lose)), SESSION) == 1
    out = capsys.readouterr().out
    assert out.startswith(
        " The replay stopped: a: memory has saved something else: 1 of 1 expected"
    )
    assert "   -ü\n   +\n" in out


def test_a_repair_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_replay(PLAIN, engine(tmp_path, MemoryEditor(lose), repair=True), SESSION) == 0
    says = " a: the editor saved something else; Handrail wrote it once"
    assert says in capsys.readouterr().out.splitlines()


def test_an_ended_replay_is_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replay = engine(tmp_path, MemoryEditor(keep))
    replay.abort()
    assert run_replay(PLAIN, replay, SESSION) == 1
    assert capsys.readouterr().out.startswith(" The replay was ended.\n")


def test_json_has_the_whole_outcome(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_replay(PLAIN, engine(tmp_path, MemoryEditor(lose)), SESSION, as_json=True) == 1
    outcome = json.loads(capsys.readouterr().out)
    assert (outcome["finished"], outcome["aborted"], outcome["verification"]) == (
        False,
        False,
        None,
    )
    assert outcome["damage"]["diff_lines"][-2:] == ["-ü", "+"]
