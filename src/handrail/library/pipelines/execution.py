"""Run a pipeline: read it, check that it can start, and run its steps under review."""

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import cast

from handrail.config import ConfigError
from handrail.fleet.pipeline.reading import (
    TEXT,
    Pipeline,
    Step,
    given_variables,
    load_pipeline,
    read_pipeline,
)
from handrail.fleet.pipeline.result import PipelineResult, StepOutcome, StepStatus
from handrail.fleet.pipeline.runner import PipelineListener, PipelineRun, Unheard
from handrail.fleet.pipeline.schema import AGENTS, AgentStep, AnyStep, ScriptStep, ShellStep
from handrail.hosts.port import HostError
from handrail.library.errors import PipelineFileError, StartError
from handrail.library.pipelines.agent_step import check_agent, run_agent_step
from handrail.library.pipelines.recorder import PipelineRecorder
from handrail.library.pipelines.script_step import run_script_step
from handrail.library.pipelines.shell_step import run_shell_step
from handrail.library.pipelines.step_context import StepContext
from handrail.redact import Redactor
from handrail.server.driving.undo_check import why_no_undo
from handrail.server.home import open_home
from handrail.supervise.runs.settings_trust import trusted_settings

_NO_REVIEW = "run_pipeline reviews every action; there is no safety=False"


def run_pipeline(
    pipeline: str | os.PathLike[str],
    *,
    safety: bool = True,
    variables: Mapping[str, str] | None = None,
    folder: str | os.PathLike[str] = ".",
    without_undo: bool = False,
    environ: Mapping[str, str] | None = None,
) -> PipelineResult:
    """Run a pipeline, a file or its text, and return its result.

    A text has more than one line; anything else is a path. `variables` replace those in `vars`.
    `without_undo`: start agents even where their work could not be undone. Raises
    PipelineFileError for a wrong file, and StartError if it cannot start. `safety` is always on.
    """
    if not safety:
        raise ValueError(_NO_REVIEW)
    given = os.environ if environ is None else environ
    where = os.path.abspath(folder)
    try:
        read = open_pipeline(pipeline, where, given)
        execution = PipelineExecution(
            read, variables or {}, where, given, without_undo=without_undo
        )
    except ConfigError as error:
        raise PipelineFileError(str(error)) from None
    return asyncio.run(execution.go())


def open_pipeline(
    pipeline: str | os.PathLike[str], folder: str, environ: Mapping[str, str]
) -> Pipeline:
    """Read a pipeline file, or the text of one; raises ConfigError."""
    home = environ.get("HOME", "")
    if isinstance(pipeline, str) and "\n" in pipeline:
        return read_pipeline(pipeline, os.path.join(folder, TEXT), home=home)
    return load_pipeline(os.fspath(pipeline), folder, home)


class PipelineExecution:
    """A pipeline that can start; `go` runs it."""

    def __init__(
        self,
        pipeline: Pipeline,
        variables: Mapping[str, str],
        folder: str,
        environ: Mapping[str, str],
        *,
        listener: PipelineListener | None = None,
        without_undo: bool = False,
    ) -> None:
        """Raises ConfigError for wrong settings or variables, and StartError."""
        values = given_variables(pipeline, variables)
        found = trusted_settings(folder, environ, pipeline.safety)
        self.withheld = found.withheld
        """Settings of the pipeline that wait for a person's confirmation."""
        agents = sorted({step.type for step in pipeline.steps if step.type in AGENTS})
        try:
            for kind in agents:
                check_agent(kind, environ)
        except HostError as error:
            raise StartError(str(error)) from None
        why = why_no_undo(folder, found.config, environ) if agents else ""
        if why and not without_undo:
            raise StartError(f"the work of its agents could not be undone: {why}")
        redactor = Redactor()
        path = environ.get("PATH")
        self._at = StepContext(
            open_home(environ),
            folder,
            environ,
            shutil.which("bash", path=path) or shutil.which("sh", path=path) or "/bin/sh",
            pipeline.safety,
            redactor.text,
        )
        self._recorder = PipelineRecorder(
            pipeline, self._at.home, folder, environ, listener or Unheard()
        )
        self._run = PipelineRun(
            pipeline,
            values,
            self._step,
            listener=self._recorder,
            redact=redactor.text,
            withheld=tuple(each.key for each in found.withheld),
        )

    @property
    def result(self) -> PipelineResult:
        """Return the result of the steps so far."""
        return self._run.result

    @property
    def id(self) -> str:
        """Return the name of this run of the pipeline in the log."""
        return self._recorder.id

    async def go(self) -> PipelineResult:
        """Run all steps. A cancellation ends the processes of the step under way, and raises."""
        broke_off = True
        await asyncio.to_thread(self._recorder.begin)
        try:
            result = await self._run.go()
            broke_off = False
            return result
        finally:
            end = partial(self._recorder.end, self._run.result, broke_off=broke_off)
            await asyncio.to_thread(end)

    async def _step(self, step: Step, values: Mapping[str, str]) -> StepOutcome:
        try:
            return await _RUNNERS[type(step.keys)](step, step.keys, values, self._at)
        except StartError as error:
            return StepOutcome(status=StepStatus.FAILED, says=str(error))


_RunStep = Callable[[Step, AnyStep, Mapping[str, str], StepContext], Awaitable[StepOutcome]]
_RUNNERS = {
    kind: cast("_RunStep", run)
    for kind, run in (
        (ShellStep, run_shell_step),
        (ScriptStep, run_script_step),
        (AgentStep, run_agent_step),
    )
}
"""What runs the steps of each type; `STEP_TYPES` has their keys."""
