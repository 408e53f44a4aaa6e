"""A project's handrail.yaml that a person has confirmed, however lax it is."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from handrail.config import ConfigError
from handrail.supervise.runs.settings_trust import confirm_settings


def write_confirmed(folder: Path, text: str, environ: Mapping[str, str]) -> None:
    """Write a project's settings, and confirm them as `handrail config trust` does."""
    (folder / "handrail.yaml").write_text(text)
    with suppress(ConfigError):  # what is broken counts for nothing: there is nothing to confirm
        confirm_settings(str(folder), environ)
