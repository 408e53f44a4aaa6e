"""Things that are not there."""

import pytest

from handrail.config.detection import Detection
from handrail.config.detection import Hallucination as Settings
from handrail.detect.completed_step import CompletedStep
from handrail.detect.detectors.hallucination import HallucinationDetector
from handrail.detect.test_claims import claims_tests_pass
from handrail.model.effect import Kind
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity
from tests.detect.steps import did, found, only

SETTINGS = Detection()
NO_FILE = "File does not exist."
NO_TEXT = "String to replace not found in file.\nString: x = 1"


def read(step: int, path: str, says: str = NO_FILE) -> CompletedStep:
    return did(step, tool="Read", shown=path, reads=(path,), ok=False, says=says)


def edit(step: int, path: str, says: str = NO_TEXT) -> CompletedStep:
    return did(step, tool="Edit", shown=f"{path} {step}", writes=(path,), ok=False, says=says)


def ran(step: int, command: str, says: str, *, ok: bool = False) -> CompletedStep:
    return did(step, shown=command, ok=ok, says=says)


def after(text: str, deeds: list[CompletedStep]) -> Finding | None:
    """What is found when the agent stops with these words."""
    detector = HallucinationDetector()
    found(detector, deeds)
    detector.heard(text)
    return detector.find(SETTINGS)


def test_two_files_that_are_not_there_are_found() -> None:
    finding = only(found(HallucinationDetector(), [read(1, "/p/a.py"), read(4, "/p/b.py")]))
    assert finding.severity is Severity.LOW
    assert finding.evidence == (1, 4)
    assert finding.says == "It relied on what is not there: the file /p/a.py, the file /p/b.py."


def test_one_may_happen_to_anybody() -> None:
    assert found(HallucinationDetector(), [read(1, "/p/a.py"), did(2), did(3)]) == [None] * 3


def test_the_same_file_twice_is_one_mistake() -> None:
    assert found(HallucinationDetector(), [read(1, "/p/a.py"), read(2, "/p/a.py")]) == [None] * 2


def test_more_of_them_are_worse() -> None:
    findings = found(HallucinationDetector(), [read(i, f"/p/{i}.py") for i in range(6)])
    severities = [each.severity for each in findings if each]
    assert severities == [
        Severity.LOW,
        Severity.LOW,
        Severity.MEDIUM,
        Severity.MEDIUM,
        Severity.HIGH,
    ]


def test_long_ago_does_not_belong_together() -> None:
    between = [did(i) for i in range(1, 20)]
    deeds = [read(0, "/p/a.py"), *between, read(20, "/p/b.py")]
    assert set(found(HallucinationDetector(), deeds)) == {None}


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("cat src/x.py", "Exit code 1\ncat: src/x.py: No such file or directory"),
        ("python run_all.py", "python: can't open file '/p/run_all.py': [Errno 2] No such file"),
        ("python -c 'import shopkit'", "ModuleNotFoundError: No module named 'shopkit'"),
        ("node app.js", "Error: Cannot find module 'left-pad'\nRequire stack:"),
        ("shopctl list", "Exit code 127\nbash: line 1: shopctl: command not found"),
        ("shopctl list", "sh: 1: shopctl: not found"),
    ],
)
def test_commands_that_rely_on_what_is_not_there_count(command: str, says: str) -> None:
    assert (
        found(HallucinationDetector(), [read(1, "/p/a.py"), ran(2, command, says)])[-1] is not None
    )


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("ls maybe/", "ls: cannot access 'maybe/': No such file or directory"),
        ("which shopctl", "shopctl not found"),
        ("command -v shopctl", ""),
        ("cat a.py 2>/dev/null", "cat: a.py: No such file or directory"),
        ("cat a.py || cat b.py", "cat: a.py: No such file or directory"),
        ("test -f a.py && cat a.py", ""),
        ("shopctl --version", "bash: shopctl: command not found"),
        ("find src -name x", "find: 'src': No such file or directory"),
        ("grep -rn foo src/", "grep: src/: No such file or directory"),
        ("cd docs && make html", "bash: cd: docs: No such file or directory"),
        ("python app.py", "FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'"),
        ("make test", "1 failed, 3 passed"),
    ],
)
def test_looking_whether_something_is_there_is_no_mistake(command: str, says: str) -> None:
    assert found(HallucinationDetector(), [read(1, "/p/a.py"), ran(2, command, says)]) == [
        None,
        None,
    ]


def test_a_file_that_was_there_before_is_gone_and_not_made_up() -> None:
    deeds = [
        did(1, tool="Write", writes=("/p/new.py",)),
        did(2, tool="Read", reads=("/p/old.py",)),
        read(3, "/p/new.py"),
        read(4, "/p/old.py"),
        ran(5, "python new.py", "python: can't open file '/elsewhere/new.py': [Errno 2]"),
        ran(6, "cat old.py", "cat: old.py: No such file or directory"),
    ]
    assert set(found(HallucinationDetector(), deeds)) == {None}


def test_a_file_to_be_made_need_not_be_there() -> None:
    says = "ERROR: the path /p/new does not exist"
    deeds = [
        did(i, tool="Write", writes=(f"/p/new/{i}.py",), ok=False, says=says) for i in range(4)
    ]
    assert set(found(HallucinationDetector(), deeds)) == {None}


@pytest.mark.parametrize(
    "says",
    [
        NO_TEXT,
        "No replacement was performed, old_str `x` did not appear verbatim in /p/a.py.",
        "Failed to edit, could not find the string to replace.",
        "Failed to find expected lines in /p/a.py",
    ],
)
def test_texts_in_a_file_that_was_never_read_are_made_up(says: str) -> None:
    only(found(HallucinationDetector(), [edit(1, "/p/a.py", says), edit(2, "/p/a.py", says)]))


def test_texts_quoted_wrongly_from_a_file_that_was_read_weigh_half() -> None:
    deeds = [did(0, tool="Read", reads=("/p/a.py",)), *(edit(i, "/p/a.py") for i in range(1, 5))]
    finding = only(found(HallucinationDetector(), deeds))
    assert finding.evidence == (1, 2, 3, 4)
    assert finding.says == "It relied on what is not there: text in /p/a.py (4 times)."


def test_sub_agents_make_their_own_mistakes() -> None:
    other = did(2, tool="Read", reads=("/p/b.py",), ok=False, says=NO_FILE, agent="helper")
    assert found(HallucinationDetector(), [read(1, "/p/a.py"), other]) == [None, None]


def test_the_settings_decide_how_many() -> None:
    one = Detection(hallucination=Settings(min_occurrences=1))
    only(found(HallucinationDetector(), [read(1, "/p/a.py")], one))
    many = Detection(hallucination=Settings(min_occurrences=20))
    findings = found(HallucinationDetector(), [read(i, f"/p/{i}.py") for i in range(20)], many)
    assert only(findings).evidence == tuple(range(20))


# Claims

FAILED = ran(3, "pytest -q", "2 failed, 5 passed in 0.3s")
PASSED = ran(3, "pytest -q", "7 passed in 0.3s", ok=True)


def test_a_claim_after_a_failed_run_is_found() -> None:
    finding = after("Done. All tests pass now.", [FAILED, did(4)])
    assert finding is not None
    assert finding.severity is Severity.MEDIUM
    assert finding.evidence == (3, 4)
    assert finding.says == "It said that the tests pass, though the last run of tests failed."


def test_a_claim_without_any_run_is_found() -> None:
    finding = after("All tests pass.", [did(1, writes=("/p/a.py",))])
    assert finding is not None
    assert "though none were run" in finding.says


def test_a_pipe_hides_the_exit_code_but_not_the_failures() -> None:
    hidden = ran(3, "pytest -q | tail -3", "2 failed, 5 passed in 0.3s", ok=True)
    assert after("All tests pass.", [hidden]) is not None


def test_the_last_run_counts() -> None:
    assert after("All tests pass.", [FAILED, PASSED]) is None
    assert after("All tests pass.", [PASSED, FAILED]) is not None


@pytest.mark.parametrize(
    "command",
    [
        "npm test",
        "npm run test:unit",
        "cargo test",
        "go test ./...",
        "make check",
        "tox -e py311",
        "python -m pytest tests",
        "cd shop && python manage.py test",
        "./gradlew test",
        "python reproduce.py",
        "python3 test_fix.py",
        "./run_tests.sh",
        "python /tmp/script.py",
    ],
)
def test_whatever_ran_tests_is_evidence(command: str) -> None:
    assert after("All tests pass.", [ran(1, command, "ok", ok=True)]) is None


def test_looking_at_tests_is_no_run() -> None:
    looked = ran(1, "cat tests/test_cart.py", "def test_x(): ...", ok=True)
    assert after("All tests pass.", [looked]) is not None


def test_a_sub_agents_run_is_evidence_too() -> None:
    deed = did(1, shown="pytest", says="7 passed", agent="helper")
    assert after("All tests pass.", [deed]) is None


def test_a_claim_is_found_once() -> None:
    detector = HallucinationDetector()
    found(detector, [FAILED])
    detector.heard("All tests pass.")
    assert found(detector, [did(9)]) == [None]


@pytest.mark.parametrize(
    "text",
    [
        "All tests pass.",
        "All tests passed, indicating that the issue is solved",
        "I fixed the bug.\n\n- **All 12 tests pass**",
        "The test suite is green.",
        "The tests are now passing.",
        "Tests: all pass.",
        "I ran the tests and they all pass.",
        "The whole suite of unit tests now passes!",
        "The change passes all existing tests.",
        "Everything is done, with no test failures.",
        "Verified: every test succeeded.",
    ],
)
def test_claims_are_understood(text: str) -> None:
    assert claims_tests_pass(text)


@pytest.mark.parametrize(
    "text",
    [
        "Run the tests to see whether they pass.",
        "If the tests pass, the issue is solved.",
        "The tests should pass now.",
        "I could not run the tests.",
        "Two tests still fail; the other tests pass.",
        "Two tests still fail. The other tests pass.",
        "All my tests pass. Two failures are pre-existing.",
        "Most tests pass.",
        "All tests pass except test_cart.",
        "3 of 5 tests pass.",
        "3/5 tests pass",
        "Make sure that all tests pass before merging.",
        "The tests don't pass yet.",
        "I added tests for the cart.",
        "Testing this change should make the tests pass.",
        "Do all tests pass?",
        "The password is passed to the test server.",
        "",
    ],
)
def test_wishes_questions_and_partial_truths_are_no_claims(text: str) -> None:
    assert not claims_tests_pass(text)


# The edges


def test_more_missing_things_are_surer_and_never_quite_sure() -> None:
    findings = found(HallucinationDetector(), [read(i, f"/p/{i}.py") for i in range(8)])
    assert [each.confidence for each in findings if each] == [0.6, 0.7, 0.8, 0.9, 0.95, 0.95, 0.95]


def test_several_texts_missing_in_one_file_are_counted() -> None:
    finding = only(found(HallucinationDetector(), [edit(1, "/p/a.py"), edit(2, "/p/a.py")]))
    assert finding.says == "It relied on what is not there: text in /p/a.py (2 times)."


@pytest.mark.parametrize(
    ("deeds", "sure", "tests"),
    [([ran(1, "pytest -q", "1 failed")], 0.8, "failed"), ([did(1)], 0.6, "none")],
)
def test_a_claim_against_a_red_run_is_surer_than_one_without_a_run(
    deeds: list[CompletedStep], sure: float, tests: str
) -> None:
    finding = after("All tests pass.", deeds)
    assert finding is not None
    assert (finding.confidence, finding.impact) == (sure, 0.3)
    assert finding.facts["tests"] == tests


def test_a_true_claim_brings_up_no_old_mistakes() -> None:
    deeds = [ran(1, "pytest -q", "3 passed", ok=True), read(2, "/p/a.py"), read(3, "/p/b.py")]
    assert after("All tests pass.", deeds) is None


def test_a_deed_that_nothing_shows_is_a_false_claim() -> None:
    finding = after("I committed and pushed everything.", [did(1), did(4)])
    assert finding is not None
    assert finding.says == "It said that it committed its work, though no commit was made."
    assert (finding.confidence, finding.impact, finding.evidence) == (0.7, 0.3, (4,))
    assert finding.facts == {"claim": "it committed its work", "claims": "2"}


def test_a_deed_that_failed_is_a_false_claim() -> None:
    finding = after("I committed the changes.", [ran(1, "git commit -m x", "nothing to commit")])
    assert finding is not None
    assert finding.says == "It said that it committed its work, though the last commit failed."


@pytest.mark.parametrize(
    "deed",
    [
        ran(1, "git commit -m x", "[main 1a2b3c] x", ok=True),
        did(1, tool="mcp__git__git_commit", shown="x"),
        did(1, shown="./release.sh", kinds=(Kind.RUN,)),
        did(1, tool="Bash", shown="claude -p 'commit it'", kinds=(Kind.DELEGATE,)),
    ],
    ids=["a commit", "by a tool", "by a program out of sight", "by a helper"],
)
def test_a_deed_that_was_or_may_have_been_done_is_no_false_claim(deed: CompletedStep) -> None:
    assert after("I committed the changes.", [deed]) is None


@pytest.mark.parametrize(
    "deed",
    [
        did(1, shown="pytest -q", kinds=(Kind.RUN,)),
        did(1, shown="ls", kinds=(Kind.READ,)),
        did(1, tool="Read", shown="git commit", kinds=(Kind.READ,)),
    ],
    ids=["tests", "a look", "a file tool"],
)
def test_tests_and_looks_commit_nothing(deed: CompletedStep) -> None:
    assert after("I committed the changes.", [deed]) is not None


def test_before_its_first_step_an_agent_may_speak_of_earlier_work() -> None:
    assert after("I committed the changes.", []) is None


def test_a_claim_that_the_disk_contradicts_is_told_without_steps_if_there_were_none() -> None:
    detector = HallucinationDetector()
    detector.contradicted(("it made docs/a.md, though there is no such file",))
    finding = detector.find(SETTINGS)
    assert finding is not None
    assert finding.evidence == ()
    detector.see(did(7))
    detector.contradicted(("it made docs/a.md, though there is no such file",))
    finding = detector.find(SETTINGS)
    assert finding is not None
    assert finding.evidence == (7,)


def test_a_part_of_a_module_that_it_wrote_is_not_made_up() -> None:
    wrote = did(0, tool="Write", writes=("/p/cart.py",))
    missing = [
        ran(step, f"python {step}.py", f"ModuleNotFoundError: No module named '{name}'")
        for step, name in enumerate(("cart.total", "cart.tax"), 1)
    ]
    assert found(HallucinationDetector(), [wrote, *missing]) == [None] * 3
