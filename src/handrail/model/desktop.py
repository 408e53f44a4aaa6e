"""What a look at a screen found, and what came of it."""

from enum import StrEnum

import msgspec

DESKTOP_LOOK = "DesktopLook"
"""The tool of a look: it reads the screen and nothing else."""
DESKTOP_INPUT = "DesktopInput"
"""The tool of one step of a recovery: `do` in the words of the vocabulary, the title of the
`window`, and whether it is a `terminal`."""
DESKTOP_TOOLS = frozenset({DESKTOP_LOOK, DESKTOP_INPUT})


class ScreenStatus(StrEnum):
    """How a screen stands between an automation and its work."""

    NORMAL = "normal"
    DIALOG = "dialog"
    """A dialog takes all input."""
    WRONG_FILE = "wrong_file"
    ERROR = "error"
    """An error message or a broken program is in the way."""
    TERMINAL = "terminal"
    """A terminal has the focus in place of the editor."""
    UNKNOWN = "unknown"


class CheckOutcome(StrEnum):
    """What came of a look."""

    NORMAL = "normal"
    RECOVERED = "recovered"
    """The next look did not show the symptom any more."""
    NOT_RECOVERED = "not_recovered"
    UNSURE = "unsure"
    """Nothing was done: the confidence is too low, or nobody knows what to do."""
    WAITING = "waiting"
    """Nothing was done: the last recovery is too recent."""
    GIVEN_UP = "given_up"
    """Every retry was used: a person has to look."""
    FAILED = "failed"
    """The check itself failed, for instance because the display is lost."""

    @property
    def is_failure(self) -> bool:
        """Return whether the session is not known to work, and nothing more will be tried now."""
        return self in (CheckOutcome.NOT_RECOVERED, CheckOutcome.GIVEN_UP, CheckOutcome.FAILED)


class RecoveryStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """One action of a recovery, in the words of the vocabulary."""

    action: str
    ok: bool = True
    error: str = ""


class DesktopCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """One look at a screen: what it showed, what was done, and what came of that."""

    status: ScreenStatus
    outcome: CheckOutcome
    confidence: float = 0.0
    description: str = ""
    source: str = ""
    """Who recognised it: `local`, `vision`, or nobody."""
    expected_file: str = ""
    actual_file: str = ""
    symptom: str = ""
    """Equal symptoms have equal texts; retries are counted for each."""
    attempt: int = 0
    """The number of recoveries of this symptom, this one included."""
    steps: tuple[RecoveryStep, ...] = ()
    why: str = ""
    """Why nothing was done, or why it failed."""
    raw_response: str = ""
    screenshot: str = ""
    """The name of the picture in the folder of screenshots; empty: none was kept."""
    after: str = ""
    """The name of the picture after the recovery."""
    context: str = ""
    ms: float = 0.0
    cost_usd: float = 0.0

    @property
    def pictures(self) -> tuple[str, ...]:
        """Return the names of its pictures: before and after the recovery, as far as kept."""
        return tuple(filter(None, (self.screenshot, self.after)))
