"""Which folders are saved, and which of them share their checkpoints."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from handrail.checkpoint import checkpoint_folder
from handrail.checkpoint.errors import FolderRefusedError
from handrail.checkpoint.git.repository import work_tree_key
from handrail.checkpoint.work_tree import check_can_be_saved

from .conftest import Bench


@pytest.fixture
def state(tmp_path: Path) -> str:
    (tmp_path / "state").mkdir()
    return str(tmp_path / "state")


def linked(bench: Bench, name: str = "linked") -> Path:
    bench.git("worktree", "add", "-q", str(bench.home / name))
    return bench.home / name


def test_linked_work_trees_share_the_folder_of_their_repository(bench: Bench, state: str) -> None:
    bench.repository()
    main = checkpoint_folder(state, str(bench.tree))
    assert os.path.basename(main).startswith("shop-")
    assert checkpoint_folder(state, str(linked(bench))) == main
    assert checkpoint_folder(state, str(linked(bench, "other"))) == main


def test_it_does_not_matter_which_work_tree_comes_first(bench: Bench, state: str) -> None:
    bench.repository()
    first = checkpoint_folder(state, str(linked(bench)))
    assert checkpoint_folder(state, str(bench.tree)) == first


def test_work_trees_of_a_bare_repository_share_a_folder(bench: Bench, state: str) -> None:
    bench.repository()
    bench.git("clone", "-q", "--bare", str(bench.tree), str(bench.home / "shop.git"))
    for name in ("one", "two"):
        bench.git("worktree", "add", "-q", f"../{name}", at=bench.home / "shop.git")
    one, two = (checkpoint_folder(state, str(bench.home / name)) for name in ("one", "two"))
    assert one == two
    assert os.path.basename(one).startswith("shop.git-")


def test_a_submodule_is_a_project_of_its_own(bench: Bench, state: str) -> None:
    bench.repository()
    allowed = ("-c", "protocol.file.allow=always")
    bench.git("clone", "-q", str(bench.tree), str(bench.home / "origin"))
    bench.git(*allowed, "submodule", "--quiet", "add", str(bench.home / "origin"), "sub")
    outer, inner = (checkpoint_folder(state, str(bench.tree / name)) for name in ("", "sub"))
    assert outer != inner
    assert os.path.basename(inner).startswith("sub-")


def test_folders_without_a_repository_are_projects_of_their_own(bench: Bench, state: str) -> None:
    (bench.tree / "a").mkdir()
    (bench.tree / "b").mkdir()
    assert checkpoint_folder(state, str(bench.tree / "a")) != checkpoint_folder(
        state, str(bench.tree / "b")
    )


def test_a_pointer_that_is_changed_later_changes_nothing(bench: Bench, state: str) -> None:
    bench.repository()
    tree = linked(bench)
    before = checkpoint_folder(state, str(tree))
    other = bench.home / "other"
    bench.git("clone", "-q", str(bench.tree), str(other))
    bench.git("worktree", "add", "-q", str(bench.home / "of-other"), at=other)
    (tree / ".git").write_text((bench.home / "of-other/.git").read_text())
    assert checkpoint_folder(state, str(tree)) == before
    (tree / ".git").unlink()
    assert checkpoint_folder(state, str(tree)) == before


def test_a_pointer_that_the_repository_knows_nothing_of_is_not_followed(
    bench: Bench, state: str
) -> None:
    bench.repository()
    pointer = (linked(bench) / ".git").read_text()
    forged = bench.home / "forged"
    forged.mkdir()
    (forged / ".git").write_text(pointer)
    assert checkpoint_folder(state, str(forged)) != checkpoint_folder(state, str(bench.tree))


@pytest.mark.parametrize("pointer", ["", "gitdir: .", "gitdir: /dev/null", "gitdir: \0x", "junk"])
def test_an_odd_pointer_is_a_project_of_its_own(bench: Bench, state: str, pointer: str) -> None:
    bench.write(".git", pointer)
    assert os.path.basename(checkpoint_folder(state, str(bench.tree))).startswith("shop-")


def test_a_folder_that_was_used_before_stays_in_use(bench: Bench, state: str) -> None:
    bench.repository()
    tree = linked(bench)
    old = Path(state) / "checkpoints" / f"linked-{work_tree_key(str(tree))}"
    old.mkdir(parents=True)
    assert checkpoint_folder(state, str(tree)) == str(old)
    assert checkpoint_folder(state, str(bench.tree)) != str(old)


@pytest.mark.parametrize("damage", ["", "../../elsewhere", "/etc", "a/b-0123456789abcdef", "\0"])
def test_a_damaged_decision_is_made_anew(bench: Bench, state: str, damage: str) -> None:
    bench.repository()
    before = checkpoint_folder(state, str(bench.tree))
    (decision,) = (Path(state) / "checkpoints/trees").iterdir()
    decision.write_text(damage)
    assert checkpoint_folder(state, str(bench.tree)) == before
    assert decision.read_text().strip() == os.path.basename(before)


def test_of_several_at_once_all_get_the_same(bench: Bench, state: str) -> None:
    bench.repository()
    tree = str(linked(bench))
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: checkpoint_folder(state, tree), range(40)))
    assert len(found) == 1
    assert len(list((Path(state) / "checkpoints/trees").iterdir())) == 1


def test_without_a_state_folder_nothing_is_written(bench: Bench, tmp_path: Path) -> None:
    checkpoint_folder(str(tmp_path / "none"), str(bench.tree))
    assert not (tmp_path / "none").exists()


def test_a_link_to_a_work_tree_is_the_work_tree(bench: Bench, state: str) -> None:
    (bench.home / "link").symlink_to(bench.tree)
    assert checkpoint_folder(state, str(bench.home / "link")) == checkpoint_folder(
        state, str(bench.tree)
    )


def places(bench: Bench) -> dict[str, Path]:
    return {
        "the machine": Path("/"),
        "home": bench.home,
        "above home": bench.home.parent,
        "the state": bench.home / ".local/state/handrail",
    }


@pytest.mark.parametrize("place", ["the machine", "home", "above home", "the state"])
@pytest.mark.parametrize("by_link", [False, True])
def test_what_is_no_project_is_refused(bench: Bench, place: str, by_link: bool) -> None:
    folder = places(bench)[place]
    folder.mkdir(parents=True, exist_ok=True)
    if by_link:
        (bench.tree / "link").symlink_to(folder)
        folder = bench.tree / "link"
    with pytest.raises(FolderRefusedError):
        check_can_be_saved(str(folder), bench.environ)


def test_the_state_folder_is_where_the_environment_says(bench: Bench) -> None:
    environ = {**bench.environ, "HANDRAIL_HOME": str(bench.tree)}
    with pytest.raises(FolderRefusedError, match="its own state"):
        check_can_be_saved(str(bench.tree), environ)


def test_a_project_that_holds_the_state_is_saved(bench: Bench) -> None:
    environ = {**bench.environ, "HANDRAIL_HOME": str(bench.tree / "state")}
    assert check_can_be_saved(str(bench.tree), environ) == str(bench.tree)
