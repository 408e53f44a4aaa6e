"""Retries are counted for each symptom, and forgotten only after quiet time."""

from handrail.desktop.watch.symptom_ledger import SymptomLedger


class FakeSeconds:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def make_ledger(clock: FakeSeconds, *, retries: int = 3) -> SymptomLedger:
    return SymptomLedger(retries=retries, cooldown_seconds=60, quiet_seconds=600, clock=clock)


def test_a_symptom_that_was_never_treated_may_be_treated_at_once() -> None:
    ledger = make_ledger(FakeSeconds())
    ledger.see("dialog:save")
    assert ledger.wait_seconds("dialog:save") == 0
    assert not ledger.is_exhausted("dialog:save")


def test_the_cooldown_of_one_symptom_does_not_hold_up_another() -> None:
    clock = FakeSeconds()
    ledger = make_ledger(clock)
    ledger.treat("dialog:save")
    clock.now += 20
    assert ledger.wait_seconds("dialog:save") == 40
    assert ledger.wait_seconds("dialog:leave") == 0


def test_a_dialog_that_comes_back_after_every_recovery_uses_up_its_retries() -> None:
    clock = FakeSeconds()
    ledger = make_ledger(clock)
    for _ in range(3):
        ledger.treat("dialog:save")
        clock.now += 100
        ledger.healthy()
    assert ledger.is_exhausted("dialog:save")


def test_a_symptom_is_forgotten_once_the_screen_was_quiet_for_long() -> None:
    clock = FakeSeconds()
    ledger = make_ledger(clock)
    ledger.treat("dialog:save")
    clock.now += 700
    ledger.healthy()
    assert ledger.attempts("dialog:save") == 0


def test_a_symptom_is_given_up_once() -> None:
    ledger = make_ledger(FakeSeconds(), retries=1)
    ledger.treat("dialog:save")
    assert ledger.give_up("dialog:save")
    assert not ledger.give_up("dialog:save")
