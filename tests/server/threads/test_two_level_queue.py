"""Two lines: what an agent waits for comes first, and nothing waits for ever."""

from collections.abc import Callable

from handrail.server.threads.two_level_queue import TwoLevelQueue


def names(line: TwoLevelQueue, count: int) -> list[str]:
    """What the next things are called."""
    found: list[str] = []
    for _ in range(count):
        work = line.get()
        assert work is not None
        found.append(work.__name__)
    return found


def named(name: str) -> Callable[[], None]:
    def work() -> None:
        """Nothing."""

    work.__name__ = name
    return work


def test_what_is_urgent_comes_first_and_each_line_stays_in_order() -> None:
    line = TwoLevelQueue()
    for name in ("a", "b"):
        line.put(named(name), urgent=False)
    for name in ("c", "d"):
        line.put(named(name))
    assert names(line, 4) == ["c", "d", "a", "b"]


def test_what_is_not_urgent_has_its_turn_too() -> None:
    line = TwoLevelQueue()
    line.put(named("patient"), urgent=False)
    for _ in range(40):
        line.put(named("urgent"))
    assert names(line, 41).index("patient") == 16


def test_the_end_is_told() -> None:
    line = TwoLevelQueue()
    line.put(None)
    assert line.get() is None
