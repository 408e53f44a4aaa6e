"""The report of an incident tells a person what happened, why, and how to go on."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from handrail.detect.description import FindingDescription
from handrail.detect.registry import KINDS, description_of
from handrail.intervene.incidents.gathering import gather_incident
from handrail.intervene.incidents.record import Incident
from handrail.intervene.incidents.report import incident_report
from handrail.model.desktop import CheckOutcome, DesktopCheck, ScreenStatus
from handrail.model.event import DesktopChecked, Event
from tests.intervene.stopped_run import INCIDENT, RUN, confirmed, reviewed, stop, story


def written(*left: str) -> str:
    return incident_report(gather_incident(RUN, INCIDENT, [*story(), confirmed(*left)]))


def section(text: str, title: str) -> list[str]:
    lines = text.split(f"## {title}\n\n")[1].split("\n## ", maxsplit=1)[0].splitlines()
    return [line for line in lines if line]


def test_the_first_lines_say_what_happened() -> None:
    lines = written().splitlines()
    assert lines[0] == f"# Incident {INCIDENT}"
    assert lines[2] == "The run was stopped after step 5: It ran the same failing command 3 times."
    assert "- finding: loop, critical, confidence 90%" in lines
    assert "- when: 2026-11-16 02:14:00 UTC" in lines
    assert "- processes: 1 ended, checked afterwards; no process is left" in lines


def test_the_timeline_is_in_order_and_shows_the_evidence() -> None:
    lines = section(written(), "Timeline")
    assert lines[0] == "- 01:12:20 the run began"
    assert lines[1] == "- 02:12:21 step 1 Bash `make fmt`: ran"
    assert lines[2] == "- 02:12:22 step 2 Bash `curl x | sh`: refused; it is not allowed"
    assert lines[3] == "- 02:12:23 step 3 Bash `pytest -q`: ran; failed with 1: ImportError: cart ←"
    assert lines[-2] == "- 02:12:26 **soft_correction**, it did not help"
    assert lines[-1] == "- 02:14:00 **emergency_stop**"


def test_a_look_at_a_screen_says_what_it_saw_and_which_pictures_there_are() -> None:
    check = DesktopCheck(
        ScreenStatus.DIALOG,
        CheckOutcome.GIVEN_UP,
        0.97,
        "Save changes?",
        screenshot="a.jpg",
        after="b.jpg",
        cost_usd=0.25,
    )
    happened = story()
    happened.insert(4, DesktopChecked(happened[3].at, 1, check))
    text = incident_report(gather_incident(RUN, INCIDENT, happened))
    assert "step 1 Bash `Save changes?, given up, a.jpg, b.jpg`" in text
    assert "$0.28" in text


def test_the_impact_is_counted() -> None:
    lines = section(written(), "Impact")
    assert lines == [
        "- files affected: 2",
        "  - `/w/shop/src/cart.py`",
        "  - `/w/shop/out.txt`",
        "- actions: 5, of which 4 ran, 3 failed, 1 were refused, 0 ran in a safer form",
        "- resources: 4 s in tools, 600 tokens, $0.03, memory unknown",
        "- duration: 1 h 1 min 40 s",
    ]


def test_cause_and_factors_are_named() -> None:
    text = written()
    assert "It shows in steps 3, 4, 5." in section(text, "Root cause")
    assert "- error: `ImportError: cart`" in section(text, "Root cause")
    assert section(text, "Contributing factors") == [
        "- 1 of 1 milder interventions did not help.",
        "- 3 of 4 actions failed.",
        "- 1 actions were refused before.",
        "- Nobody was at the keyboard.",
    ]


def test_recommendations_are_for_now_for_later_and_for_the_settings() -> None:
    lines = section(written(), "Recommendations")
    assert [line for line in lines if not line.startswith("-")] == [
        "Now:",
        "To prevent it:",
        "In `handrail.yaml`:",
    ]


def test_a_process_that_is_left_is_the_first_thing_to_do() -> None:
    text = written("99 stubborn --now")
    assert "1 could not be ended: `99 stubborn --now`" in text
    assert section(text, "Recommendations")[1] == "- End `99 stubborn --now` yourself."


def test_every_way_on_stands_there_with_its_command() -> None:
    text = "\n".join(section(written(), "How it can go on"))
    for option in ("resume_with_limits", "rollback_and_retry", "manual_approval", "abort"):
        assert f"      handrail incident resume {INCIDENT} --option {option}" in text
    assert "The checkpoint is `c2`, after step 2." in text


def test_without_a_checkpoint_no_way_back_is_offered() -> None:
    text = incident_report(gather_incident(RUN, INCIDENT, [reviewed(1, "ls"), stop()]))
    assert "--option rollback_and_retry" not in text
    assert "**rollback_and_retry** is not possible" in text
    assert "- processes: not known whether any is left" in text


def test_every_kind_of_trouble_has_advice_of_its_own() -> None:
    usual = FindingDescription().advice
    assert [kind for kind in KINDS if description_of(kind).advice == usual] == []


_texts = st.text(max_size=60)


@given(_texts, _texts)
def test_what_an_agent_wrote_has_no_power_over_the_page(command: str, says: str) -> None:
    events: list[Event] = [reviewed(1, command or "x"), stop()]
    record = gather_incident(RUN, INCIDENT, events)
    finding = msgspec.structs.replace(record.finding, says=says, facts={"error": command})
    text = incident_report(msgspec.structs.replace(record, finding=finding))
    titles = [line for line in text.splitlines() if line.startswith("#")]
    assert titles == [
        line for line in incident_report(plain()).splitlines() if line.startswith("#")
    ]


def plain() -> Incident:
    return gather_incident(RUN, INCIDENT, [reviewed(1, "x"), stop()])
