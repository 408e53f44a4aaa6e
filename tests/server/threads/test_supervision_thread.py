"""One thread thinks, nobody waits for it for ever, and nothing is taken for allowed meanwhile."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from handrail.server.threads.supervision_thread import SupervisionThread, SupervisionTimeoutError
from handrail.store.errors import DiskFullError
from handrail.store.port import Receipt
from handrail.supervise.decision_progress import NotWrittenError, Ready

PATIENT = 20.0


@pytest.fixture
def brain() -> Iterator[SupervisionThread]:
    brain = SupervisionThread(think=PATIENT, write=PATIENT)
    yield brain
    brain.close()


def written(position: int = 1) -> Receipt:
    receipt = Receipt()
    receipt.set_result(position)
    return receipt


def not_written(error: Exception) -> Receipt:
    receipt = Receipt()
    receipt.set_exception(error)
    return receipt


def pending(*receipts: Receipt) -> Ready[str]:
    return Ready("value", list(receipts), lambda error: f"instead: {error}")


def test_everything_runs_in_one_thread_one_after_the_other(brain: SupervisionThread) -> None:
    seen: list[tuple[int, int]] = []

    async def many() -> None:
        await asyncio.gather(
            *(
                brain.call(lambda number=number: seen.append((number, threading.get_ident())))  # type: ignore[misc]
                for number in range(100)
            )
        )

    asyncio.run(many())
    assert [number for number, _ in seen] == list(range(100))
    assert len({thread for _, thread in seen}) == 1
    assert seen[0][1] != threading.get_ident()


def test_an_error_reaches_whoever_asked_and_nobody_else(brain: SupervisionThread) -> None:
    async def one_after_the_other() -> str:
        with pytest.raises(KeyError):
            await brain.call(_break_down)
        with pytest.raises(TimeoutError, match="from inside"):
            await brain.call(_time_out)
        return await brain.call(lambda: "fine")

    assert asyncio.run(one_after_the_other()) == "fine"


def _break_down() -> None:
    raise KeyError("x")


def _time_out() -> None:
    raise TimeoutError("from inside")


def test_something_that_hangs_is_too_slow_and_so_is_what_waits_behind_it() -> None:
    release = threading.Event()
    ran: list[str] = []
    brain = SupervisionThread(think=0.05)

    async def hang() -> None:
        with pytest.raises(SupervisionTimeoutError):
            await brain.call(lambda: release.wait(PATIENT))
        with pytest.raises(SupervisionTimeoutError):
            await brain.call(lambda: ran.append("nobody waits for this any more"))
        release.set()
        await brain.call(lambda: ran.append("answered again"), PATIENT)

    asyncio.run(hang())
    brain.close()
    assert ran == ["answered again"]


def test_whoever_goes_away_does_not_disturb_what_has_begun(brain: SupervisionThread) -> None:
    begun, release = threading.Event(), threading.Event()
    done: list[str] = []

    def work() -> None:
        begun.set()
        release.wait(PATIENT)
        done.append("finished")

    async def go_away() -> str:
        task = asyncio.create_task(brain.call(work))
        await asyncio.to_thread(begun.wait, PATIENT)
        waiting = asyncio.create_task(brain.call(lambda: done.append("not wanted any more")))
        await asyncio.sleep(0)
        for each in (task, waiting):
            each.cancel()
        await asyncio.gather(task, waiting, return_exceptions=True)
        release.set()
        return await brain.call(lambda: "next")

    assert asyncio.run(go_away()) == "next"
    assert done == ["finished"]


def test_a_value_is_given_when_all_of_it_is_written(brain: SupervisionThread) -> None:
    late = Receipt()

    async def settle() -> str:
        task = asyncio.create_task(brain.settle(pending(written(), late)))
        await brain.call(lambda: None)  # whatever was ready by now has been seen to
        assert not task.done()
        late.set_result(2)
        return await task

    assert asyncio.run(settle()) == "value"
    assert asyncio.run(brain.settle(pending())) == "value"


def test_another_value_is_given_when_one_part_was_not_written(brain: SupervisionThread) -> None:
    parts = pending(written(), not_written(DiskFullError("/log")))
    assert asyncio.run(brain.settle(parts)) == "instead: /log: the disk is full"


def test_a_log_that_does_not_answer_counts_as_not_written() -> None:
    brain = SupervisionThread(think=PATIENT, write=0.05)
    silent = Receipt()
    said = asyncio.run(brain.settle(pending(silent)))
    brain.close()
    assert said == f"instead: {NotWrittenError(0.05)}"
    assert not silent.cancelled()


def test_an_error_that_is_not_the_logs_is_a_bug_and_is_raised(brain: SupervisionThread) -> None:
    with pytest.raises(KeyError):
        asyncio.run(brain.settle(pending(not_written(KeyError("x")))))


def test_late_errors_do_not_end_up_in_the_log_of_the_event_loop(
    caplog: pytest.LogCaptureFixture,
) -> None:
    release = threading.Event()
    brain = SupervisionThread(think=0.05, write=0.05)
    never = Receipt()

    def fail() -> None:
        release.wait(PATIENT)
        raise KeyError("late")

    async def leave() -> None:
        with pytest.raises(SupervisionTimeoutError):
            await brain.call(fail)
        release.set()
        await brain.settle(pending(never))
        never.set_exception(DiskFullError("/log"))
        await brain.call(lambda: None, PATIENT)

    asyncio.run(leave())
    brain.close()
    assert "never retrieved" not in caplog.text
