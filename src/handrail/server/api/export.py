"""The operation that gives a whole run away as one page."""

import re
from collections.abc import Mapping

from starlette.responses import Response

from handrail.api.export.run_page import export_page
from handrail.server.api.api_routes import Handler
from handrail.server.api.call import ApiCall
from handrail.server.api.known_runs import find_run
from handrail.server.api.live_log import LiveLog

_NOT_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")


class ExportOperations:
    """Makes pages of runs."""

    def __init__(self, live: LiveLog) -> None:
        self._live = live

    def handlers(self) -> Mapping[str, Handler]:
        """Return its function."""
        return {"export_run": self.export_run}

    async def export_run(self, call: ApiCall) -> Response:
        """Return the page of a run, to be saved and not to be shown from here."""
        run = await find_run(self._live, call.path("run"))
        page = await self._live.read(lambda store: export_page(store, run.id, run.name))
        file = f"{_NOT_PLAIN.sub('-', run.name)[:100]}.html"
        headers = {
            "content-disposition": f'attachment; filename="{file}"',
            "x-content-type-options": "nosniff",
        }
        return Response(page, media_type="text/html; charset=utf-8", headers=headers)
