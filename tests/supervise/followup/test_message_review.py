"""The message with which an agent stops is reviewed: secrets in it, claims without evidence."""

from handrail.model import Decision
from handrail.model.event import FindingMade, IterationEnded
from handrail.model.review import Review
from tests.supervise.supervision_setup import SupervisionSetup

TOKEN = "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"


def review_of(bed: SupervisionSetup) -> Review:
    """The review of the last message."""
    ended = [event for event in bed.events() if isinstance(event, IterationEnded)][-1]
    assert ended.review is not None
    return ended.review


def claims_found(bed: SupervisionSetup) -> list[str]:
    return [
        event.finding.says
        for event in bed.events()
        if isinstance(event, FindingMade) and event.finding.symptom == "claim"
    ]


def test_a_plain_message_is_reviewed_and_allowed(supervision: SupervisionSetup) -> None:
    assert supervision.run.rest("I looked at the code; nothing to do.").value.alarm == ""
    review = review_of(supervision)
    assert (review.id, review.decision) == ("m1", Decision.ALLOW)
    supervision.run.rest("Still nothing.")
    assert review_of(supervision).id == "m2"


def test_silence_has_no_review(supervision: SupervisionSetup) -> None:
    supervision.run.rest("")
    (event,) = [each for each in supervision.events() if isinstance(each, IterationEnded)]
    assert event.review is None


def test_a_secret_in_a_message_is_told_to_the_person_once(supervision: SupervisionSetup) -> None:
    verdict = supervision.run.rest(f"I used the token {TOKEN} for it.").value
    assert "shows a secret" in verdict.alarm
    assert TOKEN not in verdict.alarm
    assert verdict.guidance == ()
    review = review_of(supervision)
    assert review.decision is Decision.WARN
    assert [effect.kind.value for effect in review.effects] == ["secret"]
    assert TOKEN not in str(supervision.events())
    assert supervision.run.rest(f"Again: {TOKEN}").value.alarm == ""


def test_a_value_of_the_projects_env_file_counts_as_a_secret(
    supervision: SupervisionSetup,
) -> None:
    (supervision.path / ".env").write_text("SHOP_PASSWORD=jK81-mm2Qx-77ppA\n")
    supervision.ticks.advance(2.0)
    assert "shows a secret" in supervision.run.rest("It is jK81-mm2Qx-77ppA.").value.alarm


def test_a_file_that_is_not_there_is_a_false_claim(supervision: SupervisionSetup) -> None:
    supervision.do(supervision.bash("ls", "a"))
    verdict = supervision.run.rest("I created docs/guide.md with the details.").value
    assert claims_found(supervision) == [
        "It said that it created docs/guide.md, though there is no such file."
    ]
    assert "docs/guide.md" in " ".join(verdict.guidance)
    assert review_of(supervision).decision is Decision.WARN


def test_files_that_are_there_or_were_made_are_true_claims(supervision: SupervisionSetup) -> None:
    below = supervision.path / "packages" / "docs"
    below.mkdir(parents=True)
    (below / "guide.md").write_text("x")
    gone = supervision.path / "docs" / "made.md"
    supervision.do(supervision.write(gone, "a"))
    supervision.run.rest("I created notes/plan.md. I created docs/guide.md. I wrote docs/made.md.")
    assert claims_found(supervision) == []


def test_a_commit_that_nobody_made_is_a_false_claim(supervision: SupervisionSetup) -> None:
    supervision.do(supervision.bash("git status", "a"))
    supervision.run.rest("I fixed the bug. I committed the changes.")
    assert claims_found(supervision) == [
        "It said that it committed its work, though no commit was made."
    ]


def test_a_commit_that_failed_is_a_false_claim(supervision: SupervisionSetup) -> None:
    supervision.do(supervision.bash("git commit -m x", "a"), ok=False)
    supervision.run.rest("Everything is committed.")
    assert claims_found(supervision) == [
        "It said that it committed its work, though the last commit failed."
    ]


def test_what_was_done_may_be_claimed(supervision: SupervisionSetup) -> None:
    supervision.do(supervision.bash("git add -A && git commit -qm x && git push", "a"))
    supervision.do(supervision.bash("make", "b"))
    supervision.run.rest("I committed and pushed the fix. The build passes.")
    assert claims_found(supervision) == []


def test_work_with_gaps_is_noted_in_the_review_and_stops_nobody(
    supervision: SupervisionSetup,
) -> None:
    supervision.do(supervision.write(supervision.path / "app.py", "a", "x = 1  # TODO\n"))
    verdict = supervision.run.rest("I changed app.py.").value
    review = review_of(supervision)
    assert review.rationality.issues == (
        "no test or check has run since an edit",
        "app.py still says `TODO`",
    )
    assert review.rationality.completeness == 0.4
    assert (review.decision, verdict.guidance) == (Decision.ALLOW, ())
