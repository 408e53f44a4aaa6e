"""Whether an agent gets on."""

from handrail.detect.completed_step import CompletedStep
from handrail.detect.progress_tracker import ProgressTracker
from handrail.detect.text_hashes import each_of
from tests.detect.steps import did, not_done


def _progress(*deeds: CompletedStep) -> list[bool]:
    trail = ProgressTracker()
    return [trail.mark(deed).progress for deed in deeds]


def test_a_new_result_is_progress_and_an_old_one_is_not() -> None:
    assert _progress(did(1, says="a"), did(2, says="a"), did(3, says="b"), did(4, says="a")) == [
        True,
        False,
        True,
        False,
    ]


def test_a_different_call_with_the_same_result_is_progress() -> None:
    assert _progress(did(1, shown="ls a"), did(2, shown="ls b")) == [True, True]


def test_a_new_error_is_progress_and_another_way_to_it_is_not() -> None:
    first = did(1, shown="make", says="no rule", ok=False)
    second = did(2, shown="make -B", says="no rule", ok=False)
    third = did(3, shown="make -B", says="no file", ok=False)
    assert _progress(first, second, third) == [True, False, True]


def test_what_was_refused_is_no_progress() -> None:
    assert _progress(not_done(1, "refused"), not_done(2, "refused")) == [False, False]


def test_what_nobody_heard_of_is_progress_the_first_time() -> None:
    assert _progress(not_done(1, "dropped"), not_done(2, "dropped")) == [True, False]


def test_what_is_known_is_bounded() -> None:
    trail = ProgressTracker()
    for step in range(10_000):
        trail.mark(did(step, shown=f"cat {step}", says=f"text number {step}"))
    assert len(each_of(trail.known)) <= 96


def test_what_is_forgotten_is_new_again() -> None:
    trail = ProgressTracker()
    assert trail.mark(did(1, says="a")).progress
    assert not trail.mark(did(2, says="a")).progress
    trail.forget()
    assert trail.mark(did(3, says="a")).progress


def _fails_at(step: int, line: int) -> CompletedStep:
    return did(step, shown="make", says=f"a.c:{line}: error: x undeclared", ok=False)


def _edit(step: int) -> CompletedStep:
    return did(step, tool="Edit", shown=f"edit {step}", writes=("/w/a.c",))


def test_an_error_at_another_place_is_progress_only_after_an_edit() -> None:
    fails = _fails_at
    assert _progress(fails(1, 3), _edit(2), fails(3, 9))[-1]
    assert _progress(fails(1, 3), _edit(2), did(3, shown="ls"), fails(4, 9))[-1]
    assert not _progress(fails(1, 3), fails(2, 9))[-1]
    assert not _progress(fails(1, 3), _edit(2), fails(3, 9), fails(4, 14))[-1]
