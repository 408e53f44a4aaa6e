"""Review stored runs again by other settings: a process of its own, of low priority.

python -m handrail.server.api.settings_replay < order > answer
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import lru_cache
from tempfile import NamedTemporaryFile
from time import monotonic

import msgspec

from handrail.api.messages.statistics import ReplayDifference, ReplayResult
from handrail.config import ConfigError, load_settings
from handrail.config.schema import Config
from handrail.config.scope import pin_scope
from handrail.model.decodable import decodable
from handrail.model.event import ActionReviewed, Event
from handrail.review import Reviewer
from handrail.store.decoding import decode_or_fault
from handrail.store.opening import open_log
from handrail.store.port import Store
from handrail.supervise.log.topics import RUNS, run_of
from handrail.supervise.runs.project import is_in_project
from handrail.supervise.runs.run_names import names_of_runs
from handrail.supervise.runs.settings_trust import trusted_settings
from handrail.supervise.state.run_state import RunState
from handrail.words.actions import action_in_words

_DAY = 86_400.0
_MOST = 1_000
"""Differences in an answer."""
_MAX_SAYS = 300


@decodable
class ReplayOrder(msgspec.Struct, frozen=True):
    """What to try, and where."""

    log: str
    settings: str
    """The text of a handrail.yaml."""
    since: float
    folder: str
    seconds: float


@decodable
class ReplayAnswer(msgspec.Struct, frozen=True):
    """What came of it."""

    result: ReplayResult | None = None
    problem: str = ""
    """What is wrong with the settings."""


class TwoReviewers(msgspec.Struct, frozen=True):
    """The reviewers of one folder: by the settings in force, and by the others."""

    now: Reviewer
    other: Reviewer


class SettingsReplay:
    """Goes through stored runs, the latest first, until the time is over."""

    def __init__(
        self, store: Store, reviewers: Callable[[str], TwoReviewers], until: float
    ) -> None:
        """`reviewers`: those of a folder; `until`: by the monotonic clock."""
        self._store = store
        self._reviewers = reviewers
        self._until = until
        self._runs = 0
        self._actions = 0
        self._cut = False
        self._found: list[ReplayDifference] = []

    def go_through(self, since: float, folder: str) -> ReplayResult:
        """Review the actions of all runs since a time, in a folder or in all."""
        began = monotonic()
        for topic in self._store.topics(RUNS):
            if topic.changed < since or self._cut:
                break
            self._go_through_run(topic.name, folder)
        names = names_of_runs(self._store, {each.run for each in self._found})
        return ReplayResult(
            runs=self._runs,
            actions=self._actions,
            differences=tuple(
                msgspec.structs.replace(each, run_name=names.get(each.run, each.run))
                for each in self._found
            ),
            cut=self._cut,
            seconds=round(monotonic() - began, 2),
        )

    def _go_through_run(self, topic: str, folder: str) -> None:
        state = RunState(run_of(topic))
        before = self._actions
        for event in self._events(topic):
            if isinstance(event, ActionReviewed):
                if folder and not is_in_project(state.cwd, folder):
                    return
                if monotonic() >= self._until or len(self._found) >= _MOST:
                    self._cut = True
                    break
                self._review(state, event)
            state.apply(event)
        self._runs += self._actions > before

    def _review(self, state: RunState, event: ActionReviewed) -> None:
        both = self._reviewers(state.cwd)
        now = both.now.review(event.action, state.past)
        other = both.other.review(event.action, state.past)
        self._actions += 1
        if now.decision is not other.decision:
            stricter = max(now, other, key=lambda review: review.decision)
            self._found.append(
                ReplayDifference(
                    run=state.run,
                    run_name="",
                    step=event.step,
                    says=action_in_words(event.action)[:_MAX_SAYS],
                    before=now.decision.value,
                    after=other.decision.value,
                    why=stricter.explanation[:_MAX_SAYS],
                )
            )

    def _events(self, topic: str) -> Iterator[Event]:
        after = 0
        while page := self._store.read(topic, after):
            for stored in page:
                yield decode_or_fault(stored)
            after = page[-1].seq


def two_reviewers(settings_file: str, environ: Mapping[str, str]) -> Callable[[str], TwoReviewers]:
    """Return a function that makes the reviewers of a folder; a file is the other settings.

    The files of then are gone, so neither looks at the disk. Raises ConfigError for the file.
    """

    @lru_cache(maxsize=64)
    def of_folder(cwd: str) -> TwoReviewers:
        try:
            now = trusted_settings(cwd, environ).config
        except ConfigError:
            now = pin_scope(Config(), cwd, environ)
        written = load_settings(cwd, config_path=settings_file, environ=environ)
        other = pin_scope(written.config, cwd, environ)
        return TwoReviewers(
            Reviewer(now, environ=environ, see_disk=False),
            Reviewer(other, environ=environ, see_disk=False),
        )

    load_settings("/", config_path=settings_file, environ=environ)  # its mistakes come first
    return of_folder


def carry_out(order: ReplayOrder, environ: Mapping[str, str]) -> ReplayAnswer:
    """Replay stored runs by other settings."""
    until = monotonic() + order.seconds
    with NamedTemporaryFile("w", prefix="handrail-", suffix=".yaml", encoding="utf-8") as file:
        file.write(order.settings)
        file.flush()
        try:
            reviewers = two_reviewers(file.name, environ)
            with closing(open_log(order.log, "read")) as store:
                replay = SettingsReplay(store, reviewers, until)
                return ReplayAnswer(replay.go_through(order.since, order.folder))
        except ConfigError as error:
            return ReplayAnswer(problem=_without_name(error, file.name.lstrip("/")))


def _without_name(error: ConfigError, file: str) -> str:
    """Return the mistakes in the settings; nobody knows the file that they were put in."""
    says = "\n".join(map(str, error.problems))
    return says.replace(f"/{file}", file).replace(file, "line")


def main() -> None:
    """Read an order, and write the answer."""
    os.nice(15)
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=ReplayOrder)
    sys.stdout.buffer.write(msgspec.json.encode(carry_out(order, os.environ)))


if __name__ == "__main__":
    main()
