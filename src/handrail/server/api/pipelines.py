"""The operation about pipelines."""

from collections.abc import Callable, Mapping

from handrail.api.messages.fleets import PipelineList
from handrail.api.rows.pipeline_rows import pipeline_row
from handrail.fleet.pipeline.recorded import pipeline_names, recorded_pipelines
from handrail.fleet.pipeline.runner_process import may_live
from handrail.server.api.api_routes import Handler
from handrail.server.api.call import ApiCall
from handrail.server.api.live_log import LiveLog
from handrail.server.api.pages import PagePlace
from handrail.store.port import Store


class PipelineOperations:
    """Shows past and running pipelines, from the log."""

    def __init__(self, live: LiveLog, clock: Callable[[], float]) -> None:
        self._live = live
        self._clock = clock

    def handlers(self) -> Mapping[str, Handler]:
        """Return its function."""
        return {"list_pipelines": self.list_pipelines}

    async def list_pipelines(self, call: ApiCall) -> PipelineList:
        """Return the pipelines, the latest first."""
        place, now = PagePlace.of(call), self._clock()

        def read(store: Store) -> PipelineList:
            names = pipeline_names(store)
            found = recorded_pipelines(store, place.cut(names))
            rows = (pipeline_row(each, now, lives=may_live(each.begun)) for each in found)
            return PipelineList(tuple(rows), place.following(len(names)))

        return await self._live.read(read)
