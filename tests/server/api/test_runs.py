"""What the API tells of runs, from the log alone."""

import json

import pytest

from handrail.model.action import Action, Outcome
from handrail.model.event import ActionEnded, ActionReviewed, FeedbackGiven, FindingMade
from handrail.model.finding import Finding
from handrail.model.ordinal import Decision, Severity
from handrail.model.review import Verdict
from handrail.server.api.live_log import LiveLog
from handrail.server.api.runs import RunOperations
from tests.server.api.api_client import InProcessApi
from tests.tui.sample_log import API, DOCS, OLD, SHOP, SampleLog, review_of

pytestmark = pytest.mark.slow

Json = dict[str, object]


@pytest.fixture
def api(live: LiveLog, book: SampleLog) -> InProcessApi:
    operations = RunOperations(live, lambda: book.now, lambda: ("a hook was put back",), lambda: "")
    return InProcessApi([operations])


def test_runs_that_need_a_person_come_first(api: InProcessApi) -> None:
    runs = api.get("/runs").json["items"]
    assert runs[0]["id"] == DOCS
    assert runs[0]["state"] == "needs you"
    assert runs[0]["needs_you"]


def test_the_first_look_counts_runs_by_state_and_names_what_was_noticed(api: InProcessApi) -> None:
    seen = api.get("/overview").json
    assert [row["id"] for row in seen["needs_you"]] == [DOCS]
    assert sum(seen["by_state"].values()) == len(api.get("/runs").json["items"])
    assert seen["notices"] == ["a hook was put back"]


def test_a_run_is_found_by_its_id_and_by_its_name(api: InProcessApi) -> None:
    name = api.get(f"/runs/{SHOP}").json["row"]["name"]
    assert api.get(f"/runs/{name}").json["row"]["id"] == SHOP


def test_an_unknown_run_is_a_problem_with_the_name_in_it(api: InProcessApi) -> None:
    answer = api.get("/runs/nobody-1234")
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert "nobody-1234" in answer.json["detail"]


def test_a_command_that_is_impossible_now_says_why(api: InProcessApi) -> None:
    commands = {each["command"]: each for each in api.get(f"/runs/{API}").json["commands"]}
    assert not commands["pause"]["allowed"]
    assert "is paused" in commands["pause"]["why_not"]
    assert commands["resume"]["allowed"]


def test_pages_of_runs_follow_each_other_without_a_gap(api: InProcessApi) -> None:
    whole = [row["id"] for row in api.get("/runs?limit=100").json["items"]]
    found: list[str] = []
    cursor = ""
    while True:
        page = api.get(f"/runs?limit=2&cursor={cursor}").json
        found += [row["id"] for row in page["items"]]
        cursor = page["next"]
        if not cursor:
            break
    assert found[: len(whole)] == whole
    assert len(found) == len(set(found)) == page["total"]


def test_old_runs_are_on_later_pages(api: InProcessApi, book: SampleLog) -> None:
    book.now += 30 * 86_400
    first = api.get("/runs").json
    assert OLD not in [row["id"] for row in first["items"]]
    later = api.get(f"/runs?cursor={first['next']}").json
    assert OLD in [row["id"] for row in later["items"]]


def test_a_search_finds_words_of_the_goal(api: InProcessApi) -> None:
    goal = api.get(f"/runs/{SHOP}").json["row"]["goal"]
    found = api.get(f"/runs?search={goal.split()[-1]}").json["items"]
    assert SHOP in [row["id"] for row in found]
    assert api.get("/runs?search=no-such-word").json["items"] == []


@pytest.mark.parametrize("query", ["limit=x", "limit=-1", "cursor=zz", "cursor=older:x"])
def test_a_query_that_cannot_be_read_is_refused(api: InProcessApi, query: str) -> None:
    assert api.get(f"/runs?{query}").status == 400


def test_a_timeline_shows_actions_with_their_ends(api: InProcessApi) -> None:
    page = api.get(f"/runs/{SHOP}/timeline").json
    actions = [row for row in page["items"] if row["kind"] == "action"]
    assert actions
    assert all(row["tool"] and row["mark"] for row in actions)
    assert [row["seq"] for row in page["items"]] == sorted(row["seq"] for row in page["items"])


def test_parts_of_a_timeline_join_to_the_whole(api: InProcessApi) -> None:
    whole = api.get(f"/runs/{SHOP}/timeline?limit=500").json["items"]
    parts: list[Json] = []
    before = 0
    while True:
        page = api.get(f"/runs/{SHOP}/timeline?limit=4&before={before}").json
        parts = page["items"] + parts
        before = page["first"]
        if not before:
            break
    assert [row["seq"] for row in parts] == [row["seq"] for row in whole]
    assert [row["status"] for row in parts] == [row["status"] for row in whole]


def test_an_action_tells_verdict_effects_and_outcome(api: InProcessApi, book: SampleLog) -> None:
    step = book.ask(SHOP, "Bash", "pytest -q")
    book.end(SHOP, Outcome(False, 1, "1 failed", duration_ms=12.0))
    book.write(SHOP, FeedbackGiven(book.now, step, False))
    told = api.get(f"/runs/{SHOP}/actions/{step}").json
    assert (told["tool"], told["decision"], told["exit_code"]) == ("Bash", "allow", 1)
    assert told["output"] == "1 failed"
    assert told["feedback"] == "wrong"


def test_an_edit_is_shown_as_a_diff(api: InProcessApi, book: SampleLog) -> None:
    given: Json = {"file_path": "cart.py", "old_string": "a\nb\n", "new_string": "a\nc\n"}
    action, verdict = Action("Edit", given, "/home/ada/shop", id="e1"), Verdict(Decision.ALLOW)
    step = book.ask(SHOP, "Read", "cart.py") + 1
    event = ActionReviewed(book.now, step, "e", action, review_of(action, verdict), verdict)
    book.write(SHOP, event)
    book.write(SHOP, ActionEnded(book.now, step, Outcome(True)))
    diff = api.get(f"/runs/{SHOP}/actions/{step}").json["diff"]
    assert {"-b", "+c", "--- cart.py"} <= set(diff.splitlines())
    rows = api.get(f"/runs/{SHOP}/timeline").json["items"]
    assert next(row for row in rows if row["step"] == step)["has_diff"]


@pytest.mark.parametrize("step", ["0", "x", "99999", "1e3", "9" * 40])
def test_an_action_that_is_not_there_is_a_problem(api: InProcessApi, step: str) -> None:
    assert api.get(f"/runs/{SHOP}/actions/{step}").status == 404


def test_each_step_of_a_long_run_is_found(api: InProcessApi, book: SampleLog) -> None:
    steps = []
    for number in range(200):
        steps.append(book.ask(OLD, "Bash", f"echo {number}"))
        book.end(OLD)
    for number in (0, 1, 63, 64, 65, 130, 199):
        told = api.get(f"/runs/{OLD}/actions/{steps[number]}").json
        assert told["input"]["command"] == f"echo {number}"
        assert told["ok"] is True


def test_findings_have_their_interventions_and_their_effect(api: InProcessApi) -> None:
    (found,) = api.get(f"/runs/{SHOP}/findings").json["items"]
    assert found["kind"] == "repetitive_errors"
    assert found["evidence"] == [2, 4, 6]
    for each in found["interventions"]:
        assert each["effect_says"].startswith("" if each["effect"] == "open" else each["effect"])
    assert found["interventions"]


def test_findings_come_in_pages_the_latest_first(api: InProcessApi, book: SampleLog) -> None:
    for kind in ("loop", "drift", "hallucination"):
        finding = Finding(kind, Severity.LOW, 0.5, (1,), says=kind)
        book.write(SHOP, FindingMade(book.now, 6, finding))
    pages = api.pages(f"/runs/{SHOP}/findings", 3)
    assert [[row["kind"] for row in page] for page in pages] == [
        ["hallucination", "drift", "loop"],
        ["repetitive_errors"],
    ]


def test_a_chart_has_one_value_for_each_moment(api: InProcessApi) -> None:
    series = api.get(f"/runs/{SHOP}/series").json
    lengths = {len(series[key]) for key in ("at", "step", "risk", "tokens", "cost_usd")}
    assert len(lengths) == 1
    assert series["marks"]


def test_hostile_text_stays_text(api: InProcessApi, book: SampleLog) -> None:
    book.ask(SHOP, "Bash", "echo '</script><img src=x onerror=alert(1)>'")
    answer = api.get(f"/runs/{SHOP}/timeline")
    assert answer.headers["content-type"] == "application/json"
    json.loads(answer.body)


def test_a_caller_without_the_right_may_not_read(live: LiveLog) -> None:
    operations = RunOperations(live, lambda: 0.0, lambda: (), lambda: "")
    assert InProcessApi([operations], rights=()).get("/runs").status == 403
