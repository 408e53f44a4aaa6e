"""Load the settings of a project, and keep what is built from them until its files change."""

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from time import monotonic

import msgspec

from handrail.config import Config, ConfigError
from handrail.config.approvals import AlwaysAllowed
from handrail.config.in_force import SettingsInForce
from handrail.config.loosening import Loosened
from handrail.config.schema import Limits
from handrail.config.scope import pin_scope
from handrail.config.sources import (
    PipelineSafety,
    find_project_file,
    find_user_file,
    find_work_tree,
)
from handrail.config.text_values import PathBase, read_place
from handrail.intervene.controller import Controller
from handrail.model.action import Action
from handrail.model.active_settings import ActiveSettings
from handrail.model.history import History
from handrail.model.review import Review
from handrail.redact import Redactor
from handrail.review import Reviewer
from handrail.review.cache import ReadingCache
from handrail.review.paths.folder_memory import FolderMemory
from handrail.review.reviewer import ReviewDraft
from handrail.shell import Reading
from handrail.supervise.decision.verdict import OnFault, stricter_policy, verdict_of
from handrail.supervise.runs.active_settings import config_of, settings_identity
from handrail.supervise.runs.extensions import NO_EXTENSIONS, Extensions
from handrail.supervise.runs.project_secrets import env_files, project_secrets
from handrail.supervise.runs.settings_trust import trust_of, trusted_settings

_LOOK_AGAIN = 1.0
"""Seconds after which changed files are noticed."""
_MAX_PROJECTS = 128
_MAX_READINGS = 10_000
_USUAL = Config()


class Project(msgspec.Struct, frozen=True):
    """The settings and rules for every run in one folder."""

    config: Config
    reviewer: Reviewer
    controller: Controller
    redactor: Redactor
    problem: str = ""
    """The problem with the settings on the disk."""
    settled: bool = True
    """The settings in force are as written, not a replacement for something broken."""
    newer: "Project | None" = None
    """Settings written after the run began: for this run they can only forbid."""
    base: Config | None = None
    """The settings on the disk behind a run's own; None: they are the same."""
    withheld: tuple[Loosened, ...] = ()
    """Loosened settings of the project's file that wait for a person's confirmation."""
    confirmed: bool = False
    """The project's file loosens something, and a person has confirmed it."""
    second: Reviewer | None = None
    """A reviewer that also knows the unconfirmed programs of the project's file."""

    def begin_review(self, action: Action, history: History, name: str = "") -> ReviewDraft:
        """Judge an action, by all settings that there are: the strictest ones decide.

        `name`: the fingerprint of the action, where the caller has it.
        """
        drafts = [each.begin(action, history, name) for each in dict.fromkeys(self._reviewers)]
        if len(drafts) == 1:
            return drafts[0]
        return ReviewDraft(
            _strictest(draft.review for draft in drafts),
            lambda kept: _strictest(draft.finish(kept) for draft in drafts),
            drafts[0].overwrites,
            drafts[0].changes_repository,
        )

    @property
    def _reviewers(self) -> tuple[Reviewer, ...]:
        found = (self.reviewer,) if self.second is None else (self.reviewer, self.second)
        return found if self.newer is None else (*found, *self.newer._reviewers)

    @property
    def limits(self) -> tuple[Limits, ...]:
        """Return all limits in force."""
        own = self.config.limits
        return (own,) if self.newer is None else (own, self.newer.config.limits)

    @property
    def on_fault(self) -> OnFault:
        """Return the policy for faults of Handrail itself, by the stricter settings."""
        own = self.config.on_fault
        return own if self.newer is None else stricter_policy(own, self.newer.config.on_fault)

    @property
    def holds_refused(self) -> bool:
        """Return whether a refused action waits for a person, by the stricter settings."""
        own = self.config.approvals.hold_refused
        return own and (self.newer is None or self.newer.config.approvals.hold_refused)

    @property
    def always_allowed(self) -> tuple[AlwaysAllowed, ...]:
        """Return the actions that a person has allowed for good, and still allows."""
        own = self.config.approvals.always
        if self.newer is None:
            return own
        return tuple(each for each in own if each in self.newer.config.approvals.always)

    def under_way(self, now: "Project") -> "Project":
        """Return the project for a run that began with these settings; `now`: those on the disk.

        An agent works beside the file that restricts it. A patch, an archive or another branch can
        bring in a laxer one, which must not permit the next step.
        """
        if now is self or now is self.newer:
            return self
        if not self.settled:
            return now
        if not now.settled:  # nobody wrote the replacement of a broken file
            return msgspec.structs.replace(self, redactor=now.redactor, problem=now.problem)
        # Whoever is held back by it has to hear of a file that only loosens, too.
        is_told = not now.withheld or now.withheld == self.withheld
        if now.config == self.base and is_told:
            is_same = now.redactor is self.redactor and now.problem == self.problem
            if is_same and self.newer is None:
                return self
            return msgspec.structs.replace(
                self, redactor=now.redactor, problem=now.problem, newer=None
            )
        if now.config == self.config and is_told:
            return now
        return msgspec.structs.replace(self, redactor=now.redactor, problem=now.problem, newer=now)


class _CachedProject(msgspec.Struct):
    project: Project
    looked: float
    files: "Stamps"


Stamps = dict[str, tuple[int, ...]]


class Projects:
    """The recent projects of a daemon."""

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        extensions: Extensions = NO_EXTENSIONS,
        now: Callable[[], float] = monotonic,
    ) -> None:
        """`extensions`: rules, tables, detectors and interventions of this program."""
        self._environ = environ
        self.extensions = extensions
        self._now = now
        self._trust = trust_of(environ).path
        self._folders = FolderMemory(now)
        self._kept: OrderedDict[str, _CachedProject] = OrderedDict()
        usual = _USUAL.step_reviewer.cache
        # Shared by all projects with equal settings: a hundred must not each keep their own.
        self._readings: ReadingCache[Reading] = ReadingCache(_MAX_READINGS, usual.ttl_minutes * 60)

    def at(self, folder: str) -> Project:
        """Return the project of a folder, with its settings on the disk."""
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
        # The problem may be in a file that nobody could name.
        if kept is not None and files == kept.files and not kept.project.problem:
            return kept.project
        project = self._open(folder, kept.project if kept else None)
        # The settings may name a file of rules, which belongs to their files from now on. A file
        # that changes while it is read is read again the next time.
        after = self._files(folder, project.config)
        seen = {path: files.get(path, stamp) for path, stamp in after.items()}
        self._kept[folder] = _CachedProject(project, now, seen)
        while len(self._kept) > _MAX_PROJECTS:
            _, idle = self._kept.popitem(last=False)
            # Idle runs may still use it; the parsed commands are what takes room.
            idle.project.reviewer.cache = ReadingCache(0, 0)
        return project

    def look_again_at(self, folder: str) -> Project:
        """Return the project of a folder, however short ago its settings were looked at."""
        if (kept := self._kept.get(folder)) is not None:
            kept.looked = -_LOOK_AGAIN
        return self.at(folder)

    def begun(self, folder: str, settings: ActiveSettings) -> Project:
        """Return the project of a run that began in a folder with other settings than today's."""
        now = self.at(folder)
        if now.settled and settings_identity(now.config) == settings.id:
            return now
        config = pin_scope(config_of(settings), folder, self._environ)
        return self._made(config, now.redactor)

    def under_pipeline(self, folder: str, pipeline: PipelineSafety | None) -> Project:
        """Return the project of a folder for a run of a pipeline with settings of its own.

        Raises ConfigError.
        """
        now = self.at(folder)
        if pipeline is None:
            return now
        found = trusted_settings(folder, self._environ, pipeline)
        return self._with_own(now, found.config)

    def narrowed(
        self,
        folder: str,
        goal: str,
        scope: Sequence[str],
        pipeline: PipelineSafety | None = None,
    ) -> Project:
        """Return the project of a folder for a run with its own goal, scope and pipeline.

        Raises ValueError if the scope or the settings of the pipeline cannot be used.
        """
        now = self.under_pipeline(folder, pipeline)
        where = PathBase(folder, self._environ.get("HOME", ""))
        config = now.config
        if scope:
            places = tuple(read_place(glob, where) for glob in scope)
            config = msgspec.structs.replace(config, scope=places)
        if goal:
            config = msgspec.structs.replace(config, goal=goal)
        return self._with_own(now, config)

    def _with_own(self, now: Project, config: Config) -> Project:
        """Return a project for a run whose settings differ from those on the disk."""
        if config == now.config:
            return now
        return msgspec.structs.replace(
            self._made(config, now.redactor),
            base=now.base or now.config,
            withheld=now.withheld,
            confirmed=now.confirmed,
            second=now.second,
        )

    def __iter__(self) -> Iterator[Project]:
        """Yield all kept projects."""
        return (kept.project for kept in self._kept.values())

    def _open(self, folder: str, before: Project | None) -> Project:
        redactor = Redactor(project_secrets(folder))
        try:
            _reach(folder, known=before is not None)
            found = trusted_settings(folder, self._environ)
        except (ConfigError, OSError) as error:
            problem = _said(error, folder)
            if before is None:
                config = pin_scope(Config(), folder, self._environ)
                made = self._made(config, redactor)
                return msgspec.structs.replace(made, problem=problem, settled=False)
            return msgspec.structs.replace(before, redactor=redactor, problem=problem)
        now = self._under(found, redactor, before)
        return msgspec.structs.replace(
            now, withheld=found.withheld, confirmed=bool(found.laxer and found.confirmed)
        )

    def _under(self, found: SettingsInForce, redactor: Redactor, before: Project | None) -> Project:
        """The project with the settings in force; as it was before, if they are the same."""
        own = found.written.config.programs
        is_known = any(each.key == "programs" for each in found.withheld)
        if before is not None and found.config == before.config:
            now = msgspec.structs.replace(before, redactor=redactor, problem="", settled=True)
        else:
            now = self._made(found.config, redactor)
        if not is_known:
            return msgspec.structs.replace(now, second=None)
        # Joined settings forbid what both forbid, but nobody can join two accounts of a program.
        more = msgspec.structs.replace(found.config, programs=own)
        return msgspec.structs.replace(now, second=self._made(more, redactor).reviewer)

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

    def _files(self, folder: str, config: Config) -> Stamps:
        """Return the files of a project's settings, with their versions."""
        found: Stamps = {".": (os.access(folder, os.X_OK),)}
        exists = self._folders.look().has
        for path in (
            find_user_file(self._environ, exists),
            self._trust,
            find_project_file(folder, self._environ.get("HOME", ""), exists),
            config.step_reviewer.rules.custom_rules_path,
            config.interventions.soft_correction.custom_prompts_path,
        ):
            if path:
                found[path] = _stamp(path)
        for path in env_files(folder, exists):
            found[path] = _stamp(path) if exists(path) else ()
        return found


def _stamp(path: str) -> tuple[int, ...]:
    """Return a file's version; none if there is no such file."""
    try:
        facts = os.stat(path)
    except OSError:
        return ()
    return (facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size)


def is_in_project(folder: str, cwd: str) -> bool:
    """Return whether a folder belongs to another folder's project: it is below its work tree."""
    root = find_work_tree(cwd) or cwd
    return folder == root or folder.startswith(f"{root}/")


def _strictest(reviews: Iterable[Review]) -> Review:
    """Return the strictest review; a plain refusal is stricter than one with a checkpoint."""
    return max(reviews, key=lambda each: (verdict_of(each, 0).decision, not each.checkpoint_first))


def _can_be_folder(path: str) -> bool:
    """Return whether any process reads the path alike: it is absolute and valid."""
    try:
        return path.startswith("/") and b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _reach(folder: str, *, known: bool) -> None:
    """Raise an OSError if settings could be overlooked because a folder is unreadable."""
    try:
        os.stat(os.path.join(folder, "."))
    except (FileNotFoundError, NotADirectoryError):
        if known:
            raise


def _said(error: ConfigError | OSError, folder: str) -> str:
    """Describe the problem in one line."""
    if isinstance(error, ConfigError):
        first, *others = error.problems
        return f"{first} (and {len(others)} more)" if others else str(first)
    return f"{error.filename or folder}: {(error.strerror or str(error)).lower()}"
