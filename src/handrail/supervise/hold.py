"""An action that waits because its run is paused."""

import msgspec


class Hold(msgspec.Struct, frozen=True):
    """What waits; it is decided about when the run goes on."""

    run: str
    cwd: str
    action: str
    """The host's id of it."""
    name: str
    """Its fingerprint."""
