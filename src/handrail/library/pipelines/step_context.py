"""What every step of a pipeline needs: a folder, an environment, settings, the daemon."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing

import msgspec

from handrail.config.sources import PipelineSafety
from handrail.drive.command import CommandEnd, run_command
from handrail.fleet.pipeline.result import BlockedAction, ReviewSummary, StepOutcome, StepStatus
from handrail.fleet.pipeline.review_summary import summarize_reviews
from handrail.fleet.pipeline.runner import StepInterruptedError
from handrail.fleet.pipeline.variables import shell_variables
from handrail.hosts.driven_agent import MARK
from handrail.library.engine import events_in
from handrail.library.supervisor import Supervisor
from handrail.library.verdict import ActionVerdict
from handrail.model.event import Event
from handrail.model.ordinal import Decision
from handrail.server.driving.agent_driver import stop_run
from handrail.server.home import Home
from handrail.store.opening import open_log

INTERRUPTED = "the pipeline was interrupted"


_REMARKS = {
    Decision.WARN: "Handrail warned",
    Decision.MODIFY: "Handrail changed the command",
}


class StepContext(msgspec.Struct, frozen=True):
    """The place and the settings of all steps of a pipeline."""

    home: Home
    folder: str
    environ: Mapping[str, str]
    shell: str
    """The program that runs commands."""
    safety: PipelineSafety | None = None
    redact: Callable[[str], str] = lambda text: text


class StepReview(msgspec.Struct, frozen=True):
    """The reviews of one try of a step."""

    events: tuple[Event, ...]
    summary: ReviewSummary
    blocked: tuple[BlockedAction, ...]


def read_review(at: StepContext, step: str, run: str) -> StepReview:
    """Read the reviews of a run in the daemon's log."""
    with closing(open_log(at.home.log, "read")) as store:
        events = tuple(event for _, event in events_in(store, run, 0))
    summary, blocked = summarize_reviews(step, run, events)
    return StepReview(events, summary, blocked)


@asynccontextmanager
async def supervised_run(at: StepContext) -> AsyncIterator[Supervisor]:
    """Begin a run by the daemon, and end it with the block.

    A cancellation ends every process of the run for certain. Raises StartError.
    """
    opening = asyncio.ensure_future(asyncio.to_thread(_open, at))
    try:
        supervisor = await asyncio.shield(opening)
    except asyncio.CancelledError:
        supervisor = await opening
        await asyncio.to_thread(supervisor.close, INTERRUPTED)
        raise
    try:
        yield supervisor
    except asyncio.CancelledError:
        certain = await asyncio.to_thread(_end_for_certain, at, supervisor)
        raise StepInterruptedError(supervisor.run, certain=certain) from None
    except BaseException:
        await asyncio.to_thread(supervisor.close, "failed")
        raise
    await asyncio.to_thread(supervisor.close)


def _open(at: StepContext) -> Supervisor:
    return Supervisor(folder=at.folder, daemon=True, environ=at.environ, pipeline=at.safety)


def _end_for_certain(at: StepContext, supervisor: Supervisor) -> bool:
    """End processes that have left their process group, too; return whether none is left."""
    certain = stop_run(at.home, supervisor.run, INTERRUPTED, environ=at.environ)
    supervisor.close(INTERRUPTED)
    return certain


async def run_reviewed(
    at: StepContext,
    supervisor: Supervisor,
    verdict: ActionVerdict,
    values: Mapping[str, str],
    seconds: float,
) -> CommandEnd:
    """Run a command that was allowed, as it was allowed, and report its end."""
    command = str(verdict.input["command"])
    environ = {**at.environ, **shell_variables(values), MARK: supervisor.run}
    try:
        end = await run_command(
            (at.shell, "-c", command), at.folder, environ=environ, seconds=seconds
        )
    except asyncio.CancelledError:
        await asyncio.to_thread(lambda: supervisor.after(verdict, error=INTERRUPTED))
        raise
    await supervisor.after_async(
        verdict,
        end.output,
        exit_code=end.code,
        error="" if end.code is not None else end.how,
        seconds=end.ms / 1000,
    )
    if end.code is None:  # it was killed, so what it has started elsewhere has to end, too
        await asyncio.to_thread(
            stop_run, at.home, supervisor.run, f"its command ended: {end.how}", environ=at.environ
        )
    return end


def command_outcome(verdict: ActionVerdict, end: CommandEnd, run: str) -> StepOutcome:
    """Return the outcome of a command that ran, perhaps with a warning or changed."""
    remark = _REMARKS.get(verdict.decision)
    return StepOutcome(
        status=StepStatus.OK if end.code == 0 else StepStatus.FAILED,
        says=f"{end.how}; {remark}: {verdict.reason}" if remark else end.how,
        output=end.output,
        exit_code=end.code,
        ran=str(verdict.input["command"]) if verdict.decision is Decision.MODIFY else "",
        run=run,
    )


def refusal_outcome(verdict: ActionVerdict, review: StepReview, run: str) -> StepOutcome:
    """Return the outcome of a refused action. A fault of Handrail itself is no refusal."""
    says = " ".join(filter(None, (verdict.reason, verdict.alternative)))
    return StepOutcome(
        status=StepStatus.BLOCKED if review.blocked else StepStatus.FAILED,
        says=says,
        run=run,
        blocked=review.blocked,
        review=review.summary,
    )
