"""The operation that gives one picture of a desktop run."""

import os
import re
import stat
from collections.abc import Awaitable, Callable, Mapping

from starlette.responses import Response

from handrail.model.event import DesktopChecked
from handrail.server.api.api_routes import Handler
from handrail.server.api.call import ApiCall
from handrail.server.api.known_runs import find_run
from handrail.server.api.live_log import LiveLog
from handrail.server.api.problems import not_found
from handrail.store.decoding import decode_or_fault
from handrail.store.port import Store
from handrail.supervise.log.topics import topic_of

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,195}\.jpe?g")
_JPEG = b"\xff\xd8\xff"
_MAX_BYTES = 4_000_000
"""A watch keeps pictures of half a megabyte at most."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

ScreenshotFolder = Callable[[str], Awaitable[str]]
"""Finds the folder of the pictures for a run in a folder."""


class ScreenshotOperations:
    """Gives pictures that an event names, and no other file."""

    def __init__(self, live: LiveLog, folder: ScreenshotFolder) -> None:
        self._live = live
        self._folder = folder

    def handlers(self) -> Mapping[str, Handler]:
        """Return its function."""
        return {"get_screenshot": self.get_screenshot}

    async def get_screenshot(self, call: ApiCall) -> Response:
        """Return a picture that a check of this run names."""
        name = call.path("name")
        run = await find_run(self._live, call.path("run"))
        folder = await self._folder(run.cwd)

        def find(store: Store) -> bytes | None:
            return read_picture(folder, name) if is_named(store, run.id, name) else None

        picture = await self._live.read(find)
        if picture is None:
            raise not_found("screenshot", name)
        return Response(picture, media_type="image/jpeg")


def is_named(store: Store, run: str, name: str) -> bool:
    """Return whether a check of a run names this picture."""
    if not _NAME.fullmatch(name):
        return False
    wanted, after = name.encode(), 0
    while page := store.read(topic_of(run), after):
        after = page[-1].seq
        for stored in page:
            if wanted in stored.body:
                event = decode_or_fault(stored)
                if isinstance(event, DesktopChecked) and name in event.check.pictures:
                    return True
    return False


def read_picture(folder: str, name: str) -> bytes | None:
    """Return the content of a picture in a folder; None if there is no such JPEG file.

    Neither a link nor a file of somebody else is followed: whoever can put one there would show
    any file of yours.
    """
    try:
        parent = os.open(folder, _FOLDER)
        try:
            file = os.open(name, _FILE, dir_fd=parent)
        finally:
            os.close(parent)
        with open(file, "rb") as picture:
            facts = os.fstat(file)
            is_ours = stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid()
            data = picture.read(_MAX_BYTES + 1) if is_ours else b""
    except OSError:
        return None
    return data if data.startswith(_JPEG) and len(data) <= _MAX_BYTES else None
