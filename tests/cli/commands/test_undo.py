"""`handrail undo`: shown first, done when confirmed, told as it went."""

import os
import sys
from pathlib import Path

import pytest
from tests.cli.checkpoint_endpoints import CheckpointEndpoints
from tests.cli.conftest import HandrailShell
from tests.cli.fake_terminal import FakeTerminal
from tests.cli.undo_project import AFTER, BEFORE, RUN, UndoProject, answer

from handrail.checkpoint import CheckpointTrigger
from handrail.cli import main
from handrail.model.event import RestoreAsked, RolledBack, RunStarted
from handrail.supervise.log.topics import topic_of

pytestmark = pytest.mark.slow


def test_the_last_action_is_undone(project: UndoProject) -> None:
    ran = project.shell.run("undo", "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert project.files == BEFORE
    assert ran.out.splitlines() == [
        " Undo action 2 of run 3f2a9c1e (step 2), 0 s ago",
        "",
        "   restore   notes/plan.md  9 B",
        "   change    cart.py        10 B",
        "   delete    out.json       created by it, 2 B",
        "",
        " ✓ 3 changes undone, and compared with c1.",
        "   Take it back: handrail redo",
    ]


def test_what_is_not_confirmed_is_only_shown(project: UndoProject) -> None:
    ran = project.shell.run("undo", "--action", "2")
    assert ran.code == 2
    assert "   delete    out.json" in ran.out
    assert ran.out.endswith(" 3 changes. Nothing was changed.\n")
    assert ran.err == ("handrail: this needs a confirmation: handrail undo --action 2 --yes\n")
    assert project.files == AFTER
    assert project.counter.asked == ["/restores/preview"]


def test_a_dry_run_is_enough_if_one_only_wants_to_look(project: UndoProject) -> None:
    ran = project.shell.run("undo", "--dry-run", "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert project.files == AFTER


@pytest.mark.parametrize("level", ["--iteration", "--task"])
def test_more_than_an_action_is_undone(project: UndoProject, level: str) -> None:
    assert project.shell.run("undo", level, "--yes").code == 0
    assert project.files == BEFORE


def test_what_a_person_has_changed_since_is_kept(project: UndoProject) -> None:
    project.write("cart.py", "total = 7\n")
    ran = project.shell.run("undo", "--yes")
    assert ran.code == 1
    assert "   keep      cart.py        changed" in ran.out
    assert " → left alone" in " ".join(ran.out.split())
    assert "   Left 1 file alone that others changed since.\n" in ran.out
    assert project.files == {**BEFORE, "cart.py": "total = 7\n"}


def test_what_is_kept_can_be_overwritten(project: UndoProject) -> None:
    project.write("cart.py", "total = 7\n")
    ran = project.shell.run("undo", "--yes", "--over")
    assert ran.code == 0
    assert "   overwrite cart.py" in ran.out
    assert project.files == BEFORE


def test_programs_get_json_in_one_object(project: UndoProject) -> None:
    looked = project.shell.run("undo", "--json")
    assert looked.code == 2
    assert looked.json["done"] is False
    assert {each["path"]: each["does"] for each in looked.json["items"]} == {
        "cart.py": "change",
        "notes/plan.md": "create",
        "out.json": "delete",
    }
    done = project.shell.run("undo", "--json", "--yes")
    assert done.code == 0
    assert (done.json["done"], done.json["problem"], done.json["undo"]) == (True, "", "c3")


def test_a_run_is_held_and_hears_how_it_went(project: UndoProject) -> None:
    run = project.counter.runs.get(RUN, str(project.path))
    run.record(RunStarted(1.0, "claude", str(project.path)))
    out = project.shell.run("undo", "--yes").out
    assert " is working. Its next change waits for this.\n" in out
    events = [each for _, each in project.counter.runs.journal.read(topic_of(RUN))]
    asked, back = events[1:]
    assert asked == RestoreAsked(1.0, "c1", "action")
    assert isinstance(back, RolledBack)
    assert (back.files, back.asked, back.problem) == (
        ("cart.py", "notes/plan.md", "out.json"),
        True,
        "",
    )
    assert project.counter.restoring == set()


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("rollback", "c99"), "there is no checkpoint 'c99'; see handrail checkpoints"),
        (("rollback", "c1", "--files", "--all"), "use --files or --all, not both"),
        (("undo", "--task", "--iteration"), "use only one of --action, --iteration and --task"),
        (("undo", "--action", "x"), "STEP must be a number"),
        (("undo", "--run", "nope"), "No runs yet"),
        (("redo",), "nothing to redo: no undo is left to take back"),
    ],
)
def test_what_cannot_be_done_is_said(
    project: UndoProject, args: tuple[str, ...], says: str
) -> None:
    ran = project.shell.run(*args)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert project.files == AFTER


@pytest.mark.parametrize("command", [("undo",), ("redo",), ("rollback", "c1"), ("diff",)])
def test_before_the_first_checkpoint_no_daemon_is_started(
    shell: HandrailShell, command: tuple[str, ...]
) -> None:
    ran = shell.run(*command)
    assert (ran.code, ran.out) == (2, "")
    assert "save one: handrail checkpoint" in ran.err
    assert not (shell.state / "daemon.lock").exists()


@pytest.mark.parametrize(("text", "is_done"), [("y\n", True), ("n\n", False), ("", False)])
def test_a_person_is_asked(
    project: UndoProject, monkeypatch: pytest.MonkeyPatch, text: str, is_done: bool
) -> None:
    code, out = answer(text, monkeypatch, "undo")
    assert " 3 changes. Undo? [y/N]   (take it back: handrail redo) " in out
    assert code == (0 if is_done else 2)
    assert ("Nothing was changed." in out) is not is_done
    assert project.files == (BEFORE if is_done else AFTER)


def test_a_person_may_overwrite_by_an_answer(
    project: UndoProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("cart.py", "total = 7\n")
    code, out = answer("o\n", monkeypatch, "undo")
    assert " 2 changes. Undo? [y/N/o] " in out
    assert code == 0
    assert project.files == BEFORE


def test_files_that_were_changed_while_one_looked_are_not_touched(
    project: UndoProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(FakeTerminal):
        def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
            project.write("cart.py", "total = 8\n")
            return "y\n"

    monkeypatch.setattr(sys, "stdin", Slow())
    monkeypatch.setattr(sys, "stdout", (out := FakeTerminal()))
    assert main(["undo"]) == 1
    assert "Left 1 file alone" in out.getvalue()
    assert project.files == {**BEFORE, "cart.py": "total = 8\n"}


@pytest.mark.usefixtures("no_override")
def test_a_folder_that_is_shut_while_one_looks_keeps_the_whole_back(
    shell: HandrailShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(FakeTerminal):
        def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
            shut.chmod(0o555)
            return "y\n"

    with CheckpointEndpoints(shell).open() as counter:
        project = UndoProject(shell, counter)
        shut = project.path / "notes"
        monkeypatch.setattr(sys, "stdin", Slow())
        monkeypatch.setattr(sys, "stdout", (out := FakeTerminal()))
        code = main(["undo", "--whole"])
        shut.chmod(0o755)
    assert code == 1
    said = " ".join(out.getvalue().split())
    assert "NOTHING RESTORED: not restored (nothing is changed: " in said
    assert "handrail rollback" not in said
    assert project.files == AFTER


def test_names_that_are_no_text_go_back_too(project: UndoProject) -> None:
    odd = Path(os.fsdecode(os.fsencode(project.path) + b"/caf\xe9.txt"))
    odd.write_text("x")
    project.save(CheckpointTrigger.AFTER_ACTION, "after step 3", step=3, by=(RUN,))
    odd.unlink()
    project.save(CheckpointTrigger.AFTER_ACTION, "after step 4", step=4, by=(RUN,))
    assert project.shell.run("undo", "--yes").code == 0
    assert odd.read_text() == "x"


def test_without_a_repository_the_nearest_saved_folder_is_meant(
    project: UndoProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.path / ".git").rmdir()
    monkeypatch.chdir(project.path / "notes")
    assert len(project.shell.run("checkpoints").out.splitlines()) == 3
    assert project.shell.run("undo", "--yes").code == 0
    assert project.files == BEFORE
