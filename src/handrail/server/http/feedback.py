"""What people think of verdicts and findings."""

import asyncio
from collections.abc import Callable

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from handrail.model.decodable import decodable
from handrail.model.event import ActionReviewed, FeedbackGiven, FindingMade
from handrail.model.ordinal import Decision
from handrail.server.http.hook_endpoint import whole
from handrail.server.http.json_response import as_json
from handrail.server.http.metrics import Metrics
from handrail.server.http.routes import EndpointRow
from handrail.server.threads.supervision_thread import SupervisionThread, SupervisionTimeoutError
from handrail.store.errors import StoreError
from handrail.supervise.decision_progress import Ready
from handrail.supervise.run_registry import RunRegistry
from handrail.supervise.topics import topic_of


@decodable
class Feedback(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person says about a verdict, or about a finding."""

    step: int
    right: bool
    note: str = ""
    finding: str = ""
    """The kind of the finding that is meant; empty: the verdict."""


class NoSuchStepError(LookupError):
    """A run has no such step."""

    def __init__(self, run: str, step: int) -> None:
        super().__init__(f"run {run} has no step {step}")


class NoSuchFindingError(LookupError):
    """Nothing of that kind was found in a run."""

    def __init__(self, run: str, kind: str) -> None:
        super().__init__(f"no {kind} was found in run {run}")


class FeedbackEndpoint:
    """Writes down what people think."""

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

    def routes(self) -> tuple[EndpointRow, ...]:
        """Its endpoint."""
        return (EndpointRow("POST", "/runs/{run}/feedback", self.feedback),)

    async def feedback(self, request: Request) -> Response:
        """Take down what a person thinks of a verdict or of a finding."""
        run = request.path_params["run"]
        try:
            body = await whole(request.receive) or b""
            given = msgspec.json.decode(body, type=Feedback)
            # To look for a step takes as long as the run is; no other run waits for that.
            decision = await asyncio.to_thread(self._meant, run, given)
            problem = await self._supervision.answer(lambda: self._judge(run, given, decision))
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            return as_json({"error": str(error)}, 400)
        except (NoSuchStepError, NoSuchFindingError) as error:
            return as_json({"error": str(error)}, 404)
        except (StoreError, SupervisionTimeoutError) as error:
            problem = str(error)
        return as_json({"error": problem}, 503) if problem else as_json({"ok": True})

    def _judge(self, run: str, given: Feedback, decision: Decision | None) -> Ready[str]:
        supervisor = self._runs.get(run, "/")
        event = FeedbackGiven(self._clock(), given.step, given.right, given.note, given.finding)
        receipt = supervisor.record(event)
        self._metrics.judged(run, event, decision)
        return Ready("", [receipt], str)

    def _meant(self, run: str, given: Feedback) -> Decision | None:
        """The decision that is judged; None: a finding is."""
        for _, event in self._runs.journal.read(topic_of(run)):
            if given.finding:
                if isinstance(event, FindingMade) and event.finding.kind == given.finding:
                    return None
            elif isinstance(event, ActionReviewed) and event.step == given.step:
                return event.verdict.decision
        if given.finding:
            raise NoSuchFindingError(run, given.finding)
        raise NoSuchStepError(run, given.step)
