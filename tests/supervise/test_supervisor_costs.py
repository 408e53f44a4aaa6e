"""What a decision costs does not grow with the run. Calls are counted, not time."""

from collections.abc import Iterator

import pytest

from handrail.supervise.log.event_recorder import SNAPSHOT_EVERY
from handrail.supervise.state.open_action import OpenAction
from handrail.supervise.state.watched_state import WatchedState, fold
from handrail.supervise.supervisor import Supervisor
from tests.supervise.strategies import ended, reviewed
from tests.supervise.supervision_setup import RUN, SupervisionSetup, ran

pytestmark = pytest.mark.slow

PAST = 5_000


class Untouchable(dict[str, int]):
    """May be asked for a name, and not looked through."""

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("somebody looks through the history")

    keys = values = items = __iter__  # type: ignore[assignment]


class Counted(list[OpenAction]):
    """Counts how many of its items were looked at."""

    looks = 0

    def __reversed__(self) -> Iterator[OpenAction]:
        for item in super().__reversed__():
            self.looks += 1
            yield item


def long_run(bed: SupervisionSetup) -> Supervisor:
    """A run with thousands of different actions behind it, most of which have ended."""
    state = WatchedState(RUN)
    for step in range(1, PAST + 1):
        state.apply(reviewed(step, name=f"n{step}", call=f"c{step}"))
        if step % 10:
            state.apply(ended(step, ok=step % 3 == 0))
    history = state.history
    history.ran = Untouchable(history.ran)
    history.failed = Untouchable(history.failed)
    history.refused = Untouchable(history.refused)
    return Supervisor(state, bed.projects.at(str(bed.path)), bed.journal, clock=bed.clock)


@pytest.mark.parametrize("command", ["ls", "make", "rm -rf /srv/data", "rm -rf notes"])
def test_a_decision_in_a_long_run_reads_no_log_and_scans_no_history(
    supervision: SupervisionSetup, command: str
) -> None:
    run = long_run(supervision)
    supervision.log.calls.clear()
    calls = SNAPSHOT_EVERY // 2
    for number in range(calls):
        action = supervision.bash(command, f"d{number}")
        run.decide(action)
        run.take_in(ran(action))
    assert set(supervision.log.calls) <= {"append", "save_snapshot"}
    assert (
        supervision.log.calls["save_snapshot"]
        <= supervision.log.calls["append"] // SNAPSHOT_EVERY + 1
    )


def test_looking_for_an_open_action_is_bounded(supervision: SupervisionSetup) -> None:
    run = long_run(supervision)
    run.state.open = counted = Counted(run.state.open)
    run.decide(supervision.bash("ls", "never seen"))
    run.take_in(ran(supervision.bash("ls", "never seen either")))
    run.drop("nor this", "")
    assert counted.looks <= 4 * 256


def test_a_state_grows_with_what_is_different_and_not_with_what_is_repeated(
    supervision: SupervisionSetup,
) -> None:
    state = fold(RUN, [event for step in range(1, 1001) for event in (reviewed(step), ended(step))])
    assert len(state.history.ran) == 1
    assert len(state.history.recent) == 20
    assert state.open == []
