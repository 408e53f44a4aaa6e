"""The part of a list that is shown holds the chosen item, and is full where it can be."""

from hypothesis import given
from hypothesis import strategies as st

from handrail.tui.panes.scrolling import move_in_list, visible_window
from handrail.tui.text import Line, StyledSpan

heights = st.lists(st.integers(1, 3), min_size=1, max_size=40)


def _lines(sizes: list[int], index: int) -> list[Line]:
    return [(StyledSpan(str(index)),)] * sizes[index]


@given(heights, st.integers(0, 50), st.integers(-5, 50), st.integers(3, 20))
def test_the_chosen_item_is_shown_as_part_of_a_row(
    sizes: list[int], cursor: int, top: int, room: int
) -> None:
    cursor = min(cursor, len(sizes) - 1)
    first, shown = visible_window(len(sizes), cursor, top, room, lambda index: _lines(sizes, index))
    indexes = [index for index, _ in shown]
    assert cursor in indexes
    assert indexes == list(range(first, first + len(indexes)))
    assert sum(len(lines) for _, lines in shown) <= room


@given(heights, st.integers(0, 50), st.integers(3, 20))
def test_no_room_is_left_where_there_is_more(sizes: list[int], cursor: int, room: int) -> None:
    cursor = min(cursor, len(sizes) - 1)
    first, shown = visible_window(len(sizes), cursor, 99, room, lambda index: _lines(sizes, index))
    used = sum(len(lines) for _, lines in shown)
    after = first + len(shown)
    assert first == 0 or used + sizes[first - 1] > room
    assert after == len(sizes) or used + sizes[after] > room or first > 0


@given(heights, st.integers(0, 50), st.integers(3, 20))
def test_nothing_jumps_while_the_chosen_item_is_shown(
    sizes: list[int], cursor: int, room: int
) -> None:
    cursor = min(cursor, len(sizes) - 1)
    first, shown = visible_window(len(sizes), cursor, 0, room, lambda index: _lines(sizes, index))
    for index, _ in shown:
        again, _ = visible_window(len(sizes), index, first, room, lambda at: _lines(sizes, at))
        assert again == first


def test_an_empty_list_shows_nothing() -> None:
    assert visible_window(0, 0, 0, 10, lambda index: []) == (0, [])
    assert move_in_list([], 0, 5) == 0
