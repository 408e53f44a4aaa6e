"""Where a conversation is, read from the end of its transcript."""

import json
from pathlib import Path

import pytest

from handrail.hosts.claude_transcript import Transcripts, last_message


def line(kind: str, uuid: str, **more: object) -> str:
    return json.dumps({"type": kind, "uuid": uuid, **more}) + "\n"


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return tmp_path / "s1.jsonl"


def test_the_last_message_is_that_of_the_person_or_of_the_agent(transcript: Path) -> None:
    said = line("user", "u1") + line("assistant", "a1") + line("system", "x1")
    transcript.write_text(said + json.dumps({"type": "summary"}) + "\n")
    assert last_message(str(transcript)) == "a1"


def test_what_sub_agents_say_does_not_count(transcript: Path) -> None:
    transcript.write_text(line("user", "u1") + line("assistant", "a1", isSidechain=True))
    assert last_message(str(transcript)) == "u1"


def test_a_line_that_is_just_being_written_is_passed_over(transcript: Path) -> None:
    transcript.write_text(line("assistant", "a1") + '{"type": "user", "uuid": "u')
    assert last_message(str(transcript)) == "a1"


def test_only_the_end_of_a_huge_transcript_is_read(transcript: Path) -> None:
    transcript.write_text(line("user", "u1", text="x" * 3_000_000) + line("assistant", "a1"))
    assert last_message(str(transcript)) == "a1"


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe\n", b"[]\n", b"null\n", b"{}\n"])
def test_where_there_is_no_message_there_is_none(transcript: Path, content: bytes) -> None:
    transcript.write_bytes(content)
    assert last_message(str(transcript)) == ""


def test_a_transcript_that_is_missing_has_none(tmp_path: Path) -> None:
    assert last_message(str(tmp_path / "none")) == ""
    assert last_message(str(tmp_path)) == ""


def test_a_session_is_known_by_what_its_hooks_say(transcript: Path) -> None:
    transcript.write_text(line("user", "u1"))
    transcripts = Transcripts()
    assert transcripts.last_message("s1") == ""
    transcripts.note("s1", str(transcript))
    assert transcripts.last_message("s1") == "u1"
    transcripts.note("s2", "not/absolute")
    assert transcripts.last_message("s2") == ""
