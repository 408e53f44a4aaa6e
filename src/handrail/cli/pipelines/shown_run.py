"""Run a pipeline, show its progress, and end its processes for certain when the user leaves."""

import asyncio
import signal
import sys
from collections.abc import Mapping

import click

from handrail.cli import freeze_loaded_objects, options
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput
from handrail.fleet.pipeline.reading import Pipeline, Step
from handrail.fleet.pipeline.report import ReportLine, report_lines, step_line
from handrail.fleet.pipeline.result import PipelineResult, StepResult
from handrail.fleet.pipeline.schema import AGENTS
from handrail.library.errors import StartError
from handrail.library.pipelines.execution import PipelineExecution

EXIT_CODES = {"": 0, "step_failed": 1, "blocked_by_reviewer": 3}
_LEAVES = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LIMIT = 6
"""Lines of a paragraph at most."""


def run_and_show(
    pipeline: Pipeline,
    variables: Mapping[str, str],
    folder: str,
    environ: Mapping[str, str],
    *,
    accepted: bool,
    as_json: bool,
) -> int:
    """Run a pipeline, print its result, and return the exit code."""
    screen = options.screen()
    try:
        execution = PipelineExecution(
            pipeline,
            variables,
            folder,
            environ,
            listener=None if as_json else _Progress(screen),
            without_undo=accepted,
        )
    except StartError as error:
        hint = "" if accepted or "undone" not in str(error) else ". Add --yes to start all the same"
        raise click.ClickException(f"did not start {pipeline.name}: {error}{hint}") from None
    freeze_loaded_objects()
    result, left_by = asyncio.run(_go(execution, quiet=as_json))
    if as_json:
        print_json(result)
    else:
        screen.say(screen.paint(" " + "─" * (screen.width - 2), "dim"))
        for line in report_lines(result):
            _print(screen, line)
    return 128 + left_by if left_by else EXIT_CODES[result.error]


async def _go(execution: PipelineExecution, *, quiet: bool) -> tuple[PipelineResult, int]:
    """Run the pipeline; return its result, and the signal by which the user left, or 0."""
    work = asyncio.ensure_future(execution.go())
    left_by: list[int] = []

    def leave(number: int) -> None:
        if not left_by and not quiet:
            click.echo("\n Ending the step … (Ctrl+C again: at once)", err=True)
        left_by.append(number)
        work.cancel()

    for number in _LEAVES:
        # Respect an ignored signal, as after nohup.
        if signal.getsignal(number) is not signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(number, leave, number)
    try:
        return await work, 0
    except asyncio.CancelledError:
        if not left_by:
            raise
        return execution.result, left_by[0]


class _Progress:
    """Prints a line when a step begins, and one when it ends."""

    def __init__(self, screen: TerminalOutput) -> None:
        self._screen = screen

    def step_begins(self, step: Step, attempt: int) -> None:
        again = f", try {attempt}" if attempt > 1 else ""
        where = " handrail watch shows its work" if step.type in AGENTS else ""
        _print(self._screen, ReportLine(f"{step.name} ({step.type}{again}) …{where}", "dim", "▸"))

    def step_ended(self, result: StepResult) -> None:
        _print(self._screen, step_line(result))


def _print(screen: TerminalOutput, line: ReportLine) -> None:
    mark = screen.paint(line.mark, line.style) if line.mark else ""
    screen.paragraph(line.text, line.style, indent=line.indent, mark=mark, limit=_LIMIT)
    sys.stdout.flush()
