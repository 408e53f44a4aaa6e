"""The messages of the real Claude Code were taken in this home."""

import pytest


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Claude Code keeps its settings is told from the home of whoever asks."""
    monkeypatch.setenv("HOME", "/home/dev")
