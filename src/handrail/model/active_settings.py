"""The settings that a run works with."""

import msgspec


class ActiveSettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """Settings, so far as they are not the usual ones."""

    id: str
    """By which they are recognised, also where a secret was taken out of them."""
    values: dict[str, object] = {}
