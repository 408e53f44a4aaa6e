"""The endpoints for health and metrics."""

from collections.abc import Mapping
from time import monotonic

import psutil
from starlette.requests import Request
from starlette.responses import Response

from handrail.server.http.json_response import json_response
from handrail.server.http.metrics import Metrics
from handrail.server.http.routes import EndpointRow
from handrail.server.threads.supervision_thread import SupervisionThread, SupervisionTimeoutError
from handrail.store.port import Store
from handrail.supervise.runs.run_registry import RunRegistry

_HEALTH_SECONDS = 1.0
"""Upper bound for `/healthz`, so that probes never hang."""


class HealthEndpoint:
    """Reports the identity, health and metrics of the daemon."""

    def __init__(
        self,
        supervision: SupervisionThread,
        runs: RunRegistry,
        store: Store,
        metrics: Metrics,
        who: Mapping[str, object],
    ) -> None:
        """`who`: the daemon's facts about itself."""
        self._supervision = supervision
        self._runs = runs
        self._store = store
        self._metrics = metrics
        self._who = who
        self._began = monotonic()

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return its endpoints."""
        return (
            EndpointRow("GET", "/healthz", self.healthz),
            EndpointRow("GET", "/metrics", self.metrics),
        )

    async def healthz(self, request: Request) -> Response:
        """Return the daemon's identity and health."""
        try:
            state = await self._supervision.call(self.state, _HEALTH_SECONDS)
        except SupervisionTimeoutError as error:
            state = {"ok": False, "problem": str(error)}
        return json_response({**state, **self._who})

    async def metrics(self, request: Request) -> Response:
        """Return all metrics for Prometheus."""
        text = await self._supervision.call(self._metrics.text)
        return Response(text, media_type="text/plain; version=0.0.4")

    @property
    def up_seconds(self) -> float:
        """Return how long the daemon has run."""
        return monotonic() - self._began

    def state(self) -> dict[str, object]:
        """Return the daemon's health; called in the supervision thread."""
        problem = self._store.problem
        return {
            "ok": not problem,
            "problem": problem,
            "up_seconds": round(self.up_seconds),
            "memory_mb": memory_mb(),
            "runs": len(self._runs),
        }


def memory_mb() -> float:
    """Return the memory of this process."""
    return round(psutil.Process().memory_info().rss / 1e6, 1)
