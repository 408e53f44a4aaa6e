"""`handrail explain RUN`: why it stepped in, what it tried, whether that helped."""

from collections.abc import Iterator

import pytest
from rich.cells import cell_len
from tests.cli.commands.test_explain import SHOP, field
from tests.cli.conftest import HandrailShell
from tests.cli.logbook import Logbook, RunLog, open_logbook, utc

from handrail.cli.history.intervention_story import score_in_words
from handrail.intervene.score import score_of
from handrail.model.event import IncidentResolved, RolledBack, StopConfirmed
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention
from handrail.model.ordinal import Severity


@pytest.fixture
def book(shell: HandrailShell) -> Iterator[Logbook]:
    with utc(), open_logbook(shell) as book:
        yield book


@pytest.fixture
def shop(book: Logbook) -> RunLog:
    return book.start(SHOP, "fix the cart total")


def test_an_intervention_is_told_from_its_reason_to_its_effect(
    shell: HandrailShell, shop: RunLog
) -> None:
    shop.fail(2)
    shop.ask("Edit", file_path=f"{shell.project}/cart.py", old_string="a", new_string="b")
    shop.end()
    for name in "abc":
        shop.do(f"ls {name}")
    shop.do("pytest tests")
    assert shell.run("explain", "shop").out == (
        " shop-3f2a · 1 intervention · 1 helped                          Sun 15 Nov 2026\n"
        "\n"
        " 1  guidance, after step 2  12:00:42\n"
        " Why       loop, low: The same call failed in the same way 2 times: pytest -q\n"
        "           The agent repeats the same few calls, and learns nothing new.\n"
        "           steps 1-2: Bash pytest -q\n"
        " Score     0.08 (low, 40% sure): that calls for guidance\n"
        " Told      The same call (`pytest -q`) was made 2 times, and each time it ended\n"
        "           with `ImportError: no module named cart` (steps 1, 2). Making it\n"
        "           again will not change that. Say in one sentence what the error\n"
        "           claims, check that claim, and change its cause before the next try.\n"
        "           If you cannot, say what you need.\n"
        " Helped    yes: the same was not seen 5 actions later\n"
    )


def test_the_whole_way_up_to_a_stop_is_told(shell: HandrailShell, shop: RunLog) -> None:
    shop.fail(16)
    (stop,) = shell.run("explain", "--interventions", "--json").json["interventions"][-1:]
    shop.note(StopConfirmed(shop.book.now, stop["incident"], ("7 sleep",), says="none is left"))
    shop.note(IncidentResolved(shop.book.now, stop["incident"], "abort", "wrong branch"))
    out = shell.run("explain").out
    assert out.startswith(" shop-3f2a · 6 interventions · 5 did not · stopped ")
    assert "0.30 more for 1 try without effect" in out
    assert "that allows up to a stop; this was the next one that fits" in " ".join(out.split())
    last = out[out.index("\n 6  emergency stop") :]
    assert field(last, "Score").endswith("everything milder had failed")
    assert field(last, "Stop") == "stopped: 1 process ended, none is left"
    assert field(last, "Incident") == f"handrail incident show {stop['incident']}"
    assert field(last, "Decided") == "abort: wrong branch"
    assert field(last, "Also seen").endswith("Handrail did not step in.")
    assert all(cell_len(line) <= 80 for line in out.splitlines())


def test_what_became_of_the_files_is_told(shell: HandrailShell, shop: RunLog) -> None:
    shop.fail(7)
    shop.note(RolledBack(shop.book.now, "c1", "i3", (f"{shell.project}/cart.py",)))
    out = shell.run("explain").out
    assert field(out, "Files") == "rolled back to checkpoint c1 (cart.py)"
    assert field(out, "Note") == "There is no safe checkpoint to go back to."


def test_a_run_without_interventions_tells_its_last_step(
    shell: HandrailShell, shop: RunLog
) -> None:
    shop.do("ls")
    assert " · step 1 · Bash " in shell.run("explain", "shop").out
    asked = shell.run("explain", "shop", "--interventions")
    assert asked.code == 0
    assert asked.out.startswith(" shop-3f2a · no findings ")


def test_the_last_step_can_still_be_asked_for(shell: HandrailShell, shop: RunLog) -> None:
    shop.fail(2)
    assert " · step 2 · Bash " in shell.run("explain", "shop", "last").out
    assert " · step 1 · Bash " in shell.run("explain", "shop", "--step", "1").out


def test_a_step_says_which_findings_it_is_part_of_and_what_followed(
    shell: HandrailShell, shop: RunLog
) -> None:
    shop.do("ls")
    shop.fail(2)
    second = shell.run("explain", "shop", "--step", "3").out
    assert field(second, "Part of") == (
        "loop, low: The same call failed in the same way 2 times: pytest -q"
    )
    assert field(second, "Then").startswith("guidance: The same call (`pytest -q`) was made 2 ")
    assert "Part of" not in shell.run("explain", "shop", "1").out
    told = shell.run("explain", "shop", "2", "--json").json
    assert [found["finding"]["kind"] for found in told["findings"]] == ["loop"]
    assert told["interventions"] == []


def test_json_has_everything(shell: HandrailShell, shop: RunLog) -> None:
    shop.fail(5)
    told = shell.run("explain", "shop", "--interventions", "--json").json
    first, second = told["interventions"]
    assert (first["means"], first["worked"]) == ("soft_correction", False)
    assert first["judged"]["says"].startswith("Soft correction did not help")
    assert (second["means"], second["worked"]) == ("context_reinforcement", None)
    assert {found["finding"]["kind"] for found in told["findings"]} >= {"loop"}


@pytest.mark.parametrize(
    "args", [("1", "--step", "2"), ("1", "--interventions"), ("--step", "1", "--interventions")]
)
def test_only_one_thing_can_be_asked_for(
    shell: HandrailShell, shop: RunLog, args: tuple[str, ...]
) -> None:
    shop.do("ls")
    ran = shell.run("explain", "shop", *args)
    assert ran.code == 2
    assert "use only one of STEP, --step and --interventions" in ran.err


@pytest.mark.parametrize(
    ("means", "severity", "impact", "tries", "score", "why"),
    [
        ("soft_correction", Severity.LOW, 0.0, 0, "0.20 (low, 100% sure)",
         "that calls for guidance"),
        ("emergency_stop", Severity.HIGH, 0.5, 0,
         "1.20 (high, 100% sure; 50% more for the possible damage)",
         "the next action could do harm, so Handrail tried nothing milder"),
        ("checkpoint_rollback", Severity.LOW, 0.0, 1,
         "0.50 (low, 100% sure; 0.30 more for 1 try without effect)",
         "milder interventions had no effect"),
        ("context_reinforcement", Severity.LOW, 0.0, 0, "0.20 (low, 100% sure)",
         "this is the mildest one that fits"),
        ("my_own", Severity.MEDIUM, 0.0, 0, "0.50 (medium, 100% sure)",
         "that allows up to lower limits; this was the next one that fits"),
    ],
)  # fmt: skip
def test_a_score_is_put_into_words(
    means: str, severity: Severity, impact: float, tries: int, score: str, why: str
) -> None:
    finding = Finding("loop", severity, 1.0, impact=impact)
    done = Intervention("i1", means, finding, 3, score_of(finding, tries), tries)
    assert score_in_words(done) == f"{score}: {why}"
