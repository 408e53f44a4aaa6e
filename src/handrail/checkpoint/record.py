"""What is written down about a checkpoint, beside the files themselves."""

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
    """What a restore has left: its files are Handrail's doing, nobody else's."""


class LeftOut(msgspec.Struct, frozen=True):
    """Something that a checkpoint does not hold; it is not touched by a restore either."""

    path: str
    """Of a file, or with a slash at its end of a folder with all that is in it."""
    why: str


class Coverage(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What a checkpoint holds of the work tree, beside ignored files."""

    left_out: tuple[LeftOut, ...] = ()
    unfinished: bool = False
    """There was no time for everything: what is not in it may have been there."""

    @property
    def complete(self) -> bool:
        """Whether everything is in it that is not ignored."""
        return not self.left_out and not self.unfinished

    @property
    def says(self) -> str:
        """In a word."""
        return "complete" if self.complete else "partial"


class ConversationPosition(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """Where an agent's conversation was.

    A host writes it down late, so the message is looked up only when somebody goes back to it.
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
    """The host's id of the action that it is about."""
    at: float = 0.0
    """When the host said so."""


class AgentState(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What an agent was doing."""

    id: str
    task_id: str
    iteration: int = 0


class CheckpointInfo(msgspec.Struct, frozen=True, rename="camel"):
    """Why a checkpoint is taken, and what belongs to it beside the files."""

    moment: CheckpointTrigger = CheckpointTrigger.REQUEST
    why: str = ""
    name: str = ""
    """Given by a person; a named one is always kept."""
    run: str = ""
    step: int = 0
    """The last step of the run that it contains."""
    by: tuple[str, ...] = ()
    """The runs that worked since the checkpoint before; without any, a person did."""
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
    """How many are other than in the checkpoint before."""
    bytes: int = 0
    """How much they are together."""
    coverage: Coverage = Coverage()
    include: tuple[str, ...] = ()
    """Patterns of ignored files that it holds all the same."""
    ignoring: str = ""
    """A digest of what was ignored by lists that are not part of the work tree."""
    head: str = ""
    """The commit that the user's own repository was at."""
    steps: dict[str, int] = {}
    """By run, the last step after which the files were still so."""
    modes: dict[str, int] = {}
    """Permissions that git cannot hold, by path."""
    late: bool = False
    """An action did not wait for it any longer: it may hold a part of what that one did."""
    back_to: str = ""
    """Of a restore: the checkpoint that was gone back to."""
    undo: str = ""
    """Of a restore: the checkpoint of what was there before it."""
    redone: bool = False
    """Of a restore: it was itself undone again."""

    @property
    def id(self) -> str:
        """Its name for people and programs."""
        return f"c{self.number}"

    def is_called(self, typed: str) -> bool:
        """Whether a person who types this may mean it."""
        if len(typed) >= _LEAST_TYPED and self.git_commit.startswith(typed):
            return True
        return bool(typed) and typed in {self.id, self.name}


_LEAST_TYPED = 7
