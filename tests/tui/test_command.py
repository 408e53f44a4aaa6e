"""`handrail watch`, before there is a screen."""

import subprocess
import sys

import pytest

from handrail.cli import main

pytestmark = pytest.mark.slow


def test_without_a_terminal_it_says_what_to_use_instead(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch"]) == 2
    assert "this needs a terminal; try handrail status" in capsys.readouterr().err


def test_it_is_not_for_agents(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    assert main(["watch"]) == 2
    assert "only a person" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        ("import handrail.cli, handrail.cli.commands.watch", "textual"),
        ("import handrail.cli.commands.status, handrail.cli.commands.log", "textual"),
        # `handrail status` asks whether an incident is open.
        (
            "import handrail.cli.commands.status, handrail.intervene.incidents.folders",
            "handrail.detect",
        ),
        # The first frame does not wait for what only the feed needs.
        (
            "import handrail.tui.app, handrail.tui.sending.daemon_sender",
            "handrail.supervise.state.run_state",
        ),
    ],
)
def test_nothing_is_imported_that_is_not_needed(statement: str, unwanted: str) -> None:
    code = f"import sys; {statement}; sys.exit({unwanted!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
