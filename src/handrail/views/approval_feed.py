"""The questions that wait for a person, and those answered lately, with what a person must know."""

from collections.abc import Iterator
from time import localtime, strftime
from typing import Literal

import msgspec

from handrail.model.action import SHELL_TOOLS
from handrail.model.check_commands import is_test_run
from handrail.model.event import ActionEnded, ActionReviewed, ApprovalAsked
from handrail.store.decoding import decode
from handrail.store.errors import DamagedError
from handrail.store.port import Store, Topic
from handrail.supervise.decision.approvals import MOST_SECONDS
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.log.topics import RUNS, run_of, topic_of
from handrail.supervise.runs.run_names import project_in, short_ids
from handrail.supervise.state.approval_state import Approval
from handrail.words.actions import command_of
from handrail.words.sentence import shorten_paths

_LOOKED_BACK = 400
"""Events before a question in which the last test run is looked for."""
_MAX_EFFECTS = 6

ApprovalStanding = Literal["waiting", "approved", "denied", "expired"]


class ApprovalView(msgspec.Struct, frozen=True):
    """One question, and everything that a person needs to answer it."""

    run: str
    run_name: str
    goal: str
    approval: Approval
    question: ApprovalAsked | None
    """None: the event that asked is not in the log any more."""
    tests: str
    """How the last test run before it ended: `passed at 02:02`, or ""."""

    def standing(self, now: float) -> ApprovalStanding:
        """Return how the question stands."""
        if self.approval.approved is None:
            return "waiting" if now < self.approval.until else "expired"
        return "approved" if self.approval.approved else "denied"

    @property
    def why(self) -> str:
        """Return why the person is asked."""
        if self.question is None:
            return ""
        return self.question.why or self.question.review.explanation

    @property
    def would(self) -> str:
        """Return what the action would do, in a line."""
        if self.question is None:
            return ""
        cwd = self.question.action.cwd
        effects = self.question.review.effects
        texts = dict.fromkeys(shorten_paths(effect.text, cwd) for effect in effects)
        shown = list(texts)[:_MAX_EFFECTS]
        more = f"; and {len(texts) - len(shown)} more" if len(texts) > len(shown) else ""
        return "; ".join(shown) + more

    @property
    def editable(self) -> bool:
        """Return whether a person may run it in another form: it is a command."""
        return self.question is not None and self.question.action.tool.lower() in SHELL_TOOLS


class _Background(msgspec.Struct, frozen=True):
    """What the events before a question say about it; they never change."""

    question: ApprovalAsked | None
    tests: str


class _ReadRun(msgspec.Struct, frozen=True):
    seq: int
    goal: str
    approvals: tuple[Approval, ...]
    backgrounds: dict[str, _Background]
    """By the id of the approval."""


class ApprovalFeed:
    """The questions of all runs; a run is read again only if it has news. For one thread."""

    def __init__(self) -> None:
        self._known: dict[str, _ReadRun] = {}

    def all(self, store: Store, now: float) -> list[ApprovalView]:
        """Return the open questions, the oldest first, then the answered and expired ones."""
        found = list(self._views(store, now))
        waits = [each for each in found if each.approval.is_open(now)]
        over = [each for each in found if not each.approval.is_open(now)]
        return [
            *sorted(waits, key=lambda each: each.approval.asked),
            *sorted(over, key=lambda each: -each.approval.asked),
        ]

    def find(self, store: Store, approval: str, now: float) -> ApprovalView | None:
        """Return one question, or None."""
        views = self._views(store, now)
        return next((each for each in views if each.approval.id == approval), None)

    def _views(self, store: Store, now: float) -> Iterator[ApprovalView]:
        topics = store.topics(RUNS)
        short = short_ids([run_of(topic.name) for topic in topics])
        recent = [each for each in topics if each.changed >= now - MOST_SECONDS]
        self._known = {each.name: self._read(store, each) for each in recent}
        for name, read in self._known.items():
            run = run_of(name)
            run_name = f"{project_in(store, name)}-{short[run]}" if read.approvals else ""
            for approval in read.approvals:
                known = read.backgrounds[approval.id]
                yield ApprovalView(run, run_name, read.goal, approval, known.question, known.tests)

    def _read(self, store: Store, topic: Topic) -> _ReadRun:
        known = self._known.get(topic.name)
        if known is not None and known.seq == topic.seq:
            return known
        run = run_of(topic.name)
        state = read_state(store, run, [])
        goal = state.history.goal or (state.loop.goal if state.loop is not None else "")
        approvals = (*state.approvals.kept.values(), *state.approvals.used)
        before = {} if known is None else known.backgrounds
        backgrounds = {
            each.id: before.get(each.id) or _background(store, run, each) for each in approvals
        }
        return _ReadRun(topic.seq, goal, approvals, backgrounds)


def _background(store: Store, run: str, approval: Approval) -> _Background:
    return _Background(_question(store, run, approval), _tests(store, run, approval.seq))


def _question(store: Store, run: str, approval: Approval) -> ApprovalAsked | None:
    """Return the event that asked."""
    for event in _events(store, run, approval.seq - 1, 1):
        if isinstance(event, ApprovalAsked) and event.approval == approval.id:
            return event
    return None


def _tests(store: Store, run: str, seq: int) -> str:
    """Return how the last test run before an event ended."""
    tests: set[int] = set()
    said = ""
    for event in _events(store, run, max(seq - _LOOKED_BACK, 0), min(seq, _LOOKED_BACK)):
        if isinstance(event, ActionReviewed) and is_test_run(command_of(event.action)):
            tests.add(event.step)
        elif isinstance(event, ActionEnded) and event.step in tests:
            how = "passed" if event.outcome.ok else "failed"
            said = f"{how} at {strftime('%H:%M', localtime(event.at))}"
    return said


def _events(store: Store, run: str, after: int, limit: int) -> Iterator[object]:
    for stored in store.read(topic_of(run), max(after, 0), limit):
        try:
            yield decode(stored)
        except DamagedError:
            continue
