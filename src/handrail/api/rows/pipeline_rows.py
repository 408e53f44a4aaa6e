"""The row of a pipeline, made from its events."""

from collections.abc import Iterator

from handrail.api.messages.fleets import BlockedRow, PipelineRow, PipelineStepRow
from handrail.fleet.pipeline.recorded import RecordedPipeline, RecordedStep
from handrail.fleet.pipeline.result import ReviewSummary

_GONE = "the process that ran it is gone"


def pipeline_row(pipeline: RecordedPipeline, now: float, *, lives: bool) -> PipelineRow:
    """Return the row of a pipeline. `lives`: the process that runs it may still live."""
    begun, ended = pipeline.begun, pipeline.ended
    runs_on = ended is None and lives
    error = ended.error if ended else "" if lives else "interrupted"
    over = [step.ended for step in pipeline.steps.values() if step.ended is not None]
    review = sum((each.review for each in over), ReviewSummary())
    until = now if runs_on else pipeline.changed
    return PipelineRow(
        id=pipeline.id,
        name=begun.name,
        file=begun.file,
        folder=begun.folder,
        by=begun.by,
        status="running" if runs_on else "error" if error else "ok",
        error=error,
        started=begun.at,
        seconds=ended.seconds if ended else max(until - begun.at, 0.0),
        steps=tuple(_step_row(step, until, runs_on=runs_on) for step in pipeline.steps.values()),
        blocked=tuple(_blocked_rows(pipeline)),
        review={name: getattr(review, name) for name in review.__struct_fields__},
        cost_usd=sum(each.cost_usd for each in over),
        failed_step=ended.failed_step if ended else "",
    )


def _step_row(step: RecordedStep, until: float, *, runs_on: bool) -> PipelineStepRow:
    ended = step.ended
    if ended is not None:
        return PipelineStepRow(
            step.name, step.type, ended.status.value, ended.says, ended.attempts, ended.seconds,
            ended.runs, ended.cost_usd,
        )  # fmt: skip
    begun = step.attempt > 0
    status = _BEGUN[runs_on] if begun else _NOT_BEGUN[runs_on]
    says = _GONE if begun and not runs_on else ""
    seconds = max(until - step.began, 0.0) if begun else 0.0
    return PipelineStepRow(step.name, step.type, status, says, step.attempt, seconds, (), 0.0)


_BEGUN = {True: "running", False: "interrupted"}
_NOT_BEGUN = {True: "waiting", False: "not_run"}


def _blocked_rows(pipeline: RecordedPipeline) -> Iterator[BlockedRow]:
    for step in pipeline.steps.values():
        for each in step.ended.blocked if step.ended else ():
            reason = " ".join(filter(None, (each.reason, each.alternative)))
            yield BlockedRow(step.name, each.run, each.action, each.tool, each.says, reason)
