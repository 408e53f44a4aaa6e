"""Readings are kept for a while; verdicts never are."""

from handrail.model import Action, Decision
from handrail.model.fingerprint import fingerprint
from handrail.model.history import History
from handrail.review import Reviewer
from handrail.review.cache import ReadingCache
from tests.review.conftest import ReviewProject


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_value_is_found_until_it_is_too_old() -> None:
    clock = Clock()
    cache: ReadingCache[str] = ReadingCache(10, 300, clock)
    cache.put("a", "A")
    clock.now = 299
    assert cache.get("a") == "A"
    clock.now = 300
    assert cache.get("a") is None
    assert len(cache) == 0


def test_the_value_that_was_not_used_longest_goes_first() -> None:
    cache: ReadingCache[int] = ReadingCache(2, 300)
    cache.put("a", 1)
    cache.put("b", 2)
    cache.get("a")
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)


def test_the_hit_rate_counts_answers() -> None:
    cache: ReadingCache[int] = ReadingCache(2, 300)
    assert cache.hit_rate == 0.0
    cache.put("a", 1)
    cache.get("a")
    cache.get("b")
    assert cache.hit_rate == 0.5


def test_the_same_command_is_read_once() -> None:
    reviewer = Reviewer(environ={"HOME": "/home/test"}, see_disk=False)
    action = Action("Bash", {"command": "ls -la"}, "/home/test/shop")
    reviewer.review(action)
    reviewer.review(action)
    assert (reviewer.cache.hits, reviewer.cache.misses) == (1, 1)


def test_another_folder_or_home_is_another_reading() -> None:
    reviewer = Reviewer(environ={"HOME": "/home/test"}, see_disk=False)
    here = reviewer.review(Action("Bash", {"command": "rm -rf x"}, "/home/test/shop"))
    there = reviewer.review(Action("Bash", {"command": "rm -rf x"}, "/home/test/other"))
    assert here.effects[0].target != there.effects[0].target


def test_what_changed_on_the_disk_counts_at_once(project: ReviewProject) -> None:
    assert project.review("rm -rf later").decision is Decision.ALLOW
    (project.path / "later").mkdir()
    (project.path / "later" / "x").write_text("x")
    assert project.review("rm -rf later").decision is Decision.MODIFY


def test_the_third_failure_of_a_cached_command_is_not_judged_like_the_first() -> None:
    reviewer = Reviewer(environ={"HOME": "/home/test"}, see_disk=False)
    action = Action("Bash", {"command": "pip install nonesuch"}, "/home/test/shop")
    history = History()
    first = reviewer.review(action, history)
    for _ in range(3):
        history.remember(fingerprint(action), ok=False)
    third = reviewer.review(action, history)
    assert first.decision is Decision.ALLOW
    assert third.risk.score > first.risk.score
    assert third.decision is Decision.WARN


def test_switched_off_it_keeps_nothing() -> None:
    import msgspec

    from handrail.config import Config

    config = msgspec.convert({"step_reviewer": {"cache": {"enabled": False}}}, Config)
    reviewer = Reviewer(config, environ={"HOME": "/home/test"}, see_disk=False)
    action = Action("Bash", {"command": "ls"}, "/home/test/shop")
    reviewer.review(action)
    reviewer.review(action)
    assert reviewer.cache.hits == 0
