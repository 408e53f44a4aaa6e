"""Long work in the daemon sleeps a little now and then, so that hooks are answered meanwhile."""

from handrail.server.api.thread_pacer import ThreadPacer


class SleepingClock:
    """A clock that moves by work and by sleep, and remembers the sleep."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def read(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_who_has_worked_for_a_slice_lets_the_others_go_on() -> None:
    clock = SleepingClock()
    pacer = ThreadPacer(clock.read, clock.sleep)
    for _ in range(30):
        clock.now += 0.0001
        pacer.rest()
    assert 7 <= len(clock.slept) <= 10
    assert max(clock.slept) < 0.001


def test_short_work_is_not_held_up() -> None:
    clock = SleepingClock()
    pacer = ThreadPacer(clock.read, clock.sleep)
    clock.now += 0.0001
    pacer.rest()
    assert clock.slept == []
