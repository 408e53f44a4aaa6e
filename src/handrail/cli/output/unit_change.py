"""The unit files that `install` writes and `uninstall` removes: plan them, and carry that out."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import click

from handrail.cli.output.file_changes import short_path
from handrail.hosts.settings_file import FileChangePlan
from handrail.server.home import Home
from handrail.server.hook_connection import hook_connection
from handrail.server.launcher import stop_daemon
from handrail.server.units.service_manager import LAUNCHD, find_manager
from handrail.server.units.unit_installation import (
    UnitError,
    UnitPlan,
    installing_units,
    plan_unit_removal,
    plan_units,
    remove_units,
)

_NONE = "neither a systemd nor a launchd answers for you here; leave --units out"


class UnitChange:
    """A plan for the units of one state folder, or none."""

    def __init__(
        self, home: Home, environ: Mapping[str, str], plan: UnitPlan | None, *, removes: bool = True
    ) -> None:
        self._home = home
        self._environ = environ
        self._plan = plan
        self._removes = removes

    @property
    def files(self) -> tuple[FileChangePlan, ...]:
        """Return what becomes of each file."""
        return self._plan.files if self._plan else ()

    @property
    def changes(self) -> bool:
        """Return whether there is anything to do."""
        return self._plan is not None and (self._removes or self._plan.changes)

    @property
    def says(self) -> str:
        """Say what was done."""
        assert self._plan is not None
        manager = self._plan.record.manager
        if self._removes:
            return f"{manager} no longer starts Handrail: its units are gone."
        return f"{manager} holds Handrail's sockets and keeps it running: {self._names}."

    @property
    def _names(self) -> str:
        return " and ".join(short_path(each.path) for each in self.files)

    @contextmanager
    def carried_out(self) -> Iterator[None]:
        """Carry the plan out; the block starts the daemon anew."""
        if self._plan is None or not self.changes:
            yield
        elif self._removes:
            remove_units(self._plan, self._home, self._environ)
            yield
        else:
            try:
                with installing_units(self._plan, self._home, self._environ):
                    stop_daemon(self._home)
                    yield
            except UnitError as error:
                raise click.ClickException(f"{error}. Try again with --no-units") from None


def plan_unit_change(
    home: Home, wanted: bool | None, environ: Mapping[str, str], *, dry_run: bool
) -> UnitChange:
    """Plan the units that a person wants; None: they are offered where systemd runs."""
    if wanted is False:
        return UnitChange(home, environ, plan_unit_removal(home))
    manager = find_manager(environ)
    if manager is None or (wanted is None and manager is LAUNCHD):
        if wanted:
            raise click.UsageError(_NONE)
        return UnitChange(home, environ, None)
    port = hook_connection(home, dry_run=dry_run).port
    return UnitChange(home, environ, plan_units(home, manager, environ, port), removes=False)
