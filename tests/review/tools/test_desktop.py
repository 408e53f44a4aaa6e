"""Looks at the screen, and keys and clicks that go to a window."""

import pytest

from handrail.model.action import Action
from handrail.model.desktop import DESKTOP_INPUT, DESKTOP_LOOK
from handrail.model.ordinal import Decision, Severity
from handrail.model.review import Review
from handrail.review import Reviewer


def review(tool: str, **given: object) -> Review:
    reviewer = Reviewer(environ={"HOME": "/home/dev"}, see_disk=False)
    return reviewer.review(Action(tool, given, "/home/dev/shop", {"HOME": "/home/dev"}))


@pytest.mark.parametrize("given", [{}, {"window": "cart.py - Editor", "context": "rm -rf /"}])
def test_a_look_reads_nothing_and_may_always_run(given: dict[str, object]) -> None:
    told = review(DESKTOP_LOOK, **given)
    assert (told.decision, told.effects, told.risk.score) == (Decision.ALLOW, (), 0.0)


@pytest.mark.parametrize(
    ("do", "window"),
    [
        ("press Escape", "Save changes?"),
        ("press Return", "Save changes?"),
        ("key ctrl+p", "cart.py - Editor"),
        ("type cart.py", "cart.py - Editor"),
        ("type terminal.py", "terminal.py - Editor"),
        ("click 400 300", "cart.py - Editor"),
        ("press Escape", "dev@box: ~/shop"),
    ],
)
def test_input_is_a_change_outside_of_files_with_a_low_risk(do: str, window: str) -> None:
    told = review(DESKTOP_INPUT, do=do, window=window)
    assert (told.decision, told.risk.severity, told.outside) == (Decision.ALLOW, Severity.LOW, ())
    assert do in told.effects[0].text


@pytest.mark.parametrize(
    ("given", "alternative"),
    [
        ({"do": "type rm -rf ~", "window": "dev@box: ~"}, "Run `rm -rf ~` as a command"),
        (
            {"do": "type ls", "window": "cart.py - Editor", "terminal": True},
            "Run `ls` as a command",
        ),
        ({"do": "type ls\n", "window": "xterm"}, "Run `ls` as a command"),
        ({"do": "type ls", "window": "GNOME Terminal"}, "Run `ls` as a command"),
        ({"do": "press Return", "window": "bash"}, "Run it as a command of its own"),
        ({"do": "key shift+Enter", "window": "", "terminal": True}, "Run it as a command"),
    ],
)
def test_what_a_terminal_would_run_is_stopped(given: dict[str, object], alternative: str) -> None:
    told = review(DESKTOP_INPUT, **given)
    assert told.decision is Decision.BLOCK
    assert told.alternative.startswith(alternative)


@pytest.mark.parametrize("given", [{}, {"do": 7}, {"do": ["press Escape"]}])
def test_input_without_words_does_not_run(given: dict[str, object]) -> None:
    assert review(DESKTOP_INPUT, **given).decision is Decision.BLOCK
