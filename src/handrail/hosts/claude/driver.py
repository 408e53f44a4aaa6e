"""Drive the real Claude Code: one process that takes prompts and control requests on stdin."""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Self, cast
from uuid import uuid4

from handrail.hosts.claude import stream
from handrail.hosts.claude.launch import Launch
from handrail.hosts.claude.turn_tracker import Activity, TurnTracker
from handrail.hosts.driven_agent import (
    MARK,
    AgentGoneError,
    AgentSilentError,
    AgentTurn,
    ModelError,
)
from handrail.intervene.processes.process_tree import ProcessFamily
from handrail.intervene.processes.process_tree import end_processes as end_all
from handrail.store.private_files import make_folder, replace_file

PATIENCE = 30.0
"""Seconds that a request may take; starting takes a while."""
_AGAIN = 0.25
"""Seconds until an interrupt is repeated: Claude Code answers an interrupt before the turn has
begun, but ignores it."""
_STIR = 2.0
"""Seconds to wait for it to go on by itself. We saw 17 to 50 ms."""
_BY_ITSELF = 3.0
_WHEN_TOLD = 5.0
_DRAIN = 1.0
"""Seconds to wait for its last output after it ended: a child may hold the pipe open."""
_KEPT = 4096
"""Bytes to keep of its last errors."""
_CANNOT_START = 127


class ClaudeDriver:
    """A Claude Code that runs inside the block.

    It has a session of its own, so that Ctrl+C in a terminal reaches the driver alone.
    """

    def __init__(
        self,
        launch: Launch,
        *,
        patience: float = PATIENCE,
        heard: Callable[[str], None] = lambda problem: None,
    ) -> None:
        """`heard`: called after each turn with its problem, or ""."""
        self.pid = 0
        self.model = launch.model
        self._launch = launch
        self._patience = patience
        self._heard = heard
        self._turns = TurnTracker()
        self._work: asyncio.Future[AgentTurn] | None = None
        """Set while it works."""
        self._stirring: asyncio.TimerHandle | None = None
        self._asked: dict[str, asyncio.Future[stream.ControlReply]] = {}
        self._count = 0
        self._gone: asyncio.Future[tuple[int, str]]
        self._process: asyncio.SubprocessTransport
        self._stdin: asyncio.WriteTransport

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._gone = loop.create_future()
        try:
            await asyncio.to_thread(_write_settings, self._launch)
            self._process, _ = await loop.subprocess_exec(
                lambda: _Pipes(self._hear, self._lost),
                *self._launch.argv,
                cwd=self._launch.cwd,
                env=self._launch.environ,
                start_new_session=True,
            )
        except BaseException as error:
            _remove_settings(self._launch)
            if isinstance(error, OSError):
                raise AgentGoneError(_CANNOT_START, str(error)) from error
            raise
        self.pid = self._process.get_pid()
        self._stdin = cast("asyncio.WriteTransport", self._process.get_pipe_transport(0))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.end()

    async def take_turn(self, prompt: str) -> AgentTurn:
        """Send a prompt, and wait until it stops; raises AgentGoneError."""
        try:
            turn = await self._take_turn(prompt)
        except AgentGoneError as error:
            self._heard(str(error))
            raise
        self._heard(f"the agent failed: {turn.problem}" if turn.problem else "")
        return turn

    async def _take_turn(self, prompt: str) -> AgentTurn:
        self._check()
        uuid = str(uuid4())
        self._turns.send(uuid)
        self._settle()
        work = self._work
        assert work is not None
        self._stdin.write(stream.prompt(prompt, uuid))
        # Cancelling the wait does not stop the work.
        return await asyncio.shield(work)

    async def interrupt(self) -> bool:
        """Interrupt the turn, including the model's answer, the tools and the sub-agents."""
        self._check()
        work = self._work
        if work is None:
            return False
        self._turns.interrupting = True
        try:
            async with asyncio.timeout(self._patience):
                while not work.done():
                    await self._ask("interrupt")
                    await asyncio.wait({work}, timeout=_AGAIN)
        except TimeoutError:
            raise AgentSilentError("interrupt", self._patience) from None
        return work.result().interrupted

    async def set_model(self, model: str) -> str:
        """Use another model from the next call on; return the previous one.

        It accepts unknown names, too; then the next call fails.
        """
        before = self.model
        reply = await self._ask("set_model", model=model)
        if reply.error:
            raise ModelError(reply.error)
        self.model = reply.model or model
        return before

    async def end(self) -> None:
        """Let it end by itself, then ask it to end, then kill it.

        Asked to end, it ends its commands; after a kill, we end them.
        """
        try:
            self._stdin.close()
            # It does not end by itself while a turn or a background command runs.
            busy = self._work is not None or self._turns.has_tasks
            if busy or not await self._ends(min(_BY_ITSELF, self._patience)):
                self._signal(signal.SIGTERM, signal.SIGCONT)
            if not await self._ends(min(_WHEN_TOLD, self._patience)):
                self._signal(signal.SIGKILL)
            await asyncio.wait({self._gone})
        finally:
            self._process.close()  # and kills it, if the wait was cancelled
            _remove_settings(self._launch)
        code, _ = self._gone.result()
        if code < 0:
            left = ProcessFamily({MARK: self._launch.environ.get(MARK, "")})
            await asyncio.to_thread(end_all, left)

    @property
    def tokens(self) -> int:
        """Return the approximate tokens of the present turn."""
        return self._turns.tokens

    # Output

    def _hear(self, line: stream.Line) -> None:
        match line:
            case stream.ControlReply():
                if asked := self._asked.pop(line.request, None):
                    asked.set_result(line)
            case stream.ControlQuestion():
                self._stdin.write(stream.refusal(line.request, "nobody is there to answer"))
            case _:
                if isinstance(line, stream.WorkBegan):
                    self.model = line.model or self.model
                self._turns.read(line)
                self._settle()

    def _settle(self) -> None:
        """Notice whether it is working."""
        if self._stirring is not None:
            self._stirring.cancel()
            self._stirring = None
        rest = self._turns.rest
        loop = asyncio.get_running_loop()
        if rest is Activity.WORKS and self._work is None:
            self._work = loop.create_future()
        elif rest is Activity.STIRS:
            self._stirring = loop.call_later(_STIR, self._rested)
        elif rest is Activity.RESTS:
            self._rested()

    def _rested(self) -> None:
        turn, work = self._turns.finish_turn(), self._work
        self._work = None
        if work is not None:
            work.set_result(turn)

    def _lost(self, code: int, says: str) -> None:
        """Note that the process ended, and fail everything that waits for it."""
        error = AgentGoneError(code, says)
        if self._stirring is not None:
            self._stirring.cancel()
        for waiting in (*self._asked.values(), self._work):
            if waiting is not None and not waiting.done():
                waiting.set_exception(error)
                waiting.exception()  # not an error if nobody waits
        self._asked.clear()
        self._work = None
        self._gone.set_result((code, says))

    # Input

    async def _ask(self, subtype: str, **more: str) -> stream.ControlReply:
        self._check()
        self._count += 1
        name = f"handrail-{self._count}"
        asked: asyncio.Future[stream.ControlReply] = asyncio.get_running_loop().create_future()
        self._asked[name] = asked
        self._stdin.write(stream.control_request(name, subtype, **more))
        try:
            async with asyncio.timeout(self._patience):
                return await asked
        except TimeoutError:
            raise AgentSilentError(subtype, self._patience) from None
        finally:
            self._asked.pop(name, None)

    def _check(self) -> None:
        if self._gone.done():
            raise AgentGoneError(*self._gone.result())

    async def _ends(self, seconds: float) -> bool:
        await asyncio.wait({self._gone}, timeout=seconds)
        return self._gone.done()

    def _signal(self, *numbers: signal.Signals) -> None:
        for number in numbers:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)


class _Pipes(asyncio.SubprocessProtocol):
    """The three pipes of the process."""

    def __init__(
        self, hear: Callable[[stream.Line], None], lost: Callable[[int, str], None]
    ) -> None:
        self._hear = hear
        self._lost: Callable[[int, str], None] | None = lost
        self._lines = stream.LineSplitter()
        self._complaints = b""
        self._open = {1, 2}
        self._process: asyncio.SubprocessTransport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._process = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self._complaints = (self._complaints + data)[-_KEPT:]
            return
        for raw in self._lines.feed(data):
            if (line := stream.read_line(raw)) is not None and self._lost is not None:
                self._hear(line)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open.discard(fd)
        if not self._open and self._process.get_returncode() is not None:
            self._end()

    def process_exited(self) -> None:
        if not self._open:
            self._end()
        else:
            asyncio.get_running_loop().call_later(_DRAIN, self._end)

    def _end(self) -> None:
        lost, self._lost = self._lost, None
        if lost is not None:
            says = self._complaints.decode(errors="replace").strip()
            lost(self._process.get_returncode() or 0, says)


def _write_settings(launch: Launch) -> None:
    """Write the settings for this user alone: they contain a token."""
    if launch.settings_file:
        make_folder(os.path.dirname(launch.settings_file))
        replace_file(launch.settings_file, launch.settings.encode(), 0o600)


def _remove_settings(launch: Launch) -> None:
    if launch.settings_file:
        with suppress(FileNotFoundError):
            os.unlink(launch.settings_file)
