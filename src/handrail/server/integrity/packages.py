"""The packages that Handrail imports: a change of them stops work, until they are whole again."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from time import time

from handrail.server.integrity.installers import person_installs
from handrail.server.integrity.package_files import (
    Packages,
    canonical,
    find_changes,
    find_replaced,
    folders_of,
    is_dedicated,
    read_config,
    reinstall_command,
    says_changed,
)
from handrail.server.integrity.parts import Loss
from handrail.server.integrity.watcher import changed_at

_NAME = "handrail"
_REQUIRED = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r";.*\bextra\b")


class OwnPackages:
    """Compared with their records in one thread; `find_problem` may be called in any."""

    def __init__(
        self, packages: Packages, person_installs: Callable[[], bool] = person_installs
    ) -> None:
        self.packages = packages
        self._person_installs = person_installs
        self._is_explained = False
        """A person's installer was seen since they were last whole."""
        self._problem = ""

    def find_problem(self) -> str:
        """Why nothing may be changed now; empty: they are whole."""
        return self._problem

    def paths(self) -> Iterator[str]:
        """The folders: new names show in them."""
        yield from self.packages.folders

    def folders(self) -> list[str]:
        """Every folder with files of ours; each file in them counts."""
        return folders_of(self.packages)

    def losses(self) -> Iterator[Loss]:
        """Files that no installer has left like this, or packages that one has replaced."""
        began, packages = time(), self.packages
        fix = reinstall_command(packages.python)
        is_first = not packages.since
        changes = find_own_changes(packages) if is_first else find_changes(packages)
        self._problem = f"{says_changed(changes)}. Put them back: {fix}" if changes else ""
        replaced = [] if is_first or changes else self._find_replaced()
        if not changes and not replaced:
            self._take_over(began)
            return
        self._is_explained = self._is_explained or self._person_installs()
        if changes:
            # Whoever installs something goes on to the next file; the last one tells when it ended.
            newest, says = max(changes, key=changed_at), says_changed(changes)
            yield Loss("packages", newest, says, fix, is_explained=self._is_explained)
        else:
            says = "Handrail's own packages were replaced by others"
            yield Loss(
                "packages",
                replaced[0],
                says,
                fix,
                accept=partial(self._take_over, began),  # outside of calls, that is an upgrade
                is_explained=self._is_explained,
            )

    def _find_replaced(self) -> list[str]:
        """The records of replaced packages; in a project's own environment, only of Handrail."""
        packages = self.packages
        if not is_dedicated(packages.python):
            packages = packages._replace(names=(_NAME,))
        return find_replaced(packages)

    def _take_over(self, began: float) -> bool:
        self.packages = self.packages.as_of(began)
        self._is_explained = False
        return True


def find_own_changes(packages: Packages) -> list[str]:
    """The files of Handrail itself that are not as they were installed.

    Nothing is known of the time before. Some distributors change files of other packages and leave
    the records, so a difference there says nothing.
    """
    return find_changes(packages._replace(names=(_NAME,), since=0.0))


def has_own_files(packages: Packages) -> bool:
    """Whether Handrail is among the packages with all its files; not if it runs from a work tree"""
    return any(os.path.isdir(os.path.join(folder, _NAME)) for folder in packages.folders)


def own_packages() -> Packages | None:
    """The packages of the Handrail that runs here; None: no installer has written a record."""
    found = {each.name: each for each in _needed(_NAME, set())}
    folders = dict.fromkeys(os.path.realpath(str(each.locate_file(""))) for each in found.values())
    if not found:
        return None
    return Packages(
        tuple(folders),
        tuple(sorted(map(canonical, found))),
        sys.executable,
        os.path.realpath(sys.executable),
        read_config(sys.executable),
        since=0.0,
    )


def _needed(name: str, seen: set[str]) -> Iterator[Distribution]:
    """A package and all that it needs, as far as they have records."""
    if canonical(name) in seen:
        return
    seen.add(canonical(name))
    try:
        found = distribution(name)
    except PackageNotFoundError:  # only needed on other systems
        return
    if found.read_text("RECORD"):
        yield found
    for each in found.requires or ():
        if not _EXTRA.search(each) and (required := _REQUIRED.match(each)):
            yield from _needed(required[0], seen)
