"""What is said over the wire when a person saves files or has them put back."""

import msgspec

from handrail.checkpoint.record import CheckpointRecord, ConversationPosition
from handrail.checkpoint.restore.journal import InterruptedRestore
from handrail.checkpoint.restore.target import RestoreItem, RestorePreview, SparedFile, UndoLevel
from handrail.model.decodable import decodable


@decodable
class SaveRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A checkpoint that a person wants."""

    cwd: str
    name: str = ""


class SaveReply(msgspec.Struct, frozen=True):
    """The checkpoint that there is now."""

    record: CheckpointRecord
    is_new: bool
    """False: nothing has changed since an earlier one, which it is."""


@decodable
class UndoRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is to be undone."""

    cwd: str
    level: UndoLevel
    run: str = ""
    step: int = 0
    checkpoint: str = ""
    """Of the level `checkpoint`: its id, name or commit."""


@decodable
class RestoreRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is undone, after it was looked at: the way that the preview has shown."""

    cwd: str
    level: UndoLevel
    target: str
    """The checkpoint whose files come back."""
    base: str = ""
    """The one until which changes are taken back; empty: until now."""
    run: str = ""
    expects: str
    """The tree of the preview (`now`): nothing else is restored than what was seen."""
    over: bool = False
    """Also files that others have changed since."""
    files_only: bool = False
    """The run does not go back with its files."""


@decodable
class PreviewReply(msgspec.Struct, frozen=True):
    """What would be done, and what a person should know before."""

    preview: RestorePreview
    working: tuple[str, ...] = ()
    """Runs that are at work in these files now; they wait until it is done."""
    since: dict[str, int] = {}
    """By run, how many actions were done since the checkpoint."""
    interrupted: InterruptedRestore | None = None
    """An earlier restore that was killed in the middle: some files are as they were then."""


@decodable
class RestoreReply(msgspec.Struct, frozen=True):
    """What was done."""

    undo: str
    """The checkpoint that was taken just before."""
    items: tuple[RestoreItem, ...] = ()
    spared: tuple[SparedFile, ...] = ()
    problem: str = ""
    """Why some files are not as they were; empty: all are, and they were compared."""
    wrong: tuple[str, ...] = ()
    """These files."""
    conversation: ConversationPosition | None = None
    """Where the agent's conversation was then."""
