"""What the process of a pipeline tells the daemon, which alone writes the log."""

import msgspec

from handrail.fleet.pipeline.events import PipelineEvent
from handrail.model.decodable import decodable

PIPELINE_EVENTS = "/fleet/pipelines"


@decodable
class PipelineReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One event of a pipeline."""

    pipeline: str
    number: int
    """Its place among the events of the pipeline, from 1: a repetition is written once."""
    folder: str
    event: PipelineEvent


@decodable
class PipelineReported(msgspec.Struct, frozen=True):
    """How many events of the pipeline are in the log now."""

    number: int
