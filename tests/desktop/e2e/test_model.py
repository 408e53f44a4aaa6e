"""A model is asked about real screenshots; without its answer the watch goes on."""

import threading

import msgspec
import pytest

from handrail.desktop import CheckOutcome, ScreenStatus
from handrail.testing.vision_server import VisionReply, VisionServer, sees
from tests.desktop.e2e.conftest import CALM, WatchedDesktop
from tests.intervene.process_spawner import until

pytestmark = pytest.mark.slow
ASKING = msgspec.structs.replace(CALM, vision=True, vision_retries=0)
JPEG_START = b"\xff\xd8\xff"


@pytest.fixture
def unclear(watched: WatchedDesktop) -> WatchedDesktop:
    """A terminal alone: nobody knows whether it should be there."""
    watched.bed.xterm()
    return watched


def test_the_model_sees_the_screen_and_the_context(unclear: WatchedDesktop) -> None:
    with VisionServer(sees("normal")) as server:
        unclear.environ.update(server.environ)
        watch = unclear.watch(settings=ASKING)
        check = watch.check_now("the robot runs its tests in the terminal")
        watch.stop()
    assert (check.status, check.source) == (ScreenStatus.NORMAL, "vision")
    [call] = server.calls
    assert call.picture.startswith(JPEG_START)
    assert "runs its tests in the terminal" in call.text


def test_without_the_setting_nothing_is_sent(unclear: WatchedDesktop) -> None:
    with VisionServer(sees("normal")) as server:
        unclear.environ.update(server.environ)
        watch = unclear.watch()
        check = watch.check_now()
        watch.stop()
    assert server.calls == []
    assert (check.outcome, check.source) == (CheckOutcome.UNSURE, "local")


def test_a_model_that_is_down_changes_nothing(unclear: WatchedDesktop) -> None:
    with VisionServer(VisionReply(status=500)) as server:
        unclear.environ.update(server.environ)
        watch = unclear.watch(settings=ASKING)
        checks = [watch.check_now(), watch.check_now()]
        assert not watch.is_over
        watch.stop()
    assert len(server.calls) == 2
    assert {check.outcome for check in checks} == {CheckOutcome.UNSURE}


def test_a_spent_budget_ends_the_questions_not_the_watch(unclear: WatchedDesktop) -> None:
    with VisionServer(sees("normal")) as server:
        unclear.environ.update(server.environ)
        watch = unclear.watch(settings=msgspec.structs.replace(ASKING, max_calls=1))
        checks = [watch.check_now() for _ in range(3)]
        watch.stop()
    assert len(server.calls) == 1
    assert [check.source for check in checks] == ["vision", "local", "local"]


def test_a_stop_does_not_wait_for_a_slow_model(unclear: WatchedDesktop) -> None:
    never = threading.Event()
    with VisionServer(sees("normal")._replace(after=never)) as server:
        unclear.environ.update(server.environ)
        watch = unclear.watch(settings=msgspec.structs.replace(ASKING, vision_seconds=120))
        watch.start()
        until(lambda: bool(server.calls))
        watch.stop()
        assert not any(each.name == "handrail-desktop" for each in threading.enumerate())
