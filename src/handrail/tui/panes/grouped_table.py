"""A table with a heading for each group of rows; a person chooses a row, and never a heading."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.text import Text
from textual.coordinate import Coordinate
from textual.widgets import DataTable

HEADING = "\0"
"""Begins the keys of headings; no row has such a name."""
TALL = 32
"""From this height of the screen on, there is room for headings."""


class GroupedTable(DataTable[Text]):
    """Rows by key. Keys and the mouse choose one."""

    def __init__(self, name: str, choose: Callable[[str], None]) -> None:
        """`choose` hears at once of every choice, so that the next key finds it made."""
        super().__init__(cursor_type="row", cell_padding=0, id=name)
        self.chosen = ""
        self._choose = choose
        self._drawing = False

    # Drawing

    @contextmanager
    def drawn_by_us(self) -> Iterator[None]:
        """Tell cursor moves while drawing from those of a person."""
        self._drawing = True
        try:
            yield
        finally:
            self._drawing = False

    def keys(self) -> list[str]:
        """Return the keys of all rows, in their order."""
        return [row.key.value or "" for row in self.ordered_rows]

    def update_cells(self, cells: dict[str, list[Text]]) -> None:
        """Change the cells that have changed, in the same rows."""
        for at, row in enumerate(cells.values()):
            for column, text in enumerate(row):
                place = Coordinate(at, column)
                if self.get_cell_at(place) != text:
                    self.update_cell_at(place, text)

    def look_at_chosen(self) -> None:
        """Move the cursor to the chosen row, if there is one."""
        if self.chosen in self.rows:
            row = self.get_row_index(self.chosen)
            if row != self.cursor_row:
                self.move_cursor(row=row)

    # Choosing

    def go(self, by: int) -> None:
        """Choose the next row, or the one before."""
        self.move_cursor(row=self.cursor_row + by)

    def go_page(self, by: int) -> None:
        """Go a page down or up."""
        rows = max(self.scrollable_content_region.height - 2, 1)
        self.move_cursor(row=self.cursor_row + by * rows)

    def go_edge(self, to: int) -> None:
        """Choose the last row, or the first."""
        self.move_cursor(row=self.row_count - 1 if to > 0 else 0)

    def validate_cursor_coordinate(self, value: Coordinate) -> Coordinate:
        """Step over headings, in the direction of the move."""
        value = super().validate_cursor_coordinate(value)
        if not self._is_heading(value.row):
            return value
        step = -1 if value.row < self.cursor_coordinate.row and value.row > 0 else 1
        return super().validate_cursor_coordinate(Coordinate(value.row + step, value.column))

    def _is_heading(self, row: int) -> bool:
        keys = self.ordered_rows
        return 0 <= row < len(keys) and (keys[row].key.value or "").startswith(HEADING)

    def watch_cursor_coordinate(
        self, old_coordinate: Coordinate, new_coordinate: Coordinate
    ) -> None:
        """Tell the choice at once; show the first heading above the first row."""
        super().watch_cursor_coordinate(old_coordinate, new_coordinate)
        if new_coordinate.row == 1 and self._is_heading(0):
            self.scroll_home(animate=False)
        rows = self.ordered_rows
        if not self._drawing and 0 <= new_coordinate.row < len(rows):
            key = rows[new_coordinate.row].key.value or ""
            if not key.startswith(HEADING) and key != self.chosen:
                self.chosen = key
                self._choose(key)
