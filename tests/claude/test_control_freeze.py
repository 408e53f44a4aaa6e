"""The real Claude Code is frozen in the middle of a command, with all that it has started."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from handrail.control.message import Result
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ControlAnswered, Event
from handrail.supervise.state.run_state import RunState
from handrail.testing.model_server import Say
from tests.claude.controlled import ControlledSession, living, settings
from tests.claude.sandbox import FinishedSession
from tests.claude.supervised import bash, supervised, until

TICKS = "echo $$ > pid; while [ ! -e enough ]; do echo x >> ticks; sleep 0.005; done"


def status(pid: int) -> str:
    return psutil.Process(pid).status()


class Ticking:
    """A session with a command under way that writes all the time."""

    def __init__(self, session: ControlledSession) -> None:
        self.session = session
        self._ticks = session.world.repo / "ticks"
        session.when_there("ticks")
        self.claude = session.running.process.pid
        self.command = int((session.world.repo / "pid").read_text())

    def count(self) -> int:
        return self._ticks.stat().st_size

    def goes_on(self) -> bool:
        """Whether it writes, after a while."""
        before = self.count()
        return until(lambda: self.count() > before + 10, "the command writes nothing")

    def stands_still(self, meanwhile: Callable[[], object]) -> bool:
        """Whether it has written nothing while something took its time."""
        before = self.count()
        meanwhile()
        return self.count() == before and {status(self.claude), status(self.command)} == {
            psutil.STATUS_STOPPED
        }


@contextmanager
def ticking(seconds: int = 120) -> Iterator[Ticking]:
    """A session that can be frozen for so long at most."""
    with supervised() as world:
        settings(world, f"control: {{freeze_seconds: {seconds}}}")
        session = ControlledSession.begin(
            world, [bash(TICKS, "tick"), bash("touch after", "after"), Say("Done.")]
        )
        yield Ticking(session)


class Frozen(NamedTuple):
    """A session that was frozen and resumed."""

    result: Result
    still: bool
    state: RunState
    went_on: bool
    session: FinishedSession
    events: list[Event]


@pytest.fixture(scope="module")
def frozen(claude: Path) -> Frozen:
    with ticking() as command:
        session = command.session
        ann, run = session.ann, session.run
        result = ann.do(ControlCommand.FREEZE, run)
        still = command.stands_still(lambda: ann.do(ControlCommand.CHECKPOINT, run))
        state = ann.state(run)
        ann.do(ControlCommand.RESUME, run)
        went_on = command.goes_on()
        session.touch("enough")
        ended = session.wait()
        return Frozen(result, still, state, went_on, ended, ann.events(run))


def test_frozen_in_the_middle_of_a_command_nothing_goes_on(frozen: Frozen) -> None:
    assert frozen.result.payload == {"status": "success", "message": "Loop frozen at iteration 1"}
    assert frozen.still
    assert frozen.state.hand.standing == Standing.FROZEN


def test_a_freeze_names_the_processes_that_stand_still(frozen: Frozen) -> None:
    evidence = next(
        event.evidence
        for event in frozen.events
        if isinstance(event, ControlAnswered) and event.command == ControlCommand.FREEZE
    )
    assert any("claude" in each for each in evidence), evidence


def test_resumed_it_goes_on_where_it_was(frozen: Frozen) -> None:
    assert frozen.went_on
    assert frozen.session.ran("tick", "after")


@pytest.mark.parametrize("killed", [False, True], ids=["one daemon", "killed"])
def test_a_freeze_ends_by_itself_and_becomes_a_pause(claude: Path, killed: bool) -> None:
    with ticking(1) as command:
        session = command.session
        ann, run = session.ann, session.run
        ann.do(ControlCommand.FREEZE, run)
        if killed:
            session.world.kill()
            session.world.handrail("serve", "--background")
        state = ann.when(run, lambda state: state.hand.standing == Standing.PAUSING)
        assert (state.hand.by, state.hand.reason) == ("handrail", "it was frozen for 1 s")
        assert command.goes_on()
        session.touch("enough")
        ann.when_held(run, "after")
        ann.when(run, lambda state: state.hand.standing == Standing.PAUSED)
        ann.do(ControlCommand.RESUME, run)
        assert session.wait().ran("tick", "after")


# Other commands for a frozen run


def test_a_frozen_run_can_be_stopped(claude: Path) -> None:
    with ticking() as command:
        session = command.session
        session.ann.do(ControlCommand.FREEZE, session.run)
        session.ann.do(ControlCommand.STOP, session.run)
        assert living([command.claude, command.command]) == []


def test_a_frozen_run_can_be_let_go_to_a_pause(claude: Path) -> None:
    with ticking() as command:
        session = command.session
        session.ann.do(ControlCommand.FREEZE, session.run)
        pause = session.ann.ask(ControlCommand.PAUSE, session.run)
        assert command.goes_on()
        session.touch("enough")
        assert session.ann.result(pause).ok
        session.ann.when_held(session.run, "after")
