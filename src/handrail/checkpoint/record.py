"""The record of a checkpoint: everything beside the files."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

import msgspec

from handrail.model.checkpoint import StateSnapshot
from handrail.model.decodable import decodable


class CheckpointTrigger(StrEnum):
    """When a checkpoint was taken."""

    REQUEST = "request"
    """A person asked for it."""
    PROMPT = "prompt"
    """Before an iteration: the agent was just told what to do."""
    ITERATION_END = "iteration_end"
    BEFORE_ACTION = "before_action"
    AFTER_ACTION = "after_action"
    UNATTENDED = "unattended"
    """Before a run that nobody watches."""
    TASKS = "tasks"
    """After so many completed tasks."""
    PERIODIC = "periodic"
    BEFORE_RESTORE = "before_restore"
    RESTORED = "restored"
    """The files right after a restore: Handrail changed them, nobody else."""


class LeftOut(msgspec.Struct, frozen=True):
    """A file or folder that a checkpoint leaves out; a restore does not touch it."""

    path: str
    """A file, or a folder with all its files (it ends with a slash)."""
    why: str


class Coverage(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """How much of the work tree a checkpoint holds; ignored files do not count."""

    left_out: tuple[LeftOut, ...] = ()
    unfinished: bool = False
    """Time ran out: a missing file may have been there."""

    @property
    def complete(self) -> bool:
        """Whether it holds every file that is not ignored."""
        return not self.left_out and not self.unfinished

    @property
    def says(self) -> str:
        """`complete` or `partial`."""
        return "complete" if self.complete else "partial"


class ConversationPosition(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """The position in an agent's conversation.

    The host writes its transcript late, so the message is looked up only for a restore.
    """

    host: str
    session: str
    message: str = ""
    """The id of the last message that belongs to it; empty: not looked up, or not known."""
    transcript: str = ""
    """The host's file that holds the conversation."""
    prompt: str = ""
    """The host's id of the prompt that was given last."""
    call: str = ""
    """The host's id of the action."""
    at: float = 0.0
    """When the host reported it."""


class AgentState(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """The task and iteration of an agent."""

    id: str
    task_id: str
    iteration: int = 0


class CheckpointInfo(msgspec.Struct, frozen=True, rename="camel"):
    """Why a checkpoint is taken, and the state beside the files."""

    moment: CheckpointTrigger = CheckpointTrigger.REQUEST
    why: str = ""
    name: str = ""
    """Given by a person; a named one is always kept."""
    run: str = ""
    step: int = 0
    """The last step of the run that it contains."""
    by: tuple[str, ...] = ()
    """The runs that worked since the previous checkpoint; none: a person did."""
    conversation: ConversationPosition | None = None
    case_states: dict[str, str] = {}
    """By task, how far it is."""
    state_snapshot: StateSnapshot | None = None
    agent_states: tuple[AgentState, ...] = ()


_Object = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{40,64}$")]


@decodable
class CheckpointRecord(CheckpointInfo, frozen=True, rename="camel", kw_only=True):
    """A checkpoint."""

    number: int
    created_at: Annotated[datetime, msgspec.Meta(tz=True)]
    git_commit: _Object
    """Of Handrail's private repository."""
    tree: _Object
    work_tree: str
    files: int = 0
    """Files that differ from the previous checkpoint."""
    bytes: int = 0
    """Their size."""
    coverage: Coverage = Coverage()
    include: tuple[str, ...] = ()
    """Patterns of ignored files that it holds all the same."""
    ignoring: str = ""
    """A digest of the ignore lists outside the work tree."""
    head: str = ""
    """The commit that the user's own repository was at."""
    repository: str = ""
    """The name of the state of the user's own repository (`history/`); empty: not known."""
    steps: dict[str, int] = {}
    """By run, the last step that left the files like this."""
    modes: dict[str, int] = {}
    """Permissions that git cannot hold, by the key of a path (`path_keys.py`)."""
    links: dict[str, tuple[int, int]] = {}
    """Files with several names, by the key of a path: inode, and how many names it has."""
    late: bool = False
    """It was late: an action had begun, and its changes may be in it."""
    back_to: str = ""
    """Of a restore: the checkpoint that it restored."""
    undo: str = ""
    """Of a restore: the checkpoint of the files before it."""
    redone: bool = False
    """Of a restore: it was itself undone again."""

    @property
    def id(self) -> str:
        """Its name for people and programs."""
        return f"c{self.number}"

    def is_called(self, typed: str) -> bool:
        """Whether this id, name or start of a commit means it."""
        if len(typed) >= _LEAST_TYPED and self.git_commit.startswith(typed):
            return True
        return bool(typed) and typed in {self.id, self.name}


_LEAST_TYPED = 7
