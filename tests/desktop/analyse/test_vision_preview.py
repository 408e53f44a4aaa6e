"""What a question would send, and why it would not."""

import pytest

from handrail.config.desktop import Desktop
from handrail.desktop.analyse.exclusion import find_exclusion
from handrail.desktop.analyse.vision_preview import VisionPreview, preview_request
from tests.desktop.analyse.screens import question, screenshot

KEY = {"ANTHROPIC_API_KEY": "k"}
ON = Desktop(vision=True)


def preview(settings: Desktop = ON, *titles: str, environ: dict[str, str] = KEY) -> VisionPreview:
    asked = question(expected_file="main.py", shot=screenshot(1920, 1080))
    return preview_request(asked, settings, titles, environ=environ)


def test_a_preview_names_model_address_picture_and_text() -> None:
    shown = preview()
    assert (shown.model, shown.address) == ("claude-haiku-5-5", "https://api.anthropic.com")
    assert (shown.width, shown.height) == (1920, 1080)
    assert shown.bytes > 1_000
    assert "main.py" in shown.text
    assert shown.tokens > 2_691
    assert 0 < shown.most_usd < 0.01
    assert shown.why_not == ""


def test_an_older_model_gets_a_smaller_picture() -> None:
    shown = preview(Desktop(vision=True, model="claude-sonnet-4-5"))
    assert max(shown.width, shown.height) <= 1568
    assert shown.width / shown.height == pytest.approx(16 / 9, rel=0.01)


@pytest.mark.parametrize(
    ("settings", "title", "environ", "says"),
    [
        (Desktop(), "", KEY, "desktop.vision is off"),
        (ON, "", {}, "ANTHROPIC_API_KEY is not set"),
        (Desktop(vision=True, exclude_windows=("*Bank*",)), "My bank", KEY, "'*Bank*'"),
        (Desktop(vision=True, model="odd"), "", KEY, "the price of odd is unknown"),
    ],
)
def test_a_preview_says_why_nothing_would_be_sent(
    settings: Desktop, title: str, environ: dict[str, str], says: str
) -> None:
    assert says in preview(settings, title, environ=environ).why_not


def test_an_excluded_window_is_found_by_its_title() -> None:
    patterns = ("*Bitwarden*", "Mail - *")
    assert find_exclusion(["main.py", "vault — bitwarden"], patterns) == "*Bitwarden*"
    assert find_exclusion(["Mail - inbox"], patterns) == "Mail - *"
    assert find_exclusion(["main.py", "Re: Mail - inbox"], patterns) == ""
    assert find_exclusion([], patterns) == ""
