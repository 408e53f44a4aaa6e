"""Why a command line could not be read.

UnreadableError (ValueError)
├── TooLargeError
├── TooDeepError
├── TooMuchWorkError
└── TooSlowError
"""


class UnreadableError(ValueError):
    """The command cannot be understood, so it must not run."""


class TooLargeError(UnreadableError):
    """Something in it is longer than is read."""

    def __init__(self, size: int, limit: int, what: str = "the command") -> None:
        super().__init__(f"{what} is {size:,} bytes long; at most {limit:,} are read")
        self.size = size
        self.limit = limit


class TooDeepError(UnreadableError):
    """It stands in itself too often."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the command is nested more than {limit} levels deep")
        self.limit = limit


class TooMuchWorkError(UnreadableError):
    """It becomes more than can be followed."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the command expands to more than {limit:,} parts")
        self.limit = limit


class TooSlowError(UnreadableError):
    """The time for reading it is over."""

    def __init__(self) -> None:
        super().__init__("the command takes too long to read")
