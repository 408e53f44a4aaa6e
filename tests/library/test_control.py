"""Pause, resume, stop and steer, from other threads and other tasks."""

import asyncio
import threading
from collections.abc import Callable
from time import monotonic, sleep

import pytest
from blockbuster import blockbuster_ctx

from handrail import ActionVerdict, ControlError, Event, Supervisor
from handrail.model.event import ActionDropped, ActionHeld, ControlAnswered, ControlAsked

from .conftest import SupervisedProject

pytestmark = pytest.mark.slow

LS = {"command": "ls"}
SECONDS = 10.0


def soon(condition: Callable[[], bool]) -> bool:
    """Whether it comes true within some seconds."""
    until = monotonic() + SECONDS
    while not condition() and monotonic() < until:
        sleep(0.01)
    return condition()


def is_holding(supervisor: Supervisor) -> bool:
    return any(isinstance(event, ActionHeld) for event in supervisor.events())


class HeldCall(threading.Thread):
    """A call in a thread of its own, which waits while the run is paused."""

    def __init__(self, supervisor: Supervisor) -> None:
        super().__init__(daemon=True)
        self.verdict: ActionVerdict | None = None
        self._supervisor = supervisor
        self.start()

    def run(self) -> None:
        self.verdict = self._supervisor.before("Bash", LS)

    def result(self) -> ActionVerdict:
        self.join(SECONDS)
        assert self.verdict is not None
        return self.verdict


def test_a_call_waits_while_the_run_is_paused(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    supervisor.pause("lunch")
    call = HeldCall(supervisor)
    assert soon(lambda: is_holding(supervisor))
    assert call.verdict is None
    supervisor.resume()
    assert call.result().allowed


def test_a_pause_takes_hold_when_nothing_is_under_way(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    verdict = supervisor.before("Bash", LS)
    supervisor.pause()
    assert not _confirmed(supervisor)
    supervisor.after(verdict, "")
    assert soon(lambda: _confirmed(supervisor))


def _confirmed(supervisor: Supervisor) -> bool:
    return any(isinstance(event, ControlAnswered) for event in supervisor.events())


def test_a_call_that_has_waited_too_long_is_refused(either: SupervisedProject) -> None:
    either.settings("control: {hold_seconds: 1}\n")
    supervisor = either.supervise()
    supervisor.pause("lunch")
    verdict = supervisor.before("Bash", LS)
    assert not verdict.allowed
    assert "paused" in verdict.guidance
    assert "lunch" in verdict.guidance
    supervisor.resume()
    assert supervisor.before("Bash", LS).allowed


def test_after_a_stop_every_call_is_refused(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    supervisor.stop("out of budget")
    verdict = supervisor.before("Bash", LS)
    assert (verdict.allowed, verdict.stop) == (False, True)
    assert "out of budget" in verdict.guidance


def test_a_stop_ends_the_waiting(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    supervisor.pause()
    call = HeldCall(supervisor)
    assert soon(lambda: is_holding(supervisor))
    supervisor.stop()
    assert not call.result().allowed


def test_the_end_of_the_supervisor_ends_the_waiting(project: SupervisedProject) -> None:
    supervisor = project.supervise()
    supervisor.pause()
    call = HeldCall(supervisor)
    assert soon(lambda: is_holding(supervisor))
    supervisor.close()
    assert not call.result().allowed


def test_what_a_person_says_reaches_the_agent_once(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    supervisor.steer("use pytest, not unittest")
    first = supervisor.before("Bash", LS)
    assert first.allowed
    assert "use pytest, not unittest" in first.guidance
    assert supervisor.after(first) == ""
    assert supervisor.before("Bash", LS).guidance == ""


def test_what_cannot_be_done_is_an_error(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    with pytest.raises(ControlError, match="it does not take resume now"):
        supervisor.resume()
    with pytest.raises(ControlError, match=r"payload\.message"):
        supervisor.steer("")


def test_the_command_line_controls_the_runs_of_the_daemon(
    either: SupervisedProject,
) -> None:
    supervisor = either.supervise()
    if either.daemon:
        assert either.sandbox.run("pause", supervisor.run).returncode == 0
        call = HeldCall(supervisor)
        assert soon(lambda: is_holding(supervisor))
        assert either.sandbox.run("resume", supervisor.run).returncode == 0
        assert call.result().allowed
    else:
        assert either.sandbox.run("pause", supervisor.run).returncode != 0


def test_tasks_wait_and_the_loop_goes_on(either: SupervisedProject) -> None:
    """More of them than a pool of threads has."""
    supervisor = either.supervise()
    many = 50

    async def work() -> list[ActionVerdict]:
        supervisor_paused = asyncio.to_thread(supervisor.pause)
        await supervisor_paused
        calls = [asyncio.create_task(supervisor.before_async("Bash", LS)) for _ in range(many)]
        await asyncio.sleep(0.3)
        assert not any(call.done() for call in calls)
        await asyncio.to_thread(supervisor.resume)
        return await asyncio.gather(*calls)

    assert [verdict.allowed for verdict in asyncio.run(work())] == [True] * many


def test_nothing_blocks_the_loop(either: SupervisedProject) -> None:
    supervisor = either.supervise()

    async def work() -> None:
        with blockbuster_ctx():
            async with supervisor.action(
                "Bash", {"command": "find . -name '*.pyc' -delete"}
            ) as action:
                action.done("", exit_code=0)
            verdict = await supervisor.before_async("Bash", LS)
            await supervisor.after_async(verdict, "src")

    asyncio.run(work())


def test_a_task_that_is_cancelled_while_it_waits_runs_nothing(either: SupervisedProject) -> None:
    supervisor = either.supervise()

    async def work() -> None:
        await asyncio.to_thread(supervisor.pause)
        call = asyncio.create_task(supervisor.before_async("Bash", LS))
        await asyncio.to_thread(soon, lambda: is_holding(supervisor))
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(work())
    assert soon(lambda: _released(supervisor) == 1)
    supervisor.resume()
    assert supervisor.before("Bash", LS).allowed


def _released(supervisor: Supervisor) -> int:
    return sum(
        1 for event in supervisor.events() if isinstance(event, ActionHeld) and event.released
    )


def test_an_answer_that_nobody_waits_for_is_dropped(project: SupervisedProject) -> None:
    supervisor = project.supervise()

    async def work() -> None:
        call = asyncio.create_task(supervisor.before_async("Bash", LS))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(work())
    assert soon(lambda: any(isinstance(each, ActionDropped) for each in supervisor.events()))


def test_many_threads_share_a_supervisor(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    calls = [HeldCall(supervisor) for _ in range(20)]
    assert all(call.result().allowed for call in calls)
    steps = [getattr(event, "step", 0) for event in supervisor.events()]
    assert max(steps) == len(calls)


def test_events_come_in_order_and_may_use_the_supervisor(either: SupervisedProject) -> None:
    supervisor = either.supervise()
    heard: list[Event] = []

    def on_event(event: Event) -> None:
        heard.append(event)
        if isinstance(event, ControlAsked) and event.command == "pause":
            supervisor.resume()

    unsubscribe = supervisor.subscribe(on_event)
    supervisor.pause()
    assert supervisor.before("Bash", LS).allowed
    assert soon(lambda: len(heard) == len(supervisor.events()) - 1)
    assert heard == supervisor.events()[1:]
    unsubscribe()
    supervisor.before("Bash", LS)
    sleep(0.3)
    assert len(heard) < len(supervisor.events()) - 1


def test_a_log_that_fails_lets_no_change_through(
    project: SupervisedProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    from handrail.store.errors import DiskFullError
    from handrail.store.memory import MemoryStore
    from handrail.store.port import Receipt

    supervisor = project.supervise()

    def fail(self: MemoryStore, problem: str, work: object) -> object:
        receipt = Receipt()
        receipt.set_exception(DiskFullError("/log"))
        return receipt

    monkeypatch.setattr(MemoryStore, "_settle", fail)
    verdict = supervisor.before("Bash", {"command": "touch src/new.py"})
    assert not verdict.allowed
    assert "make room on the disk" in verdict.guidance
    with pytest.raises(ControlError):
        supervisor.stop("enough")
    assert not supervisor.before("Bash", LS).allowed
