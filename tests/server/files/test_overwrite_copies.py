"""What no checkpoint holds is copied before an action overwrites it."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.cli.restores.trash import find_batch, list_batches, put_back
from handrail.model import Action, Decision, Verdict
from handrail.model.action import Outcome
from handrail.model.event import FilesCopied
from handrail.server.files import overwrite_copies
from handrail.server.files.trash_copies import copy_file, prune_copies
from handrail.supervise.decision.decision_progress import CheckpointNeeded
from handrail.supervise.followup.breach import EndedCall
from tests.server.checkpoint_setup import CheckpointSetup
from tests.supervise.ready import ready

from .test_checkpoint_scheduler import save

pytestmark = pytest.mark.slow

IGNORED = "*.local\nbuild/\n*.log\nassets.bin\n"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[CheckpointSetup]:
    workshop = made(tmp_path)
    yield workshop
    workshop.close()


def made(folder: Path, settings: str = "") -> CheckpointSetup:
    workshop = CheckpointSetup(folder, settings)
    (workshop.tree / ".git").rmdir()
    git(workshop, "init", "-q", "-b", "main")
    (workshop.tree / ".gitignore").write_text(IGNORED)
    (workshop.tree / "notes.local").write_text("mine, and nowhere else\n")
    git(workshop, "add", ".")
    git(workshop, "commit", "-q", "-m", "start")
    return workshop


def git(shop: CheckpointSetup, *words: str) -> None:
    person = ["-c", "user.name=Me", "-c", "user.email=me@example.invalid"]
    environ = {**os.environ, **shop.environ}
    subprocess.run(["git", *person, *words], cwd=shop.tree, env=environ, check=True)


def bash(shop: CheckpointSetup, command: str, key: str = "t1") -> Action:
    return Action("Bash", {"command": command}, str(shop.tree), id=key)


def decide(shop: CheckpointSetup, action: Action) -> Verdict:
    progress = shop.run.decide(action)
    if isinstance(progress, CheckpointNeeded):
        saved = save(progress)
        shop.settle()
        progress = progress.proceed(saved)
    return ready(progress).wait()


def do(shop: CheckpointSetup, command: str, key: str = "t1") -> Verdict:
    """Decide about a command, run it if it may run, and report its end."""
    action = bash(shop, command, key)
    verdict = decide(shop, action)
    if not verdict.decision.stops:
        ran = subprocess.run(["bash", "-c", command], cwd=shop.tree, check=False)
        shop.run.after(EndedCall(action, Outcome(ok=ran.returncode == 0)))
        shop.settle()
    return verdict


def copied(shop: CheckpointSetup) -> list[str]:
    """The paths of all copies, from the top of the work tree."""
    events = [event for event in shop.all(FilesCopied) if isinstance(event, FilesCopied)]
    return [os.path.relpath(path, shop.tree) for event in events for path in event.files]


def restore(shop: CheckpointSetup) -> None:
    for batch in list_batches(os.path.join(shop.home.path, "trash")):
        for item in batch.items:
            assert put_back(item)


@pytest.mark.parametrize(
    "command",
    [
        "echo gone > notes.local",
        "truncate -s 0 notes.local",
        "cp cart.txt notes.local",
        "dd if=cart.txt of=notes.local",
        "mv cart.txt notes.local",
        "mkdir -p new && cp cart.txt new/ && mv new/cart.txt notes.local",
        "sed -i s/mine/yours/ notes.local",
        "sed -i s/mine/yours/ *.local",
        "tee notes.local < cart.txt",
        "python3 -c \"open('notes.local','w').write('x')\"",
    ],
)
def test_a_command_that_overwrites_an_ignored_file_can_be_taken_back(
    shop: CheckpointSetup, command: str
) -> None:
    assert not do(shop, command).decision.stops
    assert (shop.tree / "notes.local").read_text() != "mine, and nowhere else\n"
    assert copied(shop) == ["notes.local"]
    restore(shop)
    assert (shop.tree / "notes.local").read_text() == "mine, and nowhere else\n"


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Write", {"content": "x"}),
        ("Edit", {"old_string": "mine", "new_string": "yours"}),
    ],
)
def test_tools_that_write_files_leave_a_copy_too(
    shop: CheckpointSetup, tool: str, given: dict[str, object]
) -> None:
    path = f"{shop.tree}/notes.local"
    assert not decide(
        shop, Action(tool, {"file_path": path, **given}, str(shop.tree), id="t1")
    ).decision.stops
    assert copied(shop) == ["notes.local"]


def test_a_branch_that_git_checks_out_over_an_ignored_file(shop: CheckpointSetup) -> None:
    git(shop, "switch", "-q", "-c", "next")
    git(shop, "add", "-f", "notes.local")
    git(shop, "commit", "-q", "-m", "add it by force")
    git(shop, "switch", "-q", "main")
    (shop.tree / "notes.local").write_text("mine again\n")
    do(shop, "git checkout -q next")
    assert (shop.tree / "notes.local").read_text() == "mine, and nowhere else\n"
    assert copied(shop) == ["notes.local"]


@pytest.mark.parametrize(
    "command",
    [
        "echo new > cart.txt",
        "sed -i s/three/four/ cart.txt",
        "echo more >> notes.local",
        "touch notes.local",
        "echo x > new.local",
        "cat notes.local",
        "mv notes.local kept.local",
        "mkdir -p build && echo x > build/app.js && echo y > build/app.js",
        "echo x > server.log",
    ],
)
def test_what_is_covered_made_again_or_kept_is_not_copied(
    shop: CheckpointSetup, command: str
) -> None:
    (shop.tree / "build").mkdir()
    (shop.tree / "build" / "app.js").write_text("old\n")
    (shop.tree / "server.log").write_text("old\n")
    do(shop, command)
    assert copied(shop) == []


def test_what_the_run_itself_made_is_not_copied(shop: CheckpointSetup) -> None:
    do(shop, "echo one > notes.local", "t1")
    do(shop, "echo two > notes.local", "t2")
    assert copied(shop) == ["notes.local"]


def test_what_a_person_wrote_since_is_copied_again(shop: CheckpointSetup) -> None:
    do(shop, "echo one > notes.local", "t1")
    (shop.tree / "notes.local").write_text("by hand")
    do(shop, "echo two > notes.local", "t2")
    assert copied(shop) == ["notes.local", "notes.local"]


def test_a_file_over_the_limit_of_checkpoints_is_copied(tmp_path: Path) -> None:
    shop = made(tmp_path, "checkpoints: {max_file_mb: 1}\n")
    (shop.tree / "big.dat").write_bytes(b"x" * 1_500_000)
    do(shop, "truncate -s 0 big.dat")
    assert copied(shop) == ["big.dat"]
    shop.close()


def test_a_whole_file_over_the_limit_is_not_replaced(tmp_path: Path) -> None:
    shop = made(tmp_path, "trash: {max_file_mb: 1}\n")
    (shop.tree / "assets.bin").write_bytes(b"x" * 1_500_000)
    verdict = do(shop, "cp cart.txt assets.bin")
    assert verdict.decision is Decision.BLOCK
    assert "assets.bin" in verdict.reason
    assert "too much for a copy" in verdict.reason
    assert "assets.bin.new" in verdict.alternative
    assert not do(shop, "sed -i s/x/y/ assets.bin", "t2").decision.stops
    assert not do(shop, "cp cart.txt assets.bin.new", "t3").decision.stops
    assert copied(shop) == []
    shop.close()


def test_a_file_that_changed_during_the_run_may_be_replaced(tmp_path: Path) -> None:
    shop = made(tmp_path, "trash: {max_file_mb: 1}\n")
    shop.run.state.history.began = 1.0
    (shop.tree / "assets.bin").write_bytes(b"x" * 1_500_000)
    assert not do(shop, "cp cart.txt assets.bin").decision.stops
    shop.close()


def test_nothing_is_copied_or_refused_if_that_is_switched_off(tmp_path: Path) -> None:
    shop = made(tmp_path, "trash: {max_file_mb: 0}\n")
    assert not do(shop, "echo gone > notes.local").decision.stops
    assert copied(shop) == []
    shop.close()


def test_copies_are_made_where_no_checkpoint_is_taken(tmp_path: Path) -> None:
    shop = made(tmp_path, "checkpoints: {enabled: false}\n")
    do(shop, "echo gone > notes.local")
    assert copied(shop) == ["notes.local"]
    shop.close()


def edit(shop: CheckpointSetup, name: str, key: str) -> Action:
    given: dict[str, object] = {
        "file_path": f"{shop.tree}/{name}", "old_string": "three", "new_string": "four",
    }  # fmt: skip
    return Action("Edit", given, str(shop.tree), id=key)


def test_the_edit_of_a_tracked_file_waits_for_nothing(shop: CheckpointSetup) -> None:
    assert not isinstance(shop.run.decide(edit(shop, "cart.txt", "t1")), CheckpointNeeded)


def test_a_file_is_looked_at_again_if_an_ignore_list_has_changed(shop: CheckpointSetup) -> None:
    (shop.tree / "new.txt").write_text("three\n")
    first = shop.run.decide(edit(shop, "new.txt", "t1"))
    assert isinstance(first, CheckpointNeeded)
    save(first)
    shop.settle()
    assert copied(shop) == []
    assert not isinstance(shop.run.decide(edit(shop, "new.txt", "t2")), CheckpointNeeded)
    (shop.tree / ".gitignore").write_text(IGNORED + "new.txt\n")
    decide(shop, edit(shop, "new.txt", "t3"))
    assert copied(shop) == ["new.txt"]


def test_a_file_that_is_restored_twice_is_as_before(shop: CheckpointSetup) -> None:
    do(shop, "echo gone > notes.local")
    restore(shop)
    restore(shop)
    assert (shop.tree / "notes.local").read_text() == "gone\n"


def test_a_restore_exchanges_only_its_own_file(shop: CheckpointSetup) -> None:
    (shop.tree / ".gitignore").write_text(f"{IGNORED}*.now\n")
    (shop.tree / "notes.local.now").write_text("another\n")
    do(shop, "tee notes.local notes.local.now < cart.txt")
    assert copied(shop) == ["notes.local", "notes.local.now"]
    restore(shop)
    assert (shop.tree / "notes.local.now").read_text() == "another\n"


def test_a_copy_keeps_mode_and_content_and_shows_nothing_half_done(tmp_path: Path) -> None:
    source = tmp_path / "key"
    source.write_bytes(os.urandom(3_000_000))
    source.chmod(0o600)
    copy_file(str(source), str(tmp_path / "trash" / "a" / "key"))
    copy = tmp_path / "trash" / "a" / "key"
    assert copy.read_bytes() == source.read_bytes()
    assert copy.stat().st_mode == source.stat().st_mode
    assert os.listdir(copy.parent) == ["key"]


def test_a_copy_leaves_other_copies_alone_whatever_they_are_called(tmp_path: Path) -> None:
    trash = tmp_path / "trash"
    for name in ("notes.new", "notes"):
        (tmp_path / name).write_text(name)
        copy_file(str(tmp_path / name), str(trash / name))
    assert {each.name: each.read_text() for each in trash.iterdir()} == {
        "notes": "notes",
        "notes.new": "notes.new",
    }


def test_the_oldest_copies_go_first(tmp_path: Path) -> None:
    for number in range(4):
        folder = tmp_path / f"t{number}.over"
        folder.mkdir()
        (folder / "file").write_bytes(b"x" * 100)
        os.utime(folder, (number, number))
    (tmp_path / "moved").mkdir()
    (tmp_path / "moved" / "file").write_bytes(b"x" * 1000)
    prune_copies(str(tmp_path), 200)
    assert sorted(os.listdir(tmp_path)) == ["moved", "t2.over", "t3.over"]


def test_too_many_copies_are_removed_as_they_come(
    shop: CheckpointSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overwrite_copies, "_PRUNE_EVERY", 1)
    pruned: list[int] = []
    monkeypatch.setattr(overwrite_copies, "prune_copies", lambda trash, most: pruned.append(most))
    do(shop, "echo gone > notes.local")
    assert pruned == [2_000_000_000]


def test_the_copies_of_an_action_are_one_batch(shop: CheckpointSetup) -> None:
    (shop.tree / "other.local").write_text("other\n")
    do(shop, "echo 1 > notes.local && echo 2 > other.local", "toolu_01AbC")
    (batch,) = list_batches(os.path.join(shop.home.path, "trash"))
    assert batch.id == "toolu01AbC.over"
    assert [os.path.basename(item.original) for item in batch.items] == [
        "notes.local",
        "other.local",
    ]
    assert find_batch(os.path.join(shop.home.path, "trash"), batch.id) == batch
