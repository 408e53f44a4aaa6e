"""A replay, with an editor in memory and files on the disk."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.desktop.replay.memory_editor import MemoryEditor, keep

from handrail.desktop.errors import SessionFileError
from handrail.desktop.replay.editor import EditorReplayError
from handrail.desktop.replay.engine import ReplayEngine, ReplayOutcome, ReplayPace
from handrail.desktop.verify.recorder import edit_operations
from handrail.desktop.verify.session import (
    EditedFile,
    EditSession,
    InsertOperation,
    NavigateOperation,
    OriginalHash,
)
from handrail.desktop.watch.worker import DesktopWorker, WorkerProgress

PATIENCE = 30.0
QUICK = ReplayPace(save_every=3, save_seconds=0.1, patience=0.2)
OLD, NEW = "one\ntwo\nthree\n", "zero\none\nTWO ü\nthree\nfour"
OPERATIONS = edit_operations(OLD, NEW)
SESSION = EditSession(
    (
        EditedFile("a.txt", OPERATIONS, OLD),
        EditedFile("sub/b.txt", edit_operations("", "b\n")),
        EditedFile("c.txt", (NavigateOperation(1),), "c\n"),
    )
)


def replayed(engine: ReplayEngine) -> ReplayOutcome:
    engine.start()
    outcome = engine.join(PATIENCE)
    assert outcome
    return outcome


def test_files_are_made_edited_saved_and_compared(tmp_path: Path) -> None:
    editor = MemoryEditor()
    outcome = replayed(ReplayEngine(SESSION, str(tmp_path), editor, pace=QUICK))
    assert (outcome.finished, outcome.aborted, outcome.error) == (True, False, "")
    assert outcome.verification
    assert outcome.verification.summary == "3 of 3 files match byte for byte"
    assert [(each.path, each.operations, each.repaired) for each in outcome.files] == [
        ("a.txt", len(OPERATIONS), 0), ("sub/b.txt", 2, 0), ("c.txt", 1, 0),
    ]  # fmt: skip
    assert (tmp_path / "a.txt").read_text() == NEW
    assert editor.log == [
        "open a.txt", "save", "save", "save", "open b.txt", "save", "open c.txt", "save",
    ]  # fmt: skip
    assert not editor.is_open


@given(st.lists(st.sampled_from(["a", "ü", "\n"]), max_size=12).map("".join),
       st.lists(st.sampled_from(["a", "ü", "\n"]), max_size=12).map("".join))  # fmt: skip
def test_any_recording_replays_to_what_it_should(
    tmp_path_factory: pytest.TempPathFactory, old: str, new: str
) -> None:
    root = tmp_path_factory.mktemp("root")
    (root / "a").write_text(old)
    session = EditSession((EditedFile("a", edit_operations(old, new), old),))
    outcome = replayed(ReplayEngine(session, str(root), MemoryEditor(), pace=QUICK))
    assert outcome.verification
    assert outcome.verification.success


class SlowToSave(MemoryEditor):
    """Saves only after somebody has looked often whether it is free."""

    looks = 0

    def save(self) -> None:
        self.looks = 10

    def obstacle(self) -> str:
        self.looks -= 1
        if not self.looks:
            super().save()
        return ""


def test_an_editor_that_has_much_to_do_before_it_saves_is_waited_for(tmp_path: Path) -> None:
    pace = ReplayPace(save_seconds=0.1, patience=PATIENCE)
    outcome = replayed(ReplayEngine(SESSION, str(tmp_path), SlowToSave(), pace=pace))
    assert (outcome.finished, outcome.error) == (True, "")


def test_an_editor_that_loses_a_character_is_stopped(tmp_path: Path) -> None:
    editor = MemoryEditor(saves=lambda text: text.replace("ü", ""))
    outcome = replayed(ReplayEngine(SESSION, str(tmp_path), editor, pace=QUICK))
    assert not outcome.finished
    assert outcome.error == (
        "a.txt: memory has saved something else: 1 of 4 expected lines are not there, and 1 "
        "others are"
    )
    assert outcome.damage
    assert "-TWO ü" in outcome.damage.diff_lines
    assert outcome.verification is None


def test_on_request_the_file_is_repaired_past_the_editor(tmp_path: Path) -> None:
    editor = MemoryEditor(saves=lambda text: text.replace("ü", ""))
    engine = ReplayEngine(SESSION, str(tmp_path), editor, pace=QUICK, repair=True)
    outcome = replayed(engine)
    assert (outcome.error, outcome.files[0].repaired) == ("", 2)
    assert "reload" in editor.log
    assert outcome.verification
    assert outcome.verification.success


def test_the_comparison_in_the_end_can_be_left_out(tmp_path: Path) -> None:
    engine = ReplayEngine(SESSION, str(tmp_path), MemoryEditor(), pace=QUICK, verify=False)
    outcome = replayed(engine)
    assert (outcome.finished, outcome.verification) == (True, None)


def test_damage_after_the_last_save_is_seen_in_the_end(tmp_path: Path) -> None:
    def spoil(context: str) -> None:
        if context == "just finished sub/b.txt":
            (tmp_path / "a.txt").write_text("spoiled")

    engine = ReplayEngine(SESSION, str(tmp_path), MemoryEditor(), pace=QUICK, check_between=spoil)
    outcome = replayed(engine)
    assert outcome.finished
    assert outcome.verification
    assert outcome.verification.summary == "2 of 3 files match byte for byte, 1 different"


def test_it_waits_while_another_window_has_the_keyboard(tmp_path: Path) -> None:
    editor = MemoryEditor()
    editor.obstacles = iter(["a dialog", "a dialog", ""])
    outcome = replayed(ReplayEngine(SESSION, str(tmp_path), editor, pace=QUICK))
    assert outcome.finished


def endlessly(obstacle: str) -> Iterator[str]:
    while True:
        yield obstacle


def test_it_gives_up_when_nobody_clears_the_way(tmp_path: Path) -> None:
    editor = MemoryEditor()
    editor.obstacles = endlessly("the window 'Save?'")
    outcome = replayed(ReplayEngine(SESSION, str(tmp_path), editor, pace=QUICK))
    assert outcome.error == ("a.txt: the window 'Save?' has the keyboard, after 0.2 s of waiting")
    assert not editor.is_open


def test_a_paste_that_nobody_took_is_made_again(tmp_path: Path) -> None:
    editor = MemoryEditor()
    editor.refused_pastes = 1
    outcome = replayed(ReplayEngine(SESSION, str(tmp_path), editor, pace=QUICK))
    assert outcome.error == ""
    assert (tmp_path / "a.txt").read_text() == NEW


def test_pastes_that_nobody_takes_end_it(tmp_path: Path) -> None:
    editor = MemoryEditor()
    editor.refused_pastes = 3
    outcome = replayed(ReplayEngine(SESSION, str(tmp_path), editor, pace=QUICK))
    assert outcome.error == "type: nobody took the paste"


def test_a_save_that_a_dialog_swallowed_is_made_again(tmp_path: Path) -> None:
    swallowed = [True]

    def saves(text: str) -> str:
        return "" if swallowed and swallowed.pop() else text

    editor = MemoryEditor(saves)
    session = EditSession((EditedFile("a", (InsertOperation(1, "x"),)),))
    editor.obstacles = iter(["", "", "a dialog"])
    assert replayed(ReplayEngine(session, str(tmp_path), editor, pace=QUICK)).error == ""
    assert editor.log.count("save") == 2


def test_the_callback_between_files_may_pause_and_resume(tmp_path: Path) -> None:
    contexts: list[str] = []

    def check(context: str) -> None:
        contexts.append(context)
        assert engine.pause(0)
        engine.resume()

    engine = ReplayEngine(SESSION, str(tmp_path), MemoryEditor(), pace=QUICK, check_between=check)
    assert replayed(engine).finished
    assert contexts == [
        "just finished a.txt", "just finished sub/b.txt", "just finished c.txt",
    ]  # fmt: skip


class HeldReplay:
    """A replay that an editor holds up in its first save."""

    def __init__(self, root: Path) -> None:
        self.reached, self.goes_on = Event(), Event()
        self.engine = ReplayEngine(SESSION, str(root), MemoryEditor(self._save), pace=QUICK)
        self.engine.start()
        assert self.reached.wait(PATIENCE)

    def _save(self, text: str) -> str:
        self.reached.set()
        assert self.goes_on.wait(PATIENCE)
        return text


def test_it_pauses_between_two_operations_and_goes_on(tmp_path: Path) -> None:
    held = HeldReplay(tmp_path)
    worker: DesktopWorker = held.engine
    assert not worker.pause(0.01)
    held.goes_on.set()
    assert worker.pause(PATIENCE)
    before = worker.progress()
    assert held.engine.join(0.05) is None
    assert worker.progress() == before
    worker.resume()
    outcome = held.engine.join(PATIENCE)
    assert outcome
    assert outcome.finished


def test_it_can_be_ended_while_it_is_paused(tmp_path: Path) -> None:
    held = HeldReplay(tmp_path)
    held.goes_on.set()
    assert held.engine.pause(PATIENCE)
    held.engine.abort()
    outcome = held.engine.join(PATIENCE)
    assert outcome
    assert (outcome.aborted, outcome.finished, outcome.error) == (True, False, "")


def test_progress_counts_operations_and_bytes_on_the_disk(tmp_path: Path) -> None:
    held = HeldReplay(tmp_path)
    total = len(OPERATIONS) + 3
    assert held.engine.progress() == WorkerProgress(3, total, "a.txt", 0)
    checked = held.engine.check_open_file()
    assert checked
    assert not checked.identical
    held.goes_on.set()
    held.engine.join(PATIENCE)
    assert held.engine.progress() == WorkerProgress(total, total)
    assert held.engine.check_open_file() is None


def test_the_open_file_is_compared_with_what_was_saved_last(tmp_path: Path) -> None:
    checks: list[bool] = []

    def check(_context: str) -> None:
        found = engine.check_open_file()
        checks.append(bool(found and found.identical))

    engine = ReplayEngine(SESSION, str(tmp_path), MemoryEditor(), pace=QUICK, check_between=check)
    replayed(engine)
    assert checks == [True, True, True]


def refused(root: Path, session: EditSession) -> str:
    with pytest.raises(EditorReplayError) as raised:
        ReplayEngine(session, str(root), MemoryEditor(), pace=QUICK)
    return str(raised.value)


def no_change(_root: Path) -> None:
    """Leave the folder empty."""


def other_text(root: Path) -> None:
    (root / "a.txt").write_text("other")


def new_file_is_there(root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "b.txt").write_text("mine")


def pipe(root: Path) -> None:
    os.mkfifo(root / "a.txt")


def link_outside(root: Path) -> None:
    (root / "sub").symlink_to(root.parent)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (other_text, "a.txt: is not as the session begins: put the original back first"),
        (new_file_is_there, "sub/b.txt: is there already; the session begins without it"),
        (pipe, "a.txt: is a pipe, not a file"),
        (link_outside, "sub/b.txt: a symbolic link leads out of ROOT"),
    ],
)
def test_files_that_do_not_fit_are_refused_before_anything_happens(
    tmp_path: Path, spoil: Callable[[Path], None], says: str
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    spoil(root)
    before = sorted(root.rglob("*"))
    assert refused(root, SESSION) == says
    assert sorted(root.rglob("*")) == before


def test_a_text_that_the_editor_would_change_is_refused_before_anything_happens(
    tmp_path: Path,
) -> None:
    session = EditSession((EditedFile("a", (InsertOperation(1, "a\0"),)),))
    assert refused(tmp_path, session) == "a: it has a NUL"
    session = EditSession((EditedFile("a", (InsertOperation(1, "a\r\n"),)),))
    assert refused(tmp_path, session).endswith("and this one has CRLF")
    assert not list(tmp_path.iterdir())


def test_an_original_by_hash_has_to_be_there(tmp_path: Path) -> None:
    session = EditSession((EditedFile("a", (), OriginalHash("0" * 64, 1)),))
    assert refused(tmp_path, session) == "a: there is no such file"
    (tmp_path / "a").write_text("x")
    assert refused(tmp_path, session).startswith("a: is not the original")


def test_an_operation_out_of_range_is_refused_before_anything_happens(tmp_path: Path) -> None:
    session = EditSession((*SESSION.files, EditedFile("d", (NavigateOperation(2),))))
    with pytest.raises(SessionFileError, match=r"files\[3\].operations\[0\].line"):
        ReplayEngine(session, str(tmp_path), MemoryEditor(keep), pace=QUICK)
    assert not list(tmp_path.iterdir())
