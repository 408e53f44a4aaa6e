"""Run the steps of a pipeline one after the other, over a port for the steps themselves."""

import asyncio
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Protocol

from handrail.fleet.pipeline.condition import holds
from handrail.fleet.pipeline.reading import Pipeline, Step
from handrail.fleet.pipeline.result import (
    FAILURES,
    PipelineResult,
    StepOutcome,
    StepResult,
    StepStatus,
    join_results,
)
from handrail.fleet.pipeline.variables import STEP_VALUES


class StepInterruptedError(asyncio.CancelledError):
    """A step was cancelled in the middle of its run."""

    def __init__(self, run: str, *, certain: bool) -> None:
        """`certain`: no process of the run is left."""
        super().__init__(run)
        self.run = run
        left = "no process of it is left"
        if not certain:
            left = f"Handrail could not check whether a process is left: handrail stop {run}"
        self.says = f"it was interrupted; {left}"


class StepRunner(Protocol):
    """Run one try of a step."""

    async def __call__(self, step: Step, values: Mapping[str, str]) -> StepOutcome:
        """Return what it came to; a failure is an outcome, not an exception.

        When it is cancelled, it ends the processes of the step and raises StepInterruptedError.
        """


class PipelineListener(Protocol):
    """Hear about the progress of a pipeline."""

    def step_begins(self, step: Step, attempt: int) -> None:
        """A try of a step begins, the first one as 1."""

    def step_ended(self, result: StepResult) -> None:
        """A step is over, or was skipped."""


class Unheard:
    """Nobody listens."""

    def step_begins(self, step: Step, attempt: int) -> None:
        """Do nothing."""

    def step_ended(self, result: StepResult) -> None:
        """Do nothing."""


class PipelineRun:
    """One run of a pipeline; `go` runs it, `result` is what it has come to."""

    def __init__(
        self,
        pipeline: Pipeline,
        variables: Mapping[str, str],
        run_step: StepRunner,
        *,
        listener: PipelineListener | None = None,
        redact: Callable[[str], str] = lambda text: text,
        withheld: tuple[str, ...] = (),
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`redact`: takes secrets out of the output that leaves this process."""
        self._pipeline = pipeline
        self._run_step = run_step
        self._listener = listener or Unheard()
        self._redact = redact
        self._withheld = withheld
        self._clock = clock
        self._began = clock()
        self._values = dict(variables)
        self._results: list[StepResult] = []

    @property
    def result(self) -> PipelineResult:
        """Return the result of the steps so far."""
        return join_results(
            self._pipeline.name,
            tuple(self._results),
            seconds=round(self._clock() - self._began, 3),
            withheld=self._withheld,
        )

    async def go(self) -> PipelineResult:
        """Run all steps. After a cancellation `result` names the step that was interrupted."""
        for step in self._pipeline.steps:
            if not holds(step.condition, _Facts(self._values, self._results)):
                self._end(
                    StepResult(
                        name=step.name,
                        type=step.type,
                        status=StepStatus.SKIPPED,
                        says="its condition did not hold",
                    ),
                    "",
                )
                continue
            await self._try(step)
        return self.result

    async def _try(self, step: Step) -> None:
        began = self._clock()
        tries: list[StepOutcome] = []
        try:
            while not tries or self._may_retry(step, tries):
                self._listener.step_begins(step, len(tries) + 1)
                tries.append(await self._run_step(step, dict(self._values)))
        except StepInterruptedError as error:
            tries.append(StepOutcome(status=StepStatus.INTERRUPTED, says=error.says, run=error.run))
            raise
        except asyncio.CancelledError:
            tries.append(StepOutcome(status=StepStatus.INTERRUPTED, says="it was interrupted"))
            raise
        finally:
            if tries:
                result = self._joined(step, tries, self._clock() - began)
                self._end(result, tries[-1].output)

    def _may_retry(self, step: Step, tries: list[StepOutcome]) -> bool:
        """Return whether another try makes sense: the reviewer would refuse the same again."""
        return tries[-1].status is StepStatus.FAILED and len(tries) <= step.keys.retries

    def _joined(self, step: Step, tries: list[StepOutcome], seconds: float) -> StepResult:
        last = tries[-1]
        review = sum((each.review for each in tries[1:]), tries[0].review)
        return StepResult(
            name=step.name,
            type=step.type,
            status=last.status,
            says=self._redact(last.says),
            output=self._redact(last.output),
            exit_code=last.exit_code,
            ran=self._redact(last.ran),
            runs=tuple(each.run for each in tries if each.run),
            attempts=len(tries),
            seconds=round(seconds, 3),
            continued=step.keys.continue_on_error and last.status in FAILURES,
            blocked_actions=tuple(item for each in tries for item in each.blocked),
            review_summary=review,
            tokens=sum(each.tokens for each in tries),
            cost_usd=sum(each.cost_usd for each in tries),
        )

    def _end(self, result: StepResult, output: str) -> None:
        self._results.append(result)
        code = "" if result.exit_code is None else str(result.exit_code)
        run = result.runs[-1] if result.runs else ""
        left = dict(zip(STEP_VALUES, (result.status.value, output, code, run), strict=True))
        self._values |= {f"{result.name}.{name}": value for name, value in left.items()}
        self._listener.step_ended(result)


class _Facts:
    """What the conditions of the next step see."""

    def __init__(self, values: Mapping[str, str], results: list[StepResult]) -> None:
        self._values = values
        self._results = results

    def value(self, name: str) -> str:
        return self._values[name]

    def succeeded(self, step: str) -> bool:
        if not step:
            return not self.failed("")
        return any(each.name == step and each.status is StepStatus.OK for each in self._results)

    def failed(self, step: str) -> bool:
        return any(
            each.status in FAILURES and (each.name == step if step else not each.continued)
            for each in self._results
        )
