"""The settings in force: a project's file loosens something only after a person confirmed it."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from handrail.config.layers import ProjectText, Settings, load_settings, pipeline_text
from handrail.config.loosening import Loosened
from handrail.config.schema import Config
from handrail.config.scope import pin_scope
from handrail.config.sources import PipelineSafety
from handrail.config.strictness import find_laxer, stricter


class SettingsInForce(msgspec.Struct, frozen=True):
    """The settings of a folder, and the loosened ones in the project's file."""

    written: Settings
    """All layers, as they were written."""
    config: Config
    """The settings in force, with the scope written out."""
    laxer: tuple[Loosened, ...] = ()
    """Settings of the project's file that are laxer than the defaults and the user's own."""
    confirmed: bool = True
    """A person has confirmed that, or there is nothing to confirm."""

    @property
    def withheld(self) -> tuple[Loosened, ...]:
        """Return the loosened settings that wait for a person's confirmation."""
        return () if self.confirmed else self.laxer


def settings_in_force(
    cwd: str | Path,
    environ: Mapping[str, str] = os.environ,
    *,
    is_trusted: Callable[[ProjectText], bool],
    pipeline: PipelineSafety | None = None,
) -> SettingsInForce:
    """Load the settings of a folder; raises ConfigError with all that is wrong.

    `pipeline`: settings of a pipeline that runs there, on top of the others. What they loosen
    needs a confirmation of its own.
    """
    found = _of_folder(cwd, environ, is_trusted)
    if pipeline is None:
        return found
    written = load_settings(cwd, environ=environ, pipeline=pipeline)
    config = pin_scope(written.config, cwd, environ)
    laxer = find_laxer(found.config, config)
    if not laxer or (found.confirmed and is_trusted(pipeline_text(written, pipeline))):
        return SettingsInForce(written, config, laxer)
    return SettingsInForce(written, stricter(found.config, config), laxer, confirmed=False)


def _of_folder(
    cwd: str | Path, environ: Mapping[str, str], is_trusted: Callable[[ProjectText], bool]
) -> SettingsInForce:
    written = load_settings(cwd, environ=environ)
    config = pin_scope(written.config, cwd, environ)
    if written.project is None:
        return SettingsInForce(written, config)
    own = load_settings(cwd, environ=environ, with_project=False).config
    own = pin_scope(own, cwd, environ)
    laxer = find_laxer(own, config)
    if not laxer or is_trusted(written.project):
        return SettingsInForce(written, config, laxer)
    return SettingsInForce(written, stricter(own, config), laxer, confirmed=False)
