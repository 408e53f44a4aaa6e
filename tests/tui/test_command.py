"""`handrail watch`, before there is a screen."""

import asyncio
import subprocess
import sys

import pytest

from handrail.cli import main
from handrail.tui.app import WatchApp
from handrail.tui.view import View
from tests.tui.stage import FakeControls


def test_without_a_terminal_it_says_what_to_use_instead(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch"]) == 2
    assert "this needs a terminal; handrail status" in capsys.readouterr().err


def test_it_is_not_for_agents(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    assert main(["watch"]) == 2
    assert "for a person" in capsys.readouterr().err


class Broken:
    """A source that has a fault."""

    def poll(self, chosen: str) -> View:
        raise ZeroDivisionError("oh no")

    def close(self) -> None:
        pass


def test_a_fault_ends_the_screen_and_is_left_to_the_command_to_tell() -> None:
    app = WatchApp(Broken, FakeControls())

    async def visit() -> None:
        async with app.run_test() as pilot:
            while app.is_running:
                await pilot.pause(0.01)

    asyncio.run(asyncio.wait_for(visit(), 30))
    assert isinstance(app.return_value, ZeroDivisionError)


@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        ("import handrail.cli, handrail.cli.watch", "textual"),
        ("import handrail.cli.status, handrail.cli.log", "textual"),
        # The first frame does not wait for what only the feed needs.
        ("import handrail.tui.app, handrail.tui.by_daemon", "handrail.supervise.state"),
    ],
)
def test_nothing_is_imported_that_is_not_needed(statement: str, unwanted: str) -> None:
    code = f"import sys; {statement}; sys.exit({unwanted!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
