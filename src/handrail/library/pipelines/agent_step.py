"""Run a step with an agent: Handrail drives it until it is done, as `handrail run` does."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TypeVar
from uuid import uuid4

from handrail.drive.daemon_client import IterationPermission
from handrail.drive.loop_end import LoopEnd
from handrail.drive.usage import LoopLimits
from handrail.fleet.pipeline.reading import Step
from handrail.fleet.pipeline.result import StepOutcome, StepStatus
from handrail.fleet.pipeline.runner import StepInterruptedError
from handrail.fleet.pipeline.schema import AGENTS, AgentStep
from handrail.fleet.pipeline.variables import fill_in
from handrail.hosts import find_host
from handrail.hosts.port import DriveOptions, HostError
from handrail.library.pipelines.step_context import INTERRUPTED, StepContext, read_review
from handrail.model.event import Event, IterationEnded, UsageMeasured
from handrail.server.driving.agent_driver import (
    AgentDriver,
    AgentPlan,
    find_program,
    prepare_agent,
    stop_run,
)
from handrail.server.http.socket_client import DaemonError
from handrail.server.launcher import ensure_daemon

EventKind = TypeVar("EventKind", UsageMeasured, IterationEnded)

_GIVES_UP = frozenset({"STUCK", "MAX_ITERATIONS"})
"""The ends of an agent that did not reach its goal; after a refusal, that is the reason."""


def check_agent(kind: str, environ: Mapping[str, str]) -> None:
    """Raise HostError if the agent of a type of step cannot be driven here."""
    host = find_host(AGENTS[kind])
    host.check_mode(host.modes[0])
    find_program(host, environ)


async def run_agent_step(
    step: Step, keys: AgentStep, values: Mapping[str, str], at: StepContext
) -> StepOutcome:
    """Drive the agent to its end."""
    host = find_host(AGENTS[step.type])
    told = {name: at.redact(value) for name, value in values.items()}
    plan = AgentPlan(
        str(uuid4()),
        fill_in(keys.prompt, told),
        limits=LoopLimits(
            max_iterations=keys.max_iterations,
            max_minutes=keys.max_minutes,
            max_cost_usd=keys.max_cost_usd,
            max_tokens=keys.max_tokens,
        ),
        options=DriveOptions(model=keys.model, mode=host.modes[0]),
        cwd=at.folder,
        pipeline=at.safety,
    )
    try:
        await asyncio.to_thread(ensure_daemon, at.home, at.environ)
        program = await asyncio.to_thread(find_program, host, at.environ)
        agent = await asyncio.to_thread(prepare_agent, host, program, at.home, plan, at.environ)
        driven = DrivenStep(at, plan)
        driver = AgentDriver(
            at.home, agent, plan, environ=at.environ, on_permission=driven.on_permission
        )
        end = await driven.drive(driver)
    except (DaemonError, HostError) as error:
        return StepOutcome(status=StepStatus.FAILED, says=str(error), run=plan.run)
    return await asyncio.to_thread(_outcome, at, step, plan.run, end)


class DrivenStep:
    """Drives one agent, and ends it when Handrail has stopped it: nobody may be there."""

    def __init__(self, at: StepContext, plan: AgentPlan) -> None:
        self._at = at
        self._plan = plan
        self._incident = ""
        self._driven: asyncio.Future[LoopEnd] | None = None

    async def drive(self, driver: AgentDriver) -> LoopEnd:
        self._driven = asyncio.ensure_future(driver.drive())
        try:
            return await self._driven
        except asyncio.CancelledError:
            if self._incident and self._is_own():
                says = f"Handrail stopped it: handrail incident show {self._incident}"
                return LoopEnd(how="abort", reason="STUCK", says=says)
            if not driver.begun.is_set():
                raise
            certain = await asyncio.to_thread(self._stop)
            raise StepInterruptedError(self._plan.run, certain=certain) from None

    def on_permission(self, go: IterationPermission) -> None:
        """End the agent after an emergency stop."""
        if go.incident and self._driven is not None:
            self._incident = go.incident
            self._driven.cancel()

    def _is_own(self) -> bool:
        """Whether nobody but this step has cancelled the agent."""
        task = asyncio.current_task()
        return task is None or not task.cancelling()

    def _stop(self) -> bool:
        return stop_run(self._at.home, self._plan.run, INTERRUPTED, environ=self._at.environ)


def _outcome(at: StepContext, step: Step, run: str, end: LoopEnd) -> StepOutcome:
    review = read_review(at, step.name, run)
    status = StepStatus.OK if end.reason == "COMPLETE" else StepStatus.FAILED
    if review.blocked and end.reason in _GIVES_UP:
        status = StepStatus.BLOCKED
    used = _last(review.events, UsageMeasured)
    last = _last(review.events, IterationEnded)
    return StepOutcome(
        status=status,
        says=end.says,
        output=last.says if last else "",
        run=run,
        blocked=review.blocked,
        review=review.summary,
        tokens=used.tokens if used else 0,
        cost_usd=used.cost_usd if used else 0.0,
    )


def _last(events: Sequence[Event], kind: type[EventKind]) -> EventKind | None:
    return next((event for event in reversed(events) if isinstance(event, kind)), None)
