"""A connection to a display, also to one that stands still."""

import gc
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from socket import create_server
from threading import enumerate as all_threads

import pytest
from Xlib.display import Display
from Xlib.error import BadValue

from handrail.desktop import x_display
from handrail.desktop.errors import NoDisplayError
from handrail.desktop.x_display import ask_for_life, close_display, limited, open_display
from tests.desktop.desktop_bed import DesktopBed

pytestmark = pytest.mark.slow
_SOON = 0.1
_FIRST_PORT = 6000
"""Where display 0 listens."""


@contextmanager
def _standing_still(bed: DesktopBed) -> Iterator[None]:
    os.kill(bed.server_pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(bed.server_pid, signal.SIGCONT)


def test_a_display_that_stands_still_is_told_in_time(desktop: DesktopBed) -> None:
    display = open_display(desktop.name)
    with _standing_still(desktop):
        with pytest.raises(NoDisplayError, match=r"does not answer within 0\.1 s"):
            ask_for_life(display, _SOON)
        with pytest.raises(NoDisplayError, match=r"does not answer within 0\.1 s"):
            open_display(desktop.name, _SOON)
    # The late connection closes by itself.
    desktop.until(lambda: "open-display" not in [each.name for each in all_threads()], "its end")
    close_display(display)


def test_a_display_that_answers_is_not_disturbed(desktop: DesktopBed) -> None:
    display = open_display(desktop.name)
    for _ in range(200):
        ask_for_life(display)
    close_display(display)


def test_an_empty_file_of_keys_writes_nothing_into_the_output(
    desktop: DesktopBed,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    keys = tmp_path / "authority"
    keys.touch()
    monkeypatch.setenv("XAUTHORITY", str(keys))
    close_display(open_display(desktop.name))
    said = capsys.readouterr()
    assert said.out == ""
    assert "xauth" in said.err


def test_what_others_print_meanwhile_stays_in_their_output(
    desktop: DesktopBed, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs: list[object] = []

    def connect(name: str) -> Display:
        outputs.append(sys.stdout)
        return Display(name)

    monkeypatch.setattr(x_display, "Display", connect)
    before = sys.stdout
    close_display(open_display(desktop.name))
    assert outputs == [before]


def test_a_display_that_has_ended_is_told(tmp_path: Path) -> None:
    with DesktopBed(tmp_path, accessible=False, manager=False) as bed:
        display = open_display(bed.name)
        bed.lose_display()
        for _ in range(2):
            with pytest.raises(NoDisplayError, match=bed.name), limited(display):
                display.sync()
        close_display(display)
        close_display(display)


def test_connections_that_fail_are_closed_and_leave_the_warnings_alone() -> None:
    with create_server(("127.0.0.1", 0)) as server:
        name = f"127.0.0.1:{server.getsockname()[1] - _FIRST_PORT}"
        before = list(warnings.filters)
        with ThreadPoolExecutor(4) as threads:
            tries = [threads.submit(open_display, name) for _ in range(20)]
            for _ in tries:
                server.accept()[0].close()
        problems = [str(each.exception()) for each in tries]
    assert problems == [f"the display {name} cannot be opened: it has ended"] * 20
    # A socket that is still open warns when it is collected, which fails this test.
    gc.collect()
    assert list(warnings.filters) == before


def test_an_error_of_the_display_is_raised_and_the_next_call_works(desktop: DesktopBed) -> None:
    display = open_display(desktop.name)
    root = display.screen().root
    name = display.intern_atom("WM_NAME")
    root.change_property(name, display.intern_atom("STRING"), 8, b"short")
    with pytest.raises(BadValue):
        root.get_property(name, 0, 1000, 1)
    ask_for_life(display)
    root.delete_property(name)
    close_display(display)
