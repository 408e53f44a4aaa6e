"""The folders of a project's workspaces: a worktree, a record and a temporary folder for each.

`TREES/NAME` is a worktree, `TREES/.tmp/NAME` its temporary folder, `ROOT/.records/NAME.json` says
for which task it is. No task's id begins with a dot. A record is there before its worktree and
until after it, so a killed process leaves no worktree that nobody knows.

The root is in the state folder, which no agent may change. Agents work in the trees, so these
are elsewhere.
"""

import os
from contextlib import suppress
from enum import StrEnum

import msgspec

from handrail.checkpoint.files import read_json
from handrail.fleet.tasks.task import is_task_id
from handrail.model.decodable import decodable
from handrail.store.private_files import make_folder

BRANCHES = "handrail/"
"""The branch of each workspace stands below."""
_ENDING = ".json"


class WorkspaceState(StrEnum):
    """The state of a workspace, as its record says it."""

    MAKING = "making"
    READY = "ready"
    REMOVING = "removing"
    """Its removal was decided, and is carried out even if a process is killed meanwhile."""
    LEAVING_BRANCH = "leaving_branch"
    """The same, but its branch stays."""


class Workspace(msgspec.Struct, frozen=True, kw_only=True):
    """The worktree of one task."""

    name: str
    task: str
    attempt: int
    """The attempt that it was made for; later ones may go on in it."""
    path: str
    branch: str
    base: str
    """The commit that its branch started from."""
    state: WorkspaceState = WorkspaceState.READY
    is_set_up: bool = False
    """Whether all setup commands have succeeded in it."""
    temporary: str = ""
    """The folder for temporary files of its processes."""


@decodable
class _WorkspaceRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A workspace without paths: their names need not be text."""

    task: str
    attempt: int
    base: str
    state: WorkspaceState
    is_set_up: bool = False


class WorkspaceRecords:
    """Reads and writes the records of a project's workspaces; who writes holds the task's lock."""

    def __init__(self, root: str, trees: str = "") -> None:
        """`trees`: the folder for the worktrees; empty: `root`."""
        self.trees = os.path.realpath(trees or root)
        self._folder = os.path.join(os.path.realpath(root), ".records")

    def lock(self, task: str) -> str:
        """Return the path of the lock for the workspaces of a task."""
        return os.path.join(self._folder, f"{task}.lock")

    def all(self) -> list[Workspace]:
        """Return all workspaces, whatever their state, by name."""
        try:
            files = sorted(os.listdir(self._folder))
        except FileNotFoundError:
            return []
        names = (file.removesuffix(_ENDING) for file in files if file.endswith(_ENDING))
        return [found for found in map(self.get, names) if found is not None]

    def get(self, name: str) -> Workspace | None:
        """Return the workspace with a name; None where its record is missing or damaged."""
        record = read_json(self._file(name), _WorkspaceRecord)
        if record is None or not is_task_id(record.task):
            return None
        return self.workspace(
            name,
            record.task,
            record.attempt,
            record.base,
            state=record.state,
            is_set_up=record.is_set_up,
        )

    def workspace(
        self,
        name: str,
        task: str,
        attempt: int,
        base: str,
        *,
        state: WorkspaceState = WorkspaceState.MAKING,
        is_set_up: bool = False,
    ) -> Workspace:
        """Return a workspace with the paths that belong to its name."""
        return Workspace(
            name=name,
            task=task,
            attempt=attempt,
            path=os.path.join(self.trees, name),
            branch=f"{BRANCHES}{name}",
            base=base,
            state=state,
            is_set_up=is_set_up,
            temporary=os.path.join(self.trees, ".tmp", name),
        )

    def is_taken(self, name: str) -> bool:
        """Return whether a record, a folder or something else has the name."""
        return os.path.lexists(self._file(name)) or os.path.lexists(os.path.join(self.trees, name))

    def add(self, workspace: Workspace) -> bool:
        """Write the record of a new workspace; False: another process has taken the name."""
        make_folder(self._folder)
        fresh = self._write_fresh(workspace)
        try:
            os.link(fresh, self._file(workspace.name))
        except FileExistsError:
            return False
        finally:
            os.unlink(fresh)
        return True

    def change(
        self,
        workspace: Workspace,
        *,
        state: WorkspaceState | None = None,
        is_set_up: bool | None = None,
        base: str = "",
        task: str = "",
    ) -> Workspace:
        """Write a record anew; return the changed workspace."""
        changed = msgspec.structs.replace(
            workspace,
            task=task or workspace.task,
            state=workspace.state if state is None else state,
            is_set_up=workspace.is_set_up if is_set_up is None else is_set_up,
            base=base or workspace.base,
        )
        os.replace(self._write_fresh(changed), self._file(workspace.name))
        return changed

    def forget(self, workspace: Workspace) -> None:
        """Remove a record: the last step of a removal."""
        for path in (self._fresh(workspace.task), self._file(workspace.name)):
            with suppress(FileNotFoundError):
                os.unlink(path)

    def _write_fresh(self, workspace: Workspace) -> str:
        """Write a record beside its place, durably."""
        record = _WorkspaceRecord(
            task=workspace.task,
            attempt=workspace.attempt,
            base=workspace.base,
            state=workspace.state,
            is_set_up=workspace.is_set_up,
        )
        path = self._fresh(workspace.task)
        with open(path, "wb") as file:
            file.write(msgspec.json.encode(record))
            file.flush()
            os.fsync(file.fileno())
        return path

    def _fresh(self, task: str) -> str:
        # One for each task: its lock is held, and the next one to hold it writes over a leftover.
        return os.path.join(self._folder, f".{task}")

    def _file(self, name: str) -> str:
        return os.path.join(self._folder, f"{name}{_ENDING}")
