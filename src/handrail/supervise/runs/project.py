"""The settings of a project, and what is made of them, kept as long as its files stay the same."""

import os
import stat
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic

import msgspec

from handrail.config import Config, ConfigError, load_settings, resolve_scope
from handrail.config.glob import escape
from handrail.config.schema import Limits
from handrail.config.sources import project_file, user_file, work_tree
from handrail.config.text_values import PathBase, read_place, too_wide
from handrail.intervene.controller import Controller
from handrail.model.action import Action
from handrail.model.active_settings import ActiveSettings
from handrail.model.history import History
from handrail.model.review import Review
from handrail.redact import Redactor, env_values
from handrail.review import Reviewer
from handrail.review.cache import ReadingCache
from handrail.review.reviewer import ReviewDraft
from handrail.shell import Reading
from handrail.supervise.decision.verdict import OnFault, stricter, verdict_of
from handrail.supervise.runs.active_settings import config_of, identity
from handrail.supervise.runs.extensions import NO_EXTENSIONS, Extensions

_LOOK_AGAIN = 1.0
"""Seconds after which changed files are noticed."""
_MAX_PROJECTS = 128
_MAX_READINGS = 10_000
_USUAL = Config()
_MAX_ENV_BYTES = 64 * 1024
_ENV_FILES = (".env", ".env.local", ".env.development", ".env.production", ".env.test")


class Project(msgspec.Struct, frozen=True):
    """What applies to every run in one folder."""

    config: Config
    reviewer: Reviewer
    controller: Controller
    redactor: Redactor
    problem: str = ""
    """Why the settings on the disk cannot be used."""
    settled: bool = True
    """The settings in force are what somebody wrote, not what stands in for something broken."""
    newer: "Project | None" = None
    """What was written after a run had begun: for that run it can only forbid."""
    base: Config | None = None
    """The settings on the disk from which a run's own were made; None: these are they."""

    def begin_review(self, action: Action, history: History) -> ReviewDraft:
        """Judge an action, by the newer settings too: the stricter ones decide."""
        own = self.reviewer.begin(action, history)
        if self.newer is None:
            return own
        newer = self.newer.reviewer.begin(action, history)
        return ReviewDraft(
            _stricter(own.review, newer.review),
            lambda kept: _stricter(own.finish(kept), newer.finish(kept)),
        )

    @property
    def limits(self) -> tuple[Limits, ...]:
        """All limits that hold."""
        own = self.config.limits
        return (own,) if self.newer is None else (own, self.newer.config.limits)

    @property
    def on_fault(self) -> OnFault:
        """What to do where Handrail itself fails, by the stricter settings."""
        own = self.config.on_fault
        return own if self.newer is None else stricter(own, self.newer.config.on_fault)

    def under_way(self, now: "Project") -> "Project":
        """The project for a run that began with these settings, when those on the disk are `now`.

        An agent works beside the file that holds it back. A patch, an archive or another branch
        can bring in a laxer one, and that must not open the way for the next step.
        """
        if now is self or now is self.newer:
            return self
        if not self.settled:
            return now
        if not now.settled:  # what stands in for something broken is not what anybody wrote
            return msgspec.structs.replace(self, redactor=now.redactor, problem=now.problem)
        if now.config == self.base:
            is_same = now.redactor is self.redactor and now.problem == self.problem
            if is_same and self.newer is None:
                return self
            return msgspec.structs.replace(
                self, redactor=now.redactor, problem=now.problem, newer=None
            )
        if now.config == self.config:
            return now
        return msgspec.structs.replace(self, redactor=now.redactor, problem=now.problem, newer=now)


class _CachedProject(msgspec.Struct):
    project: Project
    looked: float
    files: "Stamps"


Stamps = dict[str, tuple[int, ...]]


class Projects:
    """Every project that a daemon has met lately."""

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        extensions: Extensions = NO_EXTENSIONS,
        now: Callable[[], float] = monotonic,
    ) -> None:
        """`extensions`: what this program adds to the rules, tables, detectors, interventions."""
        self._environ = environ
        self.extensions = extensions
        self._now = now
        self._kept: OrderedDict[str, _CachedProject] = OrderedDict()
        usual = _USUAL.step_reviewer.cache
        # One for all projects that read alike: a hundred of them must not each keep their own.
        self._readings: ReadingCache[Reading] = ReadingCache(_MAX_READINGS, usual.ttl_minutes * 60)

    def at(self, folder: str) -> Project:
        """The project of a folder, with its settings as they are on the disk."""
        now = self._now()
        kept = self._kept.get(folder)
        if kept is None and not _can_be_folder(folder):
            folder = "/"
            kept = self._kept.get(folder)
        if kept is not None:
            self._kept.move_to_end(folder)
            if now - kept.looked < _LOOK_AGAIN:
                return kept.project
            kept.looked = now
        files = self._files(folder, kept.project.config if kept else Config())
        # What is wrong may stand in a file that nobody could tell us of.
        if kept is not None and files == kept.files and not kept.project.problem:
            return kept.project
        project = self._open(folder, kept.project if kept else None)
        # The settings may name a file of rules, which is one of their files from now on.
        self._kept[folder] = _CachedProject(project, now, self._files(folder, project.config))
        while len(self._kept) > _MAX_PROJECTS:
            _, idle = self._kept.popitem(last=False)
            # Idle runs may still have it in hand; what was read of commands is what takes room.
            idle.project.reviewer.cache = ReadingCache(0, 0)
        return project

    def begun(self, folder: str, settings: ActiveSettings) -> Project:
        """The project of a run that began in a folder with other settings than are there now."""
        now = self.at(folder)
        if now.settled and identity(now.config) == settings.id:
            return now
        config = self._pinned(config_of(settings), folder)
        return self._made(config, now.redactor)

    def narrowed(self, folder: str, goal: str, scope: Sequence[str]) -> Project:
        """The project of a folder for a run that has its own goal and scope.

        Raises ValueError where the scope cannot be used.
        """
        now = self.at(folder)
        where = PathBase(folder, self._environ.get("HOME", ""))
        config = now.config
        if scope:
            places = tuple(read_place(glob, where) for glob in scope)
            config = msgspec.structs.replace(config, scope=places)
        if goal:
            config = msgspec.structs.replace(config, goal=goal)
        if config == now.config:
            return now
        return msgspec.structs.replace(self._made(config, now.redactor), base=now.config)

    def __iter__(self) -> Iterator[Project]:
        """All projects that are kept."""
        return (kept.project for kept in self._kept.values())

    def _open(self, folder: str, before: Project | None) -> Project:
        redactor = Redactor(_secrets(folder))
        try:
            _reach(folder, known=before is not None)
            config = self._pinned(load_settings(folder, environ=self._environ).config, folder)
        except (ConfigError, OSError) as error:
            problem = _said(error, folder)
            if before is None:
                config = self._pinned(Config(), folder)
                made = self._made(config, redactor)
                return msgspec.structs.replace(made, problem=problem, settled=False)
            return msgspec.structs.replace(before, redactor=redactor, problem=problem)
        if before is not None and config == before.config:
            return msgspec.structs.replace(before, redactor=redactor, problem="", settled=True)
        return self._made(config, redactor)

    def _made(self, config: Config, redactor: Redactor) -> Project:
        own = self.extensions
        reviewer = Reviewer(
            config, environ=self._environ, rules=own.rules, programs=own.programs, live=True
        )
        if config.step_reviewer.cache == _USUAL.step_reviewer.cache and not config.programs:
            reviewer.cache = self._readings
        controller = Controller(
            config.interventions, detectors=own.detectors, kinds=own.interventions
        )
        return Project(config, reviewer, controller, redactor)

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
        found: Stamps = {".": (os.access(folder, os.X_OK),)}
        for path in (
            user_file(self._environ),
            project_file(Path(folder), self._environ.get("HOME", "")),
            config.step_reviewer.rules.custom_rules_path,
            config.interventions.soft_correction.custom_prompts_path,
            *_env_files(folder),
        ):
            try:
                facts = os.stat(path) if path else None
            except OSError:
                facts = None
            if facts is not None:
                found[str(path)] = (facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size)
        return found


def is_in_project(folder: str, cwd: str) -> bool:
    """Whether a folder belongs to the project of another one: lies below its work tree."""
    root = str(work_tree(Path(cwd)) or cwd)
    return folder == root or folder.startswith(f"{root}/")


def _stricter(one: Review, other: Review) -> Review:
    """A review that refuses whatever is saved first is stricter than one that wants it saved."""
    return max(
        one, other, key=lambda each: (verdict_of(each, 0).decision, not each.checkpoint_first)
    )


def _can_be_folder(path: str) -> bool:
    """Whether it means the same in every process; the daemon's own folder means nothing."""
    try:
        return path.startswith("/") and b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _reach(folder: str, *, known: bool) -> None:
    """Raise an OSError where settings would be overlooked, instead of there being none."""
    try:
        os.stat(os.path.join(folder, "."))
    except (FileNotFoundError, NotADirectoryError):
        if known:
            raise


def _said(error: ConfigError | OSError, folder: str) -> str:
    """What is wrong, in one line."""
    if isinstance(error, ConfigError):
        first, *others = error.problems
        return f"{first} (and {len(others)} more)" if others else str(first)
    return f"{error.filename or folder}: {(error.strerror or str(error)).lower()}"


def _env_files(folder: str) -> Iterator[str]:
    tree = work_tree(Path(folder))
    for place in dict.fromkeys((folder, str(tree) if tree else folder)):
        for name in _ENV_FILES:
            yield os.path.join(place, name)


def _secrets(folder: str) -> list[str]:
    """The values that stand in the project's .env files."""
    values: list[str] = []
    for path in _env_files(folder):
        try:
            values += env_values(_read_start(path))
        except OSError:
            continue
    return values


def _read_start(path: str) -> str:
    """The beginning of a file; of anything else, which might never answer, nothing."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return ""
        return file.read(_MAX_ENV_BYTES).decode("utf-8", "replace")
