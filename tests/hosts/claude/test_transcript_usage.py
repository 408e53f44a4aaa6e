"""The tokens of a session, as its transcript grows."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.hosts.claude import transcript_usage
from handrail.hosts.claude.transcript_usage import TranscriptMeter
from handrail.hosts.token_meter import TokenCount

EARLY, LATE = "2026-01-25T20:47:01.000Z", "2026-01-25T21:47:01.000Z"
SINCE = 1769376000.0  # 2026-01-25 21:20 UTC


def answer(
    message: str, tokens: int, *, at: str = LATE, model: str = "opus", **more: object
) -> str:
    usage = {
        "input_tokens": tokens,
        "output_tokens": 10,
        "cache_read_input_tokens": 100,
        "cache_creation_input_tokens": 1000,
    }
    said = {"id": message, "model": model, "role": "assistant", "usage": usage}
    return json.dumps({"type": "assistant", "timestamp": at, "message": said, **more}) + "\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s1.jsonl"


def meter(path: Path) -> TranscriptMeter:
    return TranscriptMeter(str(path), SINCE)


def add(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def test_each_answer_counts_by_its_kinds_of_tokens(path: Path) -> None:
    add(path, answer("m1", 5) + answer("m2", 7, model="haiku"))
    reading = meter(path).read()
    assert reading.models == {
        "opus": TokenCount(5, 10, 100, 1000),
        "haiku": TokenCount(7, 10, 100, 1000),
    }
    assert reading.tokens == 2 * 1110 + 12
    assert reading.answers == [1115, 1117]
    assert reading.cost_usd == 0


def test_only_what_is_new_is_read(path: Path) -> None:
    reader = meter(path)
    assert reader.read().tokens == 0
    add(path, answer("m1", 5))
    assert reader.read().answers == [1115]
    whole = answer("m2", 7)
    add(path, whole[:40])
    assert reader.read().answers == []
    add(path, whole[40:])
    reading = reader.read()
    assert reading.answers == [1117]
    assert reading.tokens == 2 * 1110 + 12
    assert reader.read().answers == []


def test_an_answer_in_several_lines_counts_once_with_its_last_usage(path: Path) -> None:
    add(path, answer("m1", 5) + '{"type":"user"}\n' + answer("m1", 50))
    reading = meter(path).read()
    assert reading.tokens == 1160
    assert len(reading.answers) == 1


def test_what_was_before_the_run_does_not_count(path: Path) -> None:
    add(path, answer("old", 99, at=EARLY) + answer("new", 1))
    assert meter(path).read().tokens == 1111


def test_what_no_model_said_does_not_count(path: Path) -> None:
    add(path, answer("m1", 5, model="<synthetic>") + answer("m2", 5, at="never"))
    assert meter(path).read().tokens == 0


def test_sub_agents_count_but_are_no_answers_to_the_agent(path: Path) -> None:
    add(path, answer("m1", 5) + answer("m2", 5, isSidechain=True))
    folder = path.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    add(folder / "agent-a.jsonl", answer("m3", 5))
    add(folder / "notes.txt", answer("m4", 5))
    reading = meter(path).read()
    assert reading.tokens == 3 * 1115
    assert reading.answers == [1115]


def test_the_hosts_own_cost_is_taken(path: Path) -> None:
    add(path, answer("m1", 5, costUSD=0.25) + answer("m2", 5, costUSD=0.5))
    assert meter(path).read().cost_usd == 0.75


def test_a_file_that_shrinks_is_not_counted_again(path: Path) -> None:
    reader = meter(path)
    add(path, answer("m1", 5) + answer("m2", 5))
    before = reader.read().tokens
    path.write_text(answer("m3", 5))
    assert reader.read().tokens == before
    add(path, answer("m4", 5))
    assert reader.read().tokens == before + 1115


def test_a_line_that_is_too_long_is_skipped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_usage, "_MAX_PIECE", 600)
    add(path, answer("m1", 5) + "x" * 2000 + "\n" + answer("m2", 7))
    reader = meter(path)
    answers = [tokens for _ in range(9) for tokens in reader.read().answers]
    assert answers == [1115, 1117]


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "missing"):
        assert meter(path).read().tokens == 0


@given(st.lists(st.binary(max_size=80)), st.lists(st.integers(1, 60), max_size=20))
def test_any_content_in_any_pieces_is_read(
    tmp_path_factory: pytest.TempPathFactory, wild: list[bytes], cuts: list[int]
) -> None:
    path = tmp_path_factory.mktemp("t") / "s.jsonl"
    lines = [line.replace(b"\n", b"") for line in wild]
    content = b"\n".join([*lines, answer("m1", 5).encode().strip(), *lines, b""])
    reader, tokens = meter(path), 0
    with path.open("ab") as file:
        for cut in [*cuts, len(content)]:
            file.write(content[:cut])
            file.flush()
            content = content[cut:]
            tokens = reader.read().tokens
    assert tokens == 1115
