"""The real Claude Code is frozen in the middle of a command, with all that it has started."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from handrail.control.message import Result
from handrail.model.control import Command, Standing
from handrail.model.event import ControlAnswered, Event
from handrail.supervise.state import RunState
from handrail.testing.model_server import Say
from tests.claude.bed import Session
from tests.claude.controlled import Controlled, settings
from tests.claude.supervised import bash, supervised, until

TICKS = "echo $$ > pid; while [ ! -e enough ]; do echo x >> ticks; sleep 0.005; done"


def status(pid: int) -> str:
    return psutil.Process(pid).status()


class Ticking:
    """A session with a command under way that writes all the time."""

    def __init__(self, session: Controlled) -> None:
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


class Frozen(NamedTuple):
    """A session that was frozen and resumed, and frozen again until that was too long."""

    result: Result
    still: bool
    state: RunState
    resumed: Result
    went_on: bool
    paused: RunState
    wrote_when_paused: bool
    session: Session
    events: list[Event]


@pytest.fixture(scope="module")
def frozen(claude: Path) -> Frozen:
    with supervised() as world:
        settings(world, "control: {freeze_seconds: 2}")
        session = Controlled.begin(
            world, [bash(TICKS, "tick"), bash("touch after", "after"), Say("Done.")]
        )
        ann, run = session.ann, session.run
        ticking = Ticking(session)
        result = ann.do(Command.FREEZE, run)
        still = ticking.stands_still(lambda: ann.do(Command.CHECKPOINT, run))
        state = ann.state(run)
        resumed = ann.do(Command.RESUME, run)
        went_on = ticking.goes_on()
        ann.do(Command.FREEZE, run)
        ann.when(run, lambda state: state.hand.standing != Standing.FROZEN)
        wrote = ticking.goes_on()
        session.touch("enough")
        ann.when_held(run, "after")
        paused = ann.when(run, lambda state: state.hand.standing == Standing.PAUSED)
        ann.do(Command.RESUME, run)
        ended = session.wait()
        return Frozen(result, still, state, resumed, went_on, paused, wrote, ended, ann.events(run))


def test_frozen_in_the_middle_of_a_command_nothing_goes_on(frozen: Frozen) -> None:
    assert frozen.result.payload == {"status": "success", "message": "Loop frozen at iteration 1"}
    assert frozen.still
    assert frozen.state.hand.standing == Standing.FROZEN


def test_a_freeze_names_the_processes_that_stand_still(frozen: Frozen) -> None:
    evidence = next(
        event.evidence
        for event in frozen.events
        if isinstance(event, ControlAnswered) and event.command == Command.FREEZE
    )
    assert any("claude" in each for each in evidence), evidence


def test_resumed_it_goes_on_where_it_was(frozen: Frozen) -> None:
    assert frozen.resumed.ok
    assert frozen.went_on


def test_a_freeze_ends_by_itself_and_becomes_a_pause(frozen: Frozen) -> None:
    assert frozen.wrote_when_paused
    assert frozen.paused.hand.by == "handrail"
    assert frozen.paused.hand.reason == "it was frozen for 2 s"


def test_a_session_survives_being_frozen(frozen: Frozen) -> None:
    assert frozen.session.ran("tick", "after")


# Other commands for a frozen run


@pytest.fixture
def ticking(claude: Path) -> Iterator[Ticking]:
    """A frozen session."""
    with supervised() as world:
        settings(world, "control: {freeze_seconds: 3}")
        session = Controlled.begin(
            world, [bash(TICKS, "tick"), bash("touch after", "after"), Say("Done.")]
        )
        ticking = Ticking(session)
        session.ann.do(Command.FREEZE, session.run)
        yield ticking


def test_a_frozen_run_does_not_stay_so_when_its_daemon_is_killed(ticking: Ticking) -> None:
    session = ticking.session
    session.world.kill()
    session.world.handrail("serve", "--background")
    session.ann.when(session.run, lambda state: state.hand.standing == Standing.PAUSING)
    assert ticking.goes_on()
    session.touch("enough")
    session.ann.when(session.run, lambda state: state.hand.standing == Standing.PAUSED)
    session.ann.do(Command.RESUME, session.run)
    assert session.wait().ran("tick", "after")


def test_a_frozen_run_can_be_stopped(ticking: Ticking) -> None:
    session = ticking.session
    assert session.ann.do(Command.STOP, session.run).says == "Loop stopped at iteration 1"
    assert session.running.process.poll() is not None
    assert not psutil.pid_exists(ticking.command)


def test_a_frozen_run_can_be_let_go_to_a_pause(ticking: Ticking) -> None:
    session = ticking.session
    pause = session.ann.ask(Command.PAUSE, session.run)
    assert ticking.goes_on()
    session.touch("enough")
    assert session.ann.result(pause).ok
    session.ann.when_held(session.run, "after")
