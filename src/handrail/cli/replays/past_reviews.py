"""Review the steps of recorded sessions."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import msgspec

from handrail.cli import options
from handrail.cli.bounded_review import bounded_review
from handrail.cli.replays.past_findings import PastFindings, StepFindings
from handrail.cli.replays.sessions import PastStep, Session
from handrail.config import Config, ConfigError
from handrail.config.glob import escape
from handrail.config.sources import work_tree
from handrail.config.text_values import too_wide
from handrail.model.action import Action
from handrail.model.effect import Kind
from handrail.model.fingerprint import fingerprint
from handrail.model.history import History
from handrail.model.review import Review
from handrail.review import Reviewer

_HOME = re.compile(r"/(?:home|Users)/[^/]+|/root\b")
_SYSTEM = frozenset(
    "bin boot dev etc home lib opt proc root run sbin srv sys usr var Users".split()
)
_EDITS = frozenset({"edit", "multiedit", "replace", "str_replace_based_edit_tool", "notebookedit"})
_CHANGES = frozenset({Kind.WRITE, Kind.DELETE, Kind.PERMIT, Kind.LINK})


class ReviewedStep(msgspec.Struct, frozen=True):
    """One step and its review."""

    run: str
    step: int
    action: Action
    review: Review | None
    """None if the step cannot be read."""
    problem: str
    seconds: float
    noticed: StepFindings = StepFindings()
    at: float | None = None
    """Time in seconds, if the record has it."""


class PastReviews:
    """Reviews sessions without looking at the files, which have changed since.

    The settings come from `config_file`, or from the folder in which the session started.
    Without a scope in the settings, the scope is the work tree of that folder (or the folder
    itself), and its parent if that was made for runs, such as `/workspace`.
    """

    def __init__(self, config_file: str | None, scope: tuple[str, ...]) -> None:
        self._config_file = config_file
        self._scope = scope
        self._reviewers: dict[tuple[str, ...], Reviewer] = {}
        self.faulty_settings: list[str] = []

    def judge(self, session: Session) -> Iterator[ReviewedStep]:
        """Review every step in order, with the history of the steps before it."""
        reviewer = self._reviewer(session)
        course = PastFindings(reviewer.config, session.goal)
        history = History(session.goal)
        home = _home(session.roots[0] if session.roots else "")
        existing: set[str] = set()
        for index, step in enumerate(session.steps):
            action = step.action
            if home and "HOME" not in action.env:
                action = msgspec.structs.replace(action, env={**action.env, "HOME": home})
            began = perf_counter()
            review = None if step.problem else bounded_review(reviewer, action, history)
            seconds = perf_counter() - began
            noticed = StepFindings()
            if review is not None:
                noticed = course.add_step(index, step, action, review)
            yield ReviewedStep(
                session.name, index, action, review, step.problem, seconds, noticed, step.at
            )
            if review is not None:
                _remember(history, action, step, review, existing)

    def _reviewer(self, session: Session) -> Reviewer:
        known = self._reviewers.get(session.roots)
        if known is None:
            known = Reviewer(self._config(session.roots), see_disk=False)
            self._reviewers[session.roots] = known
        return known

    def _config(self, roots: tuple[str, ...]) -> Config:
        config = self._settings(roots)
        if self._scope:
            return msgspec.structs.replace(config, scope=self._scope)
        if config.scope:
            return config
        return msgspec.structs.replace(config, scope=_scope_of(roots))

    def _settings(self, roots: tuple[str, ...]) -> Config:
        if self._config_file is not None:
            return options.load_config(os.getcwd(), config_file=self._config_file)
        try:
            return options.load_config(roots[0] if roots else "/")
        except ConfigError as error:
            self.faulty_settings.append(str(error.problems[0]))
            return Config()


def _home(root: str) -> str:
    found = _HOME.match(root)
    return found.group() if found else os.environ.get("HOME", "")


def _scope_of(roots: tuple[str, ...]) -> tuple[str, ...]:
    scope: dict[str, None] = {}
    for root in roots:
        folder = str(work_tree(Path(root)) or root)
        parent = folder.rpartition("/")[0]
        for place in (folder, parent if _made_for_runs(parent) else folder):
            if place.startswith("/") and not too_wide(place, _home(root)):
                scope[escape(place)] = None
    return tuple(scope)


def _made_for_runs(folder: str) -> bool:
    """Return whether this is a top-level folder outside the system: `/workspace`, `/testbed`."""
    names = folder.split("/")
    return len(names) == 2 and names[1] not in {*_SYSTEM, "", "tmp"}


def _remember(
    history: History, action: Action, step: PastStep, review: Review, existing: set[str]
) -> None:
    """Record what the step did. The run did not create a file that it read or edited before."""
    if review.decision.stops:
        history.remember_refusal(fingerprint(action))
    if step.outcome is None or (review.decision.stops and review.rewrite is None):
        return
    changes = [effect for effect in review.effects if effect.kind in _CHANGES]
    created: list[str] = []
    for effect in review.effects:
        if effect.opaque or effect.glob:
            continue
        if effect.kind is Kind.READ or action.tool.lower() in _EDITS:
            if step.outcome.ok and effect.target not in history.created:
                existing.add(effect.target)
        elif effect.kind is Kind.WRITE and effect.target not in existing:
            created.append(effect.target)
    operations = len(changes) if step.outcome.ok else 0
    history.remember(
        fingerprint(action),
        ok=step.outcome.ok,
        created=tuple(created),
        file_operations=operations,
    )
