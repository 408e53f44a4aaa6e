"""Packages are whole if each file is what an installer has written down, and nothing was added."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from handrail.server.integrity.package_files import (
    find_changes,
    find_replaced,
    folders_of,
    reinstall_command,
    says_changed,
)
from tests.server.integrity.python_environment import PythonEnvironment


@pytest.fixture
def env(tmp_path: Path) -> PythonEnvironment:
    return PythonEnvironment(tmp_path / "pipx" / "venvs" / "handrail")


def test_what_an_installer_left_is_whole(env: PythonEnvironment) -> None:
    assert env.changes() == []
    assert find_changes(env.packages._replace(since=0.0)) == [], "every file is compared"


CHANGES: dict[str, Callable[[Path], object]] = {
    "handrail/review/rules.py": lambda at: at.write_text("RULES = 0\n"),
    "rich/box.py": lambda at: at.unlink(),
    "rich/fast.so": lambda at: at.write_text("y"),
    "zz.pth": lambda at: at.write_text("import os\n"),
    "sitecustomize.py": lambda at: at.write_text("import os\n"),
    "usercustomize.so": lambda at: at.write_text("x"),
    "handrail/review/rules.cpython-312.so": lambda at: at.write_text("x"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_file_that_no_installer_has_left_is_named(env: PythonEnvironment, name: str) -> None:
    CHANGES[name](env.site / name)
    assert env.changes() == [name]


def test_the_time_of_the_last_write_proves_nothing(env: PythonEnvironment) -> None:
    file = env.site / "rich" / "box.py"
    before = file.stat()
    file.write_text("BOX = 2\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert env.changes() == ["rich/box.py"]


def test_a_folder_that_was_prepared_before_and_put_in_place_is_compared(
    env: PythonEnvironment,
) -> None:
    other = env.site.parent / "other"
    other.mkdir()
    (other / "rules.py").write_text("RULES = 0\n")
    env.look()
    (env.site / "handrail" / "review").rename(env.site.parent / "aside")
    other.rename(env.site / "handrail" / "review")
    assert env.changes() == ["handrail/review/rules.py"]


def test_a_package_that_is_gone_is_named(env: PythonEnvironment) -> None:
    info = env.site / "Rich_Text-2.0.dist-info"
    (info / "RECORD").unlink()
    info.rmdir()
    assert env.changes() == ["rich-text"]


@pytest.mark.parametrize("part", ["python", "config"])
def test_another_interpreter_is_named(env: PythonEnvironment, part: str) -> None:
    if part == "python":
        env.python.unlink()
        env.python.symlink_to("/usr/bin/true")
    else:
        env.config.write_text("home = /elsewhere\n")
    assert find_changes(env.packages) == [str(env.python)]


def test_an_upgrade_is_no_change_but_replaces_a_package(env: PythonEnvironment) -> None:
    env.install("Rich_Text", "2.0", {"rich/box.py": "BOX = 2\n", "rich/new.py": ""})
    assert env.changes() == []
    assert find_replaced(env.packages) == [str(env.site / "Rich_Text-2.0.dist-info" / "RECORD")]


def test_other_packages_come_and_go(env: PythonEnvironment) -> None:
    """A project's own environment may hold Handrail too, and a .pth of an editable install."""
    env.install("other", "1.0", {"other/a.py": "", "__editable__.other.pth": "/src\n"})
    assert env.changes() == []
    assert find_replaced(env.packages) == []
    (env.site / "other" / "a.py").write_text("changed by hand")
    (env.site / "rich" / "__pycache__").mkdir()
    (env.site / "rich" / "__pycache__" / "box.pyc").write_text("compiled")
    assert env.changes() == []


def test_every_folder_with_a_file_of_ours_is_watched(env: PythonEnvironment) -> None:
    env.install("other", "1.0", {"other/a.py": ""})
    found = {os.path.relpath(each, env.site) for each in folders_of(env.packages)}
    assert found >= {".", "handrail", "handrail/review", "rich"}
    assert "other" not in found


def test_a_person_is_told_how_to_put_them_back() -> None:
    assert reinstall_command("/h/.local/share/pipx/venvs/handrail/bin/python") == (
        "pipx reinstall handrail"
    )
    assert reinstall_command("/h/.local/share/uv/tools/handrail/bin/python") == (
        "uv tool install --reinstall handrail"
    )
    assert reinstall_command("/v/bin/python") == (
        "/v/bin/python -m pip install --force-reinstall handrail"
    )
    assert says_changed(["/a", "/b", "/c", "/d"]).endswith("changed: /a, /b, /c and 1 more")
