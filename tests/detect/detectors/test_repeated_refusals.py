"""An action that was refused is tried again, as it was or in another way."""

import msgspec

from handrail.config import Config
from handrail.detect import Intent, intent_of
from handrail.detect.completed_step import CompletedStep
from handrail.detect.detectors.repeated_refusals import RepeatedRefusalsDetector
from handrail.model.action import Action
from handrail.model.ordinal import Severity
from handrail.review import Reviewer
from tests.detect.detected_run import DetectedRun, the, worst
from tests.detect.steps import NOTHING, did, found, not_done

NONE, LOW, MEDIUM, HIGH, CRITICAL = Severity
PHOTOS = "delete:/home/dev/photos"


def _intent(command: str) -> Intent:
    action = Action("Bash", {"command": command}, "/home/dev/shop", {"HOME": "/home/dev"})
    reviewer = Reviewer(
        Config(scope=("/home/dev/shop",)), environ={"HOME": "/home/dev"}, see_disk=False
    )
    return intent_of(action, reviewer.review(action))


def test_a_refused_action_that_is_tried_again_gets_worse_and_worse() -> None:
    run = DetectedRun()
    found = [
        worst("repeated_refusals", run.is_not_done("rm -rf ~/photos", "refused", blamed=PHOTOS))
        for _ in range(7)
    ]
    assert found == [NONE, LOW, MEDIUM, HIGH, HIGH, CRITICAL, CRITICAL]


def test_another_way_to_the_same_is_the_same() -> None:
    run = DetectedRun()
    run.is_not_done("rm -rf ~/photos", "refused", blamed=PHOTOS)
    found = run.is_not_done("find ~/photos -delete", "refused", blamed=PHOTOS)
    refusals = the("repeated_refusals", found)
    assert refusals.says == (
        "What was refused was tried again, 2 times in all: find ~/photos -delete"
    )
    assert refusals.evidence == (1, 2)


def test_the_agent_is_told_how_many_refusals_there_were_in_all() -> None:
    run = DetectedRun()
    run.is_not_done("rm -rf ~/photos", "refused", blamed=PHOTOS)
    found = run.is_not_done("rm -rf ~/photos", "refused", blamed=PHOTOS)
    refusals = the("repeated_refusals", found)
    hint = RepeatedRefusalsDetector.about.hints[0].format(**refusals.facts, steps="1 and 2")
    assert "that makes 2 refusals (steps 1 and 2)" in " ".join(hint.split())


def test_two_ways_to_delete_a_folder_blame_the_same() -> None:
    assert _intent("rm -rf ~/photos").blamed == _intent("find ~/photos -delete").blamed != ""


def test_deleting_another_folder_is_something_else() -> None:
    assert _intent("rm -rf ~/photos").blamed != _intent("rm -rf ~/music").blamed


def test_different_things_that_are_refused_are_no_repetition() -> None:
    run = DetectedRun()
    found = [run.is_not_done(f"rm {n}", "refused", blamed=f"delete:{n}") for n in range(5)]
    assert not any(found)


def test_it_counts_across_other_work() -> None:
    run = DetectedRun()
    run.is_not_done("rm -rf ~/photos", "refused", blamed=PHOTOS)
    for number in range(10):
        run.does(f"cat {number}", f"text number {number}")
    found = run.is_not_done("rm -rf ~/photos", "refused", blamed=PHOTOS)
    assert worst("repeated_refusals", found) is LOW


def test_it_is_forgotten_after_much_other_work() -> None:
    run = DetectedRun()
    run.is_not_done("rm -rf ~/photos", "refused", blamed=PHOTOS)
    for number in range(30):
        run.does(f"cat {number}", f"text number {number}")
    assert not run.is_not_done("rm -rf ~/photos", "refused", blamed=PHOTOS)


def test_only_the_refused_action_itself_shows_it() -> None:
    run = DetectedRun()
    for _ in range(3):
        run.is_not_done("rm -rf ~/photos", "refused", blamed=PHOTOS)
    assert worst("repeated_refusals", run.does("ls", "a.py")) is NONE


def test_a_person_may_ask_for_it() -> None:
    run = DetectedRun()
    run.is_not_done("rm -rf ~/photos", "refused", blamed=PHOTOS)
    run.watch.prompted()
    assert not run.is_not_done("rm -rf ~/photos", "refused", blamed=PHOTOS)


def test_a_refusal_counts_among_twenty_steps() -> None:
    for between, severity in ((18, LOW), (19, NONE)):
        run = DetectedRun()
        run.is_not_done("rm -rf ~/photos", "refused", blamed=PHOTOS)
        for number in range(between):
            run.does(f"cat {number}.py", f"x = {number}")
        found = run.is_not_done("rm -rf ~/photos", "refused", blamed=PHOTOS)
        assert worst("repeated_refusals", found) is severity


def _refused(step: int) -> CompletedStep:
    return not_done(step, "refused", msgspec.structs.replace(NOTHING, blamed=PHOTOS))


def test_the_steps_of_other_agents_between_two_refusals_do_not_count() -> None:
    """Steps have the numbers of the whole run; the window has the actions of one agent."""
    near = [_refused(100), *(did(100 + 9 * n) for n in range(1, 19)), _refused(900)]
    finding = found(RepeatedRefusalsDetector(), near)[-1]
    assert finding is not None
    assert finding.evidence == (100, 900)
    far = [_refused(100), *(did(100 + n) for n in range(1, 20)), _refused(120)]
    assert found(RepeatedRefusalsDetector(), far)[-1] is None
