"""The reader sees what bash does, or says "unknown": known commands in many spellings.

`make fuzz` tries FUZZ_TEXTS (100,000) from FUZZ_SEED on, for FUZZ_SECONDS, on all processors,
and prints the score by construct; without it a fixed sample runs. A text is its number:
`generated(4711)` gives it again.
"""

import os
import shutil
import subprocess
import sys
from itertools import count, islice
from pathlib import Path
from time import monotonic

import pytest
from tests.fuzz import bash_jail
from tests.fuzz.differential import Outcome, compare
from tests.fuzz.differential_score import DifferentialScore, batch_scores
from tests.fuzz.real_bash import BATCH, BashRun, RealBash
from tests.fuzz.spell_commands import generated

from handrail.shell import read, syntax
from handrail.shell.parser_traps import is_misread

pytestmark = pytest.mark.skipif(
    shutil.which("bash") is None or not bash_jail.is_available(),
    reason="needs bash, and Landlock to keep it in its folder",
)

FUZZES = "FUZZ_SECONDS" in os.environ
TEXTS = int(os.environ.get("FUZZ_TEXTS", "100000")) if FUZZES else 2 * BATCH
TEXTS_BETWEEN_NEWS = 50 * BATCH
SECONDS = float(os.environ.get("FUZZ_SECONDS", "60")) / 2
FIRST = int(os.environ.get("FUZZ_SEED", "0"))
MOST_COMPARED = 20_000
"""Texts that both grammars read."""
MOST_UNKNOWN = 0.05
"""The share of plain spellings of which the reader may not know what they become."""


def test_the_reader_sees_what_bash_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score = DifferentialScore()
    seconds = SECONDS if FUZZES else float("inf")
    for batch in batch_scores(tmp_path, range(FIRST, FIRST + TEXTS), seconds):
        score.join(batch)
        if FUZZES and (batch.different or (score.texts % TEXTS_BETWEEN_NEWS == 0 and batch.texts)):
            _say(capsys, f"from number {FIRST}: {score.summary()}", *batch.different)
    if FUZZES:
        _say(capsys, *score.table(), *score.different)
    assert not score.different, "\n".join(score.different)
    assert score.unknown_plain() <= MOST_UNKNOWN


def _say(capsys: pytest.CaptureFixture[str], *lines: str) -> None:
    with capsys.disabled():
        print("\n" + "\n".join(lines), end="", flush=True)  # noqa: T201


def test_both_grammars_read_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the parser reads otherwise than our own grammar stands in `parser_traps`."""
    texts = islice((generated(number).text for number in count(FIRST)), min(TEXTS, MOST_COMPARED))
    end = monotonic() + SECONDS / 4
    different: list[str] = []
    for text in texts:
        if FUZZES and monotonic() > end:
            break
        if is_misread(text.encode()):
            continue
        by_parser = _seen(text)
        with monkeypatch.context() as patch:
            patch.setattr(syntax, "is_misread", lambda data: True)
            if _seen(text) != by_parser:
                different.append(text)
    assert different == []


def _seen(text: str) -> set[tuple[object, ...]]:
    program = read(text, cwd="/work", environ={"HOME": "/home/test"}).program
    assert program.fault is None, text
    return {
        (
            tuple((word.text, word.glob) for word in command.argv),
            tuple((item.operator, item.target.text) for item in command.redirects),
            command.cwd.text,
            command.input,
        )
        for command in program.commands
        if command.argv or command.redirects
    }


OPEN = {
    "cd nowhere; rm a.txt": "Only the disk tells that the folder is not there. To take both "
    "folders for possible would stop every `cd build; rm -rf *`.",
    "{ cd ~/.ssh; } < nowhere; rm a.txt": "Only the disk tells that the file is not there.",
    "for v in *.txt; do rm $v; done": "A name with a blank falls apart. To take each of these "
    "loops for unknown would stop everyday work.",
    "ln -s /etc l; rm $(readlink l)": "The review follows links, because it sees the disk.",
}
"""Differences that stay, with the reason."""


ONLY_THE_DISK = tuple(text for text in OPEN if "nowhere" in text)


@pytest.mark.parametrize("text", OPEN)
def test_differences_that_stay_are_still_there(in_bash: RealBash, text: str) -> None:
    """One that is gone must leave the list."""
    by_disk = text in ONLY_THE_DISK
    outcome = Outcome.DISK if by_disk else Outcome.DIFFERENT
    assert compare(text, _run(in_bash, text)).outcome is outcome


@pytest.fixture
def in_bash(tmp_path: Path) -> RealBash:
    return RealBash(tmp_path)


def _run(bash: RealBash, text: str) -> BashRun:
    (run,) = bash.run([text])
    return run


def test_bash_says_which_programs_it_would_call(in_bash: RealBash) -> None:
    run = _run(in_bash, "x='a b'; rm $x \"$x\"; cat <<< hi | sh -c 'kill 1'")
    assert [call.argv for call in run.calls if call.argv[0] in {"rm", "kill"}] == [
        ("rm", "a", "b", "a b"),
        ("kill", "1"),
    ]
    assert [call.given for call in run.calls if call.argv == ("cat",)] == ["hi\n"]


def test_bash_says_which_files_it_opened(in_bash: RealBash) -> None:
    run = _run(in_bash, "echo x >> ~/.ssh/authorized_keys; git log 2> e.txt")
    assert run.written == (f"{run.home}/.ssh/authorized_keys", f"{run.cwd}/e.txt")
    assert _run(in_bash, ":").written == ()


def test_bash_cannot_leave_its_folder(in_bash: RealBash, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    run = _run(in_bash, f"echo x > {outside}; echo y > inside")
    assert not outside.exists()
    assert run.written == (f"{run.cwd}/inside",)


def test_bash_cannot_end_other_processes(in_bash: RealBash) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        number = other.pid
        run = _run(
            in_bash, f"kill -9 {number}; bash -c 'kill -9 {number}'; enable kill; kill {number}"
        )
        assert other.poll() is None
    assert [call.argv for call in run.calls].count(("kill", "-9", str(number))) == 2
    assert "not permitted" in run.says


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("rm a.txt", Outcome.SAME),
        ("rm *.txt", Outcome.SAME),
        ("rm $UNKNOWN_$RANDOM", Outcome.UNKNOWN),
        ("echo x > b.txt", Outcome.SAME),
        (". ~/.ssh/id_rsa", Outcome.UNKNOWN),
        ("{ cd ~/.ssh; } > no/where; rm a.txt", Outcome.DISK),
    ],
)
def test_the_comparison_tells_same_from_unknown(
    in_bash: RealBash, text: str, outcome: Outcome
) -> None:
    assert compare(text, _run(in_bash, text)).outcome is outcome


def test_the_comparison_finds_what_the_reader_does_not_see(in_bash: RealBash) -> None:
    run = _run(in_bash, "rm a.txt; echo x > b.txt")
    assert compare("rm b.txt; echo x > b.txt", run).outcome is Outcome.DIFFERENT
    assert compare("rm a.txt; echo x > a.txt", run).outcome is Outcome.DIFFERENT
