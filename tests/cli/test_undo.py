"""`handrail undo`, `redo` and `rollback`: shown first, done when confirmed, told as it went."""

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.checkpoint import About, Conversation, Moment
from handrail.cli import main
from handrail.model.event import RestoreAsked, RolledBack, RunStarted
from handrail.supervise.topics import topic_of

from .conftest import Shell
from .counter import Counter
from .terminal import Terminal

RUN = "3f2a9c1e-0b11-4d01-b42d-00cf4fc964ff"
TALK = Conversation("claude", RUN, "m-17")


class Project:
    """A project in which an agent has worked: it changed, made and deleted a file each."""

    def __init__(self, shell: Shell, counter: Counter) -> None:
        self.shell = shell
        self.counter = counter
        self.path = shell.project
        self.write("cart.py", "total = 0\n")
        self.write("notes/plan.md", "the plan\n")
        self.save(Moment.PROMPT, "prompt: fix the cart", step=0, conversation=TALK)
        self.save(Moment.BEFORE_ACTION, "before Bash: git clean -fdx", step=1)
        self.write("cart.py", "total = 1\n")
        self.write("out.json", "{}")
        (self.path / "notes/plan.md").unlink()
        self.save(Moment.AFTER_ACTION, "after step 2", step=2, by=(RUN,))

    def write(self, path: str, text: str) -> None:
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def save(
        self,
        moment: Moment,
        why: str,
        *,
        step: int = 0,
        by: tuple[str, ...] = (),
        conversation: Conversation | None = None,
    ) -> str:
        about = About(moment, why, run=RUN, step=step, by=by, conversation=conversation)
        return self.counter.checkpoints(str(self.path)).save(about).record.id

    @property
    def files(self) -> dict[str, str]:
        found = (path for path in self.path.rglob("*") if path.is_file())
        return {str(path.relative_to(self.path)): path.read_text() for path in found}


BEFORE = {"cart.py": "total = 0\n", "notes/plan.md": "the plan\n"}
AFTER = {"cart.py": "total = 1\n", "out.json": "{}"}


@pytest.fixture
def project(shell: Shell) -> Iterator[Project]:
    with Counter(shell).open() as counter:
        yield Project(shell, counter)


def test_the_last_action_is_undone(project: Project) -> None:
    ran = project.shell.run("undo", "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert project.files == BEFORE
    assert ran.out.splitlines() == [
        " Undo action 2 of run 3f2a9c1e (after step 2), 0 s ago",
        "",
        "   restore   notes/plan.md  9 B",
        "   change    cart.py        10 B",
        "   delete    out.json       made by it, 2 B",
        "",
        " ✓ 3 changes undone, and compared with c1.",
        "   Take it back: handrail redo",
    ]


def test_an_undo_is_redone(project: Project) -> None:
    project.shell.run("undo", "--yes")
    ran = project.shell.run("redo", "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert project.files == AFTER
    assert " ✓ 3 changes redone" in ran.out


def test_what_is_not_confirmed_is_only_shown(project: Project) -> None:
    ran = project.shell.run("undo", "--action", "2")
    assert ran.code == 2
    assert "   delete    out.json" in ran.out
    assert ran.out.endswith(" 3 changes. Nothing was changed.\n")
    assert ran.err == ("handrail: nobody is here to confirm it: handrail undo --action 2 --yes\n")
    assert project.files == AFTER
    assert project.counter.asked == ["/restores/preview"]


def test_a_dry_run_is_enough_if_one_only_wants_to_look(project: Project) -> None:
    ran = project.shell.run("undo", "--dry-run", "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert project.files == AFTER


@pytest.mark.parametrize("level", ["--iteration", "--task"])
def test_more_than_an_action_is_undone(project: Project, level: str) -> None:
    assert project.shell.run("undo", level, "--yes").code == 0
    assert project.files == BEFORE


def test_what_a_person_has_changed_since_is_kept(project: Project) -> None:
    project.write("cart.py", "total = 7\n")
    ran = project.shell.run("undo", "--yes")
    assert ran.code == 1
    assert "   keep      cart.py        changed" in ran.out
    assert " → left alone" in " ".join(ran.out.split())
    assert "   1 file left alone, which others have changed since.\n" in ran.out
    assert project.files == {**BEFORE, "cart.py": "total = 7\n"}


def test_what_is_kept_can_be_overwritten(project: Project) -> None:
    project.write("cart.py", "total = 7\n")
    ran = project.shell.run("undo", "--yes", "--over")
    assert ran.code == 0
    assert "   overwrite cart.py" in ran.out
    assert project.files == BEFORE


def test_programs_get_json_in_one_object(project: Project) -> None:
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


def test_a_run_is_held_and_hears_how_it_went(project: Project) -> None:
    run = project.counter.runs.get(RUN, str(project.path))
    run.record(RunStarted(1.0, "claude", str(project.path)))
    out = project.shell.run("undo", "--yes").out
    assert " is working: its next change waits until this is done.\n" in out
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


def test_a_rollback_tells_where_the_conversation_was(project: Project) -> None:
    ran = project.shell.run("rollback", "c1", "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert project.files == BEFORE
    command = f"claude --resume {RUN} --fork-session --resume-session-at m-17"
    assert ran.out.endswith(f"   cd {project.path} && {command}\n")


def test_only_the_files_go_back_if_one_wants_that(project: Project) -> None:
    ran = project.shell.run("rollback", "c1", "--files", "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert project.files == BEFORE
    assert "claude" not in ran.out


def test_a_rollback_goes_by_name(project: Project) -> None:
    project.shell.run("checkpoint", "good")
    project.counter.by = (RUN,)
    project.write("cart.py", "total = 9\n")
    ran = project.shell.run("rollback", "good", "--yes")
    assert ran.code == 0
    assert ran.out.startswith(" Roll back to c3 good, 0 s ago\n")
    assert project.files == AFTER


def test_where_nothing_differs_there_is_nothing_to_do(project: Project) -> None:
    ran = project.shell.run("rollback", "c2")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith(" Nothing to do: the files are as they were then.\n")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("rollback", "c99"), "there is no checkpoint 'c99'; see handrail checkpoints"),
        (("rollback", "c1", "--files", "--all"), "--files and --all: say one of them"),
        (("undo", "--task", "--iteration"), "--action, --iteration and --task: say one of them"),
        (("undo", "--action", "x"), "STEP is a number"),
        (("undo", "--run", "nope"), "No runs yet"),
        (("redo",), "nothing was undone that could be redone"),
    ],
)
def test_what_cannot_be_done_is_said(project: Project, args: tuple[str, ...], says: str) -> None:
    ran = project.shell.run(*args)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert project.files == AFTER


@pytest.mark.parametrize("command", [("undo",), ("redo",), ("rollback", "c1"), ("diff",)])
def test_before_the_first_checkpoint_no_daemon_is_started(
    shell: Shell, command: tuple[str, ...]
) -> None:
    ran = shell.run(*command)
    assert (ran.code, ran.out) == (2, "")
    assert "handrail checkpoint takes one" in ran.err
    assert not (shell.state / "daemon.lock").exists()


def answer(text: str, monkeypatch: pytest.MonkeyPatch, *args: str) -> tuple[int, str]:
    """A command on a terminal, and what a person types."""
    out = Terminal()
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdin", Terminal(text))
    monkeypatch.setattr(sys, "stdout", out)
    code = main(args)
    return code, out.getvalue()


@pytest.mark.parametrize(("text", "is_done"), [("y\n", True), ("n\n", False), ("", False)])
def test_a_person_is_asked(
    project: Project, monkeypatch: pytest.MonkeyPatch, text: str, is_done: bool
) -> None:
    code, out = answer(text, monkeypatch, "undo")
    assert " 3 changes. Undo this? [y/N]   (afterwards: handrail redo) " in out
    assert code == (0 if is_done else 2)
    assert ("Nothing was changed." in out) is not is_done
    assert project.files == (BEFORE if is_done else AFTER)


def test_a_person_may_overwrite_by_an_answer(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("cart.py", "total = 7\n")
    code, out = answer("o\n", monkeypatch, "undo")
    assert " 2 changes. Undo this? [y/N/o] " in out
    assert code == 0
    assert project.files == BEFORE


def test_where_all_was_changed_by_others_one_is_asked_for_that(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.shell.run("checkpoint", "mine")
    project.write("cart.py", "total = 7\n")
    project.shell.run("checkpoint")
    code, out = answer("y\n", monkeypatch, "rollback", "mine")
    assert " Overwrite 1 kept file? [y/N] " in out
    assert code == 0
    assert project.files == AFTER


def test_files_that_were_changed_while_one_looked_are_not_touched(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(Terminal):
        def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
            project.write("cart.py", "total = 8\n")
            return "y\n"

    monkeypatch.setattr(sys, "stdin", Slow())
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setattr(sys, "stderr", (err := io.StringIO()))
    assert main(["undo"]) == 2
    assert "files were changed while you were looking" in err.getvalue()
    assert project.files == {**AFTER, "cart.py": "total = 8\n"}


def test_names_that_are_no_text_go_back_too(project: Project) -> None:
    odd = Path(os.fsdecode(os.fsencode(project.path) + b"/caf\xe9.txt"))
    odd.write_text("x")
    project.save(Moment.AFTER_ACTION, "after step 3", step=3, by=(RUN,))
    odd.unlink()
    project.save(Moment.AFTER_ACTION, "after step 4", step=4, by=(RUN,))
    assert project.shell.run("undo", "--yes").code == 0
    assert odd.read_text() == "x"
