"""Run one command line to its end, in bounded time and space; nothing of it is left behind."""

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, suppress
from time import perf_counter
from typing import IO

import msgspec

KEPT = 8_000
"""Bytes to keep of the output: its end, where the errors are."""
_LAST_WORDS = 1.0
"""Seconds to read the rest of the pipe after the command has ended."""


class CommandEnd(msgspec.Struct, frozen=True):
    """How a command ended."""

    code: int | None
    """Its exit code; None: it was killed, or could not be run."""
    how: str
    """`exit code 1`, `killed by SIGKILL`, …"""
    output: str = ""
    """The end of its output."""
    ms: float = 0.0


async def run_command(
    program: Sequence[str], cwd: str, *, environ: Mapping[str, str], seconds: float
) -> CommandEnd:
    """Run a command, and kill the processes that it leaves in its process group.

    A cancellation kills them too.
    """
    began = perf_counter()
    tail = _Tail()
    code = None
    try:
        async with _started(program, cwd, environ, tail) as process:
            code, how = await _end_of(process, seconds)
    except (OSError, ValueError) as error:  # no such folder, or no such command
        how = f"it cannot be run: {error}"
    return CommandEnd(code, how, tail.text(), (perf_counter() - began) * 1000)


async def _end_of(process: Process, seconds: float) -> tuple[int | None, str]:
    try:
        async with asyncio.timeout(seconds):
            code = await process.wait()
    except TimeoutError:
        return None, f"no end after {seconds:g} s, so it was killed"
    if code < 0:
        return None, f"killed by {_signal_name(-code)}"
    return code, f"exit code {code}"


@asynccontextmanager
async def _started(
    program: Sequence[str], cwd: str, environ: Mapping[str, str], tail: "_Tail"
) -> AsyncIterator[Process]:
    # A pipe of our own: `Process.wait` would also wait for asyncio's pipe, and any child left in
    # the background keeps that open.
    reads, writes = os.pipe()
    with os.fdopen(reads, "rb", buffering=0) as pipe, os.fdopen(writes, "wb") as output:
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: tail, pipe)
        with closing(transport):
            process = await _spawn(program, cwd, environ, output)
            try:
                yield process
            finally:
                _kill_group(process)
                output.close()
                await process.wait()
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LAST_WORDS):
                        await tail.ended.wait()


async def _spawn(
    program: Sequence[str], cwd: str, environ: Mapping[str, str], output: IO[bytes]
) -> Process:
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *program,
            cwd=cwd,
            env=environ,
            stdin=DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        # It may be running already, with children that asyncio would not end.
        process = await starting
        _kill_group(process)
        await process.wait()
        raise


def _kill_group(process: Process) -> None:
    # The group outlives its leader while any process is in it.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class _Tail(asyncio.Protocol):
    """Keep the end of a pipe's output."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self._kept = bytearray()
        self._all = 0

    def data_received(self, data: bytes) -> None:
        self._all += len(data)
        self._kept += data[-KEPT:]
        del self._kept[:-KEPT]

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended.set()

    def text(self) -> str:
        """Return the text; say so if its beginning is missing."""
        text = self._kept.decode(errors="replace").strip()
        left_out = self._all - len(self._kept)
        if not left_out:
            return text
        _, _, whole_lines = text.partition("\n")
        return f"… {left_out:,} bytes before this are left out\n{whole_lines or text}"
