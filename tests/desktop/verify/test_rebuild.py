"""What operations make of a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.desktop.verify.texts import edits, filled, numbered, plainly, starts, texts

from handrail.desktop.verify.rebuild import (
    LineRangeError,
    LineText,
    carry_out,
    line_count,
    rebuild,
    split_lines,
)
from handrail.desktop.verify.session import (
    DeleteOperation,
    EditOperation,
    InsertOperation,
    NavigateOperation,
)


@given(edits())
def test_operations_mean_the_same_as_slices_of_a_string(
    edit: tuple[str, list[EditOperation]],
) -> None:
    original, operations = edit
    assert rebuild(original, operations) == plainly(original, operations)


@given(edits())
def test_the_lines_that_can_be_reached_are_those_an_editor_shows(
    edit: tuple[str, list[EditOperation]],
) -> None:
    original, operations = edit
    text = LineText(original)
    for index, operation in enumerate(operations):
        carry_out(text, index, operation)
        assert text.reachable == len(starts(text.text()))
        assert len(text) == filled(text.text())


@given(texts)
def test_lines_join_to_the_text_they_were_split_from(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert len(lines) == line_count(text) == filled(text)


@pytest.mark.parametrize(
    ("original", "operations", "expected"),
    [
        ("", [InsertOperation(1, "a\n")], "a\n"),
        ("a\n", [InsertOperation(2, "b")], "a\nb"),
        ("a\nb", [InsertOperation(2, "x")], "a\nxb"),
        ("a\r\nb\r\n", [DeleteOperation(1)], "b\r\n"),
        ("a\r\nb", [DeleteOperation(2)], "a\r\n"),
        ("a\rb\n", [DeleteOperation(1)], ""),
        ("a\n", [NavigateOperation(2)], "a\n"),
        ("a\nb\nc\n", [DeleteOperation(1, 3), InsertOperation(1, "z")], "z"),
        ("b", [InsertOperation(1, "a"), InsertOperation(1, "\n"), DeleteOperation(1)], "ab"),
    ],
)
def test_examples(original: str, operations: list[EditOperation], expected: str) -> None:
    assert rebuild(original, operations) == expected


@pytest.mark.parametrize(
    ("original", "operation", "key", "problem"),
    [
        ("a\nb", InsertOperation(3, "c"), "line", "the text has 2 lines there; allowed: 1 to 2"),
        ("a\n", InsertOperation(3, "c"), "line", "the text has 1 line there; allowed: 1 to 2"),
        ("", DeleteOperation(1), "line", "allowed: none, there is nothing to delete"),
        ("a\n", DeleteOperation(2), "line", "line 2 is beyond the end"),
        ("a\n", DeleteOperation(1, 2), "line_end", "line 2 is beyond the end"),
        ("", NavigateOperation(2), "line", "allowed: 1"),
    ],
)
def test_a_line_that_is_not_there_is_an_error_with_its_place(
    original: str, operation: EditOperation, key: str, problem: str
) -> None:
    with pytest.raises(LineRangeError) as raised:
        rebuild(original, [NavigateOperation(1), operation])
    assert (raised.value.index, raised.value.key) == (1, key)
    assert problem in raised.value.problem


@given(edits(), st.integers(1, 9))
def test_a_refused_operation_changes_nothing(
    edit: tuple[str, list[EditOperation]], beyond: int
) -> None:
    original, operations = edit
    text = LineText(rebuild(original, operations))
    before = text.text()
    with pytest.raises(LineRangeError):
        carry_out(text, 0, DeleteOperation(1, len(text) + beyond))
    assert text.text() == before


def scattered(lines: int, number: int) -> list[EditOperation]:
    """Insertions and deletions all over a text of so many lines."""
    operations: list[EditOperation] = []
    for step in range(number):
        line = step * 7919 % (lines - 1) + 1
        operations.append(InsertOperation(line, "new\n") if step % 2 else DeleteOperation(line))
    return operations


def steps(text: LineText, operations: list[EditOperation]) -> int:
    before = text.steps
    for index, operation in enumerate(operations):
        carry_out(text, index, operation)
    return text.steps - before


def test_the_price_of_an_operation_hardly_grows_with_the_text() -> None:
    small, large = LineText(numbered(2_000)), LineText(numbered(64_000))
    operations = scattered(2_000, 4_000)
    assert steps(large, operations) < 3 * steps(small, operations)


@pytest.mark.parametrize(
    "operations",
    [
        pytest.param([InsertOperation(1, "x")] * 20_000, id="one line gets longer at its start"),
        pytest.param([InsertOperation(1, "x\n")] * 20_000, id="lines pile up at the start"),
        pytest.param([DeleteOperation(1)] * 20_000, id="the start is eaten away"),
        pytest.param([DeleteOperation(2), InsertOperation(2, "")] * 10_000, id="so is the second"),
    ],
)
def test_no_habit_of_editing_is_dear(operations: list[EditOperation]) -> None:
    text = LineText(numbered(40_000))
    assert steps(text, operations) < 30 * len(operations)


def test_blocks_that_were_emptied_do_not_slow_down_what_follows() -> None:
    text = LineText(numbered(40_000))
    for index in range(19_000):
        carry_out(text, index, DeleteOperation(1_000))
    assert (
        steps(text, [DeleteOperation(999, 1_001), InsertOperation(999, "a\nb\nc\n")] * 500) < 60_000
    )
