"""The settings of a run."""

import msgspec


class ActiveSettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """Settings, as far as they differ from the defaults."""

    id: str
    """Identifies the settings, even after the redaction of a secret."""
    values: dict[str, object] = {}
