"""Run a step of the type `scripted`: tool calls without a model, each reviewed before it runs."""

import asyncio
from collections.abc import Mapping

import msgspec

from handrail.drive.file_tools import use_file_tool
from handrail.fleet.pipeline.reading import Step
from handrail.fleet.pipeline.result import StepOutcome, StepStatus
from handrail.fleet.pipeline.schema import ScriptedCall, ScriptStep
from handrail.fleet.pipeline.variables import with_assignments
from handrail.library.pipelines.step_context import (
    StepContext,
    command_outcome,
    read_review,
    refusal_outcome,
    run_reviewed,
    supervised_run,
)
from handrail.library.supervisor import Supervisor
from handrail.library.verdict import ActionVerdict


async def run_script_step(
    step: Step, keys: ScriptStep, values: Mapping[str, str], at: StepContext
) -> StepOutcome:
    """Play the script until a call is refused or fails."""
    async with supervised_run(at) as supervisor:
        run = supervisor.run
        outcome = StepOutcome(status=StepStatus.OK, says="all calls were made", run=run)
        for call in keys.calls:
            verdict = await supervisor.before_async(call.tool, _input(call, values))
            if not verdict.allowed:
                review = await asyncio.to_thread(read_review, at, step.name, run)
                return refusal_outcome(verdict, review, run)
            outcome = await _carry_out(at, supervisor, verdict, values, keys.seconds)
            if outcome.status is not StepStatus.OK:
                break
        review = await asyncio.to_thread(read_review, at, step.name, run)
    return msgspec.structs.replace(outcome, blocked=review.blocked, review=review.summary)


def _input(call: ScriptedCall, values: Mapping[str, str]) -> dict[str, str]:
    if call.tool != "Bash":
        return call.input
    return {"command": with_assignments(call.input["command"], values)}


async def _carry_out(
    at: StepContext,
    supervisor: Supervisor,
    verdict: ActionVerdict,
    values: Mapping[str, str],
    seconds: float,
) -> StepOutcome:
    if verdict.tool == "Bash":
        end = await run_reviewed(at, supervisor, verdict, values, seconds)
        return command_outcome(verdict, end, supervisor.run)
    try:
        said = await asyncio.to_thread(use_file_tool, verdict.tool, verdict.input, at.folder)
    except OSError as error:
        says = f"{verdict.input['file_path']}: {error.strerror}"
        await supervisor.after_async(verdict, error=says)
        return StepOutcome(status=StepStatus.FAILED, says=says, run=supervisor.run)
    await supervisor.after_async(verdict, said)
    return StepOutcome(status=StepStatus.OK, says="done", output=said, run=supervisor.run)
