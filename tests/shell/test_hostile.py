"""Command lines that are meant to hurt their reader end in an answer, after bounded work.

Work is counted, not timed; how long each one takes stands in docs/performance.md.
"""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from tests.fuzz.hostile import COMMANDS
from tests.fuzz.review_process import ReviewProcess

from handrail.shell import UnreadableError, read
from handrail.shell.environment import Environment
from handrail.shell.errors import TooMuchWorkError, TooSlowError
from handrail.shell.known_output import MAX_OUTPUT, output_of
from handrail.shell.quoting import brace_expand, decode_ansi_c
from handrail.shell.variables import MAX_ALTERNATIVES
from handrail.shell.walk import MAX_STEPS
from handrail.shell.word import Word

pytestmark = pytest.mark.slow

MAX_WORDS = 50_000
MAX_CHARACTERS = 8_000_000
MAX_EFFECTS = 20_000


@pytest.fixture(scope="module")
def judge() -> Iterator[ReviewProcess]:
    with ReviewProcess() as judge:
        yield judge


@pytest.mark.parametrize("name", COMMANDS)
def test_ends_in_an_answer_after_bounded_work(name: str, judge: ReviewProcess) -> None:
    judgement = judge.judge(name)
    assert not judgement.fault
    assert judgement.decision
    assert judgement.steps <= MAX_STEPS + 1
    assert judgement.commands <= MAX_STEPS
    assert judgement.words <= MAX_WORDS
    assert judgement.characters <= MAX_CHARACTERS
    assert judgement.effects <= MAX_EFFECTS
    if judgement.unreadable:
        assert judgement.decision == "block"


OVER = 0.0
"""A deadline that every thread has behind it."""


def test_a_little_work_is_never_too_slow() -> None:
    """The machine, not the command, may have taken the time."""
    assert read("chmod g+s shared; echo $(date)", cwd="/w", deadline=OVER).program.commands


def test_much_work_ends_with_the_time_for_it() -> None:
    with pytest.raises(TooSlowError):
        read("; ".join(["ls -l a b c"] * 200), cwd="/w", deadline=OVER)


@pytest.mark.parametrize("bomb", ["{a,b}" * 30, "{a,b,c,d,e,f,g,h}" * 60, "{1..999999}" * 5])
def test_brace_bombs_are_refused(bomb: str) -> None:
    with pytest.raises(TooMuchWorkError):
        brace_expand(bomb)


@pytest.mark.parametrize(
    "text", ["{", "}", "{}", "{,}", "{a,", "{a,b", "{..}", "{1..}", "{{,}", "{a..b..c}"]
)
def test_incomplete_braces_stay_as_they_are_or_expand(text: str) -> None:
    assert brace_expand(text)


@pytest.mark.parametrize(
    "text", ["\\", "\\x", "\\u", "\\U", "\\c", "\\0", "\\777", "\\Uffffffff", "\\ud800"]
)
def test_incomplete_escapes_do_not_raise(text: str) -> None:
    assert isinstance(decode_ansi_c(text), str)


@pytest.mark.parametrize(
    "name", ["²", "٣", "9" * 5000, "0" * 5000, "", "-1", "🕱", "@", "*", "#", "?"]
)
def test_odd_variable_names_have_a_value(name: str) -> None:
    assert Environment(Word("/"), {}).values(name)


def test_alternatives_do_not_pile_up() -> None:
    env = Environment(Word("/"), {"x": (Word("0"),)})
    with suppress(UnreadableError):
        for number in range(100):
            branch = env.fork()
            branch.assign("x", (Word(str(number)),))
            env.join(branch)
    assert len(env.values("x")) <= MAX_ALTERNATIVES


@pytest.mark.parametrize(
    "line",
    [
        "printf %999999999s x",
        "printf %*s 999999999 x",
        "printf %.999999999s x",
        "printf %.99999999999999999999d x",
        "seq 1 999999999",
        "seq 999999999999999999999999",
        "seq 1 0 5",
        "seq a b",
        "echo -e \\Uffffffff\\xff",
        "tr \x01-\U0010ffff a",
        "tr z-a a-z",
        "tr - -",
        "base64 -d",
        "base32 -d",
        "xxd -r -p",
        "rev",
        "basename",
        "dirname /",
        "mktemp -p",
    ],
)
@pytest.mark.parametrize("given", [None, "", "x", "=" * 9, "\udc80", "\0", "é" * 5])
def test_printers_never_raise_and_print_little(line: str, given: str | None) -> None:
    output = output_of([Word(word) for word in line.split()], given, Word("/"))
    assert output is None or len(output) <= MAX_OUTPUT


def test_a_folder_longer_than_any_path_is_refused() -> None:
    with pytest.raises(UnreadableError):
        read("rm -rf x", cwd="/" + "a/" * 500_000)


@pytest.mark.parametrize("cwd", ["", ".", "a/b", "..", "/\0", "\udc80", "~", "*"])
def test_any_folder_will_do(cwd: str) -> None:
    reading = read("rm -rf x /etc", cwd=cwd)
    assert "/etc" in {effect.target for effect in reading.effects}


def test_a_large_environment_will_do() -> None:
    environ = {f"V{number}": "x" * 100 for number in range(10_000)}
    reading = read("rm -rf /$V1/../etc", cwd="/", environ=environ)
    assert [effect.target for effect in reading.effects] == ["/etc"]


def test_what_is_read_stays_readable_or_says_why() -> None:
    with pytest.raises(UnreadableError, match="10,000,005 bytes"):
        read(COMMANDS["ten megabytes of one word"](), cwd="/")
