"""The port of a scheduler to everything outside of the engine: processes, workspaces, drivers."""

from collections.abc import Awaitable
from typing import Protocol

from handrail.fleet.engine.engine import Claim
from handrail.fleet.engine.events import AttemptResult, Lease, TaskWorkspace
from handrail.fleet.recovery.orphans import OrphanDecision


class ProcessesLeftError(Exception):
    """Processes of an earlier attempt could not be ended, so nobody may use its workspace."""

    def __init__(self, says: str) -> None:
        super().__init__(f"processes of the attempt before are left: {says}")


class SlotWork(Protocol):
    """What a scheduler does outside of the engine."""

    async def end_attempt(self, lease: Lease, run: str) -> str:
        """End all processes of an attempt that was lost; return the evidence.

        Raises ProcessesLeftError.
        """

    async def judge(self, claim: Claim, slot: int) -> OrphanDecision:
        """Look at what the attempts before left, and decide how the task goes on.

        Raises WorkspaceError.
        """

    async def conclude(self, claim: Claim) -> AttemptResult:
        """Return the result of a task that was done already. Raises WorkspaceError."""

    async def prepare(self, claim: Claim, slot: int, *, fresh: bool = False) -> TaskWorkspace:
        """Make or find the workspace of a task, ready for an agent. Raises WorkspaceError.

        `fresh`: a new one; the one that is there holds no work.
        """

    async def launch(
        self, claim: Claim, workspace: TaskWorkspace, slot: int, session: str = ""
    ) -> Awaitable[int]:
        """Start the driver of an attempt; the result waits for its end, and has its exit code.

        `session`: the run that it goes on with; empty: a new one. Raises OSError.
        """

    def is_alive(self, lease: Lease) -> bool:
        """Return whether the process of a lease still runs, on this machine."""
