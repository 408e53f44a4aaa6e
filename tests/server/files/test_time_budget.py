"""What is spent comes back with time."""

from handrail.server.files.time_budget import TimeBudget


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_who_spends_too_much_waits_until_enough_has_come_back() -> None:
    clock = Clock()
    spending = TimeBudget(0.5, 2.0, clock)
    spending.spend(2.0)
    assert not spending.is_over()
    spending.spend(1.0)
    assert spending.is_over()
    clock.now += 1.0
    assert spending.is_over()
    clock.now += 1.1
    assert not spending.is_over()


def test_nothing_is_saved_up_for_later() -> None:
    clock = Clock()
    spending = TimeBudget(0.5, 2.0, clock)
    clock.now += 1000
    spending.spend(2.5)
    assert spending.is_over()


def test_a_clock_that_goes_back_gives_nothing() -> None:
    clock = Clock()
    spending = TimeBudget(0.5, 2.0, clock)
    spending.spend(3.0)
    clock.now -= 50
    assert spending.is_over()
    clock.now += 2.5
    assert not spending.is_over()
