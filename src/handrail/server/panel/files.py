"""The panel's files: the built pages, and a page that tells how to build them.

The files are the same for everybody and hold no data. A request only chooses among the files that
were found in the folder, so no path leads out of it.
"""

import asyncio
import gzip
import hashlib
import mimetypes
import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

import handrail
from handrail.server.panel.headers import PAGE_HEADERS, with_headers

BUILT = os.path.join(os.path.dirname(handrail.__file__), "panel_files")
"""The pages as Vite builds them; not there in a checkout without npm."""
_OWN = os.path.join(os.path.dirname(__file__), "pages")
_START, _MISSING = "/index.html", "/missing.html"
_PAGES = frozenset({
    "approvals", "checkpoints", "feedback", "fleets", "incidents", "login",
    "pipelines", "replay", "runs", "settings", "statistics", "tasks",
})  # fmt: skip
"""The first words of the addresses that the pages themselves understand."""
_HASHED = "/assets/"
_ZIPPED_FROM = 500
"""Bytes from which compressing pays."""
_TEXT = ("text/", "application/json", "image/svg", "application/manifest")


class PanelFile(NamedTuple):
    """One file, as it is sent."""

    body: bytes
    zipped: bytes
    """The same compressed, or nothing."""
    media_type: str
    tag: str
    """Another tag means another content."""


class PanelFiles:
    """Answers requests for pages and their parts. Used in the event loop."""

    def __init__(self, folder: str = BUILT) -> None:
        self._folder = folder
        self._own = dict(_load(_OWN))
        self._built: Mapping[str, PanelFile] = {}
        self._seen: tuple[int, int] | None = None

    def serves(self, method: str, path: str) -> bool:
        """Return whether a request is for a page or a part of one."""
        if method not in ("GET", "HEAD"):
            return False
        is_file = path.startswith(_HASHED) or (path.count("/") == 1 and "." in path)
        return is_file or _is_page(path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that `serves` has accepted."""
        path = scope["path"]
        if not path.startswith(_HASHED) or path not in self._built:
            await asyncio.to_thread(self._look)
        response = self._respond(Request(scope), path)
        await response(scope, receive, with_headers(send, PAGE_HEADERS))

    def _respond(self, request: Request, path: str) -> Response:
        file = self._find(path)
        if file is None:
            return Response("There is no such file.\n", 404, media_type="text/plain")
        headers = {"ETag": file.tag, "Vary": "Accept-Encoding"}
        is_fixed = path.startswith(_HASHED)
        headers["Cache-Control"] = "public, max-age=31536000, immutable" if is_fixed else "no-cache"
        if request.headers.get("if-none-match") == file.tag:
            return Response(status_code=304, headers=headers)
        body = file.body
        if file.zipped and "gzip" in request.headers.get("accept-encoding", ""):
            body, headers["Content-Encoding"] = file.zipped, "gzip"
        headers["Content-Length"] = str(len(body))
        if request.method == "HEAD":
            body = b""
        return Response(body, headers=headers, media_type=file.media_type)

    def _find(self, path: str) -> PanelFile | None:
        if found := self._own.get(path) or self._built.get(path):
            return found
        return self._built.get(_START, self._own[_MISSING]) if _is_page(path) else None

    def _look(self) -> None:
        """Read the built files anew if somebody built them since."""
        try:
            found = os.stat(f"{self._folder}{_START}")
        except OSError:
            self._built, self._seen = {}, None
            return
        seen = (found.st_mtime_ns, found.st_ino)
        if seen != self._seen:
            self._built, self._seen = dict(_load(self._folder)), seen


def _is_page(path: str) -> bool:
    return path == "/" or path[1:].partition("/")[0] in _PAGES


def is_built(folder: str = BUILT) -> bool:
    """Return whether the pages are there."""
    return os.path.isfile(f"{folder}{_START}")


def _load(folder: str) -> Iterator[tuple[str, PanelFile]]:
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            if os.path.islink(path) or name.startswith("."):
                continue
            with open(path, "rb") as file:
                body = file.read()
            yield path[len(folder) :].replace(os.sep, "/"), _prepare(name, body)


def _prepare(name: str, body: bytes) -> PanelFile:
    media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    if name.endswith((".js", ".mjs")):
        media_type = "text/javascript"  # a system's own table may say otherwise
    is_text = media_type.startswith(_TEXT) and len(body) >= _ZIPPED_FROM
    zipped = gzip.compress(body, mtime=0) if is_text else b""
    return PanelFile(body, zipped, media_type, f'"{hashlib.sha256(body).hexdigest()[:20]}"')
