"""A copy of the host's program under another name starts an agent just the same."""

import os
from pathlib import Path

import pytest

from handrail.hosts.claude.profile import PROFILE
from handrail.model import Action, Review
from handrail.review import Reviewer
from handrail.review.paths import folder_memory
from handrail.review.paths.program_files import ProgramFiles
from tests.disk_calls import changed, counted_disk_calls

PROGRAM = b"\x7fELF" + bytes(range(256)) * 1200


class Machine:
    """A home in which the program of a host is installed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = root / "project"
        self.bin = root / "bin"
        for folder in (self.project, self.bin, root / "tools"):
            folder.mkdir()
        self.claude = self.bin / "claude"
        self.claude.write_bytes(PROGRAM)
        self.claude.chmod(0o755)
        environ = {"HOME": str(root), "PATH": f"{self.bin}:{root}/tools"}
        self._reviewer = Reviewer(environ=environ)

    def review(self, command: str) -> Review:
        return self._reviewer.review(Action("Bash", {"command": command}, str(self.project)))

    def is_copy(self, path: Path) -> bool:
        return ProgramFiles(str(self.root), str(self.bin)).is_copy(str(path), PROFILE)

    def copy(self, name: str, data: bytes = PROGRAM) -> Path:
        path = self.root / name
        path.write_bytes(data)
        path.chmod(0o755)
        return path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every folder counts as unchanged for long, so that its names are remembered."""
    monkeypatch.setattr(folder_memory, "_SETTLED_NS", -(10**15))


def unsupervised(review: Review) -> bool:
    return any("without its hooks" in reason for reason in review.reasons)


def test_a_copy_is_read_like_the_program(machine: Machine) -> None:
    copy = machine.copy("tools/helper")
    assert unsupervised(machine.review(f"{copy} --bare -p 'go on'"))
    assert unsupervised(machine.review("helper --bare -p 'go on'"))
    assert unsupervised(machine.review("../tools/helper --safe-mode"))
    assert not machine.review(f"{copy} -p 'look'").decision.stops


def test_a_copy_is_read_like_the_program_that_a_script_on_the_path_starts(machine: Machine) -> None:
    program = machine.copy("opt-claude")
    machine.claude.write_text(f'#!/bin/sh\nexec {program} "$@"\n')
    copy = machine.copy("tools/helper")
    assert unsupervised(machine.review(f"{copy} --bare -p 'go on'"))
    assert unsupervised(machine.review(f"ln -s {program} helper; ./helper --bare"))
    assert not unsupervised(machine.review("/bin/sh --bare"))


def test_a_copy_with_the_name_of_another_program_is_one(machine: Machine) -> None:
    assert unsupervised(machine.review(f"{machine.copy('tools/ls')} --bare"))


def test_links_are_copies(machine: Machine) -> None:
    os.link(machine.claude, machine.root / "tools" / "hard")
    (machine.root / "tools" / "soft").symlink_to(machine.claude)
    assert unsupervised(machine.review("hard --bare"))
    assert unsupervised(machine.review("soft --bare"))


@pytest.mark.parametrize("way", ["cp", "ln", "ln -s", "mv", "install -m 755"])
def test_a_copy_that_the_same_command_line_makes_is_one(machine: Machine, way: str) -> None:
    review = machine.review(f"{way} {machine.claude} ./c && ./c --bare -p 'go on'")
    assert unsupervised(review)


def test_a_script_of_the_host_under_an_interpreter_is_one(machine: Machine) -> None:
    copy = machine.copy("tools/x.js")
    assert unsupervised(machine.review(f"node {copy} --bare"))


def test_other_programs_are_none(machine: Machine) -> None:
    other = bytearray(PROGRAM)
    other[1000] ^= 1
    machine.copy("tools/other", bytes(other))
    machine.copy("tools/short", PROGRAM[:-1])
    for name in ("other", "short", "missing"):
        assert not unsupervised(machine.review(f"{name} --bare"))


def test_a_file_is_read_once_while_it_stays_the_same(machine: Machine) -> None:
    copy = machine.copy("tools/helper")
    assert machine.is_copy(copy)
    copy.chmod(0o100)  # nobody but root could read it again, and nobody needs to
    assert machine.is_copy(copy)
    copy.chmod(0o755)
    copy.write_bytes(PROGRAM[::-1])
    assert not machine.is_copy(copy)


def test_the_folders_of_the_path_are_looked_at_once_for_all_commands(machine: Machine) -> None:
    machine.copy("tools/helper", b"#!/bin/sh\n")
    machine.review("helper; first; second")
    with counted_disk_calls() as calls:
        machine.review("third; helper; fourth")
    assert calls[str(machine.bin)] == 1
    assert calls[str(machine.root / "tools")] == 1


def test_without_a_host_on_this_machine_no_program_is_looked_up(machine: Machine) -> None:
    machine.claude.unlink()
    with counted_disk_calls() as calls:
        machine.review("first; second")
    assert not [path for path in calls if path.endswith(("/first", "/second"))]


@pytest.mark.usefixtures("settled")
def test_a_copy_that_appears_on_the_path_is_noticed_by_the_next_call(machine: Machine) -> None:
    tools = machine.root / "tools"
    assert not unsupervised(machine.review("helper --bare"))
    changed(tools, lambda: machine.copy("tools/helper").chmod(0o644))
    assert not unsupervised(machine.review("helper --bare"))
    (tools / "helper").chmod(0o755)  # which the folder does not show
    assert unsupervised(machine.review("helper --bare"))
    (tools / "helper").write_bytes(PROGRAM[::-1])
    assert not unsupervised(machine.review("helper --bare"))


@pytest.mark.usefixtures("settled")
def test_a_copy_earlier_on_the_path_hides_the_program_behind_it(machine: Machine) -> None:
    machine.copy("tools/helper", PROGRAM[::-1])
    assert not unsupervised(machine.review("helper --bare"))
    changed(machine.bin, lambda: machine.copy("bin/helper"))
    assert unsupervised(machine.review("helper --bare"))


@pytest.mark.usefixtures("settled")
def test_a_host_that_is_installed_later_is_known_by_the_next_call(machine: Machine) -> None:
    machine.claude.unlink()
    machine.copy("tools/helper")
    assert not unsupervised(machine.review("helper --bare"))
    changed(machine.bin, lambda: machine.copy("bin/claude"))
    assert unsupervised(machine.review("helper --bare"))
