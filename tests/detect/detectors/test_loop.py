"""The same step, or the same few steps, again and again without anything new."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.detect import Intent, RunDetectors, completed_step
from handrail.detect.completed_step import CompletedStep
from handrail.detect.detectors.loop import LoopDetector
from handrail.model.action import Outcome
from handrail.model.effect import Kind
from handrail.model.ordinal import Severity
from tests.detect.detected_run import USUAL, DetectedRun, the, worst
from tests.detect.steps import did, found

NONE, LOW, MEDIUM, HIGH, CRITICAL = Severity


def _severities(run: DetectedRun, times: int) -> list[Severity]:
    return [worst("loop", run.does("cat a.py", "x = 1")) for _ in range(times)]


# --- how often ---------------------------------------------------------------------------------


def test_a_call_that_gives_the_same_again_gets_worse_and_worse() -> None:
    assert _severities(DetectedRun(), 9) == [
        NONE,
        LOW,
        MEDIUM,
        MEDIUM,
        HIGH,
        HIGH,
        HIGH,
        CRITICAL,
        CRITICAL,
    ]


def test_a_call_that_keeps_failing_gets_worse_and_worse() -> None:
    run = DetectedRun()
    found = [worst("loop", run.fails("make", "make: no rule")) for _ in range(8)]
    assert found == [NONE, LOW, MEDIUM, MEDIUM, HIGH, HIGH, HIGH, CRITICAL]


def test_a_call_that_does_not_fit_its_tool_may_be_mended_once_more() -> None:
    run = DetectedRun()
    found = [worst("loop", run.misfits("edit a.py")) for _ in range(10)]
    assert found == [NONE, NONE, LOW, MEDIUM, MEDIUM, MEDIUM, HIGH, HIGH, HIGH, CRITICAL]


def test_waiting_takes_long_to_be_a_loop() -> None:
    run = DetectedRun()
    found = [worst("loop", run.does("sleep 9; ps", "busy", waits=True)) for _ in range(400)]
    assert [found.index(each) + 1 for each in (LOW, MEDIUM, HIGH, CRITICAL)] == [20, 60, 150, 400]


def test_a_test_or_a_benchmark_may_be_run_again_to_see_whether_its_result_holds() -> None:
    run = DetectedRun()
    found = [
        worst("loop", run.does("pytest", "12 passed in 0.3s", kinds=(Kind.RUN,)))
        for _ in range(200)
    ]
    assert [found.index(each) + 1 for each in (LOW, MEDIUM, HIGH, CRITICAL)] == [20, 40, 80, 200]


def test_a_program_that_keeps_failing_is_a_loop_as_soon_as_any_other_call() -> None:
    run = DetectedRun()
    found = [
        worst("loop", run.does("pytest", "1 failed", ok=False, code=1, kinds=(Kind.RUN,)))
        for _ in range(5)
    ]
    assert found == [NONE, LOW, MEDIUM, MEDIUM, HIGH]


def test_a_call_whose_result_varies_does_not_give_the_same_each_time() -> None:
    run = DetectedRun()
    for _ in range(10):
        run.does("pytest", "12 passed", kinds=(Kind.RUN,))
        found = run.does("pytest", "1 failed", ok=False, code=1, kinds=(Kind.RUN,))
        assert worst("loop", found) is NONE


def test_looking_at_two_things_by_turns_is_waiting_too() -> None:
    run = DetectedRun()
    for _ in range(15):
        run.does("tail -n 1 log", "busy", waits=True, changed=("log",))
        found = run.does("ps", "4711 busy", waits=True, changed=("log",))
        assert worst("loop", found) is NONE


def test_the_evidence_of_a_circle_begins_with_the_circle() -> None:
    run = DetectedRun()
    for number in range(9):
        run.does(f"cat m{number}.py", f"x = {number}")
    for _ in range(3):
        run.does("edit a.py", "done", changed=("a.py",))
        run.does("cat a.py", "x = 1", changed=("a.py",))
    assert the("loop", run.found).evidence == (10, 11, 12, 13, 14, 15)


def test_what_nobody_heard_the_end_of_counts_as_tried() -> None:
    run = DetectedRun()
    assert [worst("loop", run.is_not_done("ask", "dropped")) for _ in range(3)] == [
        NONE,
        LOW,
        MEDIUM,
    ]


def test_a_fourth_attempt_counts_before_its_result_is_known() -> None:
    run = DetectedRun()
    for _ in range(3):
        run.misfits("edit a.py")
    assert worst("loop", run.is_not_done("edit a.py", "dropped")) is MEDIUM


# --- what is the same --------------------------------------------------------------------------


def test_the_same_call_with_a_new_result_is_progress() -> None:
    run = DetectedRun()
    assert not any(run.does("pytest", f"{left} failed") for left in range(9, 0, -1))


def test_the_same_call_with_a_different_error_is_progress() -> None:
    run = DetectedRun()
    assert not any(run.fails("make", f"make: no rule for target {name}") for name in "pqrst")


def test_the_time_that_it_took_is_no_new_result() -> None:
    run = DetectedRun()
    for took in (0.12, 1.5, 22.07):
        run.does("pytest", f"3 passed in {took}s")
    assert worst("loop", run.found) is MEDIUM


def test_a_change_in_between_is_progress() -> None:
    run = DetectedRun()
    found = []
    for attempt in range(4):
        found += run.fails("pytest", "E   assert 1 == 2\n1 failed")
        found += run.does(f"edit {attempt}", "done", changed=("a.py",))
    assert worst("loop", found) is NONE


def test_news_in_between_are_progress() -> None:
    run = DetectedRun()
    found = []
    for number in range(6):
        found += run.does("git status", "clean")
        found += run.does(f"cat {number}.py", f"text number {number}")
    assert not found


def test_something_old_in_between_is_no_progress() -> None:
    run = DetectedRun()
    run.does("ls", "a.py")
    run.fails("make", "make: no rule")
    run.does("ls", "a.py")
    run.fails("make", "make: no rule")
    run.does("ls", "a.py")
    assert worst("loop", run.fails("make", "make: no rule")) is MEDIUM


def test_another_way_to_the_same_error_is_no_progress() -> None:
    run = DetectedRun()
    run.fails("make", "make: no rule")
    run.fails("make -B", "make: no rule")
    assert worst("loop", run.fails("make", "make: no rule")) is LOW


# --- circles -----------------------------------------------------------------------------------


def test_circles_of_two_and_three_are_told_as_circles() -> None:
    for names in ("ab", "abc"):
        run = DetectedRun()
        for _ in range(3):
            for name in names:
                run.does(name, f"says {name}")
        loop = the("loop", run.found)
        assert loop.severity is MEDIUM
        assert f"The same {len(names)} steps were repeated 3 times" in loop.says


def test_a_circle_is_the_same_trouble_at_each_of_its_steps() -> None:
    run = DetectedRun()
    for _ in range(2):
        run.does("a", "says a")
        run.does("b", "says b")
    first = the("loop", run.does("a", "says a"))
    second = the("loop", run.does("b", "says b"))
    assert first.name == second.name


def test_to_and_fro_is_a_circle_although_files_change_each_time() -> None:
    run = DetectedRun()
    for _ in range(4):
        run.does("edit", "edited", changed=("a.py",))
        run.does("undo", "undone", changed=("a.py",))
    assert worst("loop", run.found) is MEDIUM


def test_a_formatter_that_runs_after_every_edit_is_no_circle() -> None:
    run = DetectedRun()
    found = []
    for number in range(9):
        found += run.does(f"edit {number}", f"edited {number}", changed=("a.py",))
        found += run.does("ruff format", "1 file reformatted", changed=("a.py",))
    assert not found


# --- what is told ------------------------------------------------------------------------------


def test_a_loop_names_the_call_the_count_and_the_steps() -> None:
    run = DetectedRun()
    run.does("ls", "a.py")
    for _ in range(3):
        run.fails("pytest -x", "E   assert 1 == 2\n1 failed")
    loop = the("loop", run.found)
    assert loop.says == ("The same call failed in the same way 3 times: pytest -x (steps 2, 3, 4)")
    assert loop.evidence == (2, 3, 4)
    assert loop.facts == {"call": "pytest -x", "error": "E   assert 1 == 2", "times": "3"}
    assert loop.confidence == 0.6


def test_a_call_of_another_tool_than_the_shell_is_told_with_the_tool() -> None:
    run = DetectedRun()
    for step in (1, 2):
        intent = Intent("Read", "call", "/srv/shop/a.py")
        run.sees(completed_step(step, 0.0, intent, Outcome(True, output="x = 1")))
    says = "The same call gave the same result 2 times: Read /srv/shop/a.py (steps 1, 2)"
    assert the("loop", run.found).says == says


def test_a_loop_is_the_same_trouble_however_bad_it_becomes() -> None:
    run = DetectedRun()
    run.does("ls", "a.py")
    names = {the("loop", run.does("ls", "a.py")).name for _ in range(9)}
    assert len(names) == 1


def test_confidence_and_evidence_have_their_ends() -> None:
    run = DetectedRun()
    for _ in range(200):
        run.does("ls", "a.py")
    loop = the("loop", run.found)
    assert loop.confidence == 1.0
    assert loop.evidence == tuple(range(191, 201))


# --- people and words --------------------------------------------------------------------------


def test_what_a_person_asks_for_again_is_no_loop() -> None:
    run = DetectedRun()
    for _ in range(5):
        run.does("pytest", "3 passed")
        run.watch.prompted()
    assert not run.found


def test_the_same_words_again_without_doing_anything_are_a_loop() -> None:
    run = DetectedRun()
    run.does("ls", "a.py")
    found = []
    for _ in range(3):
        run.watch.heard("I have finished. Anything else?")
        found.append(worst("loop", run.watch.findings(USUAL)))
        run.watch.prompted()
    assert found == [NONE, LOW, MEDIUM]


def test_the_same_words_after_work_are_no_loop() -> None:
    run = DetectedRun()
    for number in range(4):
        run.does(f"cat {number}", f"text number {number}")
        run.watch.heard("Done.")
        assert not run.watch.findings(USUAL)


def test_an_agent_that_says_the_same_before_it_does_anything_is_noticed() -> None:
    watch = RunDetectors()
    for _ in range(3):
        watch.heard("I cannot do this.")
    assert worst("loop", watch.findings(USUAL)) is MEDIUM


# --- the fold ----------------------------------------------------------------------------------


def test_sub_agents_that_do_the_same_at_the_same_time_are_no_loop() -> None:
    run = DetectedRun()
    found = []
    for agent in ("one", "two", "three", ""):
        found += run.does("ls", "a.py", agent=agent)
    assert not found


def test_judging_changes_nothing() -> None:
    run = DetectedRun()
    run.does("ls", "a.py")
    assert run.does("ls", "a.py") == run.watch.findings(USUAL) == run.watch.findings(USUAL)


CALLS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "y", ""]), st.booleans()), max_size=40
)


@given(CALLS)
def test_a_state_that_was_saved_goes_on_as_if_nothing_had_been(
    calls: list[tuple[str, str, bool]],
) -> None:
    kept, saved = DetectedRun(), DetectedRun()
    for call, says, ok in calls:
        code = 0 if ok else 1
        first = kept.does(call, says, ok=ok, code=code)
        saved.watch = msgspec.json.decode(msgspec.json.encode(saved.watch), type=RunDetectors)
        assert saved.does(call, says, ok=ok, code=code) == first


def test_what_is_kept_stays_small() -> None:
    """The time for a deed follows the size of the state, so this bounds both."""

    def size(deeds: int) -> int:
        run = DetectedRun()
        for number in range(deeds):
            run.does(f"call {number % 700}", f"result {number % 300}", ok=number % 3 > 0)
        assert isinstance(run.watch.agents[""].detectors[0], LoopDetector)
        return len(msgspec.json.encode(run.watch.agents[""]))

    assert size(10_000) < 1.5 * size(300)


def test_a_circle_that_changes_files_gets_worse_more_slowly() -> None:
    run = DetectedRun()
    found = []
    for _ in range(9):
        run.does("edit a.py", "done", changed=("a.py",))
        found.append(worst("loop", run.does("pytest", "1 failed", changed=("a.py",))))
    assert found == [NONE, NONE, LOW, MEDIUM, MEDIUM, HIGH, HIGH, HIGH, CRITICAL]


def test_the_same_words_at_the_end_get_worse_quickly() -> None:
    run = DetectedRun()
    found = []
    for _ in range(6):
        run.watch.heard("I am done.")
        found.append(worst("loop", run.watch.findings(USUAL)))
    assert found == [NONE, LOW, MEDIUM, HIGH, HIGH, CRITICAL]


# --- the edges ---------------------------------------------------------------------------------


def _known(step: int, shown: str) -> CompletedStep:
    """A step that brings nothing new."""
    return msgspec.structs.replace(did(step, shown=shown, says="x"), progress=False)


@pytest.mark.parametrize(("others", "is_known"), [(15, True), (16, False)])
def test_a_call_is_known_again_after_fifteen_others(others: int, is_known: bool) -> None:
    calls = ["first", *(f"other {number}" for number in range(others)), "first"]
    last = found(LoopDetector(), [_known(step, call) for step, call in enumerate(calls)])[-1]
    assert (last is not None) is is_known
    if last is not None:
        assert last.evidence == (0, others + 1)


def test_a_second_round_of_two_steps_is_told_as_a_circle() -> None:
    calls = ("make", "make test") * 2
    last = found(LoopDetector(), [_known(step, call) for step, call in enumerate(calls)])[-1]
    assert last is not None
    assert last.says.startswith("The same 2 steps were repeated 2 times: make, then make test ")


def test_a_long_circle_shows_its_last_ten_steps() -> None:
    calls = ("sed -i s/a/b/ x", "sed -i s/b/a/ x") * 7
    steps = [did(step, shown=call, says="x") for step, call in enumerate(calls)]
    last = found(LoopDetector(), steps)[-1]
    assert last is not None
    assert last.evidence == tuple(range(4, 14))


def test_different_words_one_after_the_other_are_no_loop() -> None:
    detector = LoopDetector()
    for text in ("I look at the cart.", "I look at the total.", "I am done."):
        detector.heard(text)
        assert detector.find(USUAL) is None


def test_long_words_are_told_in_short() -> None:
    detector = LoopDetector()
    for _ in range(3):
        detector.heard("ready " * 50)
    finding = detector.find(USUAL)
    assert finding is not None
    assert finding.facts["call"] == ("ready " * 50)[:100].strip()


def _circling(step: int, kinds: tuple[Kind, ...], *, looks: bool = False) -> CompletedStep:
    """By turns a look, and a check or another look; each is news, so only the circle counts."""
    if not step % 2:
        return did(step, shown="look", says="x", waits=True)
    return did(step, shown="check", says="x", waits=looks, kinds=kinds)


@pytest.mark.parametrize(
    ("kinds", "looks", "rounds"),
    [((Kind.RUN,), False, 20), ((), True, 20), ((), False, 3)],
    ids=["a look and a test", "two looks", "a look and a change"],
)
def test_a_circle_of_looks_and_checks_may_go_on_for_long(
    kinds: tuple[Kind, ...], looks: bool, rounds: int
) -> None:
    steps = [_circling(step, kinds, looks=looks) for step in range(2 * rounds)]
    severities = [each.severity if each else NONE for each in found(LoopDetector(), steps)]
    assert severities == [NONE] * (2 * rounds - 1) + [LOW]


def test_a_circle_with_a_test_in_it_gets_worse_like_a_test() -> None:
    loop = found(LoopDetector(), [_circling(step, (Kind.RUN,)) for step in range(80)])[-1]
    assert loop is not None
    assert loop.severity is MEDIUM
