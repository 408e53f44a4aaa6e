"""What is said around the picture of a restore."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.cli.checkpoint_records import record
from tests.cli.conftest import HandrailShell
from tests.cli.logbook import open_logbook

from handrail.checkpoint import (
    ConversationPosition,
    Coverage,
    LeftOut,
    RestorePreview,
    RestoreTarget,
    UndoLevel,
)
from handrail.checkpoint.history.git_plan import GitUndoPlan, RefChange, SparedPart
from handrail.checkpoint.restore.journal import InterruptedRestore
from handrail.checkpoint.restore.target import FileRestoreAction, RestoreItem, SparedFile
from handrail.cli.output.terminal import TerminalOutput
from handrail.cli.restores.wording import (
    RestoreAnswer,
    RestoreManner,
    answers_to,
    half_done_lines,
    names_in,
    question,
    remarks,
    repository_lines,
    result,
    resume_command,
    title,
    with_run_names,
)
from handrail.server.files.restore_messages import PreviewReply, RestoreReply
from handrail.server.files.restore_wording import with_names

RUN = "3f2a9c1e-0b11-4d01-b42d-00cf4fc964ff"
UNDO = RestoreManner(verb="Undo", done="undone", command="handrail undo")
KEPT = SparedFile("cart.py", "changed by a person", conflict=True)
ITEM = RestoreItem("plan.md", FileRestoreAction.CREATE, 9)


def look(
    way: RestoreTarget | None = None, *, preview: dict[str, Any] | None = None, **fields: Any
) -> PreviewReply:
    shown = RestorePreview(way or RestoreTarget(UndoLevel.ACTION, record(1)), "tree", (ITEM,))
    return PreviewReply(msgspec.structs.replace(shown, **(preview or {})), **fields)


def said(given: PreviewReply, manner: RestoreManner = UNDO) -> list[str]:
    return [text for text, _ in remarks(given, manner, {RUN: "shop-3f2a"})]


def test_it_is_said_what_is_undone_and_from_when() -> None:
    way = RestoreTarget(UndoLevel.ACTION, record(1), says="action 2 of run shop-3f2a (Bash: make)")
    assert title(way, UNDO).startswith("Undo action 2 of run shop-3f2a (Bash: make), ")
    back = RestoreManner(verb="Roll back", done="rolled back", command="x")
    named = RestoreTarget(UndoLevel.CHECKPOINT, record(7, name="good"))
    assert title(named, back).startswith("Roll back to c7 good, ")
    assert title(named, back).endswith(" ago")


def test_runs_are_called_as_people_call_them(shell: HandrailShell) -> None:
    with open_logbook(shell) as book:
        book.start(RUN)
    way = RestoreTarget(UndoLevel.ACTION, record(1), says=f"action 2 of run {RUN} (Bash: make)")
    kept = SparedFile("cart.py", f"changed by run {RUN} (in c3, just now)", conflict=True)
    given = look(way, preview={"spared": (kept,)}, working=("another",))
    names = names_in(given)
    assert names == {RUN: "shop-3f2a", "another": "another"}
    named = with_names(given, names).preview
    assert named.way.says == "action 2 of run shop-3f2a (Bash: make)"
    assert named.spared[0].why == "changed by run shop-3f2a (in c3, just now)"


def test_where_there_is_nothing_to_know_nothing_is_said() -> None:
    assert said(look()) == []


def test_what_is_lost_is_said() -> None:
    [text] = said(look(since={RUN: 14}))
    assert text == "You lose changes to these files by 14 actions of run shop-3f2a."


def test_nothing_is_lost_where_nothing_is_restored() -> None:
    assert said(look(since={RUN: 14}, preview={"items": ()})) == []


def test_a_branch_that_moved_is_said_and_how_to_move_it() -> None:
    way = RestoreTarget(UndoLevel.CHECKPOINT, record(1, head="a" * 40))
    [text] = said(look(way, preview={"head": "b" * 40}))
    assert text == (
        "Your branch stays at bbbbbbbb; at the checkpoint it was at aaaaaaaa. "
        "To move it too, run afterwards: git reset --soft aaaaaaaa"
    )
    assert said(look(way, preview={"head": "a" * 40})) == []
    assert said(look(way)) == []


def test_what_a_partial_checkpoint_means_is_said() -> None:
    partial = Coverage((LeftOut("big.bin", "too large"),))
    [text] = said(look(RestoreTarget(UndoLevel.ACTION, record(3, coverage=partial))))
    assert text == "c3 is incomplete. Files that are not in it stay as they are."


def test_a_run_at_work_is_named() -> None:
    [text] = said(look(working=(RUN,)))
    assert text == "Run shop-3f2a is working. Its next change waits for this."


def test_kept_files_can_be_overwritten() -> None:
    given = look(preview={"spared": (KEPT, SparedFile("x.log", "ignored then"))})
    assert said(given) == ["1 kept file can be overwritten: add --over, or answer o."]
    assert answers_to(given, UNDO)["o"] is RestoreAnswer.OVER
    over = msgspec.structs.replace(UNDO, over=True)
    assert said(given, over) == []
    assert "o" not in answers_to(given, over)


def test_a_yes_to_changes_of_the_repository_overwrites_no_file() -> None:
    git = GitUndoPlan(refs=(RefChange("refs/heads/new", "1" * 40, ""),))
    given = look(preview={"items": (), "spared": (KEPT,)}, git=git)
    assert answers_to(given, UNDO)["y"] is RestoreAnswer.YES
    assert answers_to(given, UNDO)["o"] is RestoreAnswer.OVER
    assert question(TerminalOutput(colour=False), given, UNDO).startswith(
        "1 change in the repository. Undo? [y/N/o]"
    )


def test_where_only_the_repository_changed_no_file_is_counted() -> None:
    back = RestoreReply("c9", git=("tag v1: deleted",))
    way = RestoreTarget(UndoLevel.ACTION, record(1))
    assert [text for text, _ in result(way, back, UNDO)] == [
        "✓ tag v1: deleted",
        "  Take it back: handrail redo",
    ]


def test_after_a_redo_with_git_only_the_files_are_said_to_have_a_way_back() -> None:
    way = RestoreTarget(UndoLevel.REDO, record(7), record(8))
    back = RestoreReply("c9", items=(ITEM,), git=("tag v1: back at 11111111",))
    assert [text for text, _ in result(way, back, UNDO)][-2:] == [
        "  Take back the files: handrail rollback c8",
        "  What git had before is below refs/handrail/.",
    ]


def test_many_changes_are_counted_in_a_line_of_their_own() -> None:
    items = [RestoreItem(f"{number}.py", FileRestoreAction.CHANGE) for number in range(30)]
    items.append(RestoreItem("new.py", FileRestoreAction.DELETE))
    asked = question(TerminalOutput(colour=False), look(preview={"items": tuple(items)}), UNDO)
    first, second = asked.splitlines()
    assert first == "31 changes: 30 changed, 1 deleted."
    assert second == " Undo? [y/N]   (take it back: handrail redo)"


def test_how_it_went_is_said() -> None:
    way = RestoreTarget(UndoLevel.ACTION, record(1))
    done = RestoreReply("c4", (ITEM,), (KEPT,))
    assert [text for text, _ in result(way, done, UNDO)] == [
        "✓ 1 change undone, and compared with c1.",
        "  Left 1 file alone that others changed since.",
        "  Take it back: handrail redo",
    ]


def test_what_went_wrong_is_said_and_the_way_out() -> None:
    failed = RestoreReply("c4", problem="not restored (disk full): cart.py", wrong=("cart.py",))
    assert [
        text for text, _ in result(RestoreTarget(UndoLevel.ACTION, record(1)), failed, UNDO)
    ] == [
        "✗ SOME FILES WERE NOT RESTORED: not restored (disk full): cart.py",
        "Go back to the files before this: handrail rollback c4",
    ]


def test_a_restore_that_was_interrupted_is_told() -> None:
    first, second = (text for text, _ in half_done_lines(InterruptedRestore("c3", "c7")))
    assert (
        first == "An earlier rollback to c3 was interrupted. Some files are rolled back, some not."
    )
    assert "handrail rollback c3" in second
    assert "handrail rollback c7" in second


@pytest.mark.parametrize(
    "conversation",
    [None, ConversationPosition("claude", RUN), ConversationPosition("another", RUN, "m-1")],
    ids=["none", "no message", "unknown host"],
)
def test_a_conversation_that_cannot_be_taken_up_there_is_not_promised(
    conversation: ConversationPosition | None,
) -> None:
    assert resume_command(conversation, record(1)) == ""


def test_what_stands_in_a_command_is_quoted() -> None:
    command = resume_command(
        ConversationPosition("claude", "a b", "$(x)"), record(1, work_tree="/w/my shop")
    )
    assert command.startswith("cd '/w/my shop' && claude ")
    assert "'a b'" in command
    assert "'$(x)'" in command


def test_files_that_cannot_be_written_are_named() -> None:
    way = RestoreTarget(UndoLevel.ACTION, record(1))
    shut = SparedFile("shut/a.py", "its folder cannot be written", unwritable=True)
    done = RestoreReply("c4", (ITEM,), (shut,))
    assert "  NOT RESTORED, because their folder cannot be written: shut/a.py" in [
        text for text, _ in result(way, done, UNDO)
    ]


def test_a_restore_that_changed_nothing_is_not_called_half_done() -> None:
    way = RestoreTarget(UndoLevel.ACTION, record(1))
    failed = RestoreReply("c4", problem="not restored (…): a.py", unchanged=True)
    assert list(result(way, failed, UNDO)) == [
        ("✗ NOTHING RESTORED: not restored (…): a.py", "red")
    ]


def test_an_error_keeps_its_text_if_no_log_can_tell_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDRAIL_HOME", str(tmp_path))
    (tmp_path / "events.db").write_bytes(b"no database" * 999)
    assert with_run_names("run 3f2a-11 has no action 9") == "run 3f2a-11 has no action 9"


def test_what_goes_back_in_the_repository_is_shown_asked_and_said() -> None:
    plan = GitUndoPlan(
        (
            RefChange("refs/heads/next", "a" * 40, ""),
            RefChange("refs/heads/main", "b" * 40, "c" * 40),
        ),
        spared=(SparedPart("the stash", "it was changed since"),),
    )
    undo = msgspec.structs.replace(UNDO, git=True)
    seen = look(preview={"items": ()}, git=plan, git_digest="d")
    assert [text.split(None, 1)[1] for text, _ in repository_lines(seen)] == [
        "branch next: deleted, it was at aaaaaaaa",
        "branch main: bbbbbbbb → cccccccc",
        "keep  the stash: it was changed since → left alone",
    ]
    asked = question(TerminalOutput(colour=False), seen, undo)
    assert asked.startswith("2 changes in the repository. Undo? [y/N]")
    assert asked.endswith("(take it back: handrail redo --git)")
    done = RestoreReply("c4", git=plan.lines)
    assert "✓ branch main: bbbbbbbb → cccccccc" in [
        text for text, _ in result(seen.preview.way, done, undo)
    ]


def test_copies_of_what_no_checkpoint_holds_are_named_with_the_command() -> None:
    assert said(look(copies=("t7.over",))) == [
        "It overwrote files that no checkpoint holds. Put the copies back: handrail restore t7.over"
    ]
