"""The record of a fleet's checkpoint: a JSON file that carries its own checksum."""

import hashlib
import re
from collections.abc import Container
from datetime import UTC, datetime
from typing import Annotated

import msgspec

from handrail.checkpoint.record import AgentState, CheckpointTrigger
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.rollback.errors import CheckpointDamagedError
from handrail.fleet.tasks.task import TaskStatus
from handrail.fleet.workspaces.workspace_loss import CHECKPOINT_REFS
from handrail.model.decodable import decodable

BEFORE_UNATTENDED = "before-autopilot"
BEFORE_ROLLBACK = "before-rollback"
_MANUAL = "checkpoint"
_CHECKSUM = b',"checksum":"'
_DOTS = re.compile(r"\.\.+")
_TIME = "%Y-%m-%dT%H-%M-%S"
_DIGEST = 16


class SavedTree(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """One work tree in a checkpoint."""

    path: str
    checkpoint: str
    """The checkpoint of its files: `c12`."""
    head: str = ""
    """Its commit; empty: it had none."""
    workspace: str = ""
    """The name of the workspace; empty: the main tree."""
    task: str = ""
    attempt: int = 0
    branch: str = ""


@decodable
class FleetCheckpoint(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Everything that a rollback needs, apart from the files themselves."""

    name: str
    """Unique: its label, and the time."""
    label: str
    created_at: Annotated[datetime, msgspec.Meta(tz=True)]
    git_commit: str
    """The commit of the main tree."""
    case_states: dict[str, str]
    """By task, its status."""
    state_snapshot: FleetState
    agent_states: tuple[AgentState, ...] = ()
    moment: CheckpointTrigger = CheckpointTrigger.REQUEST
    trees: tuple[SavedTree, ...] = ()
    """The main tree is the first one."""
    unsaved: dict[str, str] = {}
    """Workspaces that could not be saved, and why."""
    ref: str = ""
    """The ref in the repository that keeps its commits from being removed."""

    @property
    def main(self) -> SavedTree:
        """Return the main tree."""
        return self.trees[0]

    @property
    def workspaces(self) -> tuple[SavedTree, ...]:
        """Return the other trees."""
        return self.trees[1:]

    @property
    def done(self) -> int:
        """Return how many tasks were done."""
        return sum(status == TaskStatus.DONE for status in self.case_states.values())

    @property
    def is_automatic(self) -> bool:
        """Return whether no person asked for it, so that old ones may go."""
        return self.moment is not CheckpointTrigger.REQUEST

    def is_called(self, typed: str) -> bool:
        """Return whether somebody means it; the newest one with a label has the label."""
        return bool(typed) and typed in (self.name, self.label)


def encode_checkpoint(checkpoint: FleetCheckpoint) -> bytes:
    """Encode a checkpoint; the last member is the checksum of the others."""
    body = msgspec.json.encode(checkpoint)
    return body[:-1] + _CHECKSUM + _digest(body) + b'"}\n'


def decode_checkpoint(name: str, data: bytes) -> FleetCheckpoint:
    """Decode a checkpoint; raises CheckpointDamagedError."""
    start, mark, end = data.rpartition(_CHECKSUM)
    body = start + b"}"
    if not mark or end.strip() != _digest(body) + b'"}':
        raise CheckpointDamagedError(name, "its checksum does not match")
    try:
        found = msgspec.json.decode(body, type=FleetCheckpoint)
    except (ValueError, RecursionError) as error:
        raise CheckpointDamagedError(name, str(error)) from None
    if not found.trees:
        raise CheckpointDamagedError(name, "it holds no files")
    return found


def checkpoint_name(label: str, at: float, taken: Container[str] = ()) -> str:
    """Return a new name: the label and the time."""
    first = f"{label or _MANUAL}-{datetime.fromtimestamp(at, UTC).strftime(_TIME)}"
    name, number = first, 1
    while name in taken:
        number += 1
        name = f"{first}-{number}"
    return name


def after_task(task: str) -> str:
    """Return the label of a checkpoint after a task."""
    return f"after-task-{task}"


def ref_of(name: str) -> str:
    """Return the ref of a checkpoint; git allows no two dots in a row."""
    return f"{CHECKPOINT_REFS}{_DOTS.sub('_', name)}"


def agent_states(state: FleetState) -> tuple[AgentState, ...]:
    """Return who works on what, and in which iteration."""
    return tuple(
        AgentState(each.run or f"slot-{each.lease.slot if each.lease else 0}", name, _turn(each))
        for name, each in state.tasks.items()
        if each.status is TaskStatus.ACTIVE
    )


def _turn(task: TaskState) -> int:
    of_attempt = (each.iteration for each in task.audit if each.attempt == task.attempt)
    return max(of_attempt, default=0)


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGEST).hexdigest().encode()
