"""Run a step of the type `command`: reviewed like the command of an agent, then run by bash."""

import asyncio
from collections.abc import Mapping

import msgspec

from handrail.fleet.pipeline.reading import Step
from handrail.fleet.pipeline.result import StepOutcome
from handrail.fleet.pipeline.schema import ShellStep
from handrail.fleet.pipeline.variables import with_assignments
from handrail.library.pipelines.step_context import (
    StepContext,
    command_outcome,
    read_review,
    refusal_outcome,
    run_reviewed,
    supervised_run,
)


async def run_shell_step(
    step: Step, keys: ShellStep, values: Mapping[str, str], at: StepContext
) -> StepOutcome:
    """Review and run the command."""
    command = with_assignments(keys.command, values)
    async with supervised_run(at) as supervisor:
        run = supervisor.run
        verdict = await supervisor.before_async("Bash", {"command": command})
        if not verdict.allowed:
            review = await asyncio.to_thread(read_review, at, step.name, run)
            return refusal_outcome(verdict, review, run)
        end = await run_reviewed(at, supervisor, verdict, values, keys.seconds)
        review = await asyncio.to_thread(read_review, at, step.name, run)
    outcome = command_outcome(verdict, end, run)
    return msgspec.structs.replace(outcome, blocked=review.blocked, review=review.summary)
