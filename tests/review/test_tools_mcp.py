"""Tools of servers are read by what stands in their input, however it is packed."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.model import Action, Decision, Kind, Review
from handrail.review import Reviewer
from handrail.review.tools.input_texts import MAX_VALUES, look_through
from handrail.review.tools.tool_effects import command_field, command_of

pytestmark = pytest.mark.slow

REVIEWER = Reviewer(environ={"HOME": "/home/test"}, see_disk=False)
SHOP = "/home/test/shop"


def review(tool: str, /, **fields: object) -> Review:
    return REVIEWER.review(Action(tool, fields, SHOP))


def effects(tool: str, /, **fields: object) -> set[tuple[Kind, str]]:
    return {(effect.kind, effect.target) for effect in review(tool, **fields).effects}


@pytest.mark.parametrize("name", ["path", "file_path", "filePath", "filename", "paths", "File"])
def test_a_secret_is_read_no_more_easily_by_a_server(name: str) -> None:
    builtin = review("Read", file_path=".env")
    assert review("mcp__files__read", **{name: ".env"}).reasons == builtin.reasons
    assert review("mcp__files__read", **{name: "~/.ssh/id_rsa"}).decision is Decision.BLOCK


@pytest.mark.parametrize(
    ("tool", "fields", "expected"),
    [
        ("mcp__f__move_file", {"source": "a", "destination": "/tmp/b"}, {(Kind.WRITE, "/tmp/b")}),
        ("mcp__f__read_file", {"path": "a.py"}, {(Kind.READ, f"{SHOP}/a.py")}),
        ("mcp__f__write_file", {"path": "a.py"}, {(Kind.WRITE, f"{SHOP}/a.py")}),
        ("mcp__f__copy", {"src": "/tmp/a", "dst": "/tmp/b"},
         {(Kind.READ, "/tmp/a"), (Kind.WRITE, "/tmp/b")}),
        ("mcp__f__rename", {"from": "./a", "to": "./b"},
         {(Kind.WRITE, f"{SHOP}/a"), (Kind.WRITE, f"{SHOP}/b")}),
        ("mcp__f__edit", {"edits": [{"path": "a"}, {"path": "b"}]},
         {(Kind.WRITE, f"{SHOP}/a"), (Kind.WRITE, f"{SHOP}/b")}),
        ("mcp__web__get", {"options": {"url": "https://example.org/a"}},
         {(Kind.FETCH, "https://example.org/a")}),
        ("mcp__web__get", {"urls": ["https://example.org/a", "https://example.org/b"]},
         {(Kind.FETCH, "https://example.org/a")}),
        ("mcp__site__redirect", {"from": "/blog/a", "to": "/blog/b"}, set()),
        ("mcp__mail__draft", {"from": "a@example.org", "to": "b@example.org"}, set()),
        ("mcp__x__search", {"query": "/etc/shadow"}, set()),
    ],
)  # fmt: skip
def test_names_and_fields_tell_what_is_done(
    tool: str, fields: dict[str, object], expected: set[tuple[Kind, str]]
) -> None:
    assert expected <= effects(tool, **fields)
    if not expected:
        assert effects(tool, **fields) == set()


@pytest.mark.parametrize(
    ("fields", "command"),
    [
        ({"command": "ls -la"}, "ls -la"),
        ({"cmd": "ls"}, "ls"),
        ({"command": ["rm", "-rf", "a b"]}, "rm -rf 'a b'"),
        ({"command": "rm", "args": ["-rf", "a b"]}, "rm -rf 'a b'"),
        ({"options": {"command": "ls -la"}}, "ls -la"),
        ({"command": "kill", "args": [9]}, "kill 9"),
    ],
)
def test_a_command_is_found_wherever_it_stands(fields: dict[str, object], command: str) -> None:
    assert command in (command_of(Action("mcp__sh__run", fields, SHOP)) or "")


def test_only_a_command_that_stands_whole_in_one_field_is_rewritten() -> None:
    def field(**fields: object) -> str | None:
        return command_field(Action("mcp__sh__run", fields, SHOP))

    assert field(command="rm -rf a") == "command"
    assert field(query="a") is None
    several: list[dict[str, object]] = [
        {"command": "rm", "args": ["-rf", "a"]},
        {"command": "rm -rf a", "cwd": "/tmp"},
        {"command": "rm -rf a", "path": "b"},
        {"options": {"command": "rm -rf a"}},
    ]
    for fields in several:
        assert field(**fields) not in fields


def test_a_destructive_query_is_read_as_one() -> None:
    assert review("mcp__sqlite__write_query", query="DROP TABLE users").decision is Decision.BLOCK
    assert review("mcp__sqlite__read_query", query="SELECT 1").decision is Decision.ALLOW
    assert review("mcp__docs__read_query", query="DROP TABLE users").decision is Decision.ALLOW


def _nested(depth: int) -> dict[str, object]:
    inner: dict[str, object] = {"path": "/etc/passwd"}
    for _ in range(depth):
        inner = {"a": inner}
    return inner


def test_depth_hides_nothing() -> None:
    assert review("mcp__f__write", **_nested(500)).decision is Decision.BLOCK


@pytest.mark.parametrize(
    "fields",
    [
        {"x": [0] * (MAX_VALUES + 1)},
        {"x": [["a"]] * MAX_VALUES},
        {"x": ["./" + "a" * 4000] * 500},
        {"paths": [f"/tmp/{number}" for number in range(2000)]},
        {"command": "ls -la", "paths": [f"/tmp/{number}" for number in range(2000)]},
        _nested(MAX_VALUES * 10),
    ],
    ids=["list", "lists", "long", "paths", "paths and a command", "deep"],
)
def test_what_is_too_much_to_look_through_is_not_run(fields: dict[str, object]) -> None:
    found = review("mcp__f__search", **fields)
    assert found.decision is Decision.BLOCK
    assert "cannot be read" in found.explanation
    assert not found.faults
    assert review("launch_rocket", **fields).decision is Decision.BLOCK


WORDS = st.sampled_from(
    ["path", "command", "args", "cwd", "url", "host", "port", "files", "code", "query", "content",
     "source", "destination", "/etc/passwd", "~", "~/x", "ls -la", "file://[", "http://[", "a\nb",
     "'", "<<E", "", "\0", "-", "é\ud800"]
)  # fmt: skip
VALUES = st.recursive(
    WORDS | st.text(max_size=20) | st.integers() | st.booleans() | st.none() | st.floats(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)
INPUTS = st.dictionaries(WORDS, VALUES, max_size=5)
TOOLS = st.sampled_from(
    ["mcp__f__write", "mcp__f__move", "mcp__sh__run", "mcp__py__execute_code", "mcp__db__query",
     "a.b", "Unheard", "mcp__", "__", "apply_patch", "Monitor"]
)  # fmt: skip


@given(TOOLS, INPUTS)
def test_any_input_is_read_without_a_fault(tool: str, fields: dict[str, Any]) -> None:
    found = REVIEWER.review(Action(tool, fields, SHOP))
    assert not found.faults


def texts(value: object) -> Iterator[str]:
    """All texts in a value, found the simple way."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)


@given(INPUTS)
def test_every_text_is_seen(fields: dict[str, Any]) -> None:
    seen = {leaf.text for leaf in look_through(Action("mcp__f__x", fields)).leaves}
    assert seen >= set(texts(fields))


@given(INPUTS)
def test_no_field_hides_what_another_one_does(fields: dict[str, Any]) -> None:
    given_too = {**fields, "file_path": f"{SHOP}/handrail.yaml"}
    found = REVIEWER.review(Action("mcp__f__write", given_too, SHOP))
    assert found.decision is Decision.BLOCK
