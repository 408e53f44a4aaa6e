"""What nobody can clear: the worker stands still, an incident is kept, and a person is told."""

import pytest

from handrail.desktop import CheckOutcome, Desktop, DesktopCheck
from tests.desktop.e2e.conftest import WatchedDesktop
from tests.intervene.process_spawner import until
from tests.intervene.test_notify import Receiver

pytestmark = pytest.mark.slow


def test_an_editor_that_has_crashed_is_a_case_for_a_person(watched: WatchedDesktop) -> None:
    receiver = Receiver()
    try:
        settings = f"notify: {{urls: ['{receiver.url}']}}\n"
        (watched.project / "handrail.yaml").write_text(settings)
        watched.handrail("config", "trust", "--yes")
        critical: list[DesktopCheck] = []
        file = watched.file("cart.py")
        watched.bed.mousepad(file)
        watch = watched.watch(
            settings=Desktop(interval_seconds=0.2, min_cooldown_seconds=0, max_retries=2),
            expected_file=str(file),
            on_critical_failure=critical.append,
            daemon=True,
        )
        with watch:
            until(lambda: bool(watch.events()))
            watched.bed.end_programs()
            until(lambda: bool(critical))
            until(lambda: watch.is_over)
            outcomes = [check.outcome for check in watch.events()]
            assert outcomes.count(CheckOutcome.UNSURE) == 2
            assert watched.worker.paused
        until(lambda: bool(receiver.got))
        (told,) = receiver.got
        assert told["title"] == f"Handrail stopped shop ({watch.run[:8]})"
        for says in ("No window is open", "2 attempts"):
            assert says in str(told["message"])
        listed = watched.handrail("incident", "list")
        assert (listed.returncode, listed.stderr) == (0, "")
        assert "desktop" in listed.stdout
        assert [check.outcome for check in critical] == [CheckOutcome.GIVEN_UP]
    finally:
        receiver.close()
