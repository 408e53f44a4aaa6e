"""The errors of a desktop watch.

DesktopError
├── MissingPackageError   a package or program is not installed; the text names the command
├── NoDisplayError        there is no X display, or it refuses us
├── NoWindowError         no window fits the request
├── CaptureError          the screen could not be captured
├── AnalysisError         a model could not be asked, or its answer cannot be used
├── RecoveryError         an action of a recovery is not allowed, or could not be carried out
└── SessionFileError      a recorded session is wrong; the text names place and key
"""


class DesktopError(Exception):
    """A desktop watch cannot do something."""


class MissingPackageError(DesktopError, ImportError):
    """A package or program is not installed."""

    def __init__(self, name: str, fix: str) -> None:
        super().__init__(f"{name} is missing: {fix}")
        self.missing = name
        self.fix = fix


class NoDisplayError(DesktopError, OSError):
    """There is no display to look at."""

    def __init__(self, display: str, problem: str = "") -> None:
        named = f"the display {display}" if display else "there is no display: DISPLAY is not set"
        says = f"{named} cannot be opened" if display else named
        super().__init__(f"{says}{f': {problem}' if problem else ''}")
        self.display = display


class NoWindowError(DesktopError, LookupError):
    """No window has this id or title."""

    def __init__(self, wanted: str, known: tuple[str, ...] = ()) -> None:
        there = f"; there are: {', '.join(known)}" if known else ""
        super().__init__(f"no window is called {wanted!r}{there}")
        self.wanted = wanted


class CaptureError(DesktopError):
    """The screen could not be captured."""


class AnalysisError(DesktopError):
    """A model could not be asked, or its answer cannot be used."""


class RecoveryError(DesktopError):
    """An action of a recovery is not allowed, or could not be carried out."""

    def __init__(self, action: str, problem: str) -> None:
        super().__init__(f"{action}: {problem}")
        self.action = action
        self.problem = problem


class SessionFileError(DesktopError, ValueError):
    """A recorded session is wrong."""

    def __init__(self, file: str, place: str, problem: str) -> None:
        super().__init__(f"{file}: {f'{place}: ' if place else ''}{problem}")
        self.file = file
        self.place = place
        self.problem = problem
