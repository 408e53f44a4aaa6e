"""The requests and replies of saving and restoring files."""

import msgspec

from handrail.checkpoint.history.git_plan import GitUndoPlan
from handrail.checkpoint.record import CheckpointRecord, ConversationPosition
from handrail.checkpoint.restore.journal import InterruptedRestore
from handrail.checkpoint.restore.target import RestoreItem, RestorePreview, SparedFile, UndoLevel
from handrail.model.decodable import decodable


@decodable
class SaveRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request to save the files."""

    cwd: str
    name: str = ""


class SaveReply(msgspec.Struct, frozen=True):
    """The resulting checkpoint."""

    record: CheckpointRecord
    is_new: bool
    """False if the files are the same as in an earlier checkpoint, which the reply names."""


@decodable
class UndoRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request to preview an undo."""

    cwd: str
    level: UndoLevel
    run: str = ""
    step: int = 0
    checkpoint: str = ""
    """For the level `checkpoint`: its id, name or commit."""
    git: bool = False
    """Take back commits, branches, tags, stashes and the index, too."""


@decodable
class RestoreRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request to restore what a preview showed."""

    cwd: str
    level: UndoLevel
    target: str
    """The checkpoint to restore."""
    base: str = ""
    """The checkpoint up to which changes are undone; empty: up to now."""
    run: str = ""
    expects: str
    """The tree of the preview (`now`): Handrail restores only what the person saw."""
    over: bool = False
    """Overwrite files that others changed since."""
    whole: bool = False
    """Restore nothing if one of the files cannot be written."""
    files_only: bool = False
    """Leave the state of the run as it is."""
    git: str = ""
    """The digest of the plan for the repository (`git_digest`); empty: leave it as it is."""
    by: str = ""
    """Who asked; empty: a person at this machine."""


@decodable
class PreviewReply(msgspec.Struct, frozen=True):
    """The changes that a restore would make, and what a person should know before."""

    preview: RestorePreview
    working: tuple[str, ...] = ()
    """Runs that work in these files now; Handrail holds them during the restore."""
    since: dict[str, int] = {}
    """The number of actions since the checkpoint, by run."""
    interrupted: InterruptedRestore | None = None
    """An earlier restore that was killed halfway, so that some files are still restored."""
    git: GitUndoPlan | None = None
    """What goes back in the user's repository, if that was asked for."""
    git_digest: str = ""
    copies: tuple[str, ...] = ()
    """Batches of the trash with copies of files that these actions overwrote, and that no
    checkpoint holds."""


@decodable
class RestoreReply(msgspec.Struct, frozen=True):
    """The result of a restore."""

    undo: str
    """The checkpoint that Handrail took just before."""
    items: tuple[RestoreItem, ...] = ()
    spared: tuple[SparedFile, ...] = ()
    problem: str = ""
    """Why some files are not as they were; empty if all are, as a comparison has shown."""
    wrong: tuple[str, ...] = ()
    """The files that are not as they were."""
    unchanged: bool = False
    """With a problem: Handrail changed no file at all."""
    git: tuple[str, ...] = ()
    """What went back in the user's repository, one line each."""
    conversation: ConversationPosition | None = None
    """The place in the agent's conversation at that time."""
