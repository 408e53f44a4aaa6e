"""The same call twice gets the same answer; another call does not."""

from handrail.supervise.decision.reply_cache import ReplyCache


def test_the_same_call_finds_its_answer() -> None:
    answers: ReplyCache[str] = ReplyCache()
    answers.keep("a", "n", "yes")
    assert answers.find("a", "n") == "yes"


def test_the_same_id_with_another_input_is_another_call() -> None:
    answers: ReplyCache[str] = ReplyCache()
    answers.keep("a", "n", "yes")
    assert answers.find("a", "m") is None
    answers.keep("a", "m", "no")
    assert answers.find("a", "n") is None


def test_a_call_without_an_id_is_not_recognised() -> None:
    answers: ReplyCache[str] = ReplyCache()
    answers.keep("", "n", "yes")
    assert answers.find("", "n") is None


def test_a_forgotten_call_is_judged_again() -> None:
    answers: ReplyCache[str] = ReplyCache()
    answers.keep("a", "n", "yes")
    answers.forget("a")
    answers.forget("never kept")
    assert answers.find("a", "n") is None


def test_only_the_last_answers_are_kept() -> None:
    answers: ReplyCache[int] = ReplyCache()
    for number in range(1000):
        answers.keep(f"c{number}", "n", number)
    kept = [number for number in range(1000) if answers.find(f"c{number}", "n") is not None]
    assert kept == list(range(984, 1000))
