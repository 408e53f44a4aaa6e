"""The `claude` on this machine is found and says its version."""

from pathlib import Path

import pytest

from handrail.hosts.claude.program import find_claude, read_version


def _program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("2.1.325 (Claude Code)\n", (2, 1, 325)),
        ("warning: x\n1.0.128 (Claude Code)", (1, 0, 128)),
        ("2.1", None),
        ("", None),
    ],
)
def test_a_version_is_read(text: str, version: object) -> None:
    assert read_version(text) == version


def test_the_one_on_the_path_comes_first(tmp_path: Path) -> None:
    home = tmp_path / "home"
    _program(home / ".local/bin/claude", "echo 1.0.0")
    first = _program(tmp_path / "bin/claude", "echo 2.1.325")
    found = find_claude({"HOME": str(home), "PATH": str(first.parent)})
    assert found is not None
    assert (found.path, found.version, found.says) == (str(first), (2, 1, 325), "2.1.325")


def test_the_usual_places_are_tried_too(tmp_path: Path) -> None:
    usual = _program(tmp_path / ".local/bin/claude", "echo 2.0.76")
    found = find_claude({"HOME": str(tmp_path), "PATH": str(tmp_path / "none")})
    assert found is not None
    assert (found.path, found.version) == (str(usual), (2, 0, 76))


def test_one_that_does_not_say_its_version_is_still_found(tmp_path: Path) -> None:
    _program(tmp_path / "claude", "exit 1")
    found = find_claude({"HOME": str(tmp_path), "PATH": str(tmp_path)})
    assert found is not None
    assert (found.version, found.says) == (None, "")


def test_one_that_cannot_be_started_has_no_version(tmp_path: Path) -> None:
    path = tmp_path / "claude"
    path.write_bytes(b"\x00\x01")
    path.chmod(0o755)
    found = find_claude({"HOME": str(tmp_path), "PATH": str(tmp_path)})
    assert found is not None
    assert found.version is None
