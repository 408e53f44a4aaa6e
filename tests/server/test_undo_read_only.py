"""`handrail undo` and `rollback` beside a folder that cannot be written, through a real daemon."""

import json
from collections.abc import Iterator

import pytest

from tests.server.daemon_sandbox import DaemonSandbox
from tests.server.test_undo import act

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_override")]

BEFORE = {"open/a.py": "1\n", "shut/a.py": "1\n"}
AFTER = {"open/a.py": "2\n", "shut/a.py": "2\n", "shut/new.py": ""}
SHUT = "their folder cannot be written: shut/a.py, shut/new.py"


@pytest.fixture
def half_shut(no_override: None, place: DaemonSandbox) -> Iterator[DaemonSandbox]:
    """An agent changed files in two folders; since then one of them is read-only."""
    for path, text in BEFORE.items():
        (place.project / path).parent.mkdir(exist_ok=True)
        (place.project / path).write_text(text)
    place.start()
    place.tell("SessionStart", source="startup")
    place.tell("UserPromptSubmit", prompt="count on")
    act(place, "sed -i s/1/2/ open/a.py shut/a.py; touch shut/new.py", "t1")
    place.tell("Stop")
    (place.project / "shut").chmod(0o555)
    yield place
    (place.project / "shut").chmod(0o755)


def files(place: DaemonSandbox) -> dict[str, str]:
    found = (path for path in place.project.glob("*/*.py") if path.is_file())
    return {str(path.relative_to(place.project)): path.read_text() for path in found}


def say(place: DaemonSandbox, *args: str, code: int) -> str:
    ran = place.run(*args)
    assert (ran.returncode, ran.stderr) == (code, "")
    return " ".join(ran.stdout.split())


def test_the_rest_is_undone_and_what_is_not_is_named_with_the_way_to_finish(
    half_shut: DaemonSandbox,
) -> None:
    place = half_shut
    said = say(place, "undo", "--yes", code=1)
    assert "✓ 1 change undone" in said
    assert f"NOT RESTORED, because {SHUT}" in said
    assert files(place) == AFTER | {"open/a.py": "1\n"}
    assert "open/a.py, 2 files could not be written" in say(place, "log", code=0)

    assert "then run `handrail redo` and `handrail undo`." in said
    (place.project / "shut").chmod(0o755)
    assert place.run("redo", "--yes").returncode == 0
    assert place.run("undo", "--yes").returncode == 0
    assert files(place) == BEFORE


def test_a_rollback_goes_on_where_it_could_not_write_before(half_shut: DaemonSandbox) -> None:
    place = half_shut
    said = say(place, "rollback", "c1", "--yes", code=1)
    assert f"NOT RESTORED, because {SHUT}" in said
    assert "then run `handrail rollback c1` again." in said
    assert files(place) == AFTER | {"open/a.py": "1\n"}
    (place.project / "shut").chmod(0o755)
    assert place.run("rollback", "c1", "--yes").returncode == 0
    assert files(place) == BEFORE


@pytest.mark.parametrize("command", [("undo",), ("rollback", "c1")])
def test_nothing_is_restored_if_only_the_whole_will_do(
    half_shut: DaemonSandbox, command: tuple[str, ...]
) -> None:
    place = half_shut
    said = say(place, *command, "--whole", "--yes", code=1)
    assert f"✗ NOTHING RESTORED (--whole), because {SHUT}" in said
    assert "✓" not in said
    assert files(place) == AFTER
    assert "rolled back" not in say(place, "log", code=0)

    (place.project / "shut").chmod(0o755)
    assert "✓ 3 changes" in say(place, *command, "--whole", "--yes", code=0)
    assert files(place) == BEFORE


def test_a_program_reads_that_nothing_was_restored(half_shut: DaemonSandbox) -> None:
    ran = half_shut.run("undo", "--whole", "--yes", "--json")
    assert ran.returncode == 1
    told = json.loads(ran.stdout)
    assert told["done"] is False
    assert [each["path"] for each in told["spared"] if each["unwritable"]] == [
        "shut/a.py",
        "shut/new.py",
    ]
    assert files(half_shut) == AFTER


def test_a_dry_run_tells_that_the_whole_cannot_be_restored(half_shut: DaemonSandbox) -> None:
    assert f"NOTHING RESTORED (--whole), because {SHUT}" in say(
        half_shut, "undo", "--whole", "--dry-run", code=0
    )
    assert "1 change. Nothing was changed." in say(half_shut, "undo", "--dry-run", code=0)
    assert files(half_shut) == AFTER


def test_an_undo_that_can_write_nothing_does_not_say_that_all_is_well(
    half_shut: DaemonSandbox,
) -> None:
    place = half_shut
    (place.project / "open").chmod(0o555)
    said = say(place, "undo", "--yes", code=1)
    (place.project / "open").chmod(0o755)
    assert "✗ NOTHING RESTORED, because their folder cannot be written: open/a.py, shut/" in said
    assert "already match" not in said
    assert files(place) == AFTER
