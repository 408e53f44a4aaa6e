"""The runs in the log, and how a user names them."""

import os
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from math import inf
from time import time

import click
import msgspec

from handrail.cli.output.terminal import clip, columns, pad, visible
from handrail.model.near_names import did_you_mean
from handrail.server.home import Home, open_home
from handrail.store.errors import DamagedError, NewerSchemaError, StoreError
from handrail.store.opening import open_log
from handrail.store.port import Store
from handrail.supervise.log.topics import RUNS, run_of, topic_of
from handrail.supervise.runs.run_names import names_of_runs, project_in, short_ids
from handrail.words.hosts import NOTHING_SINCE, NOTHING_YET
from handrail.words.times import duration_in_words

LAST = "last"
_MAX_LISTED = 10
_MAX_NAME = 60
_HINTS: dict[type[StoreError], str] = {
    DamagedError: "handrail doctor --fix moves it aside and starts a new one",
    NewerSchemaError: "upgrade Handrail",
}
_HINT = "handrail doctor says what to do"


class KnownRun(msgspec.Struct, frozen=True):
    """A run with the name that people use."""

    id: str
    """The session's id."""
    name: str
    """The folder it began in, and the first characters of its id: `shop-3f2a`."""
    project: str
    changed: float
    seq: int

    @property
    def topic(self) -> str:
        """The topic of its events in the log."""
        return topic_of(self.id)


class KnownRuns:
    """All runs of a log, the latest first."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._topics = store.topics(RUNS)
        self._short = short_ids([run_of(topic.name) for topic in self._topics])

    def __len__(self) -> int:
        return len(self._topics)

    def __iter__(self) -> Iterator[KnownRun]:
        return self.changed_since(-inf)

    def changed_since(self, moment: float) -> Iterator[KnownRun]:
        """Yield the runs with events since then."""
        for topic in self._topics:
            if topic.changed < moment:
                continue
            run = run_of(topic.name)
            project = project_in(self._store, topic.name)
            name = f"{project}-{self._short[run]}"
            yield KnownRun(run, name, project, topic.changed, topic.seq)

    def names(self, ids: Collection[str]) -> dict[str, str]:
        """Return the names of runs by id, without runs that the log does not know."""
        return names_of_runs(self._store, ids)

    def find(self, typed: str) -> KnownRun:
        """Find the run that the user means; fail with a helpful error."""
        return next(iter(self)) if typed == LAST and self._topics else self.meant(typed)[0]

    def meant(self, typed: str) -> list[KnownRun]:
        """Find the run that the user means, or all runs of a project."""
        if not self._topics:
            raise click.ClickException(nothing_yet(find_home()))
        if typed == LAST:
            return list(self)
        found: list[KnownRun] = []
        of_project: list[KnownRun] = []
        for run in self:
            if typed in (run.id, run.name):
                return [run]
            if typed == run.project:
                of_project.append(run)
            elif run.id.startswith(typed) or _is_name(typed, run):
                found.append(run)
        if not of_project and not found:
            names = (name for run in self for name in (run.name, run.project))
            hint = did_you_mean(typed, names, "see handrail status --all")
            raise click.ClickException(f"there is no run {typed!r}; {hint}")
        if not of_project and len(found) > 1:
            _list_candidates(typed, found)
        return of_project or found


@contextmanager
def read_log(home: Home) -> Iterator[Store]:
    """Open the log for reading, without a daemon."""
    try:
        with closing(open_log(home.log, "read")) as store:
            yield store
    except StoreError as error:
        hint = _HINTS.get(type(error), _HINT)
        raise click.ClickException(f"{error}; {hint}") from None


def incident_is_open(home: Home, incident: str) -> bool:
    """Return whether nobody has decided about an incident yet."""
    from handrail.intervene.incidents.folders import IncidentError, IncidentFolders

    try:
        return IncidentFolders(home.incidents).read(incident).resolution is None
    except IncidentError:
        return True


def is_installed(home: Home) -> bool:
    """Return whether Handrail supervises sessions of any host."""
    from handrail.hosts.settings_file import load_installs

    return bool(load_installs(home.installs))


def nothing_yet(home: Home) -> str:
    """Say that there is no run, and what makes the first one."""
    return NOTHING_SINCE if is_installed(home) else NOTHING_YET


def find_home() -> Home:
    """Return this user's state folder."""
    return open_home(os.environ)


def _is_name(typed: str, run: KnownRun) -> bool:
    start = f"{run.project}-"
    return (
        len(typed) > len(start)
        and typed.startswith(start)
        and (run.id.startswith(typed.removeprefix(start)))
    )


def _list_candidates(typed: str, found: list[KnownRun]) -> None:
    """List the runs that match, and exit."""
    from handrail.cli import EXIT_ERROR

    click.echo(f"handrail: {visible(typed)!r} matches {len(found)} runs:", err=True)
    listed = found[:_MAX_LISTED]
    names = [clip(run.name, _MAX_NAME) for run in listed]
    width = max(map(columns, names))
    for run, name in zip(listed, names, strict=True):
        click.echo(f"  {pad(name, width)}  {duration_in_words(time() - run.changed)} ago", err=True)
    if len(found) > _MAX_LISTED:
        click.echo(f"  … and {len(found) - _MAX_LISTED} more", err=True)
    raise click.exceptions.Exit(EXIT_ERROR)
