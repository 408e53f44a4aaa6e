"""The defaults of the `desktop` section beside those of the design that it was built from."""

import msgspec

from handrail.config.desktop import Desktop, DesktopVerification

DESIGN = {
    "enabled": True,
    "interval_seconds": 600,
    "min_cooldown_seconds": 60,
    "max_retries": 3,
    "confidence_threshold": 0.85,
    "screenshot_backend": "auto",
    "save_screenshots": True,
}
VERIFICATION = {"enabled": True, "similarity_threshold": 0.98, "verify_on_completion": True}
ELSEWHERE = {"screenshot_dir", "model"}
"""Keys of the design whose values Handrail chooses: a folder of its own, and a cheaper model."""


def test_each_key_of_the_design_has_its_default() -> None:
    settings = msgspec.structs.asdict(Desktop())
    assert {key: settings[key] for key in DESIGN} == DESIGN
    assert msgspec.structs.asdict(DesktopVerification()) == VERIFICATION
    assert settings["verification"] == DesktopVerification()
    assert settings.keys() >= ELSEWHERE


def test_nothing_is_sent_unless_somebody_switches_it_on() -> None:
    assert not Desktop().vision
