"""`handrail restore`: everything comes back, nothing is overwritten."""

import errno
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.conftest import HandrailShell

from handrail.cli.restores import trash
from handrail.cli.restores.trash import find_batch, list_batches, put_back, tidy_trash


@pytest.fixture
def trashed(shell: HandrailShell) -> HandrailShell:
    """`notes/` and `a.txt` of the project were moved to the trash under `ab12`."""
    place = Path(f"{shell.state}/trash/ab12{shell.project}")
    (place / "notes/deep").mkdir(parents=True)
    (place / "notes/deep/plan.md").write_text("plan")
    (place / "a.txt").write_text("a")
    return shell


def test_an_empty_trash_is_said_to_be_empty(shell: HandrailShell) -> None:
    assert "The trash is empty." in shell.run("restore").out
    assert shell.run("restore", "--json").json == []


def test_the_list_shows_what_is_there_the_newest_first(trashed: HandrailShell) -> None:
    older = trashed.state / "trash/older/srv/x"
    older.mkdir(parents=True)
    os.utime(trashed.state / "trash/older", (1, 1))
    ran = trashed.run("restore")
    assert ran.code == 0
    assert ran.out.index("ab12") < ran.out.index("older")
    assert f"{trashed.project}/notes" in ran.out or "…" in ran.out
    ids = [batch["id"] for batch in trashed.run("restore", "--json").json]
    assert ids == ["ab12", "older"]


def test_everything_goes_back(trashed: HandrailShell) -> None:
    ran = trashed.run("restore", "ab12")
    assert ran.code == 0
    assert (trashed.project / "notes/deep/plan.md").read_text() == "plan"
    assert (trashed.project / "a.txt").read_text() == "a"
    assert not (trashed.state / "trash/ab12").exists()
    assert trashed.run("restore", "ab12").code == 2


def test_a_dry_run_leaves_everything(trashed: HandrailShell) -> None:
    ran = trashed.run("restore", "ab12", "--dry-run", "--json")
    assert [item["path"] for item in ran.json["restored"]] == [
        f"{trashed.project}/a.txt", f"{trashed.project}/notes"
    ]  # fmt: skip
    assert not (trashed.project / "a.txt").exists()
    assert (trashed.state / "trash/ab12").exists()


def test_what_exists_is_left_alone(trashed: HandrailShell) -> None:
    (trashed.project / "a.txt").write_text("new")
    ran = trashed.run("restore", "ab12")
    assert ran.code == 1
    assert "left alone" in ran.out
    assert (trashed.project / "a.txt").read_text() == "new"
    assert (trashed.project / "notes/deep/plan.md").exists()
    (item,) = find_batch(f"{trashed.state}/trash", "ab12").items
    assert Path(item.source).read_text() == "a"


def test_a_folder_that_exists_again_is_filled_up(trashed: HandrailShell) -> None:
    (trashed.project / "notes/deep").mkdir(parents=True)
    (trashed.project / "notes/other.md").write_text("other")
    assert trashed.run("restore", "ab12").code == 0
    assert (trashed.project / "notes/deep/plan.md").read_text() == "plan"
    assert (trashed.project / "notes/other.md").read_text() == "other"


def test_a_folder_that_is_gone_is_made_again(trashed: HandrailShell) -> None:
    (trashed.project / ".git").rmdir()
    os.chdir(trashed.home)
    trashed.project.rmdir()
    assert trashed.run("restore", "ab12").code == 0
    assert (trashed.project / "a.txt").exists()


def test_links_go_back_as_links(shell: HandrailShell) -> None:
    place = Path(f"{shell.state}/trash/ab12{shell.project}")
    place.mkdir(parents=True)
    (place / "link").symlink_to("/nowhere")
    (place / "folder-link").symlink_to("/tmp")
    assert shell.run("restore", "ab12").code == 0
    assert os.readlink(shell.project / "link") == "/nowhere"
    assert os.readlink(shell.project / "folder-link") == "/tmp"


def test_across_filesystems_it_is_copied(
    trashed: HandrailShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = trash._rename

    def other_filesystem(source: str, target: str) -> None:
        if "/trash/" in source:
            raise OSError(errno.EXDEV, "other filesystem")
        real(source, target)

    monkeypatch.setattr(trash, "_rename", other_filesystem)
    assert trashed.run("restore", "ab12").code == 0
    assert (trashed.project / "notes/deep/plan.md").read_text() == "plan"
    assert sorted(os.listdir(trashed.project)) == [".git", "a.txt", "notes"]
    assert not (trashed.state / "trash/ab12").exists()


def test_what_appears_meanwhile_is_not_overwritten(trashed: HandrailShell) -> None:
    batch = find_batch(f"{trashed.state}/trash", "ab12")
    (trashed.project / "a.txt").write_text("new")
    (trashed.project / "notes").mkdir()
    assert [put_back(item) for item in batch.items] == [False, False]
    assert (trashed.project / "a.txt").read_text() == "new"


def git(folder: Path, *args: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    done = subprocess.run(
        ["git", "-C", str(folder), *who, *args], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_patch_is_applied_where_it_belongs(shell: HandrailShell) -> None:
    repository = shell.home / "repository"
    (repository / "sub").mkdir(parents=True)
    git(repository, "init", "-q")
    (repository / "a.txt").write_text("one\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "x")
    (repository / "a.txt").write_text("two\n")
    batch = shell.state / "trash/ab12"
    batch.mkdir(parents=True)
    (batch / "work.patch").write_text(git(repository, "diff", "--binary", "HEAD"))
    git(repository, "reset", "-q", "--hard")
    ran = shell.run("restore", "ab12")
    assert ran.code == 1
    assert "handrail restore ab12 --into DIR" in ran.out
    assert shell.run("restore", "ab12", "--into", str(repository / "sub")).code == 0
    assert (repository / "a.txt").read_text() == "two\n"
    assert not batch.exists()


def test_a_patch_that_does_not_fit_is_kept(shell: HandrailShell) -> None:
    batch = shell.state / "trash/ab12"
    batch.mkdir(parents=True)
    (batch / "work.patch").write_text("nonsense")
    ran = shell.run("restore", "ab12", "--into", str(shell.home))
    assert ran.code == 2
    assert "stays as it is" in ran.err
    assert (batch / "work.patch").exists()


def test_packed_files_are_unpacked_beside_what_is_there(shell: HandrailShell) -> None:
    source = shell.home / "source"
    source.mkdir()
    (source / "a.txt").write_text("old")
    (source / "b.txt").write_text("b")
    batch = shell.state / "trash/ab12"
    batch.mkdir(parents=True)
    archive = str(batch / "untracked.tar")
    subprocess.run(["tar", "-cf", archive, "-C", str(source), "a.txt", "b.txt"], check=True)
    (shell.project / "a.txt").write_text("new")
    assert shell.run("restore", "ab12", "--into", str(shell.project)).code == 0
    assert (shell.project / "a.txt").read_text() == "new"
    assert (shell.project / "b.txt").read_text() == "b"


@pytest.mark.parametrize("key", ["", ".", "..", "a/b", "/etc", "x\0y", "missing"])
def test_an_id_is_only_a_name(shell: HandrailShell, key: str) -> None:
    (shell.state / "trash").mkdir(parents=True)
    with pytest.raises(trash.NoSuchBatchError):
        find_batch(f"{shell.state}/trash", key)


NAMES = st.lists(st.sampled_from(["a", "b", "c d", "é", "-x"]), min_size=1, max_size=4)


@given(st.dictionaries(NAMES.map("/".join), st.binary(max_size=20), min_size=1, max_size=6))
@settings(max_examples=40)
def test_whatever_was_moved_comes_back_the_same(files: dict[str, bytes]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "project")
        there = Path(f"{folder}/trash/k{root}")
        wanted: dict[str, bytes] = {}
        for name, data in files.items():
            path = there / name
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            except OSError:  # `a` is a file already, so there is no `a/b`
                continue
            wanted[name] = data
        (batch,) = list_batches(f"{folder}/trash")
        assert all(put_back(item) for item in batch.items)
        tidy_trash(batch)
        assert {name: (root / name).read_bytes() for name in wanted} == wanted
        assert list_batches(f"{folder}/trash") == []


def test_a_rewritten_deletion_comes_back(shell: HandrailShell) -> None:
    """The whole way: review, run what it says, restore."""
    (shell.project / "notes").mkdir()
    (shell.project / "notes/plan.md").write_text("plan")
    scope = str(shell.project)
    answer = shell.run("review", "--json", "--scope", scope, "rm -rf notes").json
    subprocess.run(["sh", "-c", answer["updated_input"]["command"]], cwd=scope, check=True)
    assert not (shell.project / "notes").exists()
    (batch,) = shell.run("restore", "--json").json
    assert shell.run("restore", batch["id"]).code == 0
    assert (shell.project / "notes/plan.md").read_text() == "plan"
