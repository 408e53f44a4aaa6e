"""The watch itself: intervals, the end, and people who hold the run."""

import threading
from pathlib import Path

import msgspec
import pytest
from tests.desktop.watch.conftest import NORMAL, SAVE, STAYS, ScriptedWatch
from tests.intervene.process_spawner import until as wait_until

from handrail import Supervisor
from handrail.config.desktop import Desktop
from handrail.desktop.errors import NoDisplayError
from handrail.model.desktop import CheckOutcome

pytestmark = pytest.mark.slow


def test_a_watch_looks_at_once_and_ends_when_it_is_told(scripted: ScriptedWatch) -> None:
    scripted.watch.start()
    wait_until(lambda: bool(scripted.checks))
    scripted.watch.stop()
    assert scripted.watch.is_over
    assert scripted.closed.is_set()
    assert [check.outcome for check in scripted.watch.events()] == [CheckOutcome.NORMAL]


def test_a_failed_check_does_not_end_the_watch(supervisor: Supervisor) -> None:
    scripted = ScriptedWatch(supervisor, Desktop(interval_seconds=0.01))
    scripted.screen.show(NoDisplayError(":7", "it has ended"), NORMAL)
    with scripted.watch:
        wait_until(lambda: len(scripted.checks) > 1)
    outcomes = [check.outcome for check in scripted.checks[:2]]
    assert outcomes == [CheckOutcome.FAILED, CheckOutcome.NORMAL]


def test_a_watch_that_is_switched_off_looks_only_on_request(supervisor: Supervisor) -> None:
    scripted = ScriptedWatch(supervisor, Desktop(enabled=False))
    with scripted.watch:
        assert scripted.watch.check_now().outcome is CheckOutcome.NORMAL
    assert len(scripted.checks) == 1


def test_the_next_look_comes_soon_after_a_recovery(scripted: ScriptedWatch) -> None:
    scripted.screen.show(*STAYS, NORMAL)
    scripted.watch.start()
    wait_until(lambda: len(scripted.checks) > 1)
    outcomes = [check.outcome for check in scripted.checks[:2]]
    assert outcomes == [CheckOutcome.RECOVERED, CheckOutcome.NORMAL]


def test_a_worker_that_was_held_for_nothing_goes_on_soon(scripted: ScriptedWatch) -> None:
    nobody_knows = msgspec.structs.replace(SAVE, recovery_actions=())
    scripted.screen.show(*(nobody_knows,) * 5, NORMAL)
    scripted.watch.start()
    wait_until(lambda: len(scripted.checks) > 1)
    outcomes = [check.outcome for check in scripted.checks[:2]]
    assert outcomes == [CheckOutcome.UNSURE, CheckOutcome.NORMAL]
    assert scripted.worker.calls == ["pause", "resume"]


def test_a_paused_run_holds_the_worker_and_the_looks(scripted: ScriptedWatch) -> None:
    scripted.watch.start()
    wait_until(lambda: bool(scripted.checks))
    scripted.supervisor.pause("somebody is at the screen")
    wait_until(lambda: scripted.worker.paused)
    asked = threading.Thread(target=scripted.watch.check_now)
    asked.start()
    scripted.supervisor.resume()
    wait_until(lambda: not scripted.worker.paused)
    asked.join(30)
    assert len(scripted.checks) == 2


def test_a_stopped_run_ends_the_watch_and_its_worker(scripted: ScriptedWatch) -> None:
    scripted.watch.start()
    wait_until(lambda: bool(scripted.checks))
    scripted.supervisor.stop("enough")
    assert scripted.watch.wait(30)
    wait_until(lambda: "abort" in scripted.worker.calls)


def test_a_stop_does_not_wait_for_a_look_that_is_held(scripted: ScriptedWatch) -> None:
    scripted.supervisor.pause()
    scripted.watch.start()
    scripted.watch.stop()
    assert scripted.watch.is_over


def test_a_critical_failure_stops_the_run_with_an_incident(
    scripted: ScriptedWatch, tmp_path: Path
) -> None:
    scripted.screen.show(SAVE)
    for _ in range(3):
        scripted.watch.check_now()
        scripted.clock.now += 100
    assert [finding.kind for finding in scripted.supervisor.findings] == ["desktop_stuck"]
    after = scripted.watch.check_now()
    assert after.outcome is CheckOutcome.FAILED
    assert scripted.watch.is_over
