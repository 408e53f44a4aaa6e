"""A position in a list of tokens."""

from handrail.shell.inline.scan import END, Token


class Cursor:
    """Reads tokens one by one."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self.at = 0

    def peek(self, ahead: int = 0) -> Token:
        """Return the next token, or one further ahead, without consuming it."""
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else END

    def advance(self) -> Token:
        """Consume and return the next token."""
        self.at += 1
        return self.tokens[self.at - 1] if self.at <= len(self.tokens) else END

    def accept(self, *texts: str) -> bool:
        """Consume the next token if it is one of these marks."""
        token = self.peek()
        if token.kind in {"mark", "name"} and token.text in texts:
            self.at += 1
            return True
        return False

    def skip_line_ends(self) -> None:
        """Skip line ends."""
        while self.peek().kind == "line":
            self.at += 1

    def statement_ends(self) -> bool:
        """Whether a statement ends here."""
        token = self.peek()
        return token.kind in {"line", "end"} or (token.kind == "mark" and token.text in ";}")
