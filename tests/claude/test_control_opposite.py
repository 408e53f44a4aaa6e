"""Two people want the opposite of the real Claude Code, again and again."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from handrail.control.message import Result
from handrail.model.control import HOLDING, ControlCommand
from handrail.model.event import ActionReviewed, ControlAnswered
from handrail.model.ordinal import Decision
from handrail.store.opening import open_log
from handrail.supervise.state.run_state import RunState
from handrail.testing.model_server import Answer, ModelRequest, Say
from tests.claude.controlled import ControlledSession
from tests.claude.supervised import bash, supervised
from tests.control import protocol_checks
from tests.run_controller import RunController

EACH = 500
"""Requests of each of the two."""
MANY = 5000
"""More calls than an agent makes meanwhile."""


def works_until(over: threading.Event) -> list[Callable[[ModelRequest], Answer]]:
    """An agent that makes one call after the other, each with a number."""

    def call(number: int) -> Callable[[ModelRequest], Answer]:
        one = bash(f"echo {number} >> made", f"call-{number}")
        return lambda _: Say("Done.") if over.is_set() else one

    return [call(number) for number in range(MANY)]


def insist(who: RunController, command: ControlCommand, run: str) -> None:
    """Ask for the same thing again and again, and wait for each result."""
    for _ in range(EACH):
        assert isinstance(who.send(who.request(command, run), seconds=60)[-1], Result)


def test_a_thousand_opposite_commands_leave_a_lawful_run_and_lose_no_call(claude: Path) -> None:
    over = threading.Event()
    with supervised() as world:
        session = ControlledSession.begin(world, works_until(over))
        ann, ben, run = session.ann, RunController(world.state, "ben"), session.run
        session.when_there("made")
        with ThreadPoolExecutor() as pool:
            both = [
                pool.submit(insist, ann, ControlCommand.PAUSE, run),
                pool.submit(insist, ben, ControlCommand.RESUME, run),
            ]
            for each in both:
                each.result()
        over.set()
        ann.get(ControlCommand.RESUME, run)
        results = session.wait().tool_results()
        made = (world.repo / "made").read_text().split()
        assert made == [str(number) for number in range(len(results))]
        assert not any(result.is_error for result in results.values())
        check_log(ann, run)


def check_log(ann: RunController, run: str) -> None:
    """Each request has one answer, the run went only where it may, and nothing ran while held."""
    with closing(open_log(ann.home.log, "read")) as store:
        told = protocol_checks.check_rows(store)
        protocol_checks.check_events(store, run)
        protocol_checks.check_under_way(store, run)
    assert len(told) == 2 * EACH + 1
    assert {len(said) for said in told.values()} == {2}
    done = {each.command for each in ann.messages() if isinstance(each, Result) and each.ok}
    assert done == {ControlCommand.PAUSE, ControlCommand.RESUME}
    state = RunState(run)
    for event in ann.events(run):
        if (
            isinstance(event, ControlAnswered)
            and event.command == ControlCommand.PAUSE
            and event.ok
        ):
            assert not state.at_work, event
        elif isinstance(event, ActionReviewed) and event.verdict.decision is not Decision.BLOCK:
            assert state.hand.standing not in HOLDING, event
        state.apply(event)
