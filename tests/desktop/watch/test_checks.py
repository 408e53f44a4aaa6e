"""One check: what it sees, what it does, and what it takes for a success."""

from pathlib import Path

import pytest
from tests.desktop.watch.conftest import LEAVE, NORMAL, SAVE, STAYS, ScriptedWatch

from handrail.desktop.errors import AnalysisError, NoDisplayError, RecoveryError
from handrail.desktop.screen_reading import ScreenQuestion, ScreenReading
from handrail.model.desktop import CheckOutcome, RecoveryStep, ScreenStatus
from handrail.model.event import ActionReviewed, ControlAsked, DesktopChecked
from handrail.testing.desktop_fakes import FakeReader

pytestmark = pytest.mark.slow

UNKNOWN = ScreenReading(ScreenStatus.UNKNOWN, description="nothing is known", source="local")


def test_a_healthy_screen_is_left_alone(scripted: ScriptedWatch) -> None:
    check = scripted.watch.check_now()
    assert check.outcome is CheckOutcome.NORMAL
    assert scripted.recovered == []
    assert scripted.worker.calls == []


def test_a_dialog_is_closed_and_the_next_look_proves_it(scripted: ScriptedWatch) -> None:
    scripted.screen.show(*STAYS, NORMAL)
    check = scripted.watch.check_now(worker_waits=False)
    assert check.outcome is CheckOutcome.RECOVERED
    assert check.steps == (RecoveryStep("press Escape"),)
    assert check.attempt == 1
    assert check.screenshot == "1.jpg"
    assert check.after == "2.jpg"


def test_a_window_that_comes_and_goes_while_the_worker_works_is_no_trouble(
    scripted: ScriptedWatch,
) -> None:
    scripted.screen.show(SAVE, SAVE, NORMAL)
    assert scripted.watch.check_now(worker_waits=False).outcome is CheckOutcome.NORMAL
    assert scripted.recovered == []
    assert scripted.worker.calls == []


def test_the_file_that_the_worker_has_left_is_not_expected_any_more(
    scripted: ScriptedWatch,
) -> None:
    def read(question: ScreenQuestion) -> ScreenReading:
        scripted.worker.work(file="tax.py")
        return NORMAL if question.expected_file == "tax.py" else SAVE

    scripted.worker.work(file="cart.py")
    scripted.screen.read = read  # type: ignore[method-assign]
    check = scripted.watch.check_now(worker_waits=False)
    assert (check.outcome, check.expected_file) == (CheckOutcome.NORMAL, "tax.py")


def test_a_screen_that_never_stands_still_does_not_keep_the_watch(
    scripted: ScriptedWatch,
) -> None:
    scripted.screen.show(*(SAVE, LEAVE) * 50)
    assert scripted.watch.check_now(worker_waits=False).outcome is not CheckOutcome.NORMAL


def test_keys_that_were_sent_are_no_success(scripted: ScriptedWatch) -> None:
    scripted.screen.show(SAVE)
    check = scripted.watch.check_now()
    assert check.outcome is CheckOutcome.NOT_RECOVERED
    assert check.why == "it is still there"


def test_an_unknown_screen_after_a_recovery_proves_nothing(scripted: ScriptedWatch) -> None:
    scripted.screen.show(SAVE, UNKNOWN)
    assert scripted.watch.check_now().outcome is CheckOutcome.NOT_RECOVERED


def test_a_dialog_that_takes_its_time_to_close_is_waited_for(scripted: ScriptedWatch) -> None:
    scripted.screen.show(SAVE, LEAVE, LEAVE, SAVE, UNKNOWN, NORMAL)
    check = scripted.watch.check_now()
    assert (check.outcome, check.why) == (CheckOutcome.RECOVERED, "")


def test_another_dialog_behind_the_first_is_treated_at_once(scripted: ScriptedWatch) -> None:
    scripted.screen.show(SAVE, LEAVE)
    first = scripted.watch.check_now()
    assert first.outcome is CheckOutcome.RECOVERED
    scripted.screen.show(LEAVE, NORMAL)
    assert scripted.watch.check_now().outcome is CheckOutcome.RECOVERED


def test_the_worker_stands_still_during_a_recovery_and_goes_on_after_it(
    scripted: ScriptedWatch,
) -> None:
    scripted.screen.show(*STAYS, NORMAL)
    scripted.watch.check_now(worker_waits=False)
    assert scripted.worker.calls == ["pause", "resume"]


def test_the_worker_does_not_type_into_a_dialog_that_stays(scripted: ScriptedWatch) -> None:
    scripted.screen.show(SAVE)
    scripted.watch.check_now(worker_waits=False)
    assert scripted.worker.paused
    scripted.screen.show(NORMAL)
    scripted.watch.check_now(worker_waits=False)
    assert not scripted.worker.paused


def test_nothing_is_pressed_while_the_worker_still_types(scripted: ScriptedWatch) -> None:
    scripted.worker.stands_still = False
    scripted.screen.show(SAVE)
    check = scripted.watch.check_now(worker_waits=False)
    assert check.outcome is CheckOutcome.WAITING
    assert scripted.recovered == []


def test_the_same_symptom_waits_for_its_cooldown(scripted: ScriptedWatch) -> None:
    scripted.screen.show(SAVE)
    scripted.watch.check_now()
    check = scripted.watch.check_now()
    assert check.outcome is CheckOutcome.WAITING
    assert "60 s" in check.why


def test_a_symptom_that_outlives_its_retries_is_given_up_and_told_once(
    scripted: ScriptedWatch,
) -> None:
    scripted.screen.show(SAVE)
    outcomes = []
    for _ in range(4):
        outcomes.append(scripted.watch.check_now().outcome)
        scripted.clock.now += 100
    assert outcomes[:3] == [
        CheckOutcome.NOT_RECOVERED,
        CheckOutcome.NOT_RECOVERED,
        CheckOutcome.GIVEN_UP,
    ]
    assert [check.symptom for check in scripted.critical] == [SAVE.symptom]
    assert scripted.worker.paused


def test_a_dialog_that_returns_after_each_recovery_is_given_up(scripted: ScriptedWatch) -> None:
    for _ in range(2):
        scripted.screen.show(SAVE, NORMAL)
        assert scripted.watch.check_now().outcome is CheckOutcome.RECOVERED
        scripted.clock.now += 100
    scripted.screen.show(SAVE, NORMAL)
    assert scripted.watch.check_now().outcome is CheckOutcome.GIVEN_UP


def test_low_confidence_is_only_reported(scripted: ScriptedWatch) -> None:
    scripted.screen.show(ScreenReading(ScreenStatus.DIALOG, 0.5, "perhaps a dialog", symptom="d"))
    check = scripted.watch.check_now()
    assert check.outcome is CheckOutcome.UNSURE
    assert "0.50 is below 0.85" in check.why


def test_a_model_is_asked_only_if_local_sensing_is_not_sure(scripted: ScriptedWatch) -> None:
    model = FakeReader(NORMAL)
    scripted.ask_model(model)
    scripted.watch.check_now("just finished cart.py")
    assert model.questions == []
    scripted.screen.show(UNKNOWN)
    scripted.watch.check_now("just finished cart.py")
    [asked] = model.questions
    assert asked.context == "just finished cart.py nothing is known"


def test_a_model_that_fails_leaves_the_screen_unknown_and_the_session_goes_on(
    scripted: ScriptedWatch,
) -> None:
    scripted.ask_model(FakeReader(AnalysisError("the budget is spent: 200 of 200 calls")))
    scripted.screen.show(UNKNOWN)
    check = scripted.watch.check_now()
    assert check.outcome is CheckOutcome.UNSURE
    assert check.why == "the budget is spent: 200 of 200 calls"
    assert scripted.worker.calls == []


def test_the_recovery_of_a_model_is_held_against_what_local_sensing_saw(
    scripted: ScriptedWatch,
) -> None:
    proposed = ScreenReading(
        ScreenStatus.DIALOG, 0.9, "a dialog", ("press Escape",), source="vision", symptom="dialog"
    )
    scripted.ask_model(FakeReader(proposed, NORMAL))
    scripted.screen.show(UNKNOWN)
    scripted.watch.check_now()
    assert scripted.recovered[0].sensed == UNKNOWN
    assert scripted.recovered[0].reading == proposed


def test_a_recovery_that_is_not_allowed_names_the_reason(scripted: ScriptedWatch) -> None:
    scripted.steps = RecoveryError("press Return", "a model may press only Escape")
    scripted.screen.show(SAVE)
    check = scripted.watch.check_now()
    assert check.outcome is CheckOutcome.NOT_RECOVERED
    assert check.why == "press Return: a model may press only Escape"


def test_a_step_that_fails_is_named(scripted: ScriptedWatch) -> None:
    scripted.steps = (RecoveryStep("press Escape", ok=False, error="the display did not take it"),)
    scripted.screen.show(SAVE)
    assert scripted.watch.check_now().why == "press Escape: the display did not take it"


def test_trouble_without_a_remedy_is_given_up_after_as_many_looks(scripted: ScriptedWatch) -> None:
    scripted.screen.show(ScreenReading(ScreenStatus.ERROR, 0.9, "a crash", symptom="error:crash"))
    outcomes = []
    for _ in range(3):
        outcomes.append(scripted.watch.check_now(worker_waits=False).outcome)
        scripted.clock.now += 100
    assert outcomes == [CheckOutcome.UNSURE, CheckOutcome.UNSURE, CheckOutcome.GIVEN_UP]


def test_a_worker_that_does_not_move_is_noticed_by_its_own_progress(
    scripted: ScriptedWatch,
) -> None:
    scripted.worker.work(3, file="src/cart.py")
    scripted.watch.check_now()
    assert scripted.watch.check_now().outcome is CheckOutcome.NORMAL  # it may just think
    scripted.clock.now += 100
    check = scripted.watch.check_now()
    assert check.outcome is CheckOutcome.UNSURE
    assert check.why == "the worker has not moved since the last look: 3 of 10 in src/cart.py"


def test_a_worker_that_is_done_does_not_count_as_stuck(scripted: ScriptedWatch) -> None:
    scripted.worker.work(10)
    scripted.watch.check_now()
    assert scripted.watch.check_now().outcome is CheckOutcome.NORMAL


def test_a_file_that_is_wrong_after_a_recovery_is_no_success(scripted: ScriptedWatch) -> None:
    scripted.wrong = "src/cart.py differs in 2 lines"
    scripted.watch.expected_file = "src/cart.py"
    scripted.screen.show(SAVE, NORMAL)
    check = scripted.watch.check_now()
    assert check.outcome is CheckOutcome.NOT_RECOVERED
    assert check.why == "src/cart.py differs in 2 lines"


def test_a_lost_display_is_a_failed_check_and_the_next_one_may_succeed(
    scripted: ScriptedWatch,
) -> None:
    scripted.screen.show(NoDisplayError(":7", "it has ended"))
    failed = scripted.watch.check_now()
    assert failed.outcome is CheckOutcome.FAILED
    assert failed.why == "the display :7 cannot be opened: it has ended"
    scripted.screen.show(NORMAL)
    assert scripted.watch.check_now().outcome is CheckOutcome.NORMAL


def test_every_check_is_in_the_log_of_the_run(scripted: ScriptedWatch) -> None:
    scripted.screen.show(SAVE, NORMAL)
    check = scripted.watch.check_now("between two files")
    logged = [each for each in scripted.supervisor.events() if isinstance(each, DesktopChecked)]
    assert [each.check for each in logged] == [check]
    looks = [each for each in scripted.supervisor.events() if isinstance(each, ActionReviewed)]
    assert [each.action.tool for each in looks] == ["DesktopLook"]


def test_the_files_are_saved_before_a_recovery(scripted: ScriptedWatch, tmp_path: Path) -> None:
    (tmp_path / "cart.py").write_text("total = 0\n")
    before = len(scripted.supervisor.checkpoints())
    scripted.screen.show(SAVE, NORMAL)
    scripted.watch.check_now()
    assert len(scripted.supervisor.checkpoints()) == before + 1
    (asked,) = [each for each in scripted.supervisor.events() if isinstance(each, ControlAsked)]
    assert (asked.by, asked.reason) == ("the desktop watch", "before a recovery")
