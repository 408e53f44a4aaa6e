"""Records people's feedback on verdicts and findings."""

import asyncio
from collections.abc import Callable

from handrail.api.messages.statistics import FeedbackRequest
from handrail.model.event import ActionReviewed, FeedbackGiven, FindingMade
from handrail.model.ordinal import Decision
from handrail.server.http.json_response import once_written
from handrail.server.http.metrics import Metrics
from handrail.server.http.routes import EndpointError
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.supervise.decision.decision_progress import Ready
from handrail.supervise.log.topics import topic_of
from handrail.supervise.runs.run_registry import RunRegistry


class NoSuchStepError(EndpointError):
    """The run has no such step."""

    status = 404

    def __init__(self, run: str, step: int) -> None:
        super().__init__(f"run {run} has no step {step}")


class NoSuchFindingError(EndpointError):
    """The run has no finding of that kind."""

    status = 404

    def __init__(self, run: str, kind: str) -> None:
        super().__init__(f"no {kind} was found in run {run}")


class FeedbackRecorder:
    """Records feedback."""

    def __init__(
        self,
        supervision: SupervisionThread,
        runs: RunRegistry,
        metrics: Metrics,
        clock: Callable[[], float],
    ) -> None:
        self._supervision = supervision
        self._runs = runs
        self._metrics = metrics
        self._clock = clock

    async def record(self, run: str, given: FeedbackRequest, by: str) -> None:
        """Record feedback of `by`. Raises NoSuchStepError, NoSuchFindingError."""
        # To look for a step takes as long as the run is; no other run waits for that.
        decision = await asyncio.to_thread(self._meant, run, given)
        event = FeedbackGiven(self._clock(), given.step, given.right, given.note, given.finding, by)
        await self._supervision.answer(lambda: self._record(run, event, decision))

    def _record(self, run: str, event: FeedbackGiven, decision: Decision | None) -> Ready[None]:
        supervisor = self._runs.get(run, "/")
        receipt = supervisor.record(event)
        self._metrics.judged(run, event, decision)
        return once_written(None, [receipt])

    def _meant(self, run: str, given: FeedbackRequest) -> Decision | None:
        """Return the judged decision, or None if a finding is judged."""
        for _, event in self._runs.journal.read(topic_of(run)):
            if given.finding:
                if isinstance(event, FindingMade) and event.finding.kind == given.finding:
                    return None
            elif isinstance(event, ActionReviewed) and event.step == given.step:
                return event.verdict.decision
        if given.finding:
            raise NoSuchFindingError(run, given.finding)
        raise NoSuchStepError(run, given.step)
