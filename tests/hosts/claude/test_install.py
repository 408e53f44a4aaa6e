"""Files on the disk: changed as a whole or not at all, and given back as they were."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from handrail.hosts.claude.install import plan_install, plan_removal
from handrail.hosts.claude.settings import HookOptions, Style, add
from handrail.hosts.git_view import GitView
from handrail.hosts.installation import install, other_installs, uninstall
from handrail.hosts.settings_file import ChangedMeanwhileError, is_broken, load_installs

HOOKING = HookOptions("http", "http://127.0.0.1:47115/hooks/claude", "t0ken", "/x/handrail-hook")
MOVED = HookOptions("http", "http://127.0.0.1:47999/hooks/claude", "t0ken", "/x/handrail-hook")
OUTSIDE = GitView("outside")
ODD = b'\xef\xbb\xbf{\r\n\t"env":\t{ "A":"\xff" },\r\n\t"hooks":{"Stop":[ ]}}'


class Place:
    """A settings file and the record of what was installed."""

    def __init__(self, root: Path) -> None:
        self.file = root / "home/.claude/settings.json"
        self.record = root / "state/installs.json"

    def write(self, data: bytes) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_bytes(data)

    def install(self, hooking: HookOptions = HOOKING, view: GitView = OUTSIDE) -> None:
        install(plan_install(str(self.file), hooking, view, str(self.record)), str(self.record))

    def uninstall(self) -> bool:
        plan = plan_removal(str(self.file), str(self.record))
        uninstall(plan, str(self.record))
        return plan.exact


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize("original", [ODD, b"{}", b"", b"\n", b'{"a": 1, "b": [1,2]}\n'])
def test_a_file_comes_back_byte_for_byte(place: Place, original: bytes) -> None:
    place.write(original)
    place.install()
    assert b"hooks/claude" in place.file.read_bytes()
    assert place.uninstall()
    assert place.file.read_bytes() == original


def test_a_file_comes_back_after_several_installations(place: Place) -> None:
    place.write(ODD)
    place.install()
    place.install(MOVED)
    place.install(MOVED)
    assert place.uninstall()
    assert place.file.read_bytes() == ODD


def test_what_others_changed_in_between_stays(place: Place) -> None:
    place.write(b'{"a": 1}')
    place.install()
    found = json.loads(place.file.read_bytes())
    place.write(json.dumps({**found, "model": "opus"}, indent=2).encode())
    assert not place.uninstall()
    assert json.loads(place.file.read_bytes()) == {"a": 1, "model": "opus"}


def test_what_others_changed_between_two_installations_stays(place: Place) -> None:
    place.write(b'{"a": 1}')
    place.install()
    place.write(place.file.read_bytes().replace(b'"a": 1', b'"a": 2'))
    place.install(MOVED)
    assert place.uninstall()
    assert place.file.read_bytes() == b'{"a": 2}'


@pytest.mark.parametrize(("style", "mode"), [("http", 0o600), ("command", 0o644)])
def test_a_file_that_gets_a_token_is_closed_for_others(
    place: Place, style: Style, mode: int
) -> None:
    place.write(b"{}")
    place.file.chmod(0o644)
    place.install(msgspec.structs.replace(HOOKING, style=style))
    assert stat.S_IMODE(place.file.stat().st_mode) == mode


def test_a_file_with_a_token_is_closed_by_the_next_install(place: Place) -> None:
    place.install()
    place.file.chmod(0o644)
    place.install()
    assert stat.S_IMODE(place.file.stat().st_mode) == 0o600


def test_a_file_that_was_made_goes_with_its_folder(place: Place, tmp_path: Path) -> None:
    place.install()
    assert stat.S_IMODE(place.file.stat().st_mode) == 0o600
    place.uninstall()
    assert os.listdir(tmp_path) == ["state"]


def test_a_file_that_was_made_goes_after_somebody_wrote_it_anew(place: Place) -> None:
    place.install()
    place.write(json.dumps(json.loads(place.file.read_bytes())).encode())
    place.uninstall()
    assert not place.file.exists()


def test_a_file_that_was_made_stays_if_others_use_it(place: Place) -> None:
    place.install()
    found = json.loads(place.file.read_bytes())
    place.write(json.dumps({"model": "opus", **found}).encode())
    place.install(MOVED)
    place.uninstall()
    assert json.loads(place.file.read_bytes()) == {"model": "opus"}


def test_a_folder_that_others_use_stays(place: Place) -> None:
    place.install()
    (place.file.parent / "CLAUDE.md").write_text("mine")
    place.uninstall()
    assert os.listdir(place.file.parent) == ["CLAUDE.md"]


def test_without_a_record_exactly_ours_go(place: Place) -> None:
    place.write(ODD)
    place.install()
    place.record.unlink()
    assert not place.uninstall()
    assert place.file.read_bytes() == ODD
    assert not place.record.exists()


def test_a_broken_record_is_no_record(place: Place) -> None:
    place.write(ODD)
    place.install()
    place.record.write_text("{broken")
    place.uninstall()
    assert place.file.read_bytes() == ODD


def test_a_broken_record_is_kept_when_a_new_one_is_begun(place: Place) -> None:
    place.write(ODD)
    place.record.parent.mkdir()
    place.record.write_text("{broken")
    place.install()
    (aside,) = place.record.parent.glob("installs.json.damaged-*")
    assert aside.read_text() == "{broken"
    place.uninstall()
    assert place.file.read_bytes() == ODD
    assert not is_broken(str(place.record))


def test_the_record_is_for_its_user_alone(place: Place) -> None:
    place.write(b'{"env": {"KEY": "secret"}}')
    place.install()
    assert stat.S_IMODE(place.record.stat().st_mode) == 0o600
    place.uninstall()
    assert place.record.read_bytes() == b"[]"


def test_a_link_stays_a_link(place: Place, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles/claude.json"
    real.parent.mkdir()
    real.write_bytes(b"{}")
    place.file.parent.mkdir(parents=True)
    place.file.symlink_to(real)
    place.install()
    assert place.file.is_symlink()
    assert b"hooks/claude" in real.read_bytes()
    place.uninstall()
    assert place.file.is_symlink()
    assert real.read_bytes() == b"{}"


def test_a_link_to_nothing_is_followed_and_is_one_again(place: Place, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles/claude.json"
    place.file.parent.mkdir(parents=True)
    place.file.symlink_to(real)
    place.install()
    assert real.exists()
    place.uninstall()
    assert place.file.is_symlink()
    assert not real.parent.exists()


def test_other_installations_are_known(place: Place, tmp_path: Path) -> None:
    other = Place(tmp_path / "other")
    other.record = place.record
    place.install()
    other.install()
    assert other_installs(str(place.file), str(place.record)) == [str(other.file)]
    place.uninstall()
    assert other_installs(str(other.file), str(place.record)) == []


# Nothing is changed by halves


def _left(place: Place) -> list[str]:
    return sorted(os.listdir(place.file.parent))


def test_a_read_only_file_is_left_alone(place: Place) -> None:
    place.write(b"{}")
    place.file.chmod(0o444)
    with pytest.raises(PermissionError, match="read-only; nothing was changed") as caught:
        place.install()
    assert caught.value.filename == str(place.file)
    assert place.file.read_bytes() == b"{}"
    assert _left(place) == ["settings.json"]
    assert load_installs(str(place.record)) == []


def test_a_full_disk_changes_nothing(place: Place) -> None:
    place.write(b"{}")
    # No file of the child may get larger than the record, but smaller than the settings.
    script = (
        "import resource, signal, sys\n"
        "from handrail.hosts.settings_file import FileChangePlan\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n"
        "    FileChangePlan(sys.argv[1], b'{}', b'x' * 5000).carry_out()\n"
        "except OSError as error:\n"
        "    print(error.strerror, error.filename)\n"
    )
    command = [sys.executable, "-c", script, str(place.file)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "nothing was changed" in ran.stdout
    assert str(place.file) in ran.stdout
    assert place.file.read_bytes() == b"{}"
    assert _left(place) == ["settings.json"]


def test_a_folder_that_cannot_be_made_changes_nothing(place: Place, tmp_path: Path) -> None:
    place.file = tmp_path / "made/file/settings.json"
    (tmp_path / "made").mkdir()
    place.file.parent.write_text("in the way")
    with pytest.raises(NotADirectoryError):
        place.install()
    assert place.file.parent.read_text() == "in the way"


def test_a_file_that_changed_since_it_was_looked_at_is_left_alone(place: Place) -> None:
    place.write(b"{}")
    plan = plan_install(str(place.file), HOOKING, OUTSIDE, str(place.record))
    place.write(b'{"a": 1}')
    with pytest.raises(ChangedMeanwhileError, match="run this again"):
        install(plan, str(place.record))
    assert place.file.read_bytes() == b'{"a": 1}'
    assert load_installs(str(place.record)) == []


def test_something_that_is_no_file_is_left_alone(place: Place) -> None:
    place.file.parent.mkdir(parents=True)
    os.mkfifo(place.file)
    for path in (place.file, place.file.parent):
        place.file = path
        with pytest.raises(OSError, match="not a file"):
            place.install()


# With git


@pytest.mark.parametrize("listed", [None, b"*.o\n", b"*.o"])
def test_the_line_for_git_comes_and_goes(
    place: Place, tmp_path: Path, listed: bytes | None
) -> None:
    exclude = tmp_path / "info/exclude"
    exclude.parent.mkdir()
    if listed is not None:
        exclude.write_bytes(listed)
    place.install(view=GitView("visible", str(exclude), "/ours"))
    assert exclude.read_bytes().endswith(b"/ours\n")
    place.install(MOVED, GitView("ignored"))
    place.uninstall()
    assert (exclude.read_bytes() if exclude.exists() else None) == listed


def test_lines_that_others_added_for_git_stay(place: Place, tmp_path: Path) -> None:
    exclude = tmp_path / "exclude"
    place.install(view=GitView("visible", str(exclude), "/ours"))
    exclude.write_bytes(exclude.read_bytes() + b"/theirs\n")
    place.uninstall()
    assert exclude.read_bytes() == b"/theirs\n"


def test_the_line_for_git_is_taken_back_if_the_settings_cannot_be_written(
    place: Place, tmp_path: Path
) -> None:
    place.write(b"{}")
    place.file.chmod(0o444)
    exclude = tmp_path / "exclude"
    exclude.write_bytes(b"*.o\n")
    with pytest.raises(PermissionError):
        place.install(view=GitView("visible", str(exclude), "/ours"))
    assert exclude.read_bytes() == b"*.o\n"


def test_what_is_installed_already_is_no_change(place: Place) -> None:
    place.write(add(None, HOOKING).encode())
    plan = plan_install(str(place.file), HOOKING, OUTSIDE, str(place.record))
    assert not plan.changes
