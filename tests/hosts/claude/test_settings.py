"""Our hooks in Claude Code's settings: put in, recognised, taken out, and nothing else touched."""

import json
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.hosts.claude.settings import (
    READS,
    HookOptions,
    add,
    hooks_for,
    installed,
    is_ours,
    remove,
)
from handrail.hosts.json_text import JsonNode, JsonTextError, TextEdit, apply, scan
from handrail.hosts.port import Version
from tests.hosts.test_json_text import values, written

pytestmark = pytest.mark.slow

HTTP = HookOptions(
    "http", "http://127.0.0.1:47115/hooks/claude", "t0ken", "/state/bin/handrail-hook"
)
COMMAND = msgspec.structs.replace(HTTP, style="command", version=(2, 1, 197))
OLD = msgspec.structs.replace(HTTP, style="command", version=(2, 0, 76))
ELSEWHERE = msgspec.structs.replace(HTTP, url="http://127.0.0.1:47999/hooks/claude")

hookings = st.sampled_from([HTTP, COMMAND, OLD, ELSEWHERE])

handlers = st.sampled_from(
    [
        {"type": "command", "command": "echo done"},
        {"type": "command", "command": "~/bin/notify 'all done'", "timeout": 5},
        {"type": "http", "url": "https://hooks.example.com/hooks/claude"},
        {"type": "http", "url": "http://127.0.0.1:8080/other"},
        {"type": "prompt", "prompt": "Is handrail-hook fine?"},
    ]
)
groups = st.fixed_dictionaries(
    {"hooks": st.lists(handlers, max_size=2)}, optional={"matcher": st.sampled_from(["Bash", "*"])}
)
events = st.sampled_from([*hooks_for(HTTP), "Notification", "Setup"])
hooks = st.dictionaries(events, st.lists(groups, max_size=2), max_size=4)
settings = st.builds(
    lambda before, ours, after: {**before, **ours, **after},
    st.dictionaries(st.text(max_size=4), values, max_size=2),
    st.fixed_dictionaries({}, optional={"hooks": hooks}),
    st.dictionaries(st.sampled_from(["model", "env", "permissions"]), values, max_size=2),
)
files = written(settings)


# The contract


@given(files, hookings)
def test_taking_out_what_was_put_in_gives_the_file_back(text: str, hooking: HookOptions) -> None:
    assert remove(add(text, hooking)) == text


@given(files, hookings)
def test_putting_in_twice_changes_nothing(text: str, hooking: HookOptions) -> None:
    once = add(text, hooking)
    assert add(once, hooking) == once
    assert installed(once, hooking).state == "complete"


@given(files, hookings, hookings)
def test_a_newer_installation_takes_the_place_of_an_older_one(
    text: str, first: HookOptions, second: HookOptions
) -> None:
    assert add(add(text, first), second) == add(text, second)


@given(files, hookings)
def test_what_was_there_is_there_unchanged(text: str, hooking: HookOptions) -> None:
    before, after = _read(text), _read(add(text, hooking))
    assert {**after, "hooks": None} == {**before, "hooks": None}
    for event, was in before.get("hooks", {}).items():
        assert after["hooks"][event][: len(was)] == was


@given(files, hookings)
def test_what_is_put_in_is_what_was_meant(text: str, hooking: HookOptions) -> None:
    before = _read(text).get("hooks", {})
    after = _read(add(text, hooking))["hooks"]
    for event, wanted in hooks_for(hooking).items():
        assert after[event][len(before.get(event, ())) :] == wanted


@given(files, hookings, st.data())
def test_entries_of_others_around_ours_stay(
    text: str, hooking: HookOptions, data: st.DataObject
) -> None:
    mixed = add(text, hooking)
    for number in range(data.draw(st.integers(1, 4))):
        mixed = _intrude(mixed, data, number)
    left = remove(mixed)
    assert _tidy(_read(left)) == _tidy(_without_ours(_read(mixed)))
    assert installed(left, hooking).state == "none"


@given(files, hookings)
def test_ours_are_taken_out_of_a_file_that_was_written_anew(
    text: str, hooking: HookOptions
) -> None:
    anew = json.dumps(_read(add(text, hooking)), indent=2)
    assert _tidy(_read(remove(anew))) == _tidy(_read(text))


@given(files)
def test_a_file_without_ours_is_left_alone(text: str) -> None:
    assert remove(text) == text
    assert installed(text, HTTP).state == "none"


def _read(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text.removeprefix("\ufeff"))
    return found


def _intrude(text: str, data: st.DataObject, number: int) -> str:
    """Somebody else's entry, anywhere among the hooks or beside them."""
    handler = json.dumps({"type": "command", "command": f"theirs {number}"})
    node, entry = data.draw(st.sampled_from(_places(scan(text), number, handler)))
    at = data.draw(st.integers(0, len(node.entries)))
    if at < len(node.entries):
        start = node.entries[at].start
        return apply(text, [TextEdit(start, start, f"{entry}, ")])
    end = node.entries[-1].end
    return apply(text, [TextEdit(end, end, f" ,\n{entry}")])


def _places(root: JsonNode, number: int, handler: str) -> list[tuple[JsonNode, str]]:
    """Where an entry may go, and how it looks there."""
    hooks = root.get("hooks")
    assert hooks is not None
    group = f'{{"hooks": [{handler}]}}'
    member = f'"Theirs{number}": [{group}]'
    lists = [event.value for event in hooks.value.entries]
    inner = [each.value.get("hooks") for groups in lists for each in groups.entries]
    places = [(root, member), (hooks.value, member), *((groups, group) for groups in lists)]
    places += [(each.value, handler) for each in inner if each is not None]
    return [place for place in places if place[0].entries]


def _without_ours(found: dict[str, Any]) -> dict[str, Any]:
    return {**found, "hooks": {name: _foreign(each) for name, each in found["hooks"].items()}}


def _foreign(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    left = []
    for group in groups:
        theirs = [handler for handler in group["hooks"] if not is_ours(handler)]
        if theirs or not group["hooks"]:
            left.append({**group, "hooks": theirs})
    return left


def _tidy(found: dict[str, Any]) -> dict[str, Any]:
    """Without events and hooks in which nothing is."""
    hooks = {name: groups for name, groups in found.get("hooks", {}).items() if groups}
    return {**found, "hooks": hooks}


# What is put in


@pytest.mark.parametrize("hooking", [HTTP, COMMAND, OLD])
def test_every_tool_goes_to_exactly_one_handler(hooking: HookOptions) -> None:
    read, change = hooks_for(hooking)["PreToolUse"]
    # A matcher of names and bars is a list of names in every version, all else an expression.
    assert re.fullmatch(r"[A-Za-z0-9_|]+", str(read["matcher"]))
    names = str(read["matcher"]).split("|")
    for tool in (*READS, "Bash", "Write", "Edit", "ReadX", "mcp__read__Read", "Skill", "WebFetch"):
        assert (tool in names) != bool(re.search(str(change["matcher"]), tool))


@pytest.mark.parametrize("hooking", [HTTP, COMMAND, OLD])
def test_only_what_changes_something_is_blocked_without_an_answer(hooking: HookOptions) -> None:
    blocking = [
        (event, group.get("matcher", ""))
        for event, groups in hooks_for(hooking).items()
        for group in groups
        for handler in _handlers(group)
        if handler.get("onFailure") == "block"
    ]
    change = hooks_for(hooking)["PreToolUse"][1]["matcher"]
    config = [("ConfigChange", "")] if "ConfigChange" in hooks_for(hooking) else []
    assert blocking == [("PreToolUse", change), *config]


def test_http_handlers_carry_the_token_and_the_two_that_may_start_the_daemon_are_commands() -> None:
    kinds = {
        event: [handler["type"] for group in found for handler in _handlers(group)]
        for event, found in hooks_for(HTTP).items()
    }
    assert kinds.pop("SessionStart") == kinds.pop("UserPromptSubmit") == ["command"]
    assert kinds.pop("PreToolUse") == ["http", "http"]
    assert kinds.pop("PostToolBatch") == ["http", "command"]
    assert set(map(tuple, kinds.values())) == {("http",)}
    assert hooks_for(HTTP)["Stop"] == [
        {
            "hooks": [
                {
                    "type": "http",
                    "url": HTTP.url,
                    "headers": {"Authorization": "Bearer t0ken"},
                    "timeout": 15,
                }
            ]
        }
    ]


def test_commands_are_given_as_a_list_where_every_version_knows_that() -> None:
    (group,) = hooks_for(HTTP)["SessionStart"]
    assert _handlers(group) == [
        {
            "type": "command",
            "command": "/state/bin/handrail-hook",
            "args": ["SessionStart"],
            "timeout": 30,
        }
    ]


def test_commands_for_older_versions_are_quoted_for_a_shell() -> None:
    spaced = msgspec.structs.replace(OLD, client="/my state/bin/handrail-hook")
    read, change = hooks_for(spaced)["PreToolUse"]
    assert _handlers(read)[0]["command"] == "'/my state/bin/handrail-hook' PreToolUse read"
    assert _handlers(change)[0]["command"] == "'/my state/bin/handrail-hook' PreToolUse change"
    assert installed(add(None, spaced), spaced).state == "complete"


@pytest.mark.parametrize(
    ("version", "absent"),
    [
        ((2, 1, 197), set()),
        ((2, 1, 101), set()),
        ((2, 1, 100), {"PostToolBatch"}),
        ((2, 0, 76), {"PostToolBatch", "ConfigChange", "TaskCreated", "TaskCompleted"}),
        (
            (1, 0, 128),
            {
                "PostToolBatch",
                "ConfigChange",
                "PostToolUseFailure",
                "PermissionRequest",
                "SubagentStart",
                "TaskCreated",
                "TaskCompleted",
            },
        ),
    ],
)
def test_a_version_gets_no_event_that_would_make_it_ignore_the_file(
    version: Version, absent: set[str]
) -> None:
    found = hooks_for(msgspec.structs.replace(COMMAND, version=version))
    assert set(hooks_for(HTTP)) - set(found) == absent


def test_an_unknown_version_gets_only_what_every_version_knows() -> None:
    unknown = msgspec.structs.replace(COMMAND, version=None)
    oldest = msgspec.structs.replace(COMMAND, version=(1, 0, 128))
    assert hooks_for(unknown) == hooks_for(oldest)


def _handlers(group: dict[str, object]) -> list[dict[str, object]]:
    found = group["hooks"]
    assert isinstance(found, list)
    return found


# Recognising


@pytest.mark.parametrize(
    "handler",
    [
        {"type": "http", "url": "http://127.0.0.1:1/hooks/claude"},
        {"type": "http", "url": "http://localhost:47115/hooks/claude"},
        {"type": "http", "url": "http://[::1]:47115/hooks/claude", "timeout": 1},
        {"type": "command", "command": "/a b/handrail-hook", "args": ["Stop"]},
        {"type": "command", "command": "'/a b/handrail-hook' Stop"},
        {"type": "command", "command": "handrail-hook PreToolUse read"},
        {"command": "/x/handrail-hook"},
    ],
)
def test_ours_are_recognised_by_where_they_lead(handler: object) -> None:
    assert is_ours(handler)


@pytest.mark.parametrize(
    "handler",
    [
        {"type": "http", "url": "https://hooks.example.com/hooks/claude"},
        {"type": "http", "url": "http://127.0.0.1.example.com/hooks/claude"},
        {"type": "http", "url": "http://127.0.0.1:8080/hooks/claude/other"},
        {"type": "http", "url": "http://[::1"},
        {"type": "command", "command": "echo /x/handrail-hook"},
        {"type": "command", "command": "/x/handrail-hook-2 Stop"},
        {"type": "command", "command": "it's broken"},
        {"type": "prompt", "prompt": "handrail-hook"},
        {"url": 5, "command": None},
        {},
        "handrail-hook",
        None,
    ],
)
def test_handlers_of_others_are_not_ours(handler: object) -> None:
    assert not is_ours(handler)


def test_another_port_token_or_client_is_stale() -> None:
    text = add(None, HTTP)
    for other in (
        ELSEWHERE,
        msgspec.structs.replace(HTTP, token="another"),
        msgspec.structs.replace(HTTP, client="/other/bin/handrail-hook"),
    ):
        assert installed(text, other).state == "stale"


def test_a_missing_or_changed_handler_is_an_installation_in_part() -> None:
    found = _read(add(None, HTTP))
    del found["hooks"]["Stop"]
    assert installed(json.dumps(found), HTTP).state == "partly"
    weak = add(None, HTTP).replace('"onFailure": "block"', '"onFailure": "continue"')
    assert installed(weak, HTTP).state == "partly"


def test_the_style_of_an_installation_is_known() -> None:
    assert installed(add(None, HTTP), COMMAND).style == "http"
    assert installed(add(None, COMMAND), HTTP).style == "command"
    assert installed(None, HTTP).style is None


def test_the_order_of_things_does_not_matter() -> None:
    found = _read(add(None, HTTP))
    turned = {name: groups[::-1] for name, groups in reversed(found["hooks"].items())}
    assert installed(json.dumps({"hooks": turned}), HTTP).state == "complete"


# Files as they are found


def test_a_file_that_is_not_there_or_blank_is_begun() -> None:
    for text in (None, "", " \n", "\ufeff"):
        begun = add(text, HTTP)
        assert begun.startswith('{\n  "hooks": {\n    "SessionStart": [\n')
        assert begun.endswith("\n}\n")
        assert _read(remove(begun)) == {}


def test_what_is_no_object_or_has_hooks_of_a_wrong_kind_is_refused_with_its_place() -> None:
    for text, place in (
        ("[]", "line 1, column 1: the settings must be an object"),
        ('{\n  "hooks": []\n}', 'line 2, column 12: "hooks" must be an object'),
        ('{"hooks": {"Stop": {}}}', 'line 1, column 20: "Stop" must be a list'),
        ("{ // mine\n}", "line 1, column 3: a comment"),
    ):
        with pytest.raises(JsonTextError, match=re.escape(place)):
            add(text, HTTP)


@pytest.mark.parametrize(
    "text",
    [
        "3",
        '{"hooks": 3}',
        '{"hooks": {"Stop": 3}}',
        '{"hooks": {"Stop": [3, {"hooks": {"a": 1}}, {"hooks": [3]}, {}]}}',
    ],
)
def test_oddities_are_left_alone_when_taking_out(text: str) -> None:
    assert remove(text) == text


def test_only_our_handler_goes_from_a_group_that_is_shared() -> None:
    found = _read(add(None, HTTP))
    stop: Any = found["hooks"]["Stop"][0]
    theirs = {"type": "command", "command": "say done"}
    stop["hooks"].append(theirs)
    assert _read(remove(json.dumps(found))) == {"hooks": {"Stop": [{"hooks": [theirs]}]}}


def test_bytes_that_are_not_text_survive() -> None:
    text = b'{"env": {"A": "\xff\xfe"}}'.decode("utf-8", "surrogateescape")
    assert remove(add(text, HTTP)) == text
    add(text, HTTP).encode("utf-8", "surrogateescape")
