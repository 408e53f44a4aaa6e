"""Facts about a screen, not judged yet: its windows, and the tree of the program in front."""

import msgspec


class WindowFacts(msgspec.Struct, frozen=True):
    """A window of a program."""

    window: int
    title: str = ""
    program: str = ""
    """The second word of WM_CLASS, in small letters: `geany`, `code`."""
    pid: int = 0
    modal: bool = False
    dialog: bool = False
    """Whether it says that it is a dialog."""
    transient_for: int = 0
    """The window that it belongs to; 0: none."""

    @property
    def takes_keys(self) -> bool:
        """Whether it is a dialog: with the focus, it takes the keys from its owner."""
        return self.modal or self.dialog or bool(self.transient_for)


class DesktopFacts(msgspec.Struct, frozen=True):
    """The windows of a display."""

    active: int = 0
    """The id of the window with the focus; 0: none."""
    windows: tuple[WindowFacts, ...] = ()
    """The lowest first."""
    open_menu: bool = False
    """Whether a menu hangs open, which takes all keys."""

    def find(self, window: int) -> WindowFacts | None:
        """Return the window with an id."""
        return next((one for one in self.windows if one.window == window), None)


class DialogFacts(msgspec.Struct, frozen=True):
    """A dialog, message or bar in a tree."""

    name: str = ""
    texts: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()
    modal: bool = False
    toplevel: bool = False
    """Whether it is a window of its own."""
    alert: bool = False
    """Whether its role says that it is a message: alert, notification, bar."""
    fields: int = 0
    """Places for input: a search, a list of files."""


class FocusFacts(msgspec.Struct, frozen=True):
    """The control with the focus."""

    role: str = ""
    """`text`, `terminal`, or another word of `atspi`."""
    name: str = ""
    lines: bool = False
    """Whether it takes several lines, as an editor does and a search field does not."""


class AppFacts(msgspec.Struct, frozen=True):
    """The accessibility tree of the program in front."""

    answers: bool = True
    """False: the program hangs."""
    dialogs: tuple[DialogFacts, ...] = ()
    focus: FocusFacts | None = None


class ScreenFacts(msgspec.Struct, frozen=True):
    """Everything that is known of a screen."""

    desktop: DesktopFacts = DesktopFacts()
    app: AppFacts | None = None
    """None: the program in front shows no tree."""
    words: str = ""
    """What OCR read in the window in front."""
