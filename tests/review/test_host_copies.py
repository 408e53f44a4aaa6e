"""A copy of the host's program under another name starts an agent just the same."""

import os
from pathlib import Path

import pytest

from handrail.hosts.claude.profile import PROFILE
from handrail.model import Action, Review
from handrail.review import Reviewer
from handrail.review.paths.program_files import is_copy

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

    def copy(self, name: str, data: bytes = PROGRAM) -> Path:
        path = self.root / name
        path.write_bytes(data)
        path.chmod(0o755)
        return path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


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
    search = str(machine.bin)
    assert is_copy(str(copy), PROFILE, str(machine.root), search)
    copy.chmod(0o100)  # nobody but root could read it again, and nobody needs to
    assert is_copy(str(copy), PROFILE, str(machine.root), search)
    copy.chmod(0o755)
    copy.write_bytes(PROGRAM[::-1])
    assert not is_copy(str(copy), PROFILE, str(machine.root), search)
