"""Which folders are saved, and which of them share their checkpoints."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from handrail.checkpoint import checkpoint_folder
from handrail.checkpoint.errors import FolderRefusedError
from handrail.checkpoint.files import work_tree_key
from handrail.checkpoint.work_tree import check_can_be_saved

from .conftest import CheckpointProject

pytestmark = pytest.mark.slow


@pytest.fixture
def state(tmp_path: Path) -> str:
    (tmp_path / "state").mkdir()
    return str(tmp_path / "state")


def linked(bench: CheckpointProject, name: str = "linked") -> Path:
    bench.git("worktree", "add", "-q", str(bench.home / name))
    return bench.home / name


def test_linked_work_trees_share_the_folder_of_their_repository(
    project: CheckpointProject, state: str
) -> None:
    project.repository()
    main = checkpoint_folder(state, str(project.tree))
    assert os.path.basename(main).startswith("shop-")
    assert checkpoint_folder(state, str(linked(project))) == main
    assert checkpoint_folder(state, str(linked(project, "other"))) == main


def test_it_does_not_matter_which_work_tree_comes_first(
    project: CheckpointProject, state: str
) -> None:
    project.repository()
    first = checkpoint_folder(state, str(linked(project)))
    assert checkpoint_folder(state, str(project.tree)) == first


def test_work_trees_of_a_bare_repository_share_a_folder(
    project: CheckpointProject, state: str
) -> None:
    project.repository()
    project.git("clone", "-q", "--bare", str(project.tree), str(project.home / "shop.git"))
    for name in ("one", "two"):
        project.git("worktree", "add", "-q", f"../{name}", at=project.home / "shop.git")
    one, two = (checkpoint_folder(state, str(project.home / name)) for name in ("one", "two"))
    assert one == two
    assert os.path.basename(one).startswith("shop.git-")


def test_a_submodule_is_a_project_of_its_own(project: CheckpointProject, state: str) -> None:
    project.repository()
    allowed = ("-c", "protocol.file.allow=always")
    project.git("clone", "-q", str(project.tree), str(project.home / "origin"))
    project.git(*allowed, "submodule", "--quiet", "add", str(project.home / "origin"), "sub")
    outer, inner = (checkpoint_folder(state, str(project.tree / name)) for name in ("", "sub"))
    assert outer != inner
    assert os.path.basename(inner).startswith("sub-")


def test_folders_without_a_repository_are_projects_of_their_own(
    project: CheckpointProject, state: str
) -> None:
    (project.tree / "a").mkdir()
    (project.tree / "b").mkdir()
    assert checkpoint_folder(state, str(project.tree / "a")) != checkpoint_folder(
        state, str(project.tree / "b")
    )


def test_a_pointer_that_is_changed_later_changes_nothing(
    project: CheckpointProject, state: str
) -> None:
    project.repository()
    tree = linked(project)
    before = checkpoint_folder(state, str(tree))
    other = project.home / "other"
    project.git("clone", "-q", str(project.tree), str(other))
    project.git("worktree", "add", "-q", str(project.home / "of-other"), at=other)
    (tree / ".git").write_text((project.home / "of-other/.git").read_text())
    assert checkpoint_folder(state, str(tree)) == before
    (tree / ".git").unlink()
    assert checkpoint_folder(state, str(tree)) == before


def test_a_pointer_that_the_repository_knows_nothing_of_is_not_followed(
    project: CheckpointProject, state: str
) -> None:
    project.repository()
    pointer = (linked(project) / ".git").read_text()
    forged = project.home / "forged"
    forged.mkdir()
    (forged / ".git").write_text(pointer)
    assert checkpoint_folder(state, str(forged)) != checkpoint_folder(state, str(project.tree))


@pytest.mark.parametrize("pointer", ["", "gitdir: .", "gitdir: /dev/null", "gitdir: \0x", "junk"])
def test_an_odd_pointer_is_a_project_of_its_own(
    project: CheckpointProject, state: str, pointer: str
) -> None:
    project.write(".git", pointer)
    assert os.path.basename(checkpoint_folder(state, str(project.tree))).startswith("shop-")


def test_a_folder_that_was_used_before_stays_in_use(project: CheckpointProject, state: str) -> None:
    project.repository()
    tree = linked(project)
    old = Path(state) / "checkpoints" / f"linked-{work_tree_key(str(tree))}"
    old.mkdir(parents=True)
    assert checkpoint_folder(state, str(tree)) == str(old)
    assert checkpoint_folder(state, str(project.tree)) != str(old)


@pytest.mark.parametrize("damage", ["", "../../elsewhere", "/etc", "a/b-0123456789abcdef", "\0"])
def test_a_damaged_decision_is_made_anew(
    project: CheckpointProject, state: str, damage: str
) -> None:
    project.repository()
    before = checkpoint_folder(state, str(project.tree))
    (decision,) = (Path(state) / "checkpoints/trees").iterdir()
    decision.write_text(damage)
    assert checkpoint_folder(state, str(project.tree)) == before
    assert decision.read_text().strip() == os.path.basename(before)


def test_of_several_at_once_all_get_the_same(project: CheckpointProject, state: str) -> None:
    project.repository()
    tree = str(linked(project))
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: checkpoint_folder(state, tree), range(40)))
    assert len(found) == 1
    assert len(list((Path(state) / "checkpoints/trees").iterdir())) == 1


def test_without_a_state_folder_nothing_is_written(
    project: CheckpointProject, tmp_path: Path
) -> None:
    checkpoint_folder(str(tmp_path / "none"), str(project.tree))
    assert not (tmp_path / "none").exists()


def test_a_link_to_a_work_tree_is_the_work_tree(project: CheckpointProject, state: str) -> None:
    (project.home / "link").symlink_to(project.tree)
    assert checkpoint_folder(state, str(project.home / "link")) == checkpoint_folder(
        state, str(project.tree)
    )


def places(bench: CheckpointProject) -> dict[str, Path]:
    return {
        "the machine": Path("/"),
        "home": bench.home,
        "above home": bench.home.parent,
        "the state": bench.home / ".local/state/handrail",
    }


@pytest.mark.parametrize("place", ["the machine", "home", "above home", "the state"])
@pytest.mark.parametrize("by_link", [False, True])
def test_what_is_no_project_is_refused(
    project: CheckpointProject, place: str, by_link: bool
) -> None:
    folder = places(project)[place]
    folder.mkdir(parents=True, exist_ok=True)
    if by_link:
        (project.tree / "link").symlink_to(folder)
        folder = project.tree / "link"
    with pytest.raises(FolderRefusedError):
        check_can_be_saved(str(folder), project.environ)


def test_the_state_folder_is_where_the_environment_says(project: CheckpointProject) -> None:
    environ = {**project.environ, "HANDRAIL_HOME": str(project.tree)}
    with pytest.raises(FolderRefusedError, match="its own state"):
        check_can_be_saved(str(project.tree), environ)


def test_a_project_that_holds_the_state_is_saved(project: CheckpointProject) -> None:
    environ = {**project.environ, "HANDRAIL_HOME": str(project.tree / "state")}
    assert check_can_be_saved(str(project.tree), environ) == str(project.tree)
