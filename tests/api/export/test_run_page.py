"""A run as one page: everything is in it, nothing of it acts."""

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from handrail.api.export.run_page import export_page
from handrail.model import event as events
from handrail.model.action import Action, Outcome
from handrail.model.finding import Finding
from handrail.model.ordinal import Severity
from handrail.store.port import NewEntry
from handrail.supervise.followup.breach import EndedCall
from tests.supervise.supervision_setup import RUN, SupervisionSetup

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)> ]]> <!-- \u2028 $data"


@pytest.fixture
def bed(tmp_path: Path) -> SupervisionSetup:
    bed = SupervisionSetup(tmp_path)
    bed.run.record(events.RunStarted(bed.clock(), "claude", str(bed.path)))
    bed.run.record(events.PromptGiven(bed.clock(), f"fix it {HOSTILE}"))
    return bed


def page_of(bed: SupervisionSetup, name: str = "project-r1") -> str:
    return export_page(bed.log, RUN, name).decode()


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_every_action_is_told_with_its_decision_and_output(bed: SupervisionSetup) -> None:
    bed.do(bed.bash("ls", "t1"), output="\x1b[31mplan.md\x1b[0m")
    bed.do(bed.bash("rm -rf /", "t2"))
    finding = Finding("loop", Severity.HIGH, 0.9, (1, 2), says="Again and again.")
    bed.run.record(events.FindingMade(bed.clock(), 2, finding))
    data = data_of(page_of(bed))
    assert data["name"] == "project-r1"
    assert data["about"][0].startswith("fix it")
    assert "2 actions" in data["about"][1]
    actions = [each for each in data["entries"] if each["kind"] == "action"]
    assert [(each["step"], each["decision"]) for each in actions] == [(1, "allow"), (2, "block")]
    assert actions[0]["detail"]["output"] == "\x1b[31mplan.md\x1b[0m"
    assert actions[1]["detail"]["reasons"]
    assert [each["text"] for each in data["entries"] if each["kind"] == "finding"]


def test_what_an_agent_wrote_stays_data(bed: SupervisionSetup) -> None:
    action = Action(
        "Bash", {"command": f"echo '{HOSTILE}'", HOSTILE: HOSTILE}, str(bed.path), id="t1"
    )
    bed.run.before(action)
    bed.run.after(EndedCall(action, Outcome(True, output=HOSTILE)))
    page = page_of(bed, name=f"x{HOSTILE}")
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "<img" not in page
    assert "onerror=alert(2)>" not in page
    data = data_of(page)
    assert data["name"] == f"x{HOSTILE}"
    (found,) = (each for each in data["entries"] if each["kind"] == "action")
    assert found["detail"]["output"] == HOSTILE
    assert found["detail"]["input"][HOSTILE] == HOSTILE


def test_the_policy_lets_only_the_scripts_of_the_page_run(bed: SupervisionSetup) -> None:
    page = page_of(bed)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; ")
    for tag in ("style", "script"):
        (inside,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy[1]
    assert not re.search(r"""(src|href)=["']""", page)
    assert "innerHTML" not in page


def test_a_secret_that_became_known_later_is_not_in_the_page(bed: SupervisionSetup) -> None:
    bed.do(bed.bash("echo hunter2-hunter2-hunter2", "t1"))
    assert "hunter2-hunter2-hunter2" in page_of(bed)
    (bed.path / ".env").write_text("API_KEY=hunter2-hunter2-hunter2\n")
    assert "hunter2-hunter2-hunter2" not in page_of(bed)


def test_bytes_that_are_no_text_do_not_stop_it(bed: SupervisionSetup) -> None:
    bed.run.record(events.FaultNoted(bed.clock(), "log", "a \udcff b"))
    assert data_of(page_of(bed))["entries"]


def test_a_run_with_unreadable_entries_is_exported_all_the_same(bed: SupervisionSetup) -> None:
    bed.log.append([NewEntry(f"run:{RUN}", b"{")])
    bed.do(bed.bash("ls", "t1"))
    assert data_of(page_of(bed))["entries"]
