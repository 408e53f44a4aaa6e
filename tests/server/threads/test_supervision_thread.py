"""One thread thinks, nobody waits for it for ever, and nothing is taken for allowed meanwhile."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from handrail.server.threads.supervision_thread import SupervisionThread, SupervisionTimeoutError
from handrail.store.errors import DiskFullError
from handrail.store.port import Receipt
from handrail.supervise.decision.decision_progress import NotWrittenError, Ready

PATIENT = 20.0


@pytest.fixture
def supervision() -> Iterator[SupervisionThread]:
    supervision = SupervisionThread(call=PATIENT, write=PATIENT)
    yield supervision
    supervision.close()


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


def test_everything_runs_in_one_thread_one_after_the_other(supervision: SupervisionThread) -> None:
    seen: list[tuple[int, int]] = []

    async def many() -> None:
        await asyncio.gather(
            *(
                supervision.call(lambda number=number: seen.append((number, threading.get_ident())))  # type: ignore[misc]
                for number in range(100)
            )
        )

    asyncio.run(many())
    assert [number for number, _ in seen] == list(range(100))
    assert len({thread for _, thread in seen}) == 1
    assert seen[0][1] != threading.get_ident()


def test_an_error_reaches_whoever_asked_and_nobody_else(supervision: SupervisionThread) -> None:
    async def one_after_the_other() -> str:
        with pytest.raises(KeyError):
            await supervision.call(_break_down)
        with pytest.raises(TimeoutError, match="from inside"):
            await supervision.call(_time_out)
        return await supervision.call(lambda: "fine")

    assert asyncio.run(one_after_the_other()) == "fine"


def _break_down() -> None:
    raise KeyError("x")


def _time_out() -> None:
    raise TimeoutError("from inside")


def test_something_that_hangs_is_too_slow_and_so_is_what_waits_behind_it() -> None:
    release = threading.Event()
    ran: list[str] = []
    supervision = SupervisionThread(call=0.05)

    async def hang() -> None:
        with pytest.raises(SupervisionTimeoutError):
            await supervision.call(lambda: release.wait(PATIENT))
        with pytest.raises(SupervisionTimeoutError):
            await supervision.call(lambda: ran.append("nobody waits for this any more"))
        release.set()
        await supervision.call(lambda: ran.append("answered again"), PATIENT)

    asyncio.run(hang())
    supervision.close()
    assert ran == ["answered again"]


def test_whoever_goes_away_does_not_disturb_what_has_begun(supervision: SupervisionThread) -> None:
    begun, release = threading.Event(), threading.Event()
    done: list[str] = []

    def work() -> None:
        begun.set()
        release.wait(PATIENT)
        done.append("finished")

    async def go_away() -> str:
        task = asyncio.create_task(supervision.call(work))
        await asyncio.to_thread(begun.wait, PATIENT)
        waiting = asyncio.create_task(supervision.call(lambda: done.append("not wanted any more")))
        await asyncio.sleep(0)
        for each in (task, waiting):
            each.cancel()
        await asyncio.gather(task, waiting, return_exceptions=True)
        release.set()
        return await supervision.call(lambda: "next")

    assert asyncio.run(go_away()) == "next"
    assert done == ["finished"]


def test_a_value_is_given_when_all_of_it_is_written(supervision: SupervisionThread) -> None:
    late = Receipt()

    async def settle() -> str:
        task = asyncio.create_task(supervision.settle(pending(written(), late)))
        await supervision.call(lambda: None)  # whatever was ready by now has been seen to
        assert not task.done()
        late.set_result(2)
        return await task

    assert asyncio.run(settle()) == "value"
    assert asyncio.run(supervision.settle(pending())) == "value"


def test_another_value_is_given_when_one_part_was_not_written(
    supervision: SupervisionThread,
) -> None:
    parts = pending(written(), not_written(DiskFullError("/log")))
    assert asyncio.run(supervision.settle(parts)) == "instead: /log: the disk is full"


def test_a_log_that_does_not_answer_counts_as_not_written() -> None:
    supervision = SupervisionThread(call=PATIENT, write=0.05)
    silent = Receipt()
    said = asyncio.run(supervision.settle(pending(silent)))
    supervision.close()
    assert said == f"instead: {NotWrittenError(0.05)}"
    assert not silent.done()


def test_an_error_that_is_not_the_logs_is_a_bug_and_is_raised(
    supervision: SupervisionThread,
) -> None:
    with pytest.raises(KeyError):
        asyncio.run(supervision.settle(pending(not_written(KeyError("x")))))


def test_late_errors_do_not_end_up_in_the_log_of_the_event_loop(
    caplog: pytest.LogCaptureFixture,
) -> None:
    release = threading.Event()
    supervision = SupervisionThread(call=0.05, write=0.05)
    never = Receipt()

    def fail() -> None:
        release.wait(PATIENT)
        raise KeyError("late")

    async def leave() -> None:
        with pytest.raises(SupervisionTimeoutError):
            await supervision.call(fail)
        release.set()
        await supervision.settle(pending(never))
        never.set_exception(DiskFullError("/log"))
        await supervision.call(lambda: None, PATIENT)

    asyncio.run(leave())
    supervision.close()
    assert "never retrieved" not in caplog.text
