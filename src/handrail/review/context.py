"""The circumstances that decide how much an effect weighs."""

import os
from collections.abc import Mapping

import msgspec

from handrail.config import Config, Scope, compile_globs
from handrail.config.glob import known_folder
from handrail.model.history import History
from handrail.model.host import known_hosts
from handrail.model.state_folder import state_folder
from handrail.review.paths.disk_view import DiskView
from handrail.review.paths.places import PlaceLookup, PlaceSettings

_TEMPS = ("/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm", "/var/folders")


class ReviewContext(msgspec.Struct, frozen=True):
    """One run's scope, settings, past, and view of the disk."""

    config: Config
    scope: Scope
    places: PlaceLookup
    world: DiskView
    history: History
    environ: dict[str, str]
    """The known environment variables of the command."""
    trash: str
    """The folder for files that Handrail moves instead of deleting."""
    credentials: tuple[str, ...] = ()
    """The names of variables that hold a secret, as far as they are known."""

    def in_scope(self, path: str) -> bool:
        """Whether the agent may change a path."""
        if not self.scope.contains(path):
            return False
        # A home inside a temp folder is still a home.
        return not self.places.in_home(path) or self.places.in_project(path)

    def trusted(self, host: str) -> bool:
        """Whether the settings trust a host."""
        trusted = self.config.hosts.trusted
        return bool(trusted) and compile_globs(trusted).fullmatch(host) is not None


def make_places(config: Config, scope: Scope, environ: Mapping[str, str]) -> PlaceLookup:
    """Return the place lookup for one user and project."""
    temps = tuple(dict.fromkeys((*filter(None, (environ.get("TMPDIR", "").rstrip("/"),)), *_TEMPS)))
    roots = [root for root in scope.roots if root not in temps]
    for pattern in scope.patterns:
        fixed = known_folder(pattern)
        if fixed and fixed not in temps:
            roots.append(fixed)
    return PlaceLookup(
        environ.get("HOME", ""),
        tuple(dict.fromkeys(os.path.normpath(root) for root in roots)),
        temps,
        state_folder(environ),
        PlaceSettings(config.secrets, config.protected, config.regenerable),
        tuple(environ.get(host.folder_variable, "").rstrip("/") for host in known_hosts()),
    )
