"""The supervisor of one run, for programs with an agent of their own."""

import asyncio
import json
import logging
import os
import threading
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType
from typing import Literal, Self

import msgspec

from handrail.checkpoint import (
    CheckpointError,
    CheckpointRecord,
    CheckpointStore,
    UndoLevel,
    checkpoint_folder,
    work_tree_of,
)
from handrail.config.sources import PipelineSafety
from handrail.control.client import UnreachableError, make_request, request_stages
from handrail.control.message import Result
from handrail.detect.detector import Detector
from handrail.hosts.wording import told_after
from handrail.intervene.kind import InterventionKind
from handrail.library.action import SupervisedAction
from handrail.library.arguments import json_object, make_extensions
from handrail.library.embedded import EmbeddedEngine
from handrail.library.engine import Engine, PendingCall
from handrail.library.errors import ControlError, StartError, SupervisorClosedError
from handrail.library.remote import open_remote
from handrail.library.threads import start_in_thread
from handrail.library.verdict import ActionVerdict, RestoredFiles, action_verdict
from handrail.model.control import ControlCommand
from handrail.model.desktop import DesktopCheck
from handrail.model.event import Event, FindingMade
from handrail.model.finding import Finding
from handrail.model.ordinal import Decision
from handrail.model.program import Program
from handrail.model.review import Verdict
from handrail.model.state_folder import state_folder
from handrail.review.judgment.rules import Rule
from handrail.supervise.decision.verdict import fault_verdict
from handrail.supervise.runs.extensions import Extensions

_log = logging.getLogger(__name__)

_CONTROL_SECONDS = 60.0
_POLL = 1.0
_FIX = "handrail doctor says what is wrong."
_ONLY_HERE = (
    "the daemon takes detectors, interventions, programs and rules from installed packages only: "
    "register them as entry points, or leave out daemon=True"
)
_NO_LOG = "the daemon has its own log: leave out log, or daemon=True"


class Supervisor:
    """Supervise one run of an agent: ask it before each action, and report each result.

    Use it from any thread, and from an event loop through the methods that can be awaited. One
    lock guards everything; nobody holds it while Handrail saves files or writes the log, or while
    the run is paused.
    """

    def __init__(
        self,
        *,
        goal: str = "",
        scope: Sequence[str] = (),
        folder: str | os.PathLike[str] = ".",
        log: str | os.PathLike[str] = "",
        daemon: bool = False,
        model: str = "",
        detectors: Iterable[type[Detector]] = (),
        interventions: Iterable[InterventionKind] = (),
        programs: Mapping[str, Program] | None = None,
        rules: Iterable[Rule] = (),
        pipeline: PipelineSafety | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        """Begin a run in a folder; raises StartError if that fails.

        `goal`: the task of the agent. `scope`: the folders and globs that it may change, in place
        of those in `handrail.yaml`. `log`: a file for the log; without it the log is in memory.
        `daemon`: let the daemon supervise the run, so that `handrail status`, `pause` and the
        others see it. `pipeline`: the settings of the pipeline that this run is a step of.
        `environ`: stands in for the environment of the process.
        """
        given = os.environ if environ is None else environ
        self.run = str(uuid.uuid4())
        """The id of the run."""
        self.folder = os.path.abspath(folder)
        self._environ = given
        self._engine: Engine
        self._is_closed = False
        self._stopped = ""
        if not os.path.isdir(self.folder):
            raise StartError(f"{self.folder} is no folder")
        own = make_extensions(detectors, interventions, programs, rules)
        if daemon:
            if own != Extensions():
                raise TypeError(_ONLY_HERE)
            if log:
                raise TypeError(_NO_LOG)
            self._engine = open_remote(self.run, self.folder, given)
        else:
            self._engine = EmbeddedEngine(
                self.run, self.folder, log=os.fspath(log), extensions=own, environ=given
            )
        begun = self._send(
            "start",
            goal=goal,
            scope=list(scope),
            model=model,
            pipeline=msgspec.to_builtins(pipeline),
        )
        if begun.decision is Decision.BLOCK:
            self._is_closed = True
            self._engine.close()
            raise StartError(begun.reason)
        if begun.alarm:
            _log.warning("%s", begun.alarm)

    # Actions

    def before(
        self, tool: str, tool_input: Mapping[str, object], *, agent: str = ""
    ) -> ActionVerdict:
        """Ask whether an action may run. While the run is paused, this waits.

        `agent`: the sub-agent that wants it. Raises TypeError where the input is no JSON object.
        """
        return self._before(tool, json_object(tool, tool_input), agent, PendingCall())

    async def before_async(
        self, tool: str, tool_input: Mapping[str, object], *, agent: str = ""
    ) -> ActionVerdict:
        """Do the same in an event loop, without blocking it."""
        given, call = json_object(tool, tool_input), PendingCall()
        asked = start_in_thread(lambda: self._before(tool, given, agent, call))
        try:
            return await asyncio.wrap_future(asked)
        except asyncio.CancelledError:
            call.abandon()
            asked.add_done_callback(self._drop)
            raise

    def after(
        self,
        verdict: ActionVerdict,
        output: str = "",
        *,
        exit_code: int | None = None,
        error: str = "",
        seconds: float = 0.0,
        tokens: int = 0,
    ) -> str:
        """Report the result of an action; return a text for the model, or ""."""
        said = self._send(
            "after",
            id=verdict.id,
            tool=verdict.tool,
            input=verdict.input,
            ok=not error and not exit_code,
            exit_code=exit_code,
            output=output,
            error=error,
            seconds=seconds,
            tokens=tokens,
        )
        return told_after(said)

    async def after_async(
        self,
        verdict: ActionVerdict,
        output: str = "",
        *,
        exit_code: int | None = None,
        error: str = "",
        seconds: float = 0.0,
        tokens: int = 0,
    ) -> str:
        """Do the same in an event loop."""

        def tell() -> str:
            return self.after(
                verdict, output, exit_code=exit_code, error=error, seconds=seconds, tokens=tokens
            )

        return await asyncio.wrap_future(start_in_thread(tell))

    def action(
        self, tool: str, tool_input: Mapping[str, object], *, agent: str = ""
    ) -> SupervisedAction:
        """Return an action as a block, for `with` and `async with`: entered only if it may run."""
        return SupervisedAction(self, tool, json_object(tool, tool_input), agent)

    def drop(self, verdict: ActionVerdict, reason: str = "") -> None:
        """Report that an allowed action did not run."""
        self._send("drop", id=verdict.id, reason=reason)

    def desktop_checked(self, check: DesktopCheck) -> None:
        """Report what a look at the screen found and led to, before the end of the look.

        The look is an action with the tool `DesktopLook`.
        """
        self._send("desktop_check", check=msgspec.to_builtins(check))

    # The conversation

    def prompt(self, text: str) -> None:
        """Report a person's prompt to the agent."""
        self._send("prompt", text=text)

    def turn_ended(self, text: str = "") -> str:
        """Report that the agent has stopped, with its message; return a text for the model."""
        return told_after(self._send("turn_end", text=text))

    # Control

    def pause(self, reason: str = "") -> None:
        """Let no new action begin. Calls wait until `resume`, for `control.hold_seconds`."""
        self._control(ControlCommand.PAUSE, reason)

    def resume(self) -> None:
        """Let the run go on."""
        self._control(ControlCommand.RESUME, to_end=True)

    def stop(self, reason: str = "") -> None:
        """Refuse every further action."""
        self._stopped = reason or "the program has stopped it"
        self._control(ControlCommand.STOP, reason)
        self._stopped = ""  # the log knows it from now on

    def steer(self, text: str) -> None:
        """Tell the agent something, with the next verdict or the next outcome."""
        self._control(ControlCommand.STEER, text=text)

    # Files

    def checkpoint(self, name: str = "", *, by: str = "", reason: str = "") -> CheckpointRecord:
        """Save the files of the folder's work tree; raises CheckpointError.

        `by`: who asks, for the log; by default the user.
        """
        try:
            saved = self._control(ControlCommand.CHECKPOINT, reason, text=name, by=by, to_end=True)
        except ControlError as error:
            raise CheckpointError(str(error)) from None
        return self._checkpoints().find(str(saved and saved.payload.get("checkpoint", "")))

    def checkpoints(self) -> list[CheckpointRecord]:
        """Return all checkpoints of the work tree, the newest first."""
        self._check_open()
        return list(self._checkpoints().newest_first())

    def undo(self, level: Literal["action", "iteration", "task"] = "action") -> RestoredFiles:
        """Take back the last change of files, or everything since a prompt or the start.

        Raises CheckpointError.
        """
        self._check_open()
        return self._engine.restore(UndoLevel(level), "")

    def rollback(self, checkpoint: str) -> RestoredFiles:
        """Put all files back to a checkpoint, by its id or name.

        Raises CheckpointError.
        """
        self._check_open()
        return self._engine.restore(UndoLevel.CHECKPOINT, checkpoint)

    # Events

    def events(self) -> list[Event]:
        """Return all events of the run so far, in the order of the log."""
        self._check_open()
        return [event for _, event in self._engine.events(0)]

    @property
    def findings(self) -> list[Finding]:
        """Return the patterns of trouble so far, each in its last state."""
        made = (event for event in self.events() if isinstance(event, FindingMade))
        return list({each.finding.name: each.finding for each in made}.values())

    def subscribe(self, callback: Callable[[Event], object]) -> Callable[[], None]:
        """Call a function with every event from now on; return a function that unsubscribes.

        It is called in a thread of its own, in the order of the log, and may use the supervisor.
        """
        self._check_open()
        last = max((seq for seq, _ in self._engine.events(0)), default=0)
        ended = threading.Event()

        def follow(after: int) -> None:
            while not ended.is_set():
                is_last = self._is_closed
                for seq, event in self._engine.events(after):
                    after = seq
                    if not ended.is_set():
                        callback(event)
                if is_last:
                    return
                self._engine.wait_for_events(_POLL)

        threading.Thread(target=follow, args=(last,), name="handrail-events", daemon=True).start()
        return ended.set

    # The end

    def close(self, reason: str = "") -> None:
        """End the run, and finish pending work. Twice does no harm."""
        if self._is_closed:
            return
        self._send("end", reason=reason)
        self._is_closed = True
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close("" if error is None else type(error).__name__)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.wrap_future(start_in_thread(lambda: self.__exit__(kind, error, trace)))

    # The way to the engine

    def _before(
        self, tool: str, given: dict[str, object], agent: str, call: PendingCall
    ) -> ActionVerdict:
        name = str(uuid.uuid4())
        verdict = self._send("before", call, id=name, tool=tool, input=given, agent=agent)
        if self._stopped and verdict.decision is not Decision.BLOCK:
            says = f"This run was stopped: {self._stopped}"
            verdict = Verdict(Decision.BLOCK, says, "Do nothing more.", stop=True)
        return action_verdict(name, tool, given, verdict)

    def _drop(self, asked: "Future[ActionVerdict]") -> None:
        """Drop a call that was allowed too late: nobody runs it."""
        if asked.exception() is None and asked.result().allowed:
            with suppress(SupervisorClosedError):
                self.drop(asked.result(), "nobody waited for the answer")

    def _send(self, event: str, call: PendingCall | None = None, **fields: object) -> Verdict:
        self._check_open()
        message = {"event": event, "run": self.run, "cwd": self.folder, **fields}
        reply = self._engine.ask(json.dumps(message).encode(), call or PendingCall())
        try:
            return msgspec.convert(reply["verdict"], Verdict)
        except (KeyError, msgspec.ValidationError) as error:
            problem = f"what answers is not Handrail: {error}"
            return fault_verdict(harmless=False, problem=problem, fix=_FIX, policy="deny_all")

    def _control(
        self,
        command: ControlCommand,
        reason: str = "",
        *,
        text: str = "",
        by: str = "",
        to_end: bool = False,
    ) -> Result | None:
        """Send a request; return when it is written, or with `to_end` when it is done."""
        self._check_open()
        request = make_request(command, self.run, by=by, reason=reason, text=text)
        try:
            for message in request_stages(self._engine.control, request, seconds=_CONTROL_SECONDS):
                if not isinstance(message, Result):
                    if not to_end:
                        return None
                elif message.ok:
                    return message
                else:
                    raise ControlError(message.says)
        except UnreachableError as error:
            raise ControlError(str(error)) from None
        raise ControlError(f"{command.value} was not confirmed within {_CONTROL_SECONDS:g} s")

    def _checkpoints(self) -> CheckpointStore:
        tree = work_tree_of(self.folder, self._environ)
        folder = checkpoint_folder(state_folder(self._environ), tree)
        return CheckpointStore(folder, tree, environ=self._environ)

    def _check_open(self) -> None:
        if self._is_closed:
            raise SupervisorClosedError
