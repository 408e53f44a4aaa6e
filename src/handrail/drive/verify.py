"""Run the command that decides whether a loop is done."""

import os
from collections.abc import Mapping

import msgspec

from handrail.drive.command import run_command

SECONDS = 300.0


class Verification(msgspec.Struct, frozen=True):
    """The outcome of the command."""

    ok: bool
    how: str
    """`exit code 1`, `killed by SIGKILL`, …"""
    says: str = ""
    """The end of its output."""
    ms: float = 0.0


async def verify(
    command: str, cwd: str, *, seconds: float = SECONDS, marks: Mapping[str, str] | None = None
) -> Verification:
    """Run a command, and kill the processes that it leaves in its process group.

    `marks`: environment variables by which Handrail finds its processes to end the run.
    """
    environ = {**os.environ, **(marks or {})}
    end = await run_command(("sh", "-c", command), cwd, environ=environ, seconds=seconds)
    return Verification(end.code == 0, end.how, end.output, end.ms)
