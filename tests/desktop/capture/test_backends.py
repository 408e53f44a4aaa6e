"""Both backends on a real display: what they see, and what they say when there is nothing."""

import os
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from PIL.Image import Image
from Xlib.ext import randr
from Xlib.protocol import rq

from handrail.desktop.capture.choose_backend import BACKENDS, open_backend
from handrail.desktop.capture.screenshot import CaptureBackend, CaptureTarget
from handrail.desktop.capture.scrot_backend import ScrotBackend
from handrail.desktop.errors import CaptureError, NoDisplayError, NoWindowError
from tests.desktop.capture.painted import BLUE, GREEN, RED, clear, open_window, paint
from tests.desktop.desktop_bed import DesktopBed, need

pytestmark = pytest.mark.slow
_SCREEN = CaptureTarget()


@pytest.fixture(params=sorted(BACKENDS))
def backend(request: pytest.FixtureRequest, desktop: DesktopBed) -> Iterator[CaptureBackend]:
    if request.param == "scrot":
        need("scrot")
    backend = open_backend(request.param, desktop.name)
    yield backend
    backend.close()


@contextmanager
def _opened(bed: DesktopBed, *shown: int) -> Iterator[None]:
    try:
        yield
    finally:
        clear(bed, *shown)


def _colours(picture: Image) -> set[object]:
    return {colour for _, colour in picture.getcolors(maxcolors=100_000) or []}


def test_a_screen_has_its_size_and_its_colours(
    desktop: DesktopBed, backend: CaptureBackend
) -> None:
    shown = [
        paint(desktop, colour, 100 * number, 50, 100, 80)
        for number, colour in enumerate((RED, GREEN, BLUE, (18, 52, 86)))
    ]
    with _opened(desktop, *shown):
        picture = backend.grab(_SCREEN)
    assert (picture.size, picture.mode) == ((1920, 1080), "RGB")
    assert [picture.getpixel((100 * number + 50, 60)) for number in range(4)] == [
        RED, GREEN, BLUE, (18, 52, 86),
    ]  # fmt: skip


def test_both_backends_see_the_same(desktop: DesktopBed) -> None:
    need("scrot")
    red = open_window(desktop, "Same", RED, 31, 57, 333, 221)
    with _opened(desktop, red):
        targets = (_SCREEN, CaptureTarget(screen=1), CaptureTarget(window="Same"))
        for target in targets:
            pictures = []
            for name in BACKENDS:
                backend = open_backend(name, desktop.name)
                pictures.append(backend.grab(target))
                backend.close()
            one, other = pictures
            assert one.size == other.size
            assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("by", ["hex", "number", "title", "TITLE"])
def test_a_window_is_taken_with_its_frame(
    desktop: DesktopBed, backend: CaptureBackend, by: str
) -> None:
    red = open_window(desktop, "Ünten rechts", RED, 400, 300, 300, 200)
    with _opened(desktop, red):
        wanted = {"hex": hex(red), "number": str(red), "title": "nten", "TITLE": "ÜNTEN RECHTS"}
        picture = backend.grab(CaptureTarget(window=wanted[by]))
        x, y = desktop.corner(red)
    assert picture.width > 300
    assert picture.height > 200
    assert picture.getpixel((picture.width // 2, picture.height // 2)) == RED
    assert _colours(picture.crop((1, 1, picture.width - 1, 12))) != {RED}
    assert (x, y) != (0, 0)


def test_a_covered_window_shows_what_covers_it(
    desktop: DesktopBed, backend: CaptureBackend
) -> None:
    red = open_window(desktop, "Below", RED, 400, 300, 300, 200)
    x, y = desktop.corner(red)
    green = paint(desktop, GREEN, x, y, 100, 200)
    with _opened(desktop, green, red):
        picture = backend.grab(CaptureTarget(window="Below"))
    middle = picture.height // 2
    assert picture.getpixel((50, middle)) == GREEN
    assert picture.getpixel((200, middle)) == RED


def test_of_several_windows_the_uppermost_is_taken(
    desktop: DesktopBed, backend: CaptureBackend
) -> None:
    one = open_window(desktop, "file.py - one", RED, 100, 100, 200, 200)
    two = open_window(desktop, "file.py - two", BLUE, 600, 100, 200, 200)
    with _opened(desktop, one, two):
        picture = backend.grab(CaptureTarget(window="file.py"))
    assert BLUE in _colours(picture)
    assert RED not in _colours(picture)


def test_of_a_window_over_the_edge_the_visible_part_is_taken(
    desktop: DesktopBed, backend: CaptureBackend
) -> None:
    red = open_window(desktop, "Edge", RED, 100, 100, 300, 200)
    shown = desktop.x.create_resource_object("window", red)
    with _opened(desktop, red):
        shown.configure(x=1800, y=100)
        desktop.until(lambda: desktop.corner(red)[0] >= 1800, "the move")
        picture = backend.grab(CaptureTarget(window="Edge"))
        assert picture.width == 1920 - desktop.corner(red)[0] + _left_frame(desktop, red)


def _left_frame(bed: DesktopBed, window: int) -> int:
    shown = bed.x.create_resource_object("window", window)
    got = shown.get_full_property(bed.x.intern_atom("_NET_FRAME_EXTENTS"), 0)
    assert got is not None
    return int(got.value[0])


def test_a_minimised_window_is_an_error(desktop: DesktopBed, backend: CaptureBackend) -> None:
    red = open_window(desktop, "Small", RED, 100, 100, 300, 200)
    shown = desktop.x.create_resource_object("window", red)
    with _opened(desktop, red):
        shown.unmap()
        desktop.x.sync()
        with pytest.raises(CaptureError, match="minimised"):
            backend.grab(CaptureTarget(window=hex(red)))


def test_an_unknown_window_is_an_error_that_names_the_others(
    desktop: DesktopBed, backend: CaptureBackend
) -> None:
    red = open_window(desktop, "The only one", RED, 100, 100, 300, 200)
    with _opened(desktop, red):
        for wanted in ("Another", "0x123456", "999999999999"):
            with pytest.raises(NoWindowError, match="The only one"):
                backend.grab(CaptureTarget(window=wanted))


def test_a_monitor_that_is_not_there_is_an_error(backend: CaptureBackend) -> None:
    with pytest.raises(CaptureError, match="the screen has 1"):
        backend.grab(CaptureTarget(screen=2))


def test_threads_may_take_turns(backend: CaptureBackend) -> None:
    sizes: list[tuple[int, int]] = []
    for _ in range(3):
        thread = Thread(target=lambda: sizes.append(backend.grab(_SCREEN).size))
        thread.start()
        thread.join()
        sizes.append(backend.grab(_SCREEN).size)
    assert set(sizes) == {(1920, 1080)}


@pytest.mark.parametrize("name", sorted(BACKENDS))
def test_a_lost_display_is_told_and_the_next_one_is_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("scrot")
    with DesktopBed(tmp_path / "one", accessible=False, manager=False) as bed:
        monkeypatch.setenv("DISPLAY", bed.name)
        backend = open_backend(name)
        backend.grab(_SCREEN)
        bed.lose_display()
        for _ in range(2):
            with pytest.raises(NoDisplayError, match=f"display {bed.name} cannot be opened"):
                backend.grab(_SCREEN)
    with DesktopBed(tmp_path / "two", accessible=False, manager=False, screen="640x480x24") as bed:
        monkeypatch.setenv("DISPLAY", bed.name)
        assert backend.grab(_SCREEN).size == (640, 480)
    backend.close()


@pytest.mark.parametrize("name", sorted(BACKENDS))
def test_without_a_display_the_error_says_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    need("scrot")
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.raises(NoDisplayError, match="DISPLAY is not set"):
        open_backend(name).grab(_SCREEN)


@pytest.mark.parametrize("wrong", [":none", "nonsense", ":65000"])
def test_a_display_that_cannot_be_is_named(wrong: str) -> None:
    with pytest.raises(NoDisplayError, match=wrong):
        open_backend("mss", wrong).grab(_SCREEN)


def test_a_display_that_refuses_us_is_named(tmp_path: Path) -> None:
    need("Xvfb")
    key = tmp_path / "authority"
    entry = (b"", b"", b"MIT-MAGIC-COOKIE-1", os.urandom(16))
    parts = (len(part).to_bytes(2, "big") + part for part in entry)
    key.write_bytes(b"\xff\xff" + b"".join(parts))
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-nolisten", "tcp", "-auth", str(key)],
        pass_fds=(writing,),
        stderr=subprocess.DEVNULL,
    )
    try:
        os.close(writing)
        with open(reading, encoding="ascii") as told:
            name = f":{told.readline().strip()}"
        with pytest.raises(NoDisplayError, match=f"display {name} cannot be opened: .*uthoriz"):
            open_backend("mss", name).grab(_SCREEN)
    finally:
        server.kill()
        server.wait()


def test_a_screen_that_mss_cannot_read_is_taken_by_scrot(tmp_path: Path) -> None:
    need("scrot")
    with DesktopBed(tmp_path, accessible=False, manager=False, screen="320x200x16") as bed:
        shown = paint(bed, RED, 0, 0, 100, 100)
        with _opened(bed, shown):
            with pytest.raises(CaptureError, match="depth"):
                open_backend("mss", bed.name).grab(_SCREEN)
            backend = open_backend("auto", bed.name)
            assert backend.name == "scrot"
            assert backend.grab(_SCREEN).getpixel((50, 50)) == RED
            backend.close()


def _program(folder: Path, script: str) -> str:
    file = folder / "scrot"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return str(file)


_LAST = 'for last; do :; done; folder=$(dirname "$last")'


def test_the_file_of_scrot_is_private_and_soon_gone(desktop: DesktopBed, tmp_path: Path) -> None:
    need("scrot")
    noted = tmp_path / "noted"
    look = f'{_LAST}; stat -c "%a %n" "$last" "$folder" > {noted}'
    backend = ScrotBackend(desktop.name, _program(tmp_path, f'/usr/bin/scrot "$@"; {look}'))
    backend.grab(_SCREEN)
    backend.close()
    file, folder = (line.split() for line in noted.read_text().splitlines())
    assert (file[0], folder[0]) == ("600", "700")
    assert not os.path.exists(folder[1])


def test_scrot_takes_pictures_where_no_folder_lies_in_memory(
    desktop: DesktopBed, tmp_path: Path
) -> None:
    need("scrot")
    backend = ScrotBackend(desktop.name, memory=str(tmp_path / "missing"))
    picture = backend.grab(_SCREEN)
    backend.close()
    assert picture.size == (1920, 1080)


@pytest.mark.parametrize(
    ("script", "seconds", "says"),
    [
        ("echo 'no memory' >&2; exit 3", 60, "scrot ended with 3: no memory"),
        ("exit 0", 60, "wrote no picture"),
        (f'{_LAST}; echo nonsense > "$last"', 60, "wrote no picture"),
        ("exec sleep 60", 0.1, "took more than 0.1 s"),
    ],
)
def test_a_failure_of_scrot_is_told(
    desktop: DesktopBed, tmp_path: Path, script: str, seconds: float, says: str
) -> None:
    backend = ScrotBackend(desktop.name, _program(tmp_path, script), seconds=seconds)
    with pytest.raises(CaptureError, match=says):
        backend.grab(_SCREEN)
    backend.close()


def test_each_monitor_is_taken_alone(tmp_path: Path, backend: CaptureBackend) -> None:
    with DesktopBed(tmp_path, accessible=False, manager=False, screen="600x200x24") as bed:
        shown = [paint(bed, RED, 0, 0, 400, 200), paint(bed, BLUE, 400, 0, 200, 200)]
        _split(bed, (0, 400), (400, 200))
        backend = open_backend(backend.name, bed.name)
        pictures = [backend.grab(CaptureTarget(screen=number)) for number in range(3)]
        backend.close()
        clear(bed, *shown)
    assert [picture.width for picture in pictures] == [600, 400, 200]
    assert [_colours(picture) for picture in pictures] == [{RED, BLUE}, {RED}, {BLUE}]


class _SetMonitor(rq.Request):
    """The request of RandR 1.5 that Xlib has, but cannot send."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(43),
        rq.RequestLength(),
        rq.Window("window"),
        rq.Binary("info"),
    )


def _split(bed: DesktopBed, *monitors: tuple[int, int]) -> None:
    """Make the screen look like several monitors side by side."""
    for x, width in monitors:
        name = bed.x.intern_atom(f"monitor-{x}")
        info = struct.pack("=IBBHhhHHII", name, 0, 0, 0, x, 0, width, 200, width, 200)
        opcode = bed.x.display.get_extension_major(randr.extname)
        _SetMonitor(display=bed.x.display, opcode=opcode, window=bed.root, info=info)
    bed.x.sync()


def _resize(bed: DesktopBed, width: int, height: int) -> None:
    """Change the size of the screen, as a new monitor or a remote desktop does."""
    there = bed.root.xrandr_get_screen_resources()
    crtc, known = there.crtcs[0], there.config_timestamp
    bed.x.xrandr_set_crtc_config(crtc, known, 0, 0, 0, randr.Rotate_0, [])
    bed.root.xrandr_set_screen_size(width, height, width // 4, height // 4)
    bed.x.sync()


def test_a_screen_of_another_size_is_taken_whole(tmp_path: Path) -> None:
    with DesktopBed(tmp_path, accessible=False, manager=False, screen="1024x768x24") as bed:
        backend = open_backend("mss", bed.name)
        assert backend.grab(_SCREEN).size == (1024, 768)
        _resize(bed, 800, 600)
        assert backend.grab(_SCREEN).size == (800, 600)
        _resize(bed, 1024, 768)
        assert backend.grab(_SCREEN).size == (1024, 768)
        backend.close()
