"""The result of a pipeline: what each step came to, and what the reviewer said."""

from enum import StrEnum
from typing import Literal

import msgspec

PipelineError = Literal["", "blocked_by_reviewer", "step_failed", "interrupted"]


class StepStatus(StrEnum):
    """How a step ended."""

    OK = "ok"
    FAILED = "failed"
    BLOCKED = "blocked_by_reviewer"
    """Handrail refused it, or an agent gave up after a refusal."""
    SKIPPED = "skipped"
    """Its condition did not hold."""
    INTERRUPTED = "interrupted"
    """A person ended the pipeline."""


FAILURES = frozenset({StepStatus.FAILED, StepStatus.BLOCKED})


class ReviewSummary(msgspec.Struct, frozen=True, kw_only=True):
    """How many actions Handrail reviewed, by its decisions."""

    total: int = 0
    allowed: int = 0
    warned: int = 0
    modified: int = 0
    blocked_count: int = 0

    def __add__(self, other: "ReviewSummary") -> "ReviewSummary":
        """Return the sum of two summaries."""
        return ReviewSummary(
            **{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__}
        )


class BlockedAction(msgspec.Struct, frozen=True, kw_only=True):
    """An action that Handrail refused."""

    step: str
    """The step of the pipeline."""
    run: str
    action: int
    """Its number in the run, for `handrail explain`."""
    tool: str
    input: dict[str, object]
    reason: str
    alternative: str = ""


class StepOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What one try of a step came to."""

    status: StepStatus
    says: str = ""
    """How it ended, in one sentence."""
    output: str = ""
    """The end of what it printed, or the last message of its agent."""
    exit_code: int | None = None
    ran: str = ""
    """The command that ran, if Handrail changed it."""
    run: str = ""
    """Its run in the log."""
    blocked: tuple[BlockedAction, ...] = ()
    review: ReviewSummary = ReviewSummary()
    tokens: int = 0
    cost_usd: float = 0.0


class StepResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a step came to, after all its tries."""

    name: str
    type: str
    status: StepStatus
    says: str = ""
    output: str = ""
    """The end of it, without secrets."""
    exit_code: int | None = None
    ran: str = ""
    """The command that ran, if Handrail changed it."""
    runs: tuple[str, ...] = ()
    """One run in the log for each try."""
    attempts: int = 0
    seconds: float = 0.0
    continued: bool = False
    """It did not end well, and the pipeline went on: `continue_on_error`."""
    blocked_actions: tuple[BlockedAction, ...] = ()
    review_summary: ReviewSummary = ReviewSummary()
    tokens: int = 0
    cost_usd: float = 0.0


class PipelineResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a pipeline came to."""

    pipeline: str
    status: Literal["ok", "error"]
    error: PipelineError = ""
    """Why the status is `error`."""
    failed_step: str = ""
    """The first step that decided it."""
    steps: tuple[StepResult, ...] = ()
    blocked_actions: tuple[BlockedAction, ...] = ()
    """Those of all steps."""
    review_summary: ReviewSummary = ReviewSummary()
    """The sum over all steps."""
    withheld: tuple[str, ...] = ()
    """Settings in `safety:` that loosen something and wait for a person's confirmation."""
    seconds: float = 0.0
    tokens: int = 0
    cost_usd: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether every step that counts ended well."""
        return self.status == "ok"


def join_results(
    pipeline: str, steps: tuple[StepResult, ...], *, seconds: float, withheld: tuple[str, ...] = ()
) -> PipelineResult:
    """Return the result of a pipeline from those of its steps."""
    error: PipelineError = ""
    failed = next((each for each in steps if _decides(each)), None)
    if failed is not None:
        error = _ERRORS[failed.status]
    return PipelineResult(
        pipeline=pipeline,
        status="error" if error else "ok",
        error=error,
        failed_step=failed.name if failed else "",
        steps=steps,
        blocked_actions=tuple(item for each in steps for item in each.blocked_actions),
        review_summary=sum((each.review_summary for each in steps), ReviewSummary()),
        withheld=withheld,
        seconds=seconds,
        tokens=sum(each.tokens for each in steps),
        cost_usd=sum(each.cost_usd for each in steps),
    )


_ERRORS: dict[StepStatus, PipelineError] = {
    StepStatus.BLOCKED: "blocked_by_reviewer",
    StepStatus.FAILED: "step_failed",
    StepStatus.INTERRUPTED: "interrupted",
}


def _decides(step: StepResult) -> bool:
    return step.status in _ERRORS and not step.continued
