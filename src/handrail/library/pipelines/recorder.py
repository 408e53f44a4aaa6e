"""Records a pipeline in the daemon's log while it runs. It never holds the pipeline up."""

import os
import queue
import threading
from collections.abc import Mapping
from time import monotonic, time
from uuid import uuid4

import msgspec

from handrail.control.client import user_name
from handrail.fleet.pipeline.events import (
    PipelineEnded,
    PipelineEvent,
    PlannedStep,
    RecordedRefusal,
    StepBegun,
    StepEnded,
)
from handrail.fleet.pipeline.reading import TEXT, Pipeline, Step
from handrail.fleet.pipeline.result import BlockedAction, PipelineResult, StepResult
from handrail.fleet.pipeline.runner import PipelineListener
from handrail.fleet.pipeline.runner_process import begun_here
from handrail.server.fleet.pipeline_messages import PIPELINE_EVENTS, PipelineReport
from handrail.server.home import Home
from handrail.server.http.socket_client import DaemonError, RefusedError, call_daemon
from handrail.server.launcher import ensure_daemon

_LAST_SECONDS = 15.0
"""Seconds at the end for what is not written yet."""
_PAUSE = 0.2
_SERVER_ERROR = 500
_MOST_BLOCKED = 50
_LONGEST_SAYS = 2_000
_LONGEST_INPUT = 500


class PipelineRecorder:
    """Hears what happens, and tells the daemon in order, in a thread of its own."""

    def __init__(
        self,
        pipeline: Pipeline,
        home: Home,
        folder: str,
        environ: Mapping[str, str],
        beside: PipelineListener,
    ) -> None:
        """`beside`: hears everything, too."""
        self.id = str(uuid4())
        self._pipeline = pipeline
        self._home = home
        self._folder = folder
        self._environ = environ
        self._beside = beside
        self._events: queue.SimpleQueue[PipelineEvent | None] = queue.SimpleQueue()
        self._until = 0.0
        """When it gives up; 0: the pipeline still runs."""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="pipeline recorder", daemon=True)

    def begin(self) -> None:
        """Record that the pipeline begins."""
        path = self._pipeline.file
        file = "" if os.path.basename(path) == TEXT else path
        begun = begun_here(
            time(), self._pipeline.name, folder=self._folder, file=file, by=user_name()
        )
        steps = tuple(PlannedStep(each.name, each.type) for each in self._pipeline.steps)
        self._events.put(msgspec.structs.replace(begun, steps=steps))
        self._thread.start()

    def step_begins(self, step: Step, attempt: int) -> None:
        """Record that a try begins."""
        self._events.put(StepBegun(time(), step.name, attempt))
        self._beside.step_begins(step, attempt)

    def step_ended(self, result: StepResult) -> None:
        """Record what a step came to."""
        self._events.put(_step_ended(result))
        self._beside.step_ended(result)

    def end(self, result: PipelineResult, *, broke_off: bool) -> None:
        """Record what the pipeline came to, and wait a while until all is written.

        `broke_off`: it did not come to its end.
        """
        error = result.error or ("interrupted" if broke_off else "")
        self._events.put(PipelineEnded(time(), error, result.failed_step, result.seconds))
        self._events.put(None)
        self._until = monotonic() + _LAST_SECONDS
        self._closing.set()
        self._thread.join(_LAST_SECONDS + 1)

    def _work(self) -> None:
        number = 0
        while (event := self._events.get()) is not None:
            number += 1
            if not self._send(number, event):
                return

    def _send(self, number: int, event: PipelineEvent) -> bool:
        """Tell the daemon; return False if it will never hear of it."""
        report = PipelineReport(self.id, number, self._folder, event)
        body = msgspec.json.encode(report)
        while True:
            try:
                call_daemon(self._home, "POST", PIPELINE_EVENTS, body)
                return True
            except RefusedError as error:
                if error.status < _SERVER_ERROR:
                    return False
            except DaemonError:
                self._start_daemon()
            if self._until and monotonic() > self._until:
                return False
            self._closing.wait(_PAUSE)

    def _start_daemon(self) -> None:
        try:
            ensure_daemon(self._home, self._environ)
        except DaemonError:
            return  # the steps need it, too, and tell why it does not start


def _step_ended(result: StepResult) -> StepEnded:
    return StepEnded(
        time(),
        result.name,
        result.status,
        says=result.says[:_LONGEST_SAYS],
        exit_code=result.exit_code,
        runs=result.runs,
        attempts=result.attempts,
        seconds=result.seconds,
        continued=result.continued,
        blocked=tuple(map(_block, result.blocked_actions[:_MOST_BLOCKED])),
        review=result.review_summary,
        tokens=result.tokens,
        cost_usd=result.cost_usd,
    )


def _block(blocked: BlockedAction) -> RecordedRefusal:
    given = blocked.input
    subject = str(given.get("command") or given.get("file_path") or "")
    return RecordedRefusal(
        blocked.run,
        blocked.action,
        blocked.tool,
        subject[:_LONGEST_INPUT],
        blocked.reason[:_LONGEST_SAYS],
        blocked.alternative[:_LONGEST_SAYS],
    )
