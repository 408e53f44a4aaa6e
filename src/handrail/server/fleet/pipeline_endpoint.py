"""The endpoint by which the process of a pipeline records what happens."""

import asyncio
import re
import threading

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from handrail.fleet.engine.redaction import clean_texts
from handrail.fleet.pipeline.events import PipelineEvent, pipeline_decoder
from handrail.fleet.pipeline.recorded import pipeline_topic
from handrail.redact import Redactor
from handrail.server.fleet.pipeline_messages import (
    PIPELINE_EVENTS,
    PipelineReport,
    PipelineReported,
)
from handrail.server.http.json_response import json_response, read_json
from handrail.server.http.routes import EndpointError, EndpointRow
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.store.port import NewEntry, Store
from handrail.supervise.runs.project import Projects

_ID = re.compile(r"[A-Za-z0-9-]{1,64}")
_FREE = frozenset({"says", "reason", "alternative"})
"""The fields with texts of agents and programs."""
_MOST_BYTES = 300_000
_WRITE_SECONDS = 10.0
_encoder = msgspec.json.Encoder()


class MissingEventError(EndpointError):
    """The events before this one are not in the log."""

    status = 409

    def __init__(self, number: int, known: int) -> None:
        super().__init__(f"event {number} came, and the log has {known}; send those between first")


class BadPipelineError(EndpointError):
    """That cannot be the id of a pipeline."""

    def __init__(self) -> None:
        super().__init__("the id of a pipeline has up to 64 letters, digits and -")


class PipelineEndpoint:
    """Writes the events of pipelines into their topics. Writing blocks, so threads do it."""

    def __init__(self, supervision: SupervisionThread, projects: Projects, store: Store) -> None:
        self._supervision = supervision
        self._projects = projects
        self._store = store
        self._lock = threading.Lock()

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return its endpoint."""
        return (EndpointRow("POST", PIPELINE_EVENTS, self.record),)

    async def record(self, request: Request) -> Response:
        """Record one event of a pipeline, without secrets."""
        report = await read_json(request, PipelineReport, _MOST_BYTES)
        if not _ID.fullmatch(report.pipeline):
            raise BadPipelineError
        project = await self._supervision.call(lambda: self._projects.at(report.folder))
        event = _without_secrets(report.event, project.redactor)
        return json_response(await asyncio.to_thread(self._write, report, event))

    def _write(self, report: PipelineReport, event: PipelineEvent) -> PipelineReported:
        topic = pipeline_topic(report.pipeline)
        with self._lock:
            known = next((e.seq for e in self._store.topics(topic) if e.name == topic), 0)
            if report.number > known + 1:
                raise MissingEventError(report.number, known)
            if report.number == known + 1:
                receipt = self._store.append([NewEntry(topic, _encoder.encode(event))])
                receipt.result(_WRITE_SECONDS)
                known += 1
            return PipelineReported(known)


def _without_secrets(event: PipelineEvent, redactor: Redactor) -> PipelineEvent:
    clean = clean_texts(msgspec.to_builtins(event), redactor, _FREE)
    return pipeline_decoder.decode(_encoder.encode(clean))
