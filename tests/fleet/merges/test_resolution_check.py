"""An agent has not resolved a conflict while its markers stand in the files."""

import subprocess
from pathlib import Path

import pytest

from handrail.fleet.merges.conflict_resolution import (
    begin_resolution,
    files_in_conflict,
    verify_resolution,
)
from tests.fleet.merges.test_merging import MergeShop

MARKERS = "<<<<<<< HEAD\nmine\n=======\nyours\n>>>>>>> 3f2a\n"


def passes(command: str, folder: Path) -> tuple[bool, str]:
    ran = subprocess.run(
        ["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False
    )
    return ran.returncode == 0, ran.stdout


def test_the_files_in_conflict_are_those_of_the_merge_under_way(tmp_path: Path) -> None:
    shop = MergeShop(tmp_path)
    made = shop.work("a", "README.md", "# Theirs\n")
    assert files_in_conflict(made, shop.environ) == ()
    shop.move_on("README.md", "# Ours\n")
    begin_resolution(made, "main", shop.environ)
    assert files_in_conflict(made, shop.environ) == ("README.md",)
    command = verify_resolution("", files_in_conflict(made, shop.environ))
    ok, said = passes(command, Path(made.path))
    assert not ok
    assert said.splitlines()[0] == "README.md:1:<<<<<<< HEAD"
    shop.write("README.md", "# Both\n", at=made.path)
    assert passes(command, Path(made.path)) == (True, "")


def test_without_a_conflict_the_command_is_that_of_the_task() -> None:
    assert verify_resolution("make test", ()) == "make test"
    assert verify_resolution("", ()) == ""


@pytest.mark.parametrize(
    ("content", "verify", "ok"),
    [
        (MARKERS, "", False),
        (MARKERS, "true", False),
        (MARKERS.replace("\n", "\r\n"), "true", False),
        ("both\n", "", True),
        ("both\n", "true", True),
        ("both\n", "false", False),
        ("both\n", "false; true", True),
        ("======= is a heading\nuse <<<<<<< and >>>>>>>\n", "", True),
        (None, "", True),
    ],
)
def test_markers_and_the_command_of_the_task_both_count(
    tmp_path: Path, content: str | None, verify: str, ok: bool
) -> None:
    odd = "it's odd.txt"
    if content is not None:
        (tmp_path / odd).write_text(content)
    assert passes(verify_resolution(verify, ("gone.txt", odd)), tmp_path)[0] is ok
