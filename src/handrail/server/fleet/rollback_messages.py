"""The requests of a fleet's checkpoints and rollbacks."""

import msgspec

from handrail.model.decodable import decodable

SAVE = "/fleet/checkpoints"
PREVIEW = "/fleet/rollbacks/preview"
ROLL_BACK = "/fleet/rollbacks"


@decodable
class FleetSaveRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request to save a fleet with all its files."""

    folder: str
    name: str = ""
    unattended: bool = False
    """Nobody watches what comes next."""


@decodable
class FleetRollbackRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request to preview a rollback, or to carry it out."""

    folder: str
    checkpoint: str = ""
    """Its name or label; empty for a redo."""
    redo: bool = False
    """Take the last rollback back."""
    keep: bool = False
    """Leave the workspaces and branches that were made since."""
    over: bool = False
    """Overwrite files that others changed since."""
    by: str = ""
