"""What the agent may change."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.config import Config, ConfigError, Scope, compile_globs, resolve_scope
from handrail.config.glob import escape

if TYPE_CHECKING:
    from tests.config.conftest import ScratchMachine

TEMP = ("/tmp", "/var/tmp", "/private/tmp")
FAR = Path("/srv/people/ann")


def scope(cwd: Path | str, *places: str, home: Path | str = FAR, **environ: str) -> Scope:
    return resolve_scope(Config(scope=places), cwd, {"HOME": str(home), **environ})


def test_the_default_is_the_git_work_tree_and_the_temp_folders(machine: "ScratchMachine") -> None:
    below = machine.project / "src"
    below.mkdir()
    assert scope(below, home=machine.home).roots == (str(machine.project), *TEMP)


def test_a_linked_work_tree_has_a_git_file(machine: "ScratchMachine") -> None:
    linked = machine.home / "linked"
    linked.mkdir()
    (linked / ".git").write_text("gitdir: elsewhere\n")
    assert scope(linked, home=machine.home).roots[0] == str(linked)


def test_without_git_it_is_the_folder(machine: "ScratchMachine") -> None:
    assert scope("/srv/app").roots == ("/srv/app", *TEMP)


def test_a_work_tree_that_is_the_home_is_too_wide(machine: "ScratchMachine") -> None:
    """Dotfiles are often kept in git."""
    (machine.home / ".git").mkdir()
    notes = machine.home / "notes"
    notes.mkdir()
    assert scope(notes, home=machine.home).roots[0] == str(notes)


def test_of_a_home_only_what_is_not_hidden() -> None:
    found = scope(FAR)
    assert found.contains(f"{FAR}/notes.txt")
    assert found.contains(f"{FAR}/work/.env")
    assert not found.contains(f"{FAR}/.ssh/id_ed25519")
    assert not found.contains(f"{FAR}/.bashrc")
    assert not found.contains(str(FAR))


@pytest.mark.parametrize("cwd", ["/", "/srv", "/srv/people"])
def test_the_root_and_what_holds_the_home_are_never_in_scope(cwd: str) -> None:
    assert scope(cwd).roots == TEMP


def test_places_are_folders_files_or_globs() -> None:
    found = scope("/srv/app", "src", "packages/*/lib", "~/data", "docs/**")
    assert found.contains("/srv/app/src")
    assert found.contains("/srv/app/src/a/b.py")
    assert found.contains("/srv/app/packages/x/lib/y")
    assert found.contains(f"{FAR}/data/x")
    assert found.contains("/srv/app/docs")
    assert found.contains("/tmp/x")
    assert not found.contains("/srv/app")
    assert not found.contains("/srv/app/srcs")
    assert not found.contains("/srv/app/vendor/src")
    assert not found.contains("/srv/app/packages/x/y/lib")


def test_a_path_that_climbs_is_not_in_scope() -> None:
    found = scope("/srv/app")
    assert not found.contains("/srv/app/../other")
    assert not found.contains("/srv/app/..")
    assert found.contains("/srv/app/..x/y")


def test_a_folder_with_glob_characters_means_itself() -> None:
    for found in (scope("/srv/[x]{y}*"), scope("/srv/[x]{y}*", "src/*")):
        assert found.contains("/srv/[x]{y}*/src/a")
        assert not found.contains("/srv/x{y}*/src/a")


def test_temp_folders_named_by_the_environment_count() -> None:
    found = scope("/srv/app", TMPDIR="/scratch/7/")
    assert found.contains("/scratch/7/x")


@pytest.mark.parametrize("folder", ["/", "relative", str(FAR), "/srv"])
def test_a_temp_folder_that_is_none_does_not_count(folder: str) -> None:
    assert scope("/opt/app", TMPDIR=folder) == scope("/opt/app")


def test_a_place_counts_under_its_real_name_too(machine: "ScratchMachine", tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(machine.project)
    plain, globbed = scope(link, home=machine.home), scope(link, "src/*.py", home=machine.home)
    assert str(link) in plain.roots
    assert str(machine.project) in plain.roots
    assert globbed.patterns == (f"{link}/src/*.py", f"{machine.project}/src/*.py")


@pytest.mark.parametrize("place", ["/", "/**", "/*", "~", "~/", "~/**", "/srv", "../..", "/srv/."])
def test_a_scope_of_everything_is_a_mistake(place: str) -> None:
    with pytest.raises(ConfigError, match="would put everything in scope; name the folders"):
        scope("/srv/app", place)


def test_it_is_told_with_its_line(machine: "ScratchMachine") -> None:
    [problem] = machine.problems("goal: x\nscope:\n- src\n- ~/**\n")
    assert problem == (
        "handrail.yaml:4: scope[1]: '~/**' would put everything in scope; "
        "name the folders the agent may change, for example src/** or ~/work/shop"
    )


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        ("~bob/x", "names another user's home; write the path out"),
        ("src/*/../x", "has `..` after a wildcard"),
        ("", "is empty"),
    ],
)
def test_a_place_that_cannot_be_resolved_is_told(place: str, wrong: str) -> None:
    with pytest.raises(ConfigError, match=f"^configuration: scope\\[0\\]: .* {wrong}$"):
        scope("/srv/app", place)


def test_a_home_that_is_not_set_is_told() -> None:
    with pytest.raises(ConfigError, match="needs HOME, which is not set"):
        scope("/srv/app", "~/x", home="")


@given(
    st.lists(st.sampled_from(("a", "ab", "b*", "[c]", "..")), max_size=3),
    st.lists(st.sampled_from(("a", "ab", "b*", "bx", "[c]", "c", "..")), max_size=4),
)
def test_a_root_covers_what_its_glob_covers(root: list[str], path: list[str]) -> None:
    folder, asked = f"/{'/'.join(root)}", f"/{'/'.join(path)}"
    by_glob = compile_globs((escape(folder),)).fullmatch(asked) is not None
    assert Scope(roots=(folder,)).contains(asked) is (by_glob and ".." not in path)


def test_looking_into_the_scopes_of_many_projects_compiles_nothing() -> None:
    before = compile_globs.cache_info()
    for _ in range(2):
        for number in range(200):
            scope = Scope(roots=(f"/home/dev/shop-{number}", *TEMP))
            assert scope.contains(f"/home/dev/shop-{number}/cart.py")
            assert not scope.contains(f"/home/dev/shop-{number}0/cart.py")
    assert compile_globs.cache_info() == before
