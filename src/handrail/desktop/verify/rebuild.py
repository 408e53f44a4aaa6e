"""What a file holds after a session: its original, with the operations carried out on it.

A line is a text up to and with its `\\n`; `\\r` is a character like any other, so CRLF stays as it
is. The last line may have no `\\n`. Line numbers are those of the text as it is at that moment:

- `navigate` goes to the start of a line and changes nothing;
- `delete` removes the lines from `line` to `line_end` with their `\\n`;
- `insert` puts its content before the first character of `line`; content without a `\\n` at its end
  joins what is there.

Behind a text that ends with `\\n`, and in an empty one, editors show one more line. It can be
reached and inserted at, but there is nothing in it to delete.
"""

from collections.abc import Iterable

from handrail.desktop.verify.session import DeleteOperation, EditOperation, InsertOperation

_BLOCK = 512
"""Lines in a block when it is made; it is split when it has four times as many."""

_HOLLOW = 16
"""Empty blocks that one deletion may meet before they are thrown away."""

_Line = str | list[str]
"""A text, or its parts from the last to the first: putting something before it copies nothing."""


class LineRangeError(ValueError):
    """An operation names a line that is not there."""

    def __init__(self, index: int, key: str, problem: str) -> None:
        super().__init__(problem)
        self.index = index
        """Which operation it is."""
        self.key = key
        self.problem = problem


class LineText:
    """A text whose lines can be changed anywhere at a small price.

    Its lines stand in blocks of some hundred; a tree of sums (Fenwick) finds the block of a line.
    So an operation costs the logarithm of the number of blocks and the size of one.
    """

    def __init__(self, text: str) -> None:
        lines: list[_Line] = list(split_lines(text))
        self._blocks = [lines[at : at + _BLOCK] for at in range(0, len(lines), _BLOCK)] or [[]]
        self._count = len(lines)
        self.steps = 0
        """Blocks and tree nodes that were touched: what the operations cost."""
        self._sum_up()

    def __len__(self) -> int:
        """How many lines have something in them."""
        return self._count

    @property
    def reachable(self) -> int:
        """How many lines an editor shows: one more than there are if the last one is ended."""
        return self._count + (not self._count or _is_ended(self._last()))

    def text(self) -> str:
        """The whole text."""
        return "".join(part for block in self._blocks for line in block for part in _parts_of(line))

    def insert(self, line: int, content: str) -> None:
        """Put a text before the first character of a line; 1 <= line <= reachable."""
        added: list[_Line] = list(split_lines(content))
        if not added:
            return
        at = line - 1
        if at < self._count and not _is_ended(added[-1]):
            number, inner = self._find(at)
            self._blocks[number][inner] = _joined(added.pop(), self._blocks[number][inner])
        if added:
            self._put(at, added)

    def delete(self, first: int, last: int) -> None:
        """Remove lines; 1 <= first <= last <= len."""
        left, hollow = last - first + 1, 0
        number, inner = self._find(first - 1)
        while left:
            block = self._blocks[number]
            gone = min(left, len(block) - inner)
            if gone:
                del block[inner : inner + gone]
                self._add(number, -gone)
                left -= gone
            hollow += not block
            number, inner = number + 1, 0
            self.steps += 1
        self._count -= last - first + 1
        if hollow > _HOLLOW:
            self._sum_up()

    def _put(self, at: int, added: list[_Line]) -> None:
        if at == self._count:
            number, inner = len(self._blocks) - 1, len(self._blocks[-1])
        else:
            number, inner = self._find(at)
        block = self._blocks[number]
        block[inner:inner] = added
        self._count += len(added)
        if len(block) > 4 * _BLOCK:
            parts = [block[start : start + _BLOCK] for start in range(0, len(block), _BLOCK)]
            self._blocks[number : number + 1] = parts
            self._sum_up()
        else:
            self._add(number, len(added))

    def _last(self) -> _Line:
        number, inner = self._find(self._count - 1)
        return self._blocks[number][inner]

    def _find(self, at: int) -> tuple[int, int]:
        """The block of a line that is there, and the place in it; both from 0."""
        number, step = 0, self._widest
        while step:
            if number + step < len(self._sums) and self._sums[number + step] <= at:
                number += step
                at -= self._sums[number]
            step //= 2
            self.steps += 1
        return number, at

    def _add(self, number: int, lines: int) -> None:
        node = number + 1
        while node < len(self._sums):
            self._sums[node] += lines
            node += node & -node
            self.steps += 1

    def _sum_up(self) -> None:
        """Build the tree anew: blocks have been split."""
        # Blocks that were emptied go with it; the last one stays, for what is put at the end.
        self._blocks = [block for block in self._blocks if block] or [[]]
        self._sums = [0, *map(len, self._blocks)]
        self._widest = 1 << len(self._blocks).bit_length() - 1
        for node in range(1, len(self._sums)):
            above = node + (node & -node)
            if above < len(self._sums):
                self._sums[above] += self._sums[node]
        self.steps += len(self._sums)


def rebuild(original: str, operations: Iterable[EditOperation]) -> str:
    """Return the text after the operations; raises LineRangeError."""
    text = LineText(original)
    for index, operation in enumerate(operations):
        carry_out(text, index, operation)
    return text.text()


def carry_out(text: LineText, index: int, operation: EditOperation) -> None:
    """Change the text as an operation says; raises LineRangeError, and changes nothing then."""
    if isinstance(operation, DeleteOperation):
        for key, line in (("line", operation.line), ("line_end", operation.last)):
            if line > len(text):
                raise LineRangeError(index, key, _beyond(line, text, len(text)))
        text.delete(operation.line, operation.last)
        return
    if operation.line > len(text) and operation.line > text.reachable:
        raise LineRangeError(index, "line", _beyond(operation.line, text, text.reachable))
    if isinstance(operation, InsertOperation):
        text.insert(operation.line, operation.content)


def line_count(text: str) -> int:
    """How many lines a text has; the last one may have no line break."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


def split_lines(text: str) -> list[str]:
    """The lines of a text, each with its line break. (str.splitlines knows many more breaks.)"""
    *lines, rest = text.split("\n")
    return [*(f"{line}\n" for line in lines), *([rest] if rest else [])]


def _beyond(line: int, text: LineText, last: int) -> str:
    held = f"the text has {len(text):,} {'line' if len(text) == 1 else 'lines'} there"
    allowed = f"1 to {last:,}" if last > 1 else "1" if last else "none, there is nothing to delete"
    return f"line {line:,} is beyond the end: {held}; allowed: {allowed}"


def _joined(text: _Line, line: _Line) -> list[str]:
    """A line with something put before it."""
    parts = line if isinstance(line, list) else [line]
    parts.append(str(text))
    return parts


def _is_ended(line: _Line) -> bool:
    return (line if isinstance(line, str) else line[0]).endswith("\n")


def _parts_of(line: _Line) -> Iterable[str]:
    return (line,) if isinstance(line, str) else reversed(line)
