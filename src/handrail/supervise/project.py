"""The settings of a project, and what is made of them, kept as long as its files stay the same."""

import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import monotonic

import msgspec

from handrail.config import Config, ConfigError, load_settings, resolve_scope
from handrail.config.glob import escape
from handrail.config.sources import project_file, user_file
from handrail.config.texts import too_wide
from handrail.review import Reviewer
from handrail.store.redact import Redactor, env_values

_LOOK_AGAIN = 1.0
"""Seconds after which changed files are noticed."""
_MAX_PROJECTS = 64
_MAX_ENV_BYTES = 64 * 1024
_ENV_FILES = (".env", ".env.local", ".env.development", ".env.production", ".env.test")


class Project(msgspec.Struct, frozen=True):
    """What applies to every run in one folder."""

    config: Config
    reviewer: Reviewer
    redactor: Redactor
    problem: str = ""
    """Why the settings on the disk cannot be used."""
    settled: bool = True
    """The settings in force are what somebody wrote, not what stands in for something broken."""


class _Kept(msgspec.Struct):
    project: Project
    looked: float
    files: "Stamps"


Stamps = dict[str, tuple[int, int]]


class Projects:
    """Every project that a daemon has met lately."""

    def __init__(self, environ: Mapping[str, str], *, now: Callable[[], float] = monotonic) -> None:
        self._environ = environ
        self._now = now
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def at(self, folder: str) -> Project:
        """The project of a folder, with its settings as they are on the disk."""
        now = self._now()
        kept = self._kept.get(folder)
        if kept is not None:
            self._kept.move_to_end(folder)
            if now - kept.looked < _LOOK_AGAIN:
                return kept.project
            kept.looked = now
        files = self._files(folder, kept.project.config if kept else Config())
        if kept is not None and files == kept.files:
            return kept.project
        project = self._open(folder, kept.project if kept else None)
        # The settings may name a file of rules, which is one of their files from now on.
        self._kept[folder] = _Kept(project, now, self._files(folder, project.config))
        while len(self._kept) > _MAX_PROJECTS:
            self._kept.popitem(last=False)
        return project

    def __iter__(self) -> Iterator[Project]:
        """All projects that are kept."""
        return (kept.project for kept in self._kept.values())

    def _open(self, folder: str, before: Project | None) -> Project:
        redactor = Redactor(_secrets(folder))
        try:
            config = self._pinned(load_settings(folder, environ=self._environ).config, folder)
        except (ConfigError, OSError) as error:
            if before is None:
                config = self._pinned(Config(), folder)
                reviewer = Reviewer(config, environ=self._environ)
                return Project(config, reviewer, redactor, str(error), settled=False)
            return msgspec.structs.replace(before, redactor=redactor, problem=str(error))
        if before is not None and config == before.config:
            return msgspec.structs.replace(before, redactor=redactor, problem="", settled=True)
        return Project(config, Reviewer(config, environ=self._environ), redactor)

    def _pinned(self, config: Config, folder: str) -> Config:
        """The settings with a scope that does not move when the agent changes its folder."""
        if config.scope:
            return config
        scope = resolve_scope(config, folder, self._environ)
        # A temp folder is in scope in any case; one that holds the home may not be asked for.
        home = self._environ.get("HOME", "")
        roots = (escape(root) for root in scope.roots if not too_wide(root, home))
        return msgspec.structs.replace(config, scope=(*roots, *scope.patterns))

    def _files(self, folder: str, config: Config) -> Stamps:
        """The files that decide about a project, and which version of each is there."""
        found: Stamps = {}
        for path in (
            user_file(self._environ),
            project_file(Path(folder), self._environ.get("HOME", "")),
            config.step_reviewer.rules.custom_rules_path,
            *(os.path.join(folder, name) for name in _ENV_FILES),
        ):
            try:
                facts = os.stat(path) if path else None
            except OSError:
                facts = None
            if facts is not None:
                found[str(path)] = (facts.st_mtime_ns, facts.st_size)
        return found


def _secrets(folder: str) -> list[str]:
    """The values that stand in the project's .env files."""
    values: list[str] = []
    for name in _ENV_FILES:
        try:
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                values += env_values(file.read(_MAX_ENV_BYTES))
        except OSError:
            continue
    return values
