"""A stream behind which a person sits."""

import io


class FakeTerminal(io.StringIO):
    """Takes and gives text, and says that it is a terminal."""

    def isatty(self) -> bool:
        return True
