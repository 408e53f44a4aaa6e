"""The real Claude Code is stopped with all that it has started, goes on, and is cancelled."""

import json
import shutil
import threading
from pathlib import Path
from typing import NamedTuple

import pytest

from handrail.control.message import Result
from handrail.model.control import ControlCommand, Standing
from handrail.supervise.state.run_state import RunState
from handrail.testing.model_server import Answer, ModelRequest, ModelTurn, Say, ToolCall
from tests.claude.controlled import ControlledSession, doing, living
from tests.claude.sandbox import FinishedSession
from tests.claude.supervised import bash, supervised, until

STAYS = "sh -c 'echo $$ > {0}.new; mv {0}.new {0}; exec sleep 600'"


def stays(name: str, around: str, call: str, **more: object) -> ToolCall:
    """A command that does not end by itself, and says which process it is."""
    command = around.format(STAYS.format(name))
    return ToolCall("Bash", {"command": command, "description": call, **more}, id=call)


class End(NamedTuple):
    """A process of a run that was ended, and what was left of it when that was confirmed."""

    before: list[int]
    result: Result
    left: list[int]
    state: RunState
    current: dict[str, object]
    """The last row of `loop:current`."""


def end(session: ControlledSession, command: ControlCommand, *names: str) -> End:
    """End a session; `names`: files in which its processes have put their numbers."""
    pids = [session.running.process.pid]
    for name in names:
        session.when_there(name)
        pids.append(int((session.world.repo / name).read_text()))
    before = living(pids)
    result = session.ann.get(command, session.run, reason="it is late")
    left = living(pids)
    return End(before, result, left, session.ann.state(session.run), session.ann.current()[-1])


def goes_on(request: ModelRequest) -> Answer:
    """What the model wants, whatever was before."""
    return Say("Done.") if "on" in request.tool_results else bash("touch on", "on")


class Ends(NamedTuple):
    """One run that was stopped, resumed and cancelled, by its processes."""

    stopped: End
    refused: FinishedSession
    resumed: Result
    again: FinishedSession
    checkpoints: list[dict[str, object]]
    """As they were when it was stopped, the newest first."""
    cancelled: End
    resumed_too_late: Result
    refused_for_good: FinishedSession


@pytest.fixture(scope="module")
def ends(claude: Path) -> Ends:
    with supervised() as world:
        first = ControlledSession.begin(
            world,
            [
                stays("left", "nohup setsid {} > /dev/null 2>&1 &", "leave"),
                stays("beside", "{}", "background", run_in_background=True),
                stays("inside", "{}", "hang"),
            ],
        )
        run, ann = first.run, first.ann
        stopped = end(first, ControlCommand.STOP, "left", "beside", "inside")
        checkpoints = json.loads(world.handrail("checkpoints", "--json"))
        refused = ControlledSession.begin(world, [Say("never said")], run=run).wait()
        resumed = ann.do(ControlCommand.RESUME, run)
        again = ControlledSession.begin(world, [goes_on] * 9, run=run).wait()
        thinks = ModelTurn([Say("never said")], after=threading.Event())
        last = ControlledSession.begin(world, [thinks] * 9, run=run)
        until(last.asked, "the model was not asked")
        cancelled = end(last, ControlCommand.CANCEL)
        return Ends(
            stopped,
            refused,
            resumed,
            again,
            checkpoints,
            cancelled,
            ann.get(ControlCommand.RESUME, run),
            ControlledSession.begin(world, [Say("never said")] * 9, run=run).wait(),
        )


def test_when_a_stop_is_confirmed_no_process_is_left(ends: Ends) -> None:
    assert len(ends.stopped.before) == 4
    assert ends.stopped.result.payload == {
        "status": "success",
        "message": "Loop stopped at iteration 1",
    }
    assert ends.stopped.left == []
    assert ends.stopped.state.hand.standing == Standing.STOPPED


def test_a_stop_leaves_a_checkpoint(ends: Ends) -> None:
    newest = ends.checkpoints[0]
    assert (newest["run"], newest["why"]) == (ends.stopped.state.run, "before stop")


def test_a_prompt_to_a_stopped_run_is_refused_before_the_model_is_asked(ends: Ends) -> None:
    assert ends.refused.requests == []
    assert "This run was stopped by ann (it is late)." in str(ends.refused.result["result"])


def test_a_stopped_run_goes_on_when_it_is_resumed(ends: Ends) -> None:
    assert f"claude --resume {ends.stopped.state.run}" in ends.resumed.says
    assert ends.again.ran("on")


def test_when_a_cancel_is_confirmed_no_process_is_left(ends: Ends) -> None:
    assert len(ends.cancelled.before) == 1
    assert ends.cancelled.result.payload == {"status": "success"}
    assert ends.cancelled.left == []


def test_a_cancelled_run_is_an_abort_for_those_who_watch(ends: Ends) -> None:
    assert ends.cancelled.current == {
        "schema": 1,
        "event": "ABORT",
        "reason": "USER_CANCELLED",
        "run_id": ends.cancelled.state.run,
        "stack": [],
    }


def test_a_cancelled_run_cannot_be_resumed(ends: Ends) -> None:
    assert not ends.resumed_too_late.ok
    assert ends.resumed_too_late.code == "not_found"


def test_a_prompt_to_a_cancelled_run_is_refused_before_the_model_is_asked(ends: Ends) -> None:
    assert ends.refused_for_good.requests == []
    assert "This run was cancelled by ann" in str(ends.refused_for_good.result["result"])


# In the middle of something


def test_a_call_that_is_held_when_its_run_is_stopped_never_runs(claude: Path) -> None:
    with supervised() as world:

        def pause() -> None:
            session.ann.do(ControlCommand.PAUSE, session.run)

        session = ControlledSession.begin(world, [doing(pause, bash("touch made", "made"))])
        session.ann.when_held(session.run, "made")
        stopped = end(session, ControlCommand.STOP)
        assert stopped.result.ok
        assert stopped.left == []
        assert "made" not in session.files()
        session.ann.when(session.run, lambda state: not state.hand.held)


def test_a_stop_is_carried_out_by_the_next_daemon(claude: Path) -> None:
    with supervised() as world:
        session = ControlledSession.begin(world, [stays("inside", "{}", "hang")])
        session.when_there("inside")
        world.handrail("checkpoint")  # what was begun is done before
        slow = world.bed.root / "slow"
        waits = f"while [ -e {slow} ]; do sleep 0.01; done"
        world.program("git", f'{waits}; exec {shutil.which("git")} "$@"')
        slow.touch()
        stop = session.ann.ask(ControlCommand.STOP, session.run)
        world.kill()
        assert session.running.process.poll() is None
        slow.unlink()
        world.handrail("serve", "--background")
        assert session.ann.result(stop).ok
        assert session.running.process.wait(60) is not None
