"""Who has to wait is told for what."""

import sys
import threading

import pytest

from handrail.cli.daemon_request import show_waiting

from .fake_terminal import FakeTerminal


class Watched(FakeTerminal):
    """A terminal that notices when something is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def flush(self) -> None:
        self.written.set()


def test_what_takes_long_is_told_and_wiped_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stderr := Watched())
    with show_waiting("saving shop", 0.001):
        assert stderr.written.wait(20)
    told = stderr.getvalue()
    assert told.startswith("\r saving shop … 0 s")
    assert told.endswith("\r")
    assert told.split("\r")[-2].strip() == ""


def test_what_is_quick_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stderr := Watched())
    with show_waiting("saving shop", 3600):
        pass
    assert stderr.getvalue() == ""


def test_programs_are_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    with show_waiting("saving shop", 0):
        pass
    assert capsys.readouterr().err == ""
