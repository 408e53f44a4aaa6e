"""Pictures that are kept: private, within limits, and never one over the other."""

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from handrail.desktop.capture.debug_copies import DebugCopies
from handrail.desktop.capture.screenshot import Screenshot
from handrail.desktop.errors import CaptureError

_AT = 1_800_000_000.25
_DAY = 86_400


def _shot(at: float = _AT, size: int = 10, fill: bytes = b"x") -> Screenshot:
    return Screenshot(data=fill * size, width=1, height=1, at=at)


def _copies(folder: Path, days: float = 7, megabytes: float = 1) -> DebugCopies:
    return DebugCopies(str(folder), days, megabytes)


def test_a_picture_is_kept_under_its_time(tmp_path: Path) -> None:
    copies = _copies(tmp_path / "pictures")
    name = copies.keep(_shot())
    assert name == "20270115T080000.250000Z-001.jpg"
    assert copies.read(name) == b"x" * 10
    assert copies.names() == [name]


def test_only_the_owner_can_look(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "pictures"
    before = os.umask(0)
    try:
        name = _copies(folder).keep(_shot())
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600


def test_pictures_of_the_same_moment_do_not_collide(tmp_path: Path) -> None:
    fills = [bytes([65 + number]) for number in range(20)]
    with ThreadPoolExecutor(8) as pool:
        names = list(pool.map(lambda fill: _copies(tmp_path).keep(_shot(fill=fill)), fills))
    assert len(set(names)) == len(fills)
    copies = _copies(tmp_path)
    assert [copies.read(name)[:1] for name in names] == fills
    assert sorted(os.listdir(tmp_path)) == sorted(names)


def test_a_picture_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    copies = _copies(tmp_path)
    first = copies.keep(_shot(fill=b"1"))
    (tmp_path / f"{first.replace('-001', '-002')}.part").touch()
    assert copies.keep(_shot(fill=b"2")) == first.replace("-001", "-003")
    assert copies.read(first) == b"1" * 10


def test_old_pictures_go(tmp_path: Path) -> None:
    copies = _copies(tmp_path, days=2)
    kept = [copies.keep(_shot(_AT + _DAY * day)) for day in (0, 1, 2)]
    assert copies.names() == kept
    newest = copies.keep(_shot(_AT + _DAY * 2 + 1))
    assert copies.names() == [*kept[1:], newest]


def test_the_oldest_go_when_there_is_no_room(tmp_path: Path) -> None:
    copies = _copies(tmp_path, megabytes=0.003)
    kept = [copies.keep(_shot(_AT + number, 1000)) for number in range(5)]
    assert copies.names() == kept[2:]


def test_the_newest_stays_even_if_it_is_too_large(tmp_path: Path) -> None:
    copies = _copies(tmp_path, megabytes=0.001)
    copies.keep(_shot(_AT, 2000))
    newest = copies.keep(_shot(_AT + 1, 2000))
    assert copies.names() == [newest]


def test_files_of_others_stay(tmp_path: Path) -> None:
    others = ["notes.txt", "holiday.jpg", "20200101T000000Z.jpg", ".part", "x.jpg.part"]
    for name in others:
        (tmp_path / name).write_bytes(b"y" * 2000)
    _copies(tmp_path, days=0.1, megabytes=0.001).keep(_shot())
    assert set(others) <= set(os.listdir(tmp_path))


def test_a_half_written_picture_of_a_crash_goes(tmp_path: Path) -> None:
    copies = _copies(tmp_path)
    old, new = (f"20270115T0{hour}0000.000000Z-001.jpg.part" for hour in (6, 8))
    for name in (old, new):
        (tmp_path / name).touch()
    name = copies.keep(_shot())
    assert sorted(os.listdir(tmp_path)) == sorted([new, name])


def test_a_link_in_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "pictures").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CaptureError, match=r"cannot be kept in .*pictures"):
        _copies(tmp_path / "pictures").keep(_shot())
    assert os.listdir(tmp_path / "elsewhere") == []


def test_a_link_in_place_of_a_picture_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    folder = tmp_path / "pictures"
    copies = _copies(folder)
    first = copies.keep(_shot())
    planted = first.replace("-001", "-002")
    (folder / planted).symlink_to(secret)
    assert copies.keep(_shot()) == first.replace("-001", "-003")
    with pytest.raises(LookupError):
        copies.read(planted)
    assert secret.read_bytes() == b"secret"


def test_a_folder_that_others_may_write_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(CaptureError, match="chmod go-w"):
        _copies(folder).keep(_shot())
    assert os.listdir(folder) == []


@pytest.mark.parametrize("name", ["../secret", "/etc/hostname", "", "x.jpg", "a/b"])
def test_only_names_of_pictures_are_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    with pytest.raises(LookupError):
        _copies(tmp_path / "pictures").read(name)


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "pictures").write_text("a file")
    with pytest.raises(CaptureError, match="Not a directory"):
        _copies(tmp_path / "pictures").keep(_shot())


_FULL = """
import resource, sys
from handrail.desktop.capture.debug_copies import DebugCopies
from handrail.desktop.capture.screenshot import Screenshot
from handrail.desktop.errors import CaptureError
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
copies = DebugCopies(sys.argv[1], 7, 1)
copies.keep(Screenshot(data=b"x" * 4000, width=1, height=1, at=1.0))
try:
    copies.keep(Screenshot(data=b"x" * 6000, width=1, height=1, at=2.0))
except CaptureError as error:
    sys.exit(str(error))
"""


def test_without_room_the_error_says_so_and_nothing_half_stays(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _FULL, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert f"the picture cannot be kept in {tmp_path}: File too large" in ended.stderr
    assert os.listdir(tmp_path) == ["19700101T000001.000000Z-001.jpg"]
