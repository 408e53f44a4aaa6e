"""The `desktop` section: its defaults, its bounds, and where the pictures go."""

from typing import TYPE_CHECKING

import pytest

from handrail.config.desktop import Desktop, DesktopVerification

if TYPE_CHECKING:
    from tests.config.conftest import ScratchMachine


def test_without_settings_a_watch_looks_every_ten_minutes_and_asks_no_model() -> None:
    desktop = Desktop()
    assert (desktop.enabled, desktop.interval_seconds, desktop.min_cooldown_seconds) == (
        True,
        600,
        60,
    )
    assert (desktop.max_retries, desktop.confidence_threshold) == (3, 0.85)
    assert (desktop.screenshot_backend, desktop.save_screenshots) == ("auto", True)
    assert not desktop.vision
    assert desktop.verification == DesktopVerification(
        enabled=True, similarity_threshold=0.98, verify_on_completion=True
    )


def test_every_key_of_the_desktop_can_be_written(machine: "ScratchMachine") -> None:
    machine.write(
        """\
desktop:
  enabled: false
  interval_seconds: 30
  min_cooldown_seconds: 0
  max_retries: 1
  confidence_threshold: 0.9
  screenshot_backend: scrot
  save_screenshots: false
  screenshot_dir: pictures
  screenshot_days: 0.5
  screenshot_mb: 10
  vision: true
  model: claude-opus-5
  vision_seconds: 10
  vision_retries: 0
  max_calls: 5
  max_cost_usd: 0.5
  exclude_windows: ["*Bitwarden*"]
  verification: {enabled: false, similarity_threshold: 1, verify_on_completion: false}
"""
    )
    desktop = machine.load().config.desktop
    assert desktop.screenshot_dir.endswith("/pictures")
    assert desktop.screenshot_dir.startswith("/")
    assert (desktop.vision, desktop.model, desktop.max_calls) == (True, "claude-opus-5", 5)
    assert (desktop.exclude_windows, desktop.screenshot_backend) == (("*Bitwarden*",), "scrot")
    assert desktop.verification == DesktopVerification(
        enabled=False, similarity_threshold=1.0, verify_on_completion=False
    )


def test_the_environment_sets_a_key(machine: "ScratchMachine") -> None:
    loaded = machine.load(
        {"HANDRAIL_DESKTOP__INTERVAL_SECONDS": "5", "HANDRAIL_DESKTOP__VISION": "true"}
    )
    assert (loaded.config.desktop.interval_seconds, loaded.config.desktop.vision) == (5, True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("interval_seconds: 0", "desktop.interval_seconds: 0 is not allowed"),
        ("max_retries: 0", "desktop.max_retries: 0 is not allowed"),
        ("confidence_threshold: 1.5", "desktop.confidence_threshold: 1.5 is not allowed"),
        ("screenshot_backend: gnome", "desktop.screenshot_backend: 'gnome' is not allowed"),
        ("vision: maybe", "desktop.vision: 'maybe' is not allowed"),
        ("interval: 5", "desktop.interval: unknown key"),
        ("verification: {threshold: 1}", "desktop.verification.threshold: unknown key"),
    ],
)
def test_a_mistake_is_told_with_its_line(
    machine: "ScratchMachine", text: str, problem: str
) -> None:
    machine.write(f"desktop:\n  {text}\n")
    (told,) = machine.problems()
    assert told.startswith(f"handrail.yaml:2: {problem}")
