"""The parts of a review context that all actions in one folder share."""

import os
from collections.abc import Mapping
from time import monotonic

from handrail.config import Config, Scope, resolve_scope
from handrail.model.action import Action
from handrail.model.history import History
from handrail.model.host import known_hosts
from handrail.model.state_folder import state_folder
from handrail.review.context import ReviewContext, make_places
from handrail.review.paths.disk_view import BlindDiskView, DiskView, LocalDiskView
from handrail.review.paths.places import PlaceLookup
from handrail.shell.flows import is_credential

_FOLDERS = tuple(host.folder_variable for host in known_hosts() if host.folder_variable)
_DECIDING = ("HOME", "TMPDIR", "XDG_STATE_HOME", "HANDRAIL_HOME", *_FOLDERS)
"""Variables that decide where places are."""
_KNOWN = (*_DECIDING, "USER", "SHELL", "TEMP", "TMP")
"""Variables of this process that commands are assumed to see too."""
_MAX_SITES = 256


class FolderContext:
    """One folder: its scope and its place lookup."""

    def __init__(self, folder: str, scope: Scope, places: PlaceLookup, trash: str) -> None:
        self.folder = folder
        self.scope = scope
        self.places = places
        self.trash = trash
        self._looked = float("-inf")
        self._there = False

    def exists(self, now: float) -> bool:
        """Whether the folder is on this machine; checked at most once a second."""
        if now - self._looked > 1:
            self._looked = now
            self._there = os.path.isdir(self.folder)
        return self._there


class FolderContexts:
    """Makes the context of each folder once."""

    def __init__(
        self, config: Config, environ: Mapping[str, str], *, see_disk: bool, live: bool
    ) -> None:
        """`live`: actions run on this machine; the settings name the scope."""
        self._config = config
        self._given = {name: environ[name] for name in _KNOWN if name in environ}
        self._environ = _with_state(self._given)
        self._see_disk = see_disk
        self._search = environ.get("PATH", os.defpath)
        self._live = live
        # A review that is no live one does not depend on the shell that it is asked for in.
        self._credentials = tuple(filter(is_credential, environ)) if live else ()
        # Looked up once: where the agent puts a link in the project's place, it would move along.
        self._scope = resolve_scope(config, "/", self._given) if live else None
        self._sites: dict[tuple[str | None, ...], FolderContext] = {}

    def review_context(self, action: Action, history: History) -> ReviewContext:
        """Return the context for the review of an action."""
        environ = _with_state({**self._given, **action.env}) if action.env else self._environ
        key = (action.cwd, *map(environ.get, _DECIDING))
        site = self._sites.get(key)
        if site is None:
            site = self._site(action.cwd, environ)
            if len(self._sites) > _MAX_SITES:
                self._sites.clear()
            self._sites[key] = site
        if self._see_disk:
            there = site.exists(monotonic())
            home = environ.get("HOME", "")
            world: DiskView = LocalDiskView(
                site.folder, visible=there, live=self._live, home=home, search=self._search
            )
        else:
            world = BlindDiskView()
        return ReviewContext(
            self._config,
            site.scope,
            site.places,
            world,
            history,
            environ,
            site.trash,
            self._credentials,
        )

    def _site(self, cwd: str, environ: dict[str, str]) -> FolderContext:
        scope = self._scope or resolve_scope(self._config, cwd or "/", environ)
        places = make_places(self._config, scope, environ)
        folder = cwd or (places.roots[0] if places.roots else "/")
        return FolderContext(folder, scope, places, f"{state_folder(environ)}/trash")


def _with_state(environ: dict[str, str]) -> dict[str, str]:
    """Return the environment with `HANDRAIL_HOME` set."""
    return {"HANDRAIL_HOME": state_folder(environ), **environ}
