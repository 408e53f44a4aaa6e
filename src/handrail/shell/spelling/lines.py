"""Lines: blanks, comments, and the here-documents whose bodies follow a line."""

import re

from handrail.shell.spelling.pieces import Piece, Pieces, SpellingBudget, hidden, joined, same
from handrail.shell.spelling.words import WordSpeller

_BLANK = re.compile(r"(?:[ \t]|\\\n)*(?:#[^\n]*)?")
_TAG = re.compile(r"""(?:[^ \t\n;&|<>()'"\\$`]|\\[^\n]|'[^'\n]*'|"[^"\\$`\n]*")++(?![$`]|\\\n)""")


class HereDocument:
    """A here-document whose body is yet to come."""

    def __init__(self, tag: str, *, quoted: bool, tabs: bool, place: int) -> None:
        self.tag = tag
        self.quoted = quoted
        self.tabs = tabs
        self.place = place
        self.body: Pieces = []


class CommandStart:
    """A simple command begins here, which stands there in the text that was given."""

    def __init__(self, start: int, end: int) -> None:
        self.place = start, end


Output = list[Piece | HereDocument | CommandStart]


def finished(output: Output) -> tuple[Piece, dict[int, tuple[int, int]]]:
    """What was spelled, with the bodies of its here-documents, and where its commands stand."""
    pieces: Pieces = []
    places: dict[int, tuple[int, int]] = {}
    size = 0
    for item in output:
        if isinstance(item, CommandStart):
            places[size] = item.place
            continue
        more = item.body if isinstance(item, HereDocument) else [item]
        pieces += more
        size += sum(len(piece.data) for piece in more)
    return joined(pieces), places


class LineSpeller(WordSpeller):
    """Goes from one line to the next."""

    def __init__(self, text: str, budget: SpellingBudget, place: int | None = None) -> None:
        super().__init__(text, budget, place)
        self.waiting: list[HereDocument] = []
        """Here-documents of the line that is being read."""
        self.outer_waits = False
        """Whether a line in which these brackets stand has here-documents too."""

    def blank(self) -> None:
        """Pass over blanks and a comment."""
        blank = _BLANK.match(self.text, self.at)
        self.at = blank.end() if blank else self.at

    def lines(self) -> None:
        """Pass over blanks, comments and the ends of lines."""
        self.blank()
        while self.ahead("\n"):
            self.budget.step()
            if self.outer_waits:
                raise self.fault(self.at, "the line ends before the outer one with its `<<`")
            self.at += 1
            self.read_documents()
            self.blank()

    def document_word(self, operator: str) -> HereDocument:
        """What follows `<<`: the tag; its body is read at the end of the line."""
        tag = _TAG.match(self.text, self.at)
        if not tag:
            raise self.fault(self.at, "the here-document needs a plain word for its end")
        plain = re.sub(r"\\(.)|['\"]", lambda found: found[1] or "", tag[0])
        document = HereDocument(
            plain,
            quoted=re.search(r"[\\'\"]", tag[0]) is not None,
            tabs=operator == "<<-",
            place=self.place(self.at),
        )
        self.at = tag.end()
        self.waiting.append(document)
        return document

    def read_documents(self) -> None:
        """Read the bodies that the last line asked for."""
        for document in self.waiting:
            body = self._body(document)
            if document.quoted:
                for index, part in enumerate(body.split("'")):
                    document.body += [same("\\'")] * bool(index)
                    document.body += [same("'"), hidden(part), same("'")]
            else:
                document.body += self.inner(body, document.place).document()
        self.waiting.clear()

    def _body(self, document: HereDocument) -> str:
        """The lines up to the tag, or to the end of the text."""
        lines: list[str] = []
        while self.at < len(self.text):
            self.budget.step()
            line = self._body_line(joins=not document.quoted)
            line = line.lstrip("\t") if document.tabs else line
            if line == document.tag:
                break
            lines.append(line)
        return "\n".join(lines)

    def _body_line(self, *, joins: bool) -> str:
        """A line; a backslash at its end takes the next one along, as in a shell."""
        line = ""
        while True:
            end = self.text.find("\n", self.at)
            end = end if end >= 0 else len(self.text)
            line += self.text[self.at : end]
            self.at = min(end + 1, len(self.text))
            backslashes = len(line) - len(line.rstrip("\\"))
            if not joins or backslashes % 2 == 0 or end == len(self.text):
                return line
            line = line[:-1]
