"""What kind of place a path is, for one user and one set of settings."""

import re
from collections.abc import Callable
from enum import Enum
from functools import lru_cache

import msgspec

from handrail.config import compile_globs
from handrail.review.paths.known_paths import (
    ENV_FILES,
    NOT_ENV_FILES,
    NOT_SECRET,
    PLACES,
    REGENERABLE,
    SECRET_FOLDERS,
    SECRETS,
    TOP_FOLDERS,
    WELL_KNOWN_SECRETS,
    Place,
)
from handrail.review.paths.narrowed import NARROWED, narrowed_to
from handrail.review.paths.path_map import PathMap, path_set
from handrail.review.protection.controls import ProtectedControls

__all__ = ["FileContents", "Place", "PlaceLookup", "PlaceSettings"]


class FileContents(Enum):
    """What a file holds, as far as its name tells."""

    PUBLIC = "public"
    SECRET = "secret"
    SETTINGS = "settings"
    """Configuration of a project, which often holds secrets."""


_EVEN_IN_SCOPE = frozenset({
    Place.REPOSITORY, Place.AGENT, Place.HOOK, Place.DEVICE, Place.MEMORY, Place.KERNEL,
    Place.VIRTUAL, Place.HANDRAIL, Place.TOOLS,
})  # fmt: skip
_PLACES = PathMap(
    (glob.replace("~/", "/~/", 1), place) for place, globs in PLACES.items() for glob in globs
)
_CONTENTS = PathMap(
    (glob.replace("~/", "/~/", 1), contents)
    for contents, globs in (
        (FileContents.PUBLIC, NOT_SECRET),
        (FileContents.SECRET, SECRETS),
        (FileContents.PUBLIC, NOT_ENV_FILES),
        (FileContents.SETTINGS, ENV_FILES),
    )
    for glob in globs
)
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip", ".tar", ".enc", ".gpg", ".age", ".b64")
"""Endings under which a packed secret is still a secret."""
_ANY_HOME = r"/home/[^/]+|/root|/Users/[^/]+|/var/root"
_WILDCARD = re.compile(r"(?:/\*+)+$|(?:/\*\*)?/\.\*$")


class PlaceSettings(msgspec.Struct, frozen=True):
    """The user's additions to the tables."""

    secrets: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    regenerable: tuple[str, ...] = ()


class PlaceLookup:
    """Tells what kind of place a path is."""

    def __init__(
        self,
        home: str,
        roots: tuple[str, ...],
        temps: tuple[str, ...],
        state: str,
        settings: PlaceSettings,
        hosts: tuple[str, ...],
    ) -> None:
        self.home = home
        self.roots = roots
        """The folders of the project, without the temp folders."""
        self.controls = ProtectedControls(home, state, hosts, roots)
        self._temps = temps
        self._trash = f"{state}/trash/"
        self._homes = _homes(home)
        self._own_secrets = path_set(settings.secrets)
        self._narrowed = (
            *self.controls.named(),
            *(path.replace("~", home, 1) for path in NARROWED if home),
        )
        self._has_own = bool(settings.secrets)
        self._protected = path_set(settings.protected)
        self._regenerable = path_set(REGENERABLE + settings.regenerable)

    def contents(self, path: str) -> FileContents | None:
        """What sort of secrets a file or folder holds, if any."""
        if self._has_own and path in self._own_secrets:
            return FileContents.SECRET
        short = _without_wildcard(self._short(path))
        if short[1:] in SECRET_FOLDERS:
            return FileContents.SECRET
        found = _CONTENTS.find(short)
        if found is None and short.endswith(_PACKED):
            return _CONTENTS.find(short.rpartition(".")[0])
        return found

    def glob_of_secrets(self, path: str) -> bool:
        """Whether a path with wildcards could mean one of the well-known secrets."""
        pattern = compile_globs((self._short(path),))
        return any(
            pattern.fullmatch(name.replace("~", start, 1))
            for name in WELL_KNOWN_SECRETS
            for start in ("/~", self.home, "/root")
        )

    def narrowed(self, target: str, *, whole: bool, there: Callable[[str], bool | None]) -> str:
        """The control or secret that a word with wildcards or gaps means, or nothing."""
        return narrowed_to(target, self._narrowed, home=self.home, whole=whole, there=there)

    def protected(self, path: str) -> bool:
        """Whether the settings forbid any change."""
        return path in self._protected

    def regenerable(self, path: str) -> bool:
        """Whether a build makes it again."""
        for root in self.roots:
            if path.startswith(root + "/"):
                path = path[len(root) :]
                break
        return path in self._regenerable

    def place(self, path: str, *, in_scope: bool) -> Place:
        """What kind of place a normalised absolute path is."""
        if not path.startswith("/"):
            return Place.UNKNOWN
        if self.controls.is_state(path):
            return Place.TRASH if path.startswith(self._trash) else Place.HANDRAIL
        if self.controls.is_program(path):
            return Place.HANDRAIL
        special = self._special(path)
        if special in _EVEN_IN_SCOPE:
            return special
        if in_scope:
            return Place.TEMP if self._is_temp(path) else Place.SCOPE
        if special is not None and special is not Place.SYSTEM:
            return special
        if self._is_temp(path):
            return Place.TEMP
        if special is not None:
            return special
        if self._homes.match(path) and not self.in_home(path):
            return Place.OTHER_HOME
        return Place.OUTSIDE

    def _special(self, path: str) -> Place | None:
        if path in TOP_FOLDERS:
            return Place.SYSTEM
        return _PLACES.find(self._short(path))

    def _short(self, path: str) -> str:
        """The path with `/~` for any home folder."""
        match = self._homes.match(path)
        return "/~" + path[match.end() :] if match else path

    def _is_temp(self, path: str) -> bool:
        if self.in_project(path) or self.in_home(path):
            return False
        return any(path == temp or path.startswith(temp + "/") for temp in self._temps)

    def is_temp_root(self, path: str) -> bool:
        """Whether a path is a whole temp folder, or everything in it."""
        return _without_wildcard(path) in self._temps

    def in_home(self, path: str) -> bool:
        """Whether a path lies in the user's home folder."""
        return bool(self.home) and (path == self.home or path.startswith(self.home + "/"))

    def in_project(self, path: str) -> bool:
        """Whether a path lies in one of the project's folders."""
        for root in self.roots:  # asked often: a generator takes three times as long
            if path.startswith(root) and (len(path) == len(root) or path[len(root)] == "/"):
                return True
        return False

    def root_of(self, path: str) -> bool:
        """Whether a path is a whole project folder or something that contains it."""
        bare = _without_wildcard(path)
        return any(root == bare or root.startswith(bare.rstrip("/") + "/") for root in self.roots)

    def is_home(self, path: str) -> bool:
        """Whether a path is the user's whole home folder."""
        return bool(self.home) and _without_wildcard(path) == self.home

    def holds_home(self, path: str) -> bool:
        """Whether a path is the home folder or something above it."""
        above = path == self.home or self.home.startswith(path + "/")
        return above and path != "/" and path not in self.roots


def _without_wildcard(path: str) -> str:
    """`/a/*` and `/a/**/*` mean all of `/a`."""
    return _WILDCARD.sub("", path) if path.endswith("*") else path


@lru_cache(maxsize=16)
def _homes(home: str) -> re.Pattern[str]:
    own = f"{re.escape(home)}|" if home else ""
    return re.compile(rf"(?:{own}{_ANY_HOME})(?=/|$)")
