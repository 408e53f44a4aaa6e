"""Reads the accessibility tree of the program in front, as far as it tells its state."""

import time
from collections.abc import Mapping, Sequence

import msgspec

from handrail.desktop.recover.buttons import plain_name
from handrail.desktop.sense import atspi
from handrail.desktop.sense.atspi import Node
from handrail.desktop.sense.bus_connection import (
    BUS_NAME,
    BUS_PATH,
    BusCall,
    BusConnection,
    BusLostError,
    NoAnswerError,
    get_property,
)
from handrail.desktop.sense.screen_facts import AppFacts, DialogFacts, FocusFacts

CALL_SECONDS = 3.0
READ_SECONDS = 7.5
"""What reading a tree may take in total."""
MOST_NODES = 600
MOST_LEVELS = 40
MOST_MATCHES = 40
POPUP = "An open menu"
# The cells of a table are content, and there may be thousands.
_CLOSED = ("table", "tree", "tree table", "list", "list box", "menu bar", "menu", "tool bar")
_TEXT_ROLES = ("label", "paragraph", "heading", "static", "section")
_BUTTON_ROLES = ("button", "toggle button")


class SlowTreeError(TimeoutError):
    """A program answers, but its tree is too large to read in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"reading the tree takes longer than {seconds:g} s")


class TreeNode(msgspec.Struct):
    """A node with what was asked about it."""

    node: Node
    role: str
    name: str
    states: int
    children: "list[TreeNode]" = []

    def has(self, state: int) -> bool:
        """Whether it has a state."""
        return bool(self.states >> state & 1)

    def flatten(self) -> "list[TreeNode]":
        """Return it and everything below it, in the order of reading."""
        found = [self]
        for child in self.children:
            found += child.flatten()
        return found


class AccessibilityTree:
    """Reads trees over a kept connection; used from one thread at a time."""

    def __init__(self, environ: Mapping[str, str], seconds: float = READ_SECONDS) -> None:
        """Set up the reading of trees, each of which may take so long."""
        self._environ = environ
        self._seconds = seconds
        self._bus: BusConnection | None = None
        self._pids: dict[str, int] = {}
        self._deadline = 0.0

    def read(self, pid: int, title: str) -> AppFacts | None:
        """Return the state of the program with this process and title of the window in front.

        None: it shows no tree. Raises BusLostError if there is no bus, and SlowTreeError.
        """
        self._deadline = time.monotonic() + self._seconds
        root = self._find_program(pid)
        if root is None:
            return None
        try:
            tops = self._find_tops(root, title)
            return AppFacts(dialogs=self._read_dialogs(tops), focus=self._read_focus(tops))
        except NoAnswerError:
            return AppFacts(answers=False)

    def press_button(self, pid: int, title: str, name: str) -> bool:
        """Press the button with this name in an open dialog of the program in front."""
        self._deadline = time.monotonic() + self._seconds
        root = self._find_program(pid)
        if root is None:
            return False
        for dialog in self._find_dialogs(self._find_tops(root, title)):
            for button in dialog.flatten():
                if button.role in _BUTTON_ROLES and plain_name(button.name) == plain_name(name):
                    press = button.node.call(atspi.ACTION, "DoAction", "i", (0,))
                    return bool((self._ask_all([press])[0] or (False,))[0])
        return False

    def close(self) -> None:
        """Close the connection."""
        if self._bus is not None:
            self._bus.close()
            self._bus = None

    def _ask_all(self, calls: Sequence[BusCall]) -> list[tuple[object, ...] | None]:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise SlowTreeError(self._seconds)
        if self._bus is None:
            self._pids.clear()
            self._bus = atspi.connect(self._environ, CALL_SECONDS)
        try:
            return self._bus.ask_all(calls, min(left, CALL_SECONDS))
        except NoAnswerError as problem:
            if left < CALL_SECONDS:
                raise SlowTreeError(self._seconds) from problem
            raise
        except BusLostError:
            self.close()
            raise

    def _find_program(self, pid: int) -> Node | None:
        """Return the root of the program with this process."""
        registry = Node(atspi.REGISTRY, atspi.ROOT)
        try:
            (answer,) = self._ask_all([registry.call(atspi.ACCESSIBLE, "GetChildren")])
            programs = atspi.read_nodes(answer)
            unknown = [one.bus_name for one in programs if one.bus_name not in self._pids]
            asks = [
                BusCall(BUS_NAME, BUS_PATH, BUS_NAME, "GetConnectionUnixProcessID", "s", (name,))
                for name in unknown
            ]
            for name, got in zip(unknown, self._ask_all(asks), strict=True):
                if got and isinstance(got[0], int):
                    self._pids[name] = got[0]
        except NoAnswerError as problem:
            self.close()
            raise BusLostError(f"the accessibility bus hangs: {problem}") from problem
        return next((one for one in programs if self._pids.get(one.bus_name) == pid), None)

    def _find_tops(self, root: Node, title: str) -> list[TreeNode]:
        """Return the windows of a program that count: the one in front, and its open dialogs."""
        (answer,) = self._ask_all([root.call(atspi.ACCESSIBLE, "GetChildren")])
        tops = [one for one in self._look_at(atspi.read_nodes(answer)) if one.has(atspi.SHOWING)]
        front = (
            [one for one in tops if one.has(atspi.ACTIVE)]
            or [one for one in tops if title and one.name == title]
            or [one for one in tops if one.role == "frame"]
        )
        modal = [one for one in tops if one.has(atspi.MODAL) or one.role == "alert"]
        return [*front, *(one for one in modal if one not in front)]

    def _read_dialogs(self, tops: list[TreeNode]) -> tuple[DialogFacts, ...]:
        nodes = {top.node for top in tops}
        return tuple(
            describe_dialog(dialog, toplevel=dialog.node in nodes)
            for dialog in self._find_dialogs(tops)
        )

    def _find_dialogs(self, tops: list[TreeNode]) -> list[TreeNode]:
        """Return the dialogs and messages of these windows, with all that is in them."""
        kinds = (*atspi.DIALOG_ROLES, *atspi.ALERT_ROLES)
        found = [top for top in tops if top.role in kinds]
        self._fill(found)
        frames = [top for top in tops if top.role not in kinds]
        asks: list[BusCall] = []
        for top in frames:
            asks.append(atspi.get_matches(top.node, kinds, (atspi.SHOWING,), MOST_MATCHES))
            # An open menu or panel may be modal as well.
            modal = (atspi.SHOWING, atspi.MODAL)
            asks.append(atspi.get_matches(top.node, (), modal, MOST_MATCHES))
        answers = self._ask_all(asks)
        for top, by_role, by_state in zip(frames, answers[::2], answers[1::2], strict=True):
            if by_role is None:
                self._fill([top])
                inside = top.flatten()[1:]
                found += [one for one in inside if one.role in kinds or one.has(atspi.MODAL)]
            else:
                nodes = dict.fromkeys(atspi.read_nodes(by_role) + atspi.read_nodes(by_state))
                inner = self._look_at(list(nodes))
                self._fill(inner)
                found += inner
        return found

    def _read_focus(self, tops: list[TreeNode]) -> FocusFacts | None:
        """Return the control with the focus; where several say so, the one that takes text."""
        states = (atspi.FOCUSED, atspi.SHOWING)
        focused: list[TreeNode] = []
        walked = [top for top in tops if top.children]
        for top in walked:
            focused += [one for one in top.flatten() if one.has(atspi.FOCUSED)]
        asked = [top for top in tops if not top.children]
        asks = [atspi.get_matches(top.node, (), states, MOST_MATCHES) for top in asked]
        for answer in self._ask_all(asks):
            focused += self._look_at(atspi.read_nodes(answer))
        focused.sort(key=lambda one: one.role in {"text", "entry", "terminal"})
        if not focused:
            return None
        best = focused[-1]
        return FocusFacts(role=best.role, name=best.name, lines=best.has(atspi.MULTI_LINE))

    def _look_at(self, nodes: list[Node]) -> list[TreeNode]:
        """Ask for role, name and states of nodes."""
        asks = [ask for node in nodes for ask in _questions(node)]
        answers = self._ask_all(asks)
        return [
            TreeNode(
                node,
                atspi.read_role(answers[3 * place]),
                atspi.read_text(answers[3 * place + 1]),
                atspi.read_states(answers[3 * place + 2]),
            )
            for place, node in enumerate(nodes)
        ]

    def _fill(self, level: list[TreeNode]) -> None:
        """Read everything that shows below nodes, a level at a time."""
        left = MOST_NODES
        for _ in range(MOST_LEVELS):
            level = [one for one in level if one.role not in _CLOSED]
            asks = [one.node.call(atspi.ACCESSIBLE, "GetChildren") for one in level]
            below: list[tuple[TreeNode, Node]] = []
            for parent, answer in zip(level, self._ask_all(asks), strict=True):
                below += [(parent, child) for child in atspi.read_nodes(answer)]
            below = below[:left]
            left -= len(below)
            if not below:
                return
            level = []
            looked = self._look_at([child for _, child in below])
            for (parent, _), child in zip(below, looked, strict=True):
                if child.has(atspi.SHOWING):
                    parent.children = [*parent.children, child]
                    level.append(child)


def describe_dialog(dialog: TreeNode, *, toplevel: bool) -> DialogFacts:
    """Return what a dialog says, with its buttons and places for input."""
    if dialog.role not in (*atspi.DIALOG_ROLES, *atspi.ALERT_ROLES):
        return DialogFacts(name=dialog.name or POPUP, modal=True)
    inside = dialog.flatten()[1:]
    # A text with a colon is the label of a field.
    texts = [one.name for one in inside if one.role in _TEXT_ROLES and not one.name.endswith(":")]
    labels = [
        [one.name for one in inside if one.role == role and one.name] for role in _BUTTON_ROLES
    ]
    return DialogFacts(
        name=dialog.name,
        texts=tuple(dict.fromkeys(filter(None, texts))),
        buttons=tuple(dict.fromkeys(next(filter(None, labels), ()))),
        modal=dialog.has(atspi.MODAL),
        toplevel=toplevel,
        alert=dialog.role in atspi.ALERT_ROLES,
        fields=sum(one.role in atspi.FIELD_ROLES for one in inside),
    )


def _questions(node: Node) -> tuple[BusCall, BusCall, BusCall]:
    return (
        node.call(atspi.ACCESSIBLE, "GetRole"),
        get_property(node.bus_name, node.path, atspi.ACCESSIBLE, "Name"),
        node.call(atspi.ACCESSIBLE, "GetState"),
    )
