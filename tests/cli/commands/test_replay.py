"""`handrail replay`: both formats, broken input, what is reported."""

import gzip
import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.cells import cell_len
from tests.cli.conftest import DATA, HandrailShell, Run

from handrail.cli.replays.past_reviews import PastReviews
from handrail.cli.replays.report import FAMILIES
from handrail.cli.replays.sessions import ReadingCount, Session, find_files, read_sessions
from handrail.model.effect import Kind

TRACE = DATA / "trace.jsonl"
TRANSCRIPT = DATA / "transcript.jsonl"


def sessions(path: Path) -> tuple[list[Session], ReadingCount]:
    tally = ReadingCount()
    return list(read_sessions(path, tally, set())), tally


# Reading


def test_a_trace_has_one_run_a_line() -> None:
    runs, tally = sessions(TRACE)
    assert [(run.name, len(run.steps)) for run in runs] == [
        ("shop/1", 7), ("shop/2", 1), ("shop/3", 0)
    ]  # fmt: skip
    assert runs[0].roots == ("/workspace/shop",)
    assert runs[1].roots == ("/srv/app",)
    assert tally.broken_lines == 1


def test_outcomes_are_read() -> None:
    (first, *_), _ = sessions(TRACE)
    outcomes = [step.outcome for step in first.steps]
    assert [outcome.ok if outcome else None for outcome in outcomes] == [
        True, True, False, True, None, None, None
    ]  # fmt: skip
    assert outcomes[2] is not None
    assert outcomes[2].exit_code == 1


def test_a_step_that_cannot_be_read_keeps_its_number() -> None:
    (first, *_), _ = sessions(TRACE)
    assert [bool(step.problem) for step in first.steps] == [False] * 5 + [True, False]


def test_a_transcript_is_one_session() -> None:
    (session,), tally = sessions(TRANSCRIPT)
    assert session.name == "transcript"
    assert session.goal == "Fix the total of the cart"
    assert session.roots == ("/home/ann/shop",)
    assert tally.broken_lines == 1
    assert [step.action.tool for step in session.steps] == [
        "Read", "Bash", "Bash", "Bash", "Write", "Bash"
    ]  # fmt: skip
    assert session.steps[3].action.cwd == "/home/ann/shop/src"


def test_results_find_their_calls() -> None:
    (session,), _ = sessions(TRANSCRIPT)
    read, test, refused, push, _, last = (step.outcome for step in session.steps)
    assert read is not None
    assert read.output == "def total(): …"
    assert test is not None
    assert (test.ok, test.exit_code) == (False, 1)
    assert refused is None  # the user said no
    assert push is not None
    assert last is None  # the transcript ends here


def test_a_resumed_session_is_not_counted_twice(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        shutil.copy(TRANSCRIPT, tmp_path / name)
    seen: set[str] = set()
    found = [
        s for file in find_files([tmp_path]) for s in read_sessions(file, ReadingCount(), seen)
    ]
    assert [len(session.steps) for session in found] == [6]


def test_gzip_is_recognised_by_content(tmp_path: Path) -> None:
    packed = tmp_path / "runs.jsonl"
    packed.write_bytes(gzip.compress(TRACE.read_bytes()))
    assert sessions(packed)[0] == sessions(TRACE)[0]


def test_a_broken_archive_is_counted(tmp_path: Path) -> None:
    many = b"\n".join(TRACE.read_bytes() for _ in range(50))
    packed = tmp_path / "runs.jsonl.gz"
    packed.write_bytes(gzip.compress(many)[:-200])
    found, tally = sessions(packed)
    assert found
    assert tally.broken_lines >= 1


@pytest.mark.parametrize(
    "line",
    [b"[" * 100_000, b'{"steps": ' + b"[" * 100_000, b"\xff\xfe", b"\0", b'{"type": 5}', b"[]",
     b'{"type": "user", "message": {"content": 5}}', b'{"type": "user", "message": "x"}',
     b'{"type": "assistant", "message": {"content": [{"type": "tool_use", "input": 3}]}}'],
)  # fmt: skip
def test_a_line_without_sense_is_counted(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes(line + b"\n" + TRACE.read_bytes())
    found, tally = sessions(file)
    assert len(found) == 3
    assert tally.broken_lines == 2


def test_folders_are_searched(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    for name in ("a/b/one.jsonl", "a/two.jsonl.gz", "a/three.json", "four.txt"):
        (tmp_path / name).touch()
    names = [file.name for file in find_files([tmp_path, tmp_path / "a/two.jsonl.gz"])]
    assert sorted(names) == ["one.jsonl", "two.jsonl.gz"]


# Judging


def test_real_work_is_in_scope() -> None:
    """A file beside the uploaded folder is the agent's own; one in /etc is not."""
    (first, *_), _ = sessions(TRACE)
    decisions = [
        str(judged.review.decision) if judged.review else "unread"
        for judged in PastReviews(None, ()).judge(first)
    ]
    assert decisions[:4] == ["allow", "allow", "allow", "block"]
    assert decisions[5] == "unread"


def test_files_that_the_run_made_may_be_deleted(tmp_path: Path) -> None:
    steps = [
        {"tool": "Write", "input": {"file_path": "/srv/own.txt", "content": ""}, "ok": True},
        {"tool": "Bash", "input": {"command": "rm /srv/own.txt"}, "ok": True},
        {"tool": "Bash", "input": {"command": "rm /srv/theirs.txt"}, "ok": True},
    ]
    file = tmp_path / "run.jsonl"
    goal = "<uploaded_files>\n/workspace/x\n</uploaded_files>"
    file.write_text(json.dumps({"run": "r", "goal": goal, "steps": steps}))
    (session,), _ = sessions(file)
    judged = list(PastReviews(None, ()).judge(session))
    own, theirs = (item.review for item in judged[1:])
    assert own is not None
    assert theirs is not None
    assert own.risk.score <= theirs.risk.score


def test_a_session_with_broken_settings_is_still_replayed(shell: HandrailShell) -> None:
    (shell.project / "handrail.yaml").write_text("nope: 1")
    steps = [{"tool": "Bash", "input": {"command": "ls"}, "ok": True, "cwd": str(shell.project)}]
    file = shell.home / "run.jsonl"
    file.write_text(json.dumps({"run": "r", "goal": "", "steps": steps}))
    ran = shell.run("replay", str(file))
    assert ran.code == 0
    assert "settings not used: handrail.yaml:1: nope" in ran.out


# Reporting


def test_json_has_one_line_a_step(run: Run) -> None:
    ran = run("replay", str(TRACE), str(TRANSCRIPT), "--json")
    assert ran.code == 0
    steps = [(line["run"], line["step"]) for line in ran.lines]
    assert steps == [
        *(("shop/1", step) for step in range(7)),
        ("shop/2", 0),
        *(("transcript", step) for step in range(6)),
    ]
    allowed = [line for line in ran.lines if line["decision"] == "allow"]
    assert all(line["findings"] == line["interventions"] == [] for line in allowed)
    decisions = [line["decision"] for line in ran.lines]
    assert decisions[3] == "block"
    assert ran.lines[3]["reasons"]
    assert decisions[5] == "block"
    assert "cannot be read" in ran.lines[5]["reasons"][0]


def test_people_get_a_summary_and_the_worst(run: Run) -> None:
    ran = run("replay", str(TRACE), str(TRANSCRIPT))
    assert ran.code == 0
    assert ran.out.startswith(" 3 sessions, 14 actions, ")
    assert "Would have stopped        3   " in ran.out
    assert "rm -rf /etc/nginx" in ran.out
    assert "step 3 of shop/1" in ran.out
    assert "2 lines could not be read" in ran.out
    assert all(cell_len(line) <= 80 for line in ran.out.splitlines())


def test_only_ten_are_listed_unless_all_are_asked_for(run: Run, tmp_path: Path) -> None:
    steps = [
        {"tool": "Bash", "input": {"command": f"rm -rf /etc/{n}"}, "ok": True} for n in range(15)
    ]
    file = tmp_path / "run.jsonl"
    file.write_text(json.dumps({"run": "r", "goal": "", "steps": steps}))
    short, long = run("replay", str(file)).out, run("replay", str(file), "--all").out
    assert "… and 5 more: --all" in short
    assert short.count("rm -rf /etc/") == 10
    assert long.count("rm -rf /etc/") == 15


def test_a_file_without_sessions_is_reported(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "other.jsonl"
    file.write_text('{"display": "hello"}\n')
    assert "1 file held no session" in run("replay", str(file)).out


def test_scope_can_be_given(run: Run) -> None:
    ran = run("replay", str(TRACE), "--json", "--scope", "/srv/other")
    assert ran.lines[1]["risk"] > run("replay", str(TRACE), "--json").lines[1]["risk"]


def test_every_kind_of_effect_belongs_to_a_family() -> None:
    assert set(FAMILIES) == set(Kind)


# What the steps show together

GOES_WRONG = "Exit code 1\nImportError: no module named cart"
START = datetime(2026, 11, 15, 12, tzinfo=UTC)


def transcript(path: Path, *blocks: tuple[str, object]) -> Path:
    """A transcript, one message for each block, a minute apart."""
    lines = []
    for minute, (kind, content) in enumerate(blocks):
        line = {
            "type": kind,
            "message": {"content": content},
            "cwd": "/home/ann/shop",
            "timestamp": (START + timedelta(minutes=minute)).isoformat(),
        }
        lines.append(json.dumps(line))
    path.write_text("\n".join(lines))
    return path


def failing(number: int) -> list[tuple[str, object]]:
    """A call of the tests, which fail."""
    use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "pytest"}}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "is_error": True}
    return [("assistant", [use]), ("user", [{**result, "content": GOES_WRONG}])]


def kinds(run: Run, file: Path) -> list[set[str]]:
    lines = run("replay", str(file), "--json").lines
    return [{finding["kind"] for finding in line["findings"]} for line in lines]


def test_a_loop_is_found_in_a_transcript(run: Run, tmp_path: Path) -> None:
    calls = [block for number in range(3) for block in failing(number)]
    file = transcript(tmp_path / "x.jsonl", ("user", "Fix it"), *calls)
    first, second, third = run("replay", str(file), "--json").lines
    assert first["findings"] == first["interventions"] == []
    assert second["findings"][0]["evidence"] == [0, 1]
    assert second["interventions"][0]["kind"] == "soft_correction"
    assert third["findings"][0]["severity"] == "medium"


def test_what_a_person_asks_for_again_is_no_loop(run: Run, tmp_path: Path) -> None:
    again = ("user", "Again, please")
    blocks = [("user", "Fix it"), *failing(0), again, *failing(1), again, *failing(2)]
    assert kinds(run, transcript(tmp_path / "x.jsonl", *blocks)) == [set(), set(), set()]


@pytest.mark.parametrize("said", ["<task-notification> done", "[Request interrupted by user]"])
def test_what_nobody_typed_is_no_prompt(run: Run, tmp_path: Path, said: str) -> None:
    blocks = [("user", "Fix it"), *failing(0), ("user", said), *failing(1)]
    assert kinds(run, transcript(tmp_path / "x.jsonl", *blocks))[-1] == {"loop"}


def test_a_false_claim_at_the_end_of_a_turn_is_found(run: Run, tmp_path: Path) -> None:
    claim = ("assistant", [{"type": "text", "text": "Done. All tests pass now."}])
    honest = transcript(tmp_path / "a.jsonl", ("user", "Fix it"), *failing(0))
    assert kinds(run, honest) == [set()]
    lying = transcript(tmp_path / "b.jsonl", ("user", "Fix it"), *failing(0), claim)
    assert kinds(run, lying) == [{"hallucination"}]


def test_what_is_said_on_the_way_is_no_claim(run: Run, tmp_path: Path) -> None:
    hope = ("assistant", [{"type": "text", "text": "All tests pass now."}])
    blocks = [("user", "Fix it"), *failing(0), hope, *failing(1)]
    assert "hallucination" not in set().union(
        *kinds(run, transcript(tmp_path / "a.jsonl", *blocks))
    )


def test_steps_of_a_transcript_have_the_times_of_their_results(tmp_path: Path) -> None:
    file = transcript(tmp_path / "x.jsonl", ("user", "Fix it"), *failing(0), *failing(1))
    (session,), _ = sessions(file)
    assert [step.at for step in session.steps] == [
        (START + timedelta(minutes=minute)).timestamp() for minute in (2, 4)
    ]
    assert [step.prompted for step in session.steps] == [True, False]


def test_people_read_which_sessions_went_wrong(run: Run, tmp_path: Path) -> None:
    calls = [block for number in range(4) for block in failing(number)]
    file = transcript(tmp_path / "night.jsonl", ("user", "Fix it"), *calls)
    out = run("replay", str(file)).out
    assert " Runs in a loop            1   worst: 4 steps, 6 min, in night\n" in out
    assert " Would have tried          3   reminder (2), guidance (1); in 1 session\n" in out
    listed = out[out.index(" Went wrong") :]
    assert "   repetitive errors, high: The same error came 4 times" in listed
    assert "     also: loop\n" in listed
    assert "     would have tried: guidance after 1, reminder after 2, reminder after 3\n" in listed
    assert "     steps 0-3 of night\n" in listed
    assert all(cell_len(line) <= 80 for line in out.splitlines())


def test_after_a_stop_nothing_more_would_have_been_done(run: Run, tmp_path: Path) -> None:
    calls = [block for number in range(30) for block in failing(number)]
    file = transcript(tmp_path / "x.jsonl", ("user", "Fix it"), *calls)
    lines = run("replay", str(file), "--json").lines
    made = [done["kind"] for line in lines for done in line["interventions"]]
    assert made.count("emergency_stop") == 1
    assert made[-1] == "emergency_stop"


def test_a_long_name_is_known_by_its_end(run: Run, tmp_path: Path) -> None:
    steps = [{"tool": "Bash", "input": {"command": "make"}, "ok": False, "output": "no rule"}] * 4
    file = tmp_path / "run.jsonl"
    name = f"{'a/long/way/' * 9}django-11490"
    file.write_text(json.dumps({"run": name, "goal": "", "steps": steps}))
    out = run("replay", str(file)).out
    assert "/django-11490\n" in out[: out.index("Went wrong")]
    assert all(cell_len(line) <= 80 for line in out.splitlines())
