"""Checkpoints by themselves and by hand, and the way back, with real git."""

import shutil

import pytest

from handrail import CheckpointError
from handrail.model.event import CheckpointTaken, RolledBack

from .conftest import SOURCE, SupervisedProject

pytestmark = pytest.mark.slow


def test_what_destroys_is_saved_first_and_taken_back(either: SupervisedProject) -> None:
    (either.folder / "draft.txt").write_text("not committed\n")
    supervisor = either.supervise()
    verdict = either.run(supervisor, "find . -name draft.txt -delete")
    assert verdict.allowed
    assert "Checkpoint" in verdict.guidance
    assert not (either.folder / "draft.txt").exists()
    back = supervisor.undo()
    assert (back.files, back.spared) == (("draft.txt",), ())
    assert (either.folder / "draft.txt").read_text() == "not committed\n"


def test_a_checkpoint_by_hand_can_be_gone_back_to(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    saved = supervisor.checkpoint("before-the-change")
    assert saved.name == "before-the-change"
    assert saved.id in [each.id for each in supervisor.checkpoints()]
    (either.folder / "src" / "cart.py").write_text("broken\n")
    back = supervisor.rollback("before-the-change")
    assert back.files == ("src/cart.py",)
    assert (either.folder / "src" / "cart.py").read_text() == SOURCE
    supervisor.rollback(back.undo)
    assert (either.folder / "src" / "cart.py").read_text() == "broken\n"


def test_the_agent_is_told_what_was_taken_back(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    supervisor.checkpoint()
    either.run(supervisor, "echo broken > src/cart.py")
    supervisor.undo()
    verdict = supervisor.before("Bash", {"command": "ls"})
    assert "src/cart.py" in verdict.guidance
    (back,) = [event for event in supervisor.events() if isinstance(event, RolledBack)]
    assert (back.asked, back.problem) == (True, "")


def test_a_name_that_cannot_be_used_is_an_error(either: SupervisedProject) -> None:
    with pytest.raises(CheckpointError):
        either.supervise().checkpoint("c1")


def test_a_checkpoint_that_is_not_there_is_an_error(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    with pytest.raises(CheckpointError, match="no-such"):
        supervisor.rollback("no-such")
    assert supervisor.before("Bash", {"command": "touch src/a.py"}).allowed


def test_nothing_to_undo_is_an_error(either: SupervisedProject) -> None:
    with pytest.raises(CheckpointError, match="nothing to undo"):
        either.supervise().undo()


def test_a_home_is_not_saved(either: SupervisedProject) -> None:
    supervisor = either.supervise(folder=either.sandbox.environ["HOME"])
    with pytest.raises(CheckpointError, match="your home folder"):
        supervisor.checkpoint()


def test_without_git_there_is_a_clear_error(
    project: SupervisedProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(project.sandbox.environ, "PATH", str(project.folder))
    monkeypatch.setenv("PATH", str(project.folder))
    assert shutil.which("git") is None
    (project.folder / "draft.txt").write_text("not committed\n")
    supervisor = project.supervise()
    with pytest.raises(CheckpointError, match="git"):
        supervisor.checkpoint()
    verdict = supervisor.before("Bash", {"command": "find . -name draft.txt -delete"})
    assert not verdict.allowed
    assert "No checkpoint could be taken first" in verdict.guidance


def test_a_checkpoint_comes_before_the_action_in_the_log(project: SupervisedProject) -> None:
    supervisor = project.supervise()
    (project.folder / "draft.txt").write_text("not committed\n")
    supervisor.before("Bash", {"command": "find . -name draft.txt -delete"})
    kinds = [type(event).__name__ for event in supervisor.events()]
    assert kinds.index("CheckpointTaken") < kinds.index("ActionReviewed")
    assert any(isinstance(event, CheckpointTaken) for event in supervisor.events())
