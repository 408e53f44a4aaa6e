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
    command: str, cwd: str, *, seconds: float = SECONDS, environ: Mapping[str, str] | None = None
) -> Verification:
    """Run a command, and kill the processes that it leaves in its process group.

    `environ`: variables beside those of this process, such as the one by which Handrail finds the
    processes of a run to end it.
    """
    variables = {**os.environ, **(environ or {})}
    end = await run_command(("sh", "-c", command), cwd, environ=variables, seconds=seconds)
    return Verification(end.code == 0, end.how, end.output, end.ms)
