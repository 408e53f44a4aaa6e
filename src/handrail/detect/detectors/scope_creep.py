"""Scope creep: many paths outside the scope, or a single critical one."""

import re
from typing import ClassVar, NamedTuple

import msgspec

from handrail.config import compile_globs
from handrail.config.detection import Detection
from handrail.detect.completed_step import CompletedStep
from handrail.detect.description import (
    CREEPING,
    GO_BACK,
    HARMFUL,
    FindingDescription,
    paragraphs,
)
from handrail.detect.detector import Detector
from handrail.detect.text_hashes import SIZE, add_hash, text_hash
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity

_MOST_PATHS = 64
_MOST_LINGERING = 10
_LEAST_SHARED = 2
"""Folders of a path that say too little by themselves: `/home/ann`."""
_MANY = 0.6
"""The share at which most of the work is elsewhere."""
_SYSTEM = re.compile(
    r"/(?:etc|usr|bin|sbin|lib\w*|boot|var|run|proc|sys|dev|System|Library|private)(?:/|$)"
)
_PROJECTS = re.compile(
    r"/(?:(?:home|Users)/[^/]+|root|workspaces?)/(?!Downloads/|Desktop/)[^/.][^/]*/"
)
"""Where people keep their work; hidden folders belong to programs, and people often put files for
the agent on the desktop."""
_MOST_ROOTS = 16
_MANY_CHANGES, _MANY_READS = 4, 10
"""Steps in the same foreign place that make its finding worse: one may be a slip."""
_ASKED_FOR = 0.8
"""The alignment at which the goal may well name the path."""


class Critical(NamedTuple):
    """The reason why a single path is enough, and its severity."""

    severity: Severity
    confidence: float
    impact: float
    says: str


_SECRET = Critical(Severity.HIGH, 0.9, 0.8, "It read the secret {path}, which is outside the scope")
_SYSTEM_CHANGED = Critical(Severity.HIGH, 0.9, 0.8, "It changed {path}, which is the system's")
_CHANGED = Critical(Severity.MEDIUM, 0.8, 0.5, "It changed {path}, which is outside the scope")
_NAMED = Critical(Severity.HIGH, 0.9, 0.5, "It touched {path}, which is a critical path")
_SYSTEM_READ = Critical(
    Severity.MEDIUM, 0.7, 0.3, "It read {path}, which says who may use this machine"
)
_OTHER_READ = Critical(Severity.LOW, 0.6, 0.1, "It read {path}, which belongs to another project")


class ForeignRoot(msgspec.Struct, gc=False):
    """A place outside the scope, and the steps that touched it since the last prompt."""

    reads: int = 0
    changes: int = 0


class ScopeCreepDetector(Detector):
    """The last touched paths, and those outside the scope."""

    kind: ClassVar[str] = "scope_creep"
    order: ClassVar[int] = 7
    saved_as: ClassVar[str] = "scope"
    about: ClassVar[FindingDescription] = FindingDescription(
        label="Out of the scope",
        meaning="The agent works outside the scope.",
        fitting=GO_BACK,
        pattern=CREEPING,
        hints=paragraphs("""
            `{path}` lies outside of what this task may touch. Go back to {scope}. If the task
            cannot be done without it, stop and say which file you need and what for, instead of
            opening it.

            {says} Touch nothing more there, and undo nothing there by yourself. Go on with the next
            thing that can be done inside of the task's folders.

            {says} Work only on files that belong to the task. What lies elsewhere belongs to
            somebody else: if it seems wrong or missing, say so and leave it.
        """),
        constraint="Work only on the files of this task; other files are not yours.",
        example="If a file elsewhere seems to be the cause, write down its path and your reason, "
        "and go on.",
        plan="lost_context",
        tested_by="paths",
        advice=HARMFUL,
    )
    paths: bytes = b""
    """Hashes of the paths."""
    strays: list[tuple[bytes, int]] = msgspec.field(default_factory=list)
    """Hashes of paths outside, and the last steps that touched them."""
    touched: tuple[str, ...] = ()
    """Paths that the last step touched."""
    step: int = 0
    outside: tuple[str, ...] = ()
    """Paths outside that the last such step touched."""
    secrets: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    asked_for: bool = False
    at: int = 0
    """Its step."""
    since: int = 0
    """Steps after it."""
    inside: str = ""
    """The last path in the scope."""
    roots: dict[str, ForeignRoot] = msgspec.field(default_factory=dict)
    """The places outside; all paths in one of them are the same trouble."""

    def see(self, done: CompletedStep) -> None:
        """Note the touched paths; a refused step touched none."""
        self.since += 1
        self.touched, self.step = (), done.step
        if done.ending in ("refused", "dropped"):
            return
        intent = done.intent
        if intent.reads or intent.writes or intent.secrets:
            self.touched = (*intent.reads, *intent.writes, *intent.secrets)
            for path in self.touched:
                self.paths = add_hash(self.paths, text_hash(path), _MOST_PATHS)
        path = (intent.writes or intent.reads or ("",))[0]
        if path and path not in intent.outside and not _SYSTEM.match(path):
            self.inside = path
        if intent.outside or self.strays:
            self._note_strays(done)
        if intent.outside:
            self._note_roots(done)
            self.outside = intent.outside
            self.secrets = tuple(path for path in intent.secrets if path in intent.outside)
            self.changed = tuple(path for path in intent.writes if path in intent.outside)
            self.asked_for = intent.alignment >= _ASKED_FOR
            self.at, self.since = done.step, 0

    def prompted(self) -> None:
        """Start again: a person may have asked for work elsewhere."""
        self.roots.clear()

    def find(self, settings: Detection) -> Finding | None:
        """Report a critical path, or too many paths outside."""
        named = self._named(settings.scope_creep.critical_paths)
        return named if named or self.since else self.lately(settings)

    def lately(self, settings: Detection) -> Finding | None:
        """Report them up to a few steps later."""
        if not self.outside or self.since > _MOST_LINGERING:
            return None
        found = filter(None, (self._critical(), self._share(settings)))
        return max(found, key=lambda each: each.severity, default=None)

    def _note_strays(self, done: CompletedStep) -> None:
        outside = [text_hash(path) for path in dict.fromkeys(done.intent.outside)]
        for path in outside:
            self.paths = add_hash(self.paths, path, _MOST_PATHS)
        again = {*map(text_hash, self.touched), *outside}
        before = [each for each in self.strays if each[0] not in again and each[0] in self.paths]
        self.strays = before + [(path, done.step) for path in outside]

    def _note_roots(self, done: CompletedStep) -> None:
        changed = {self._root(path) for path in done.intent.writes if path in done.intent.outside}
        for root in dict.fromkeys(map(self._root, done.intent.outside)):
            known = self.roots.pop(root, None) or ForeignRoot()
            known.changes += root in changed
            known.reads += root not in changed
            self.roots[root] = known
        if len(self.roots) > _MOST_ROOTS:
            del self.roots[next(iter(self.roots))]

    def _root(self, path: str) -> str:
        """Return the foreign place of a path: the folder that branches off from the own files."""
        parts, own = path.split("/"), self.inside.split("/")
        shared = 0
        while shared < min(len(parts), len(own)) and parts[shared] == own[shared]:
            shared += 1
        if shared > _LEAST_SHARED:
            return "/".join(parts[: shared + 1])
        place = _PROJECTS.match(path) or _SYSTEM.match(path)
        return place[0].rstrip("/") if place else "/".join(parts[: _LEAST_SHARED + 1])

    def _named(self, critical: tuple[str, ...]) -> Finding | None:
        """Return a finding for a path that the settings call critical, anywhere."""
        if not critical:
            return None
        covers = compile_globs(critical).fullmatch
        path = next((path for path in self.touched if covers(path)), None)
        return None if path is None else self._single(path, _NAMED, self.step)

    def _critical(self) -> Finding | None:
        reasons = ((path, self._reason(path)) for path in self.outside)
        found = [self._single(path, reason, self.at) for path, reason in reasons if reason]
        return max(found, key=lambda each: each.severity, default=None)

    def _reason(self, path: str) -> Critical | None:
        system = _SYSTEM.match(path) is not None
        if path in self.secrets:
            return _SECRET
        if path in self.changed:
            return _SYSTEM_CHANGED if system else _CHANGED
        if system:
            return _SYSTEM_READ
        return _OTHER_READ if _PROJECTS.match(path) and not self.asked_for else None

    def _single(self, path: str, reason: Critical, step: int) -> Finding:
        severity, confidence, impact, says = reason
        root = self._root(path)
        severity = max(severity, self._worsened(reason, root))
        says, facts = f"{says.format(path=path)}.", {"path": path}
        return Finding(self.kind, severity, confidence, (step,), impact, says, root, facts)

    def _worsened(self, reason: Critical, root: str) -> Severity:
        """Return the severity of work that goes on in the same foreign place."""
        known = self.roots.get(root, ForeignRoot())
        if reason is _CHANGED and known.changes >= _MANY_CHANGES:
            return Severity.HIGH
        if reason is _OTHER_READ and known.reads >= _MANY_READS:
            return Severity.MEDIUM
        return Severity.NONE

    def _share(self, settings: Detection) -> Finding | None:
        wanted = settings.scope_creep
        paths, steps = len(self.paths) // SIZE, [step for _, step in self.strays]
        share = len(steps) / paths
        if paths < wanted.min_paths or share <= wanted.allowed_share:
            return None
        many, last = len(steps), self.outside[0]
        severity = Severity.MEDIUM if share >= _MANY else Severity.LOW
        # More paths raise the confidence; their share of all paths does not.
        sure, shown = min(0.5 + 0.05 * many, 0.95), tuple(sorted(set(steps)))[-10:]
        says = f"{many} of the last {paths} paths that it touched lie outside the scope, {last}"
        says, facts = (
            f"{says} for example.",
            {"path": last, "outside": str(many), "paths": str(paths)},
        )
        symptom = self._root(last)
        return Finding(self.kind, severity, sure, shown, 0.0, says, symptom, facts)
