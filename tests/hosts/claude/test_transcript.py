"""Where a conversation was, found in a transcript afterwards."""

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.checkpoint import CheckpointRecord, CheckpointTrigger, ConversationPosition
from handrail.hosts.claude.transcript import TranscriptIndex, located

Json = dict[str, object]


def entry(
    uuid: str, parent: str | None, at: float, kind: str = "attachment", **more: object
) -> Json:
    moment = datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "timestamp": moment, **more}


def told(uuid: str, parent: str | None, at: float, prompt: str) -> Json:
    said = {"role": "user", "content": "Fix the cart."}
    return entry(uuid, parent, at, "user", promptId=prompt, message=said)


def called(uuid: str, parent: str, at: float, call: str, answer: str) -> Json:
    block = {"type": "tool_use", "id": call, "name": "Bash", "input": {}}
    return entry(uuid, parent, at, "assistant", message={"id": answer, "content": [block]})


def came_back(uuid: str, parent: str, at: float, call: str, prompt: str) -> Json:
    block = {"type": "tool_result", "tool_use_id": call, "content": "ok"}
    return entry(uuid, parent, at, "user", promptId=prompt, message={"content": [block]})


def said(uuid: str, parent: str, at: float, answer: str) -> Json:
    block = {"type": "text", "text": "Done."}
    return entry(uuid, parent, at, "assistant", message={"id": answer, "content": [block]})


SESSION = [
    entry("start", None, 1),
    told("prompt1", "start", 10, "p1"),
    entry("context1", "prompt1", 10),
    called("call1", "context1", 11, "t1", "m1"),
    came_back("result1", "call1", 12, "t1", "p1"),
    said("thinks", "result1", 13, "m2"),
    called("call2", "thinks", 14, "t2", "m2"),
    called("call3", "call2", 14, "t3", "m2"),
    entry("hook", "call3", 14),
    came_back("result2", "call2", 15, "t2", "p1"),
    came_back("result3", "call3", 16, "t3", "p1"),
    said("end1", "result3", 17, "m3"),
    entry("summary1", "end1", 18, "system"),
    told("prompt2", "summary1", 30, "p2"),
    called("call4", "prompt2", 31, "t4", "m4"),
    came_back("result4", "call4", 32, "t4", "p2"),
    said("end2", "result4", 33, "m5"),
]
"""Two prompts: a call, two calls at once, an answer; a call, an answer."""


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return tmp_path / "s1.jsonl"


def write(transcript: Path, entries: Sequence[Json]) -> None:
    transcript.write_text("".join(json.dumps(each) + "\n" for each in entries))


def message(
    transcript: Path,
    moment: CheckpointTrigger,
    *,
    at: float = 0.0,
    prompt: str = "",
    call: str = "",
) -> str:
    place = ConversationPosition(
        "claude", "s1", transcript=str(transcript), prompt=prompt, call=call, at=at
    )
    found = located(record(moment, place))
    assert found is not None
    return found.message


def record(moment: CheckpointTrigger, place: ConversationPosition | None) -> CheckpointRecord:
    return CheckpointRecord(
        moment=moment,
        conversation=place,
        number=1,
        created_at=datetime.fromtimestamp(100, UTC),
        git_commit="c",
        tree="t",
        work_tree="/shop",
    )


def test_before_a_prompt_is_after_all_that_came_before_it(transcript: Path) -> None:
    write(transcript, SESSION)
    assert message(transcript, CheckpointTrigger.PROMPT, prompt="p2", at=30.1) == "summary1"


def test_before_the_first_prompt_there_is_no_conversation(transcript: Path) -> None:
    write(transcript, SESSION)
    assert message(transcript, CheckpointTrigger.PROMPT, prompt="p1", at=10.1) == ""


def test_a_prompt_that_was_never_sent_has_no_place(transcript: Path) -> None:
    write(transcript, SESSION)
    assert message(transcript, CheckpointTrigger.PROMPT, prompt="p9", at=40) == ""


def test_a_prompt_may_have_several_entries(transcript: Path) -> None:
    more = [told("note", "end2", 50, "p3"), entry("x", "note", 50), told("prompt3", "x", 50, "p3")]
    write(transcript, [*SESSION, *more])
    assert message(transcript, CheckpointTrigger.PROMPT, prompt="p3", at=50.1) == "end2"


def test_before_the_entries_of_the_first_prompt_there_is_no_conversation(transcript: Path) -> None:
    write(transcript, [told("note", None, 50, "p1"), told("prompt1", "note", 50, "p1")])
    assert message(transcript, CheckpointTrigger.PROMPT, prompt="p1", at=50.1) == ""


def test_in_a_copied_session_earlier_prompts_may_have_the_same_id(transcript: Path) -> None:
    copied = [{**each, "promptId": "p2"} if "promptId" in each else each for each in SESSION]
    write(transcript, copied)
    assert message(transcript, CheckpointTrigger.PROMPT, prompt="p2", at=30.1) == "summary1"


def test_what_is_told_in_the_middle_of_a_turn_does_not_move_its_beginning(transcript: Path) -> None:
    write(
        transcript, [*SESSION, told("meanwhile", "end2", 34, "p2"), said("a", "meanwhile", 35, "m")]
    )
    assert message(transcript, CheckpointTrigger.PROMPT, prompt="p2", at=30.1) == "summary1"


def test_before_a_call_is_before_the_answer_that_makes_it(transcript: Path) -> None:
    write(transcript, SESSION)
    assert message(transcript, CheckpointTrigger.BEFORE_ACTION, call="t1") == "context1"
    assert message(transcript, CheckpointTrigger.BEFORE_ACTION, call="t4") == "prompt2"


@pytest.mark.parametrize("call", ["t2", "t3"])
def test_of_calls_at_once_all_or_none_belong_to_it(transcript: Path, call: str) -> None:
    write(transcript, SESSION)
    assert message(transcript, CheckpointTrigger.BEFORE_ACTION, call=call) == "result1"


@pytest.mark.parametrize("moment", [CheckpointTrigger.AFTER_ACTION, CheckpointTrigger.PERIODIC])
def test_after_a_call_is_its_result(transcript: Path, moment: CheckpointTrigger) -> None:
    write(transcript, SESSION)
    assert message(transcript, moment, call="t1") == "result1"
    assert message(transcript, moment, call="t3") == "result3"


def test_after_a_call_while_others_go_on_is_before_them_all(transcript: Path) -> None:
    write(transcript, SESSION)
    assert message(transcript, CheckpointTrigger.AFTER_ACTION, call="t2") == "result1"


def test_after_a_call_whose_result_is_not_written_is_before_it(transcript: Path) -> None:
    write(transcript, SESSION[:4])
    assert message(transcript, CheckpointTrigger.AFTER_ACTION, call="t1") == "context1"


@pytest.mark.parametrize(
    "moment", [CheckpointTrigger.BEFORE_ACTION, CheckpointTrigger.AFTER_ACTION]
)
def test_a_call_of_a_sub_agent_has_no_place(transcript: Path, moment: CheckpointTrigger) -> None:
    side = {**called("side", "call4", 31, "t9", "m9"), "isSidechain": True}
    write(transcript, [*SESSION, side])
    assert message(transcript, moment, call="t9") == ""


def test_at_rest_is_before_what_is_told_next(transcript: Path) -> None:
    write(transcript, SESSION)
    assert message(transcript, CheckpointTrigger.ITERATION_END, prompt="p1", at=17.1) == "summary1"
    assert message(transcript, CheckpointTrigger.ITERATION_END, prompt="p2", at=33.1) == "end2"


def test_what_was_written_before_the_rest_and_told_after_it_does_not_belong_to_it(
    transcript: Path,
) -> None:
    waiting = [told("queued", "end2", 32.5, "p3"), said("end3", "queued", 40, "m6")]
    write(transcript, [*SESSION, *waiting])
    assert message(transcript, CheckpointTrigger.ITERATION_END, prompt="p2", at=33.1) == "end2"


def test_a_session_that_was_interrupted_after_a_call_is_at_its_result(transcript: Path) -> None:
    write(transcript, [*SESSION[:5], told("prompt2", "result1", 30, "p2")])
    assert message(transcript, CheckpointTrigger.UNATTENDED, at=29) == "result1"


def test_a_session_that_is_taken_up_is_at_rest(transcript: Path) -> None:
    write(transcript, SESSION)
    assert message(transcript, CheckpointTrigger.UNATTENDED, at=29) == "summary1"


def test_a_session_that_begins_has_no_place(transcript: Path) -> None:
    write(transcript, SESSION)
    assert message(transcript, CheckpointTrigger.UNATTENDED, at=0.9) == ""


SUMMED_UP = [
    entry("boundary", None, 40, "system", subtype="compact_boundary"),
    told("sum", "boundary", 40, "p3"),
]
OTHER_WAY = [told("prompt3", "summary1", 50, "p3"), said("end3", "prompt3", 51, "m6")]


@pytest.mark.parametrize("since", [SUMMED_UP, OTHER_WAY], ids=["summed up", "another way"])
def test_what_the_session_cannot_go_back_to_has_no_place(
    transcript: Path, since: list[Json]
) -> None:
    write(transcript, [*SESSION, *since])
    assert message(transcript, CheckpointTrigger.BEFORE_ACTION, call="t4") == ""
    assert message(transcript, CheckpointTrigger.AFTER_ACTION, call="t4") == ""
    assert message(transcript, CheckpointTrigger.ITERATION_END, prompt="p2", at=33.1) == ""
    assert message(transcript, CheckpointTrigger.PROMPT, prompt="p2", at=30.1) == ""


def test_where_the_session_went_another_way_what_is_before_stays(transcript: Path) -> None:
    write(transcript, [*SESSION, *OTHER_WAY])
    assert message(transcript, CheckpointTrigger.ITERATION_END, prompt="p1", at=17.1) == "summary1"
    assert message(transcript, CheckpointTrigger.BEFORE_ACTION, call="t1") == "context1"


def test_a_line_that_is_just_being_written_is_passed_over(transcript: Path) -> None:
    write(transcript, SESSION)
    with transcript.open("a") as file:
        file.write('{"type": "user", "uuid": "u')
    assert message(transcript, CheckpointTrigger.ITERATION_END, at=33.1) == "end2"


def test_a_chain_that_bites_its_tail_ends(transcript: Path) -> None:
    write(transcript, [said("a", "b", 1, "m1"), said("b", "a", 2, "m2")])
    assert message(transcript, CheckpointTrigger.ITERATION_END, at=3) == "b"


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe\n", b"[]\n", b"null\n", b"{}\n"])
def test_where_nothing_was_said_there_is_no_place(transcript: Path, content: bytes) -> None:
    transcript.write_bytes(content)
    assert message(transcript, CheckpointTrigger.ITERATION_END, at=9) == ""


def test_a_transcript_that_cannot_be_read_has_no_place(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("none", "pipe", "."):
        assert message(tmp_path / name, CheckpointTrigger.ITERATION_END, at=9) == ""


def test_what_was_looked_up_already_stays(transcript: Path) -> None:
    known = ConversationPosition("claude", "s1", "m7", transcript=str(transcript))
    assert located(record(CheckpointTrigger.PROMPT, known)) == known


@pytest.mark.parametrize(
    "place", [None, ConversationPosition("other", "s1"), ConversationPosition("claude", "s1")]
)
def test_without_a_transcript_nothing_is_looked_up(place: ConversationPosition | None) -> None:
    assert located(record(CheckpointTrigger.PROMPT, place)) == place


moments = st.sampled_from(list(CheckpointTrigger))
indexes = st.lists(st.integers(0, len(SESSION) - 1), max_size=20)


@given(moments, indexes, st.floats(0, 40), st.sampled_from(["", "t1", "t3", "t4"]))
def test_whatever_lines_are_lost_it_is_one_of_the_sessions_or_none(
    tmp_path_factory: pytest.TempPathFactory,
    moment: CheckpointTrigger,
    left: list[int],
    at: float,
    call: str,
) -> None:
    transcript = tmp_path_factory.getbasetemp() / "lost.jsonl"
    write(transcript, [each for index, each in enumerate(SESSION) if index not in left])
    found = message(transcript, moment, at=at, prompt="p2", call=call)
    assert found in {"", *(str(each["uuid"]) for each in SESSION)}


def test_a_session_is_known_by_what_its_hooks_say() -> None:
    transcripts = TranscriptIndex(lambda: 5.0)
    assert transcripts.place("s1") == ConversationPosition("claude", "s1")
    transcripts.note("s1", "/t.jsonl", "p1", "t1")
    place = ConversationPosition(
        "claude", "s1", transcript="/t.jsonl", prompt="p1", call="t1", at=5.0
    )
    assert transcripts.place("s1") == place
    transcripts.note("s1", "/t.jsonl", "p1")
    assert transcripts.place("s1").call == ""
