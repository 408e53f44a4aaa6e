"""JSON as text: what is put in comes out again, and nothing else moves."""

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.hosts.json_text import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    JsonEntry,
    JsonNode,
    JsonTextError,
    Layout,
    append,
    apply,
    drop,
    layout,
    scan,
    value,
    was_empty,
)

BLANKS = ("", "", " ", "  ", "\n", "\n  ", "\n    ", "\t", "\r\n", "\r\n\t", "\n\n", "\r")

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


def spaced(item: object, random: Random) -> str:
    """The value as JSON, with any blanks that JSON allows."""

    def blank() -> str:
        return random.choice(BLANKS)

    if isinstance(item, dict):
        members = [
            f"{blank()}{json.dumps(key)}{blank()}:{blank()}{spaced(each, random)}{blank()}"
            for key, each in item.items()
        ]
        return "{" + (",".join(members) or blank()) + "}"
    if isinstance(item, list):
        elements = [f"{blank()}{spaced(each, random)}{blank()}" for each in item]
        return "[" + (",".join(elements) or blank()) + "]"
    return json.dumps(item, ensure_ascii=random.random() < 0.5)


@st.composite
def written(draw: st.DrawFn, items: st.SearchStrategy[object]) -> str:
    """JSON text in any style that people and programs write."""
    item = draw(items)
    random = draw(st.randoms(use_true_random=False))
    style = draw(st.sampled_from(["spaced", "spaced", "2", "4", "tab", "line", "windows"]))
    if style == "spaced":
        text = spaced(item, random)
    elif style == "line":
        text = json.dumps(item, separators=(",", ":"))
    else:
        indent = {"2": "  ", "4": "    ", "tab": "\t", "windows": "  "}[style]
        text = json.dumps(item, indent=indent)
        text = text.replace("\n", "\r\n") if style == "windows" else text
    return draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", "\n", " \r\n"]))


texts = written(values)


def nodes(node: JsonNode) -> list[JsonNode]:
    return [node, *(below for entry in node.entries for below in nodes(entry.value))]


@given(texts)
def test_a_value_is_read_as_the_standard_library_reads_it(text: str) -> None:
    plain = text.removeprefix("\ufeff")
    assert value(text, scan(text)) == json.loads(plain, parse_int=float)


@given(texts)
def test_every_part_is_where_it_is_said_to_be(text: str) -> None:
    for node in nodes(scan(text)):
        json.loads(text[node.start : node.end])
        for entry in node.entries:
            brackets = "{}" if node.kind == "{" else "[]"
            alone = json.loads(_written(text, entry).join(brackets))
            assert list(alone) == [entry.key] if node.kind == "{" else len(alone) == 1


@given(texts, st.data(), st.lists(values, min_size=1, max_size=3))
def test_what_is_put_in_at_the_end_can_be_taken_out_again(
    text: str, data: st.DataObject, items: list[object]
) -> None:
    root = scan(text)
    holders = [node for node in nodes(root) if node.kind]
    if not holders:
        return
    number = data.draw(st.integers(0, len(holders) - 1))
    node = holders[number]
    fresh = [(f"new{index} {len(text)}", item) for index, item in enumerate(items)]
    whole = node == root and data.draw(st.booleans())
    filled = apply(text, [append(text, node, fresh, layout(text, root), whole=whole)])

    after = [each for each in nodes(scan(filled)) if each.kind and each.start == node.start]
    (holder,) = after
    was = len(node.entries)
    assert len(holder.entries) == was + len(items)
    added = [value(filled, entry.value) for entry in holder.entries[was:]]
    assert added == [json.loads(json.dumps(item), parse_int=float) for item in items]
    mine = range(was, len(holder.entries))
    assert apply(filled, drop(filled, holder, mine)) == text


@given(texts, st.data())
def test_taking_out_leaves_exactly_the_others(text: str, data: st.DataObject) -> None:
    holders = [node for node in nodes(scan(text)) if node.entries]
    if not holders:
        return
    node = data.draw(st.sampled_from(holders))
    gone = data.draw(st.sets(st.integers(0, len(node.entries) - 1)))
    less = apply(text, drop(text, node, sorted(gone)))
    (left,) = [each for each in nodes(scan(less)) if each.kind and each.start == node.start]
    kept = [entry for number, entry in enumerate(node.entries) if number not in gone]
    assert [_written(less, entry) for entry in left.entries] == [
        _written(text, entry) for entry in kept
    ]


def _written(text: str, entry: JsonEntry) -> str:
    return text[entry.start : entry.end]


@given(texts, st.data())
def test_exactly_strict_json_is_accepted(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    until = data.draw(st.integers(at, min(at + 2, len(text))))
    text = text[:at] + data.draw(st.text('{}[]",:/-+.e0t \n\\u\x00', max_size=3)) + text[until:]
    try:
        json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_once)
    except ValueError:
        with pytest.raises(JsonTextError):
            scan(text)
    else:
        scan(text)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("twice")
    return dict(pairs)


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ('{\n  // why\n  "a": 1\n}', 2, 3, "a comment"),
        ('{\r\n  "a": 1 /* why */\r\n}', 2, 10, "a comment"),
        ('{"a": 1,}', 1, 8, "a comma with nothing between it and }"),
        ("[1,\n]", 1, 3, "a comma with nothing between it and ]"),
        ('{\n  "a": 1,\n  "a": 2\n}', 3, 3, '"a" is there twice'),
        ('{"a": 1', 1, 8, "the file ends too early"),
        ("", 1, 1, "the file ends too early"),
        ("\ufeff  nope", 1, 3, "a value is expected here"),
        ('{"a": 1} x', 1, 10, "something follows"),
        ('{"a": "b\nc"}', 1, 7, "this text does not end well"),
        ("{'a': 1}", 1, 2, "a name in double quotes"),
        ('{"a" 1}', 1, 6, "a colon is expected"),
        ('{"a": 1 "b": 2}', 1, 9, "a comma or } is expected"),
        ('{"a": NaN}', 1, 7, "a value is expected here"),
        ("[01]", 1, 3, "a comma or ] is expected"),
    ],
)
def test_what_is_not_strict_json_is_said_with_its_place(
    text: str, line: int, column: int, says: str
) -> None:
    with pytest.raises(JsonTextError) as caught:
        scan(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert says in str(caught.value)


def test_a_file_nested_too_deep_is_refused() -> None:
    scan("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    with pytest.raises(JsonTextError, match="nested more than"):
        scan("[" * 100_000 + "]" * 100_000)


def test_a_huge_file_is_refused() -> None:
    with pytest.raises(JsonTextError, match="larger than"):
        scan('"' + "a" * MAX_CHARACTERS + '"')


def test_text_that_never_ends_is_refused_at_once() -> None:
    with pytest.raises(JsonTextError):
        scan('"' + "a\\n" * 1_000_000)


def test_numbers_of_any_length_are_read() -> None:
    text = "9" * 10_000
    assert value(text, scan(text)) == float("inf")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", Layout("\n", "  ")),
        ('{\n    "a": 1\n}', Layout("\n", "    ")),
        ('{\r\n\t"a": 1\r\n}', Layout("\r\n", "\t")),
        ('{"a": {\n   "b": 1}}', Layout("\n", "   ")),
        ('{\n"a": {\n   "b": 1}}', Layout("\n", "   ")),
        ('{"a": 1}\r', Layout("\r", "  ")),
    ],
)
def test_the_layout_of_a_file_is_found(text: str, expected: Layout) -> None:
    assert layout(text, scan(text)) == expected


def _add(text: str, item: object) -> str:
    root = scan(text)
    return apply(text, [append(text, root, [("new", item)], layout(text, root), whole=True)])


def test_new_text_looks_like_the_old() -> None:
    assert _add('{\n\t"a": 1\n}\n', {"b": [{"c": 2}]}) == (
        '{\n\t"a": 1,\n\t"new": {\n\t\t"b": [\n\t\t\t{ "c": 2 }\n\t\t]\n\t}\n}\n'
    )


def test_an_empty_file_is_opened_up() -> None:
    assert _add("{}", 1) == '{\n  "new": 1\n}'


def test_plain_values_stay_on_one_line() -> None:
    assert _add("{}", ["a", "b"]) == '{\n  "new": ["a", "b"]\n}'
    assert _add("{}", {"a": "ä"}) == '{\n  "new": { "a": "ä" }\n}'


def test_an_object_that_was_there_empty_is_told_from_one_that_came_along() -> None:
    text = '{"old": {}}'
    root = scan(text)
    holder = root.entries[0].value
    look = layout(text, root)
    filled = apply(text, [append(text, holder, [("new", {"deep": [[1]]})], look)])
    old = scan(filled).entries[0].value
    assert was_empty(filled, old)
    assert not was_empty(filled, old.entries[0].value)
