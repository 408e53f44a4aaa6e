"""JSON lines: exactly one answer a line, in order, whatever comes; never a false allowance."""

import io
import json
import subprocess
import sys
import tracemalloc
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.cli.review_lines import MAX_LINE, answer_line, review_each_line
from handrail.review import Reviewer

from .conftest import HandrailShell

pytestmark = pytest.mark.slow

REVIEWER = Reviewer(see_disk=False)
KEYS = {
    "id", "decision", "risk", "severity", "reasons", "effects", "alternative", "updated_input"
}  # fmt: skip


def ask(*lines: bytes) -> list[Any]:
    sink = io.BytesIO()
    review_each_line(io.BytesIO(b"\n".join(lines)), sink, REVIEWER, "/work/shop")
    return [json.loads(line) for line in sink.getvalue().splitlines()]


def action(command: str, key: object = 1, **more: object) -> bytes:
    whole = {"id": key, "tool": "Bash", "input": {"command": command}, **more}
    return json.dumps(whole).encode()


def test_every_line_is_answered_in_order() -> None:
    answers = ask(*(action("ls" if n % 2 else "rm -rf /", n) for n in range(50)))
    assert [answer["id"] for answer in answers] == list(range(50))
    assert [answer["decision"] for answer in answers] == ["block", "allow"] * 25


def test_an_answer_has_all_its_parts() -> None:
    (answer,) = ask(action("rm -rf /"))
    assert answer.keys() >= KEYS
    assert isinstance(answer["risk"], float)
    assert answer["severity"] == "critical"
    assert answer["updated_input"] is None
    assert "error" not in answer
    (effect,) = answer["effects"]
    assert effect.keys() == {"kind", "intent", "target", "severity", "undo", "says"}


@pytest.mark.parametrize("key", [None, 0, 1.5, "x", True, [1, {"a": None}], {"b": 2}, 2**70])
def test_any_id_is_echoed(key: object) -> None:
    assert ask(action("ls", key))[0]["id"] == key


def test_what_may_be_left_out() -> None:
    lines = [
        b'{"command": "ls"}',
        b'{"tool": "Bash", "input": {"command": "ls"}, "cwd": null, "env": null, "extra": [1]}',
        b'{"tool": "Bash", "input": {"command": "ls"}}\r',
        b'\xef\xbb\xbf{"command": "ls"}',
    ]
    for line in lines:
        assert ask(line)[0]["decision"] == "allow"


def test_cwd_and_env_count() -> None:
    env = {"HOME": "/home/ann"}
    answers = ask(
        action("rm -rf data"),
        action("rm -rf data", cwd="/srv"),
        action("cat ~/.ssh/id_rsa", env=env),
        action("rm -rf data", cwd="sub"),
    )
    targets = [answer["effects"][0]["target"] for answer in answers]
    assert targets == [
        "/work/shop/data", "/srv/data", "/home/ann/.ssh/id_rsa", "/work/shop/sub/data"
    ]  # fmt: skip


HOSTILE: dict[str, tuple[bytes, object]] = {
    "no JSON": (b"{oops", None),
    "cut off": (b'{"id": 3, "tool": "Bash", "input": {"comm', 3),
    "an array": (b"[]", None),
    "a number": (b"5", None),
    "null": (b"null", None),
    "empty object": (b"{}", None),
    "only an id": (b'{"id": "x"}', "x"),
    "no input": (b'{"id": 2, "tool": "Bash"}', 2),
    "no tool": (b'{"id": 2, "input": {"command": "ls"}}', 2),
    "empty tool": (b'{"id": 2, "tool": "", "input": {}}', 2),
    "tool is a number": (b'{"tool": 5, "input": {}, "id": 7}', 7),
    "input is text": (b'{"id": 5, "tool": "Bash", "input": "ls"}', 5),
    "command is a number": (b'{"id": 4, "tool": "Bash", "input": {"command": 7}}', 4),
    "no command": (b'{"id": 4, "tool": "Bash", "input": {}}', 4),
    "cwd is a number": (b'{"id": 6, "tool": "Bash", "input": {"command": "ls"}, "cwd": 1}', 6),
    "env is a list": (b'{"id": 6, "tool": "Bash", "input": {"command": "ls"}, "env": []}', 6),
    "env has numbers": (b'{"id": 6, "command": "ls", "env": {"A": 1}}', 6),
    "empty line": (b"", None),
    "blank line": (b"   \t", None),
    "not UTF-8": (b'{"id": 8, "command": "ls \xff"}', 8),
    "not UTF-8 in a field nobody reads": (b'{"id": 8, "command": "ls", "x": "\xff"}', 8),
    "UTF-16": ('{"id": 8, "command": "ls"}'.encode("utf-16"), None),
    "NUL bytes": (b"\0\0\0", None),
    "NUL in the command": (b'{"id": 9, "command": "ls \\u0000; rm"}', 9),
    "NUL in cwd": (b'{"id": 9, "command": "ls", "cwd": "/a\\u0000b"}', 9),
    "cwd is endless": (b'{"id": 9, "command": "ls", "cwd": "' + b"/a" * 500_000 + b'"}', 9),
    "NUL in env": (b'{"id": 9, "command": "ls", "env": {"A": "\\u0000"}}', 9),
    "lone surrogate": (b'{"id": 10, "command": "ls \\ud800"}', 10),
    "deep": (b"[" * 100_000, None),
    "deep in an object": (b'{"id": 11, "command": ' + b"[" * 100_000, 11),
    "deep where nobody looks": (b'{"id": 11, "command": "ls", "x": ' + b'{"a":' * 100_000, 11),
    "deep command": (b'{"id": 12, "command": "' + b"$(" * 40_000 + b'"}', 12),
    "long command": (b'{"id": 13, "command": "echo ' + b"a" * 3_000_000 + b'"}', 13),
    "huge number": (b'{"command": "ls", "id": ' + b"9" * 6_000 + b"}", None),
    "number out of range": (b'{"command": "ls", "id": 1e999}', None),
    "trailing text": (b'{"id": 14, "command": "ls"} rm -rf /', 14),
    "two objects": (b'{"id": 14, "command": "ls"}{"id": 15, "command": "ls"}', 14),
    "too long": (b'{"id": "big", "command": "' + b"a" * 10_000_000 + b'"}', "big"),
}


@pytest.mark.parametrize(("line", "key"), HOSTILE.values(), ids=HOSTILE)
def test_what_cannot_be_read_is_not_run(line: bytes, key: object) -> None:
    before, answer, after = ask(action("ls", "before"), line, action("ls", "after"))
    assert (before["id"], before["decision"]) == ("before", "allow")
    assert (after["id"], after["decision"]) == ("after", "allow")
    assert (answer["id"], answer["decision"]) == (key, "block")
    assert answer.keys() >= KEYS
    assert "cannot be read, so it is not run" in answer["reasons"][0]
    assert answer["alternative"]


def test_a_refusal_of_a_line_names_the_error() -> None:
    assert ask(b"{")[0]["error"].startswith("the line is not JSON")


@given(st.binary().map(lambda data: data.replace(b"\n", b"")))
def test_bytes_without_sense_are_blocked(data: bytes) -> None:
    answer = json.loads(answer_line(data, REVIEWER, "/"))
    assert answer["decision"] == "block"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "id": JSON, "tool": JSON | st.just("Bash"), "input": JSON, "cwd": JSON, "env": JSON,
            "command": JSON,
        },
    )
)  # fmt: skip
def test_any_object_gets_one_answer_with_its_id(request_: dict[str, object]) -> None:
    try:
        line = json.dumps(request_, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        line = json.dumps(request_).encode()
    answer = answer_line(line, REVIEWER, "/work")
    assert b"\n" not in answer
    assert json.loads(answer).keys() >= KEYS


class Failing(Reviewer):
    """A reviewer with a fault."""

    def review(self, *args: object, **kwargs: object) -> Any:
        raise ZeroDivisionError("ouch")


def test_a_fault_of_ours_is_a_refusal() -> None:
    answer = json.loads(answer_line(action("ls", 3), Failing(see_disk=False), "/"))
    assert (answer["id"], answer["decision"]) == (3, "block")
    assert "ZeroDivisionError" in answer["error"]


class Endless(io.RawIOBase):
    """A line that does not end for a long time, made while it is read."""

    def __init__(self, size: int) -> None:
        self.left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = min(len(buffer), self.left)
        buffer[:size] = b"a" * size
        self.left -= size
        return size


def test_a_line_of_50_mb_needs_little_memory() -> None:
    sink = io.BytesIO()
    tracemalloc.start()
    try:
        review_each_line(io.BufferedReader(Endless(50_000_000)), sink, REVIEWER, "/")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert json.loads(sink.getvalue())["decision"] == "block"
    assert peak < 4 * MAX_LINE


COSTLY = {
    "braces": b'{"command": "echo ' + b"{1..9}" * 40 + b'"}',
    "doubling": b'{"command": "' + b"A=$A$A;" * 40 + b'echo $A"}',
    "here-documents": b'{"command": "' + b"cat <<E\\n" * 25_000 + b'"}',
    "redirections": b'{"command": "ls ' + b">a " * 80_000 + b'"}',
    "addresses": b'{"command": "curl ' + b"http://a.b/ " * 20_000 + b'"}',
    "endless path": b'{"tool": "Read", "input": {"file_path": "' + b"/a" * 1_900_000 + b'"}}',
    "endless host": b'{"tool": "WebFetch", "input": {"url": "http://' + b"a." * 1_900_000 + b'"}}',
}


@pytest.mark.parametrize("line", COSTLY.values(), ids=COSTLY)
def test_a_line_made_to_be_slow_is_answered_in_time(line: bytes) -> None:
    began = process_time()
    (answer,) = ask(line)
    assert answer.keys() >= KEYS
    assert process_time() - began < 2  # about a quarter of a second on a quiet machine


def test_it_answers_before_the_next_question(shell: HandrailShell) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "handrail", "review", "--json", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=shell.project,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for command, decision in (("ls", "allow"), ("rm -rf /", "block"), ("pwd", "allow")):
            process.stdin.write(action(command) + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["decision"] == decision
        process.stdin.close()
        assert process.wait(timeout=20) == 0


def test_options_apply_to_all_lines(shell: HandrailShell) -> None:
    lines = b'{"id": 1, "command": "rm -rf data"}\n{"id": 2, "command": "ls"}'
    ran = shell.run("review", "--json", "--scope", "/srv/app", "-", stdin=lines)
    assert ran.code == 0
    first, second = ran.lines
    assert first["effects"][0]["target"] == "/srv/app/data"
    assert second["decision"] == "allow"
