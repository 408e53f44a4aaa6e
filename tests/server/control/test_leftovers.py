"""What a stopped run has left behind is listed, and only that is cleaned up, into the trash."""

import os
from pathlib import Path

import msgspec
import pytest

from handrail.intervene.incidents.record import Incident, IncidentAction, Leftover
from handrail.intervene.processes.process_tree import ProcessFamily
from handrail.model.event import CleanedUp, StopConfirmed
from handrail.model.finding import Finding
from handrail.model.ordinal import Decision, Severity
from handrail.server.control.leftovers import clean_up, find_leftovers
from handrail.server.home import Home

RUN = "3f2a9c1e-77aa-4b1c-9d2e-1c7a3f6e0001"


class LeftoverSetup:
    """A project, a folder for temporary files and a state folder, all in one scratch folder."""

    def __init__(self, folder: Path) -> None:
        self.project, self.temporary = folder / "project", folder / "temporary"
        self.home = Home(str(folder / "state"))
        for made in (self.project / ".git", self.temporary, folder / "state"):
            made.mkdir(parents=True)
        self.record = Incident(
            "inc-1",
            RUN,
            2.0,
            Finding("loop", Severity.HIGH, 0.9, (1,)),
            4,
            cwd=str(self.project),
            started=1.0,
        )

    def file(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("left behind\n")
        self.record.made.append(str(path))
        return path

    def found(self) -> list[Leftover]:
        self.record.leftovers = find_leftovers(self.record, self.home, str(self.temporary))
        return self.record.leftovers

    def paths(self) -> set[str]:
        return {each.path for each in self.found()}

    def clean(self) -> CleanedUp:
        return clean_up(self.record, ProcessFamily({}, None), self.home, lambda: 3.0)


@pytest.fixture
def scene(tmp_path: Path) -> LeftoverSetup:
    return LeftoverSetup(tmp_path)


def test_its_temporary_files_go_to_the_trash(scene: LeftoverSetup) -> None:
    made = scene.file(scene.temporary / "notes.txt")
    assert [(each.kind, each.path) for each in scene.found()] == [("temporary", str(made))]
    assert scene.clean() == CleanedUp(3.0, "inc-1", (str(made),))
    assert not made.exists()
    kept = Path(f"{scene.home.path}/trash/inc-1{made}")
    assert kept.read_text() == "left behind\n"


def test_a_temporary_folder_named_after_the_run_is_its_own(scene: LeftoverSetup) -> None:
    folder = scene.temporary / "host-1000" / "project" / RUN
    (folder / "scratch").mkdir(parents=True)
    (scene.temporary / "host-1000" / "project" / "another").mkdir()
    assert scene.paths() == {str(folder)}
    scene.clean()
    assert os.listdir(folder.parent) == ["another"]


def test_files_of_the_work_tree_and_of_others_stay(scene: LeftoverSetup, tmp_path: Path) -> None:
    scene.file(scene.project / "cart.py")
    scene.file(tmp_path / "elsewhere" / "notes.txt")
    (scene.temporary / "somebody.txt").write_text("not of this run\n")
    assert scene.found() == []
    assert scene.clean() == CleanedUp(3.0, "inc-1")


def test_a_work_tree_among_temporary_files_is_a_work_tree(scene: LeftoverSetup) -> None:
    scene.temporary = scene.project.parent
    scene.file(scene.project / "cart.py")
    assert scene.found() == []


def test_what_changed_since_it_was_listed_stays(scene: LeftoverSetup) -> None:
    made = scene.file(scene.temporary / "notes.txt")
    scene.found()
    made.unlink()
    made.write_text("somebody else's by now\n")
    os.utime(made, (5, 5))
    assert scene.clean().left == (f"{made}: it was changed since",)
    assert made.exists()


def test_a_lock_of_git_that_nobody_holds_is_cleaned_up(scene: LeftoverSetup) -> None:
    lock = scene.project / ".git" / "index.lock"
    lock.touch()
    assert [(each.kind, each.path) for each in scene.found()] == [("lock", str(lock))]
    assert scene.clean().removed == (str(lock),)


def test_an_older_lock_is_not_of_this_run(scene: LeftoverSetup) -> None:
    lock = scene.project / ".git" / "index.lock"
    lock.touch()
    os.utime(lock, (0.5, 0.5))
    assert scene.found() == []


@pytest.mark.parametrize("by_run", [True, False])
def test_a_worktree_that_the_run_made_is_cleaned_up(
    scene: LeftoverSetup, tmp_path: Path, by_run: bool
) -> None:
    tree = tmp_path / "try-two"
    tree.mkdir()
    (tree / "work.txt").write_text("work\n")
    admin = scene.project / ".git" / "worktrees" / "try-two"
    admin.mkdir(parents=True)
    (admin / "gitdir").write_text(f"{tree}/.git\n")
    text = "git worktree add ../try-two" if by_run else "git worktree list"
    scene.record.actions.append(IncidentAction(1, 1.0, "Bash", text, Decision.ALLOW))
    assert scene.paths() == ({str(tree)} if by_run else set())
    scene.clean()
    assert tree.exists() is not by_run
    if by_run:
        assert Path(f"{scene.home.path}/trash/inc-1{tree}/work.txt").read_text() == "work\n"


def test_processes_that_could_not_be_ended_are_listed(scene: LeftoverSetup) -> None:
    scene.record.stop = StopConfirmed(2.0, "inc-1", left=("412 sleep 600",))
    assert scene.found() == [Leftover("process", "412 sleep 600")]
    assert scene.clean() == CleanedUp(3.0, "inc-1")


def test_an_incident_keeps_its_list(scene: LeftoverSetup) -> None:
    scene.file(scene.temporary / "notes.txt")
    scene.found()
    again = msgspec.json.decode(msgspec.json.encode(scene.record), type=Incident)
    assert again.leftovers == scene.record.leftovers
