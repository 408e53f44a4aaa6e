"""The ways in which a loop ends."""

from typing import Literal

import msgspec

from handrail.drive.usage import MAX_ITERATIONS, ReachedLimit
from handrail.drive.verify import Verification

_MAX_SAYS = 1_000


class LoopEnd(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a loop, and why."""

    how: Literal["done", "abort"]
    reason: Literal["COMPLETE", "MAX_ITERATIONS", "STUCK", "ERROR", "LIMIT", "USER_CANCELLED"]
    says: str = ""
    verified: bool = False
    """A command has confirmed the goal; otherwise only the agent claims it."""
    crashed: bool = False
    """It failed because somebody or something killed the agent's process."""


CANCELLED = LoopEnd(how="abort", reason="USER_CANCELLED", says="The run was cancelled")
"""The daemon knows this end already, so the driver does not report it."""


def complete(command: str) -> LoopEnd:
    """Return the end of an agent that is done; `command`: the command that confirmed it."""
    says = "The agent says that it is done"
    if command:
        return LoopEnd(
            how="done", reason="COMPLETE", says=f"{says}, and this passed: {command}", verified=True
        )
    says += ". Nothing was verified: there is no command for it"
    return LoopEnd(how="done", reason="COMPLETE", says=says)


def stuck(why: str) -> LoopEnd:
    """Return the end of an agent that cannot go on."""
    says = f"The agent cannot go on: {_cut(why)}" if why else "The agent cannot go on"
    return LoopEnd(how="done", reason="STUCK", says=says)


def limit(met: ReachedLimit, verified: Verification | None) -> LoopEnd:
    """Return the end at a limit; `verified`: the last check, if the agent claimed to be done."""
    if met.limit != MAX_ITERATIONS:
        return LoopEnd(how="abort", reason="LIMIT", says=met.says)
    failed = "" if verified is None else f". The last check did not pass: {verified.how}"
    return LoopEnd(how="done", reason="MAX_ITERATIONS", says=met.says + failed)


def error(times: int, problem: str, *, crashed: bool = False) -> LoopEnd:
    """Return the end of an agent that failed too often."""
    says = f"The agent failed {times} times in a row: {_cut(problem)}"
    return LoopEnd(how="abort", reason="ERROR", says=says, crashed=crashed)


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SAYS else f"{text[:_MAX_SAYS]}…"
