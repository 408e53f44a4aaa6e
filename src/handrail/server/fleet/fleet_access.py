"""Reach a fleet by its name: its engine, its repository and the settings there."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from handrail.config.fleet import Fleet
from handrail.fleet.engine.engine import FleetError
from handrail.fleet.engine.log_engine import LogEngine
from handrail.fleet.workspaces.repository import FleetRepository, find_repository
from handrail.fleet.workspaces.workspaces import Workspaces
from handrail.server.fleet.endpoint import FleetEndpoint
from handrail.server.fleet.open_fleets import OpenFleet, OpenFleets
from handrail.server.fleet.places import open_workspaces
from handrail.server.home import Home
from handrail.server.http.routes import EndpointError
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.supervise.runs.project import Projects


class NoSuchFleetError(EndpointError):
    """The log knows no fleet of that name."""

    status = 404

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no fleet {name[:200]!r}.")


class LostRepositoryError(EndpointError):
    """Nobody knows where the repository of a fleet is now."""

    status = 409

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The repository of {name} was not found. Run `handrail task list` in it once."
        )


class ReachedFleet(NamedTuple):
    """A fleet with its repository."""

    opened: OpenFleet
    engine: LogEngine
    repository: FleetRepository
    settings: Fleet
    workspaces: Workspaces

    @property
    def name(self) -> str:
        """Return its name."""
        return self.opened.name


class FleetAccess:
    """Finds fleets for people, who name them by their ids."""

    def __init__(
        self,
        supervision: SupervisionThread,
        projects: Projects,
        fleets: OpenFleets,
        endpoint: FleetEndpoint,
        home: Home,
        environ: Mapping[str, str],
    ) -> None:
        self._supervision = supervision
        self._projects = projects
        self._fleets = fleets
        self._endpoint = endpoint
        self._home = home
        self._environ = environ

    async def known(self, name: str) -> OpenFleet:
        """Return a fleet. Raises NoSuchFleetError."""
        fleet = await asyncio.to_thread(self._fleets.known, name)
        if fleet is None:
            raise NoSuchFleetError(name)
        return fleet

    async def reach(self, name: str) -> ReachedFleet:
        """Return a fleet with its repository. Raises NoSuchFleetError or LostRepositoryError."""
        opened = await self.known(name)
        repository = await asyncio.to_thread(_repository_of, opened)
        project = await self._supervision.call(lambda: self._projects.at(repository.top))
        engine = await asyncio.to_thread(self._endpoint.engine_of, repository, project)
        workspaces = await asyncio.to_thread(open_workspaces, self._home, repository, self._environ)
        return ReachedFleet(opened, engine, repository, project.config.fleet, workspaces)


def _repository_of(fleet: OpenFleet) -> FleetRepository:
    for folder in _folders(fleet):
        try:
            found = find_repository(folder)
        except (FleetError, OSError, ValueError):
            continue
        if found.fleet == fleet.name:
            return found
    raise LostRepositoryError(fleet.name)


def _folders(fleet: OpenFleet) -> Iterator[str]:
    """Yield folders in which the repository may be; logs of older versions do not name it."""
    if fleet.engine.folder:
        yield fleet.engine.folder
    for task in fleet.engine.overview().tasks.values():
        if task.workspace is not None:
            yield task.workspace.path
