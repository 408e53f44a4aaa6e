"""`handrail config trust`: what a project loosens is shown, and counts when a person says so."""

import pytest
from tests.cli.conftest import HandrailShell

from handrail.cli.diagnosis.checks import ExaminedSetup, check_settings
from handrail.hosts.port import DoctorCheck
from handrail.model.ordinal import Decision
from handrail.server.home import Home

LAX = "limits: {actions: 9}\nstep_reviewer: {enabled: false}\nhosts: {trusted: [ci.example]}\n"
LOOSENED = [
    {"key": "hosts.trusted", "from": [], "to": ["ci.example"]},
    {"key": "step_reviewer.enabled", "from": True, "to": False},
]


@pytest.fixture
def lax(shell: HandrailShell) -> HandrailShell:
    """A project whose file loosens two things, and forbids one."""
    (shell.project / "handrail.yaml").write_text(LAX)
    return shell


def reviewed(shell: HandrailShell) -> str:
    return str(shell.run("review", "rm -rf /", "--json").json["decision"])


def checked(shell: HandrailShell) -> list[DoctorCheck]:
    """What the doctor says of the settings."""
    home = Home(str(shell.state))
    return list(check_settings(ExaminedSetup(home, str(shell.project), shell.environ, ())))


def test_it_shows_what_becomes_laxer(lax: HandrailShell) -> None:
    ran = lax.run("config", "trust")
    assert ran.code == 2
    assert "hosts.trusted: also ci.example" in ran.out
    assert "step_reviewer.enabled: true → false" in ran.out
    assert "limits" not in ran.out
    assert "--yes" in ran.err


def test_without_a_confirmation_the_stricter_settings_are_in_force(lax: HandrailShell) -> None:
    assert reviewed(lax) == Decision.BLOCK.value
    ran = lax.run("config", "trust", "--json")
    assert ran.code == 1
    assert ran.json["laxer"] == LOOSENED
    assert ran.json["confirmed"] is False
    assert reviewed(lax) == Decision.BLOCK.value


def test_yes_needs_no_terminal(lax: HandrailShell) -> None:
    ran = lax.run("config", "trust", "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert reviewed(lax) == Decision.ALLOW.value
    assert "was confirmed" in lax.run("config", "trust").out


def test_as_json(lax: HandrailShell) -> None:
    ran = lax.run("config", "trust", "--yes", "--json")
    assert ran.code == 0
    assert ran.json == {
        "file": str(lax.project / "handrail.yaml"),
        "laxer": LOOSENED,
        "confirmed": True,
    }


@pytest.mark.parametrize("text", ["", "limits: {actions: 9}\n"])
def test_where_nothing_is_loosened_there_is_nothing_to_confirm(
    shell: HandrailShell, text: str
) -> None:
    if text:
        (shell.project / "handrail.yaml").write_text(text)
    ran = shell.run("config", "trust")
    assert ran.code == 0
    assert "nothing" in ran.out
    assert not (shell.state / "trust.json").exists()


def test_an_agent_may_not(lax: HandrailShell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    ran = lax.run("config", "trust", "--yes")
    assert ran.code != 0
    assert "only a person may do this" in ran.err
    assert not (lax.state / "trust.json").exists()


def test_an_agents_call_is_refused_by_the_review(shell: HandrailShell) -> None:
    assert shell.run("review", "handrail config trust --yes", "--json").json["decision"] == "block"
    path = f"{shell.state}/trust.json"
    assert shell.run("review", f"echo '{{}}' > {path}", "--json").json["decision"] == "block"


def test_show_marks_what_does_not_count(lax: HandrailShell) -> None:
    out = lax.run("config", "show").out
    assert "handrail config trust" in out
    rows = {row["key"]: row["in_force"] for row in lax.run("config", "show", "--json").json}
    assert rows == {"limits.actions": True, "step_reviewer.enabled": False, "hosts.trusted": False}


def test_status_and_doctor_say_it(lax: HandrailShell) -> None:
    command = "handrail config trust"
    assert command in " ".join(lax.run("status").out.split())
    assert command in lax.run("status", "--json").json["settings"]
    assert [(each.mark, each.fix) for each in checked(lax)] == [("warn", command)]


def test_the_doctor_tells_of_a_damaged_record(lax: HandrailShell) -> None:
    lax.run("config", "trust", "--yes")
    (lax.state / "trust.json").write_text("{")
    assert [each.mark for each in checked(lax)] == ["bad"]
    assert "trust.json" in checked(lax)[0].says
    assert "delete it" in lax.run("config", "trust", "--yes").err
