"""The numbers and names of AT-SPI, the protocol of accessibility on Linux."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from handrail.desktop.sense.bus_connection import (
    Answer,
    BusCall,
    BusConnection,
    BusLostError,
    NoAnswerError,
    session_bus_address,
)

ACCESSIBLE = "org.a11y.atspi.Accessible"
ACTION = "org.a11y.atspi.Action"
COLLECTION = "org.a11y.atspi.Collection"
REGISTRY = "org.a11y.atspi.Registry"
ROOT = "/org/a11y/atspi/accessible/root"
NULL = "/org/a11y/atspi/null"

ACTIVE, EDITABLE, FOCUSED, MODAL, MULTI_LINE, SHOWING = 1, 7, 12, 16, 17, 25
"""States."""

ROLES = {
    2: "alert", 7: "check box", 9: "color chooser", 11: "combo box", 16: "dialog",
    19: "file chooser", 21: "font chooser", 23: "frame", 29: "label", 31: "list", 33: "menu",
    34: "menu bar", 40: "password", 41: "popup menu", 43: "button", 44: "radio button",
    55: "table", 60: "terminal", 61: "text", 62: "toggle button", 63: "tool bar", 65: "tree",
    66: "tree table", 69: "window", 73: "paragraph", 79: "entry", 83: "heading", 85: "section",
    98: "list box", 101: "notification", 102: "info bar", 116: "static",
}  # fmt: skip
"""The roles that mean something here; all others are "other"."""

DIALOG_ROLES = ("dialog", "file chooser", "color chooser", "font chooser")
ALERT_ROLES = ("alert", "notification", "info bar")
FIELD_ROLES = ("text", "entry", "password", "combo box", "tree", "tree table", "table", "list")

_ICONS = re.compile("[\ue000-\uf8ff]+")
_NUMBERS = {name: number for number, name in ROLES.items()}
_SORT_CANONICAL, _ALL, _ANY = 1, 1, 2


class Node(NamedTuple):
    """An object of a tree: the program on the bus, and its path there."""

    bus_name: str
    path: str

    def call(
        self, interface: str, member: str, signature: str = "", body: tuple[object, ...] = ()
    ) -> BusCall:
        """Return the call of one of its methods."""
        return BusCall(self.bus_name, self.path, interface, member, signature, body)


def connect(environ: Mapping[str, str], limit: float) -> BusConnection:
    """Connect to the accessibility bus of a session; raises BusLostError."""
    if address := environ.get("AT_SPI_BUS_ADDRESS", ""):
        return BusConnection(address, limit)
    session_address = session_bus_address(environ)
    if not session_address:
        raise BusLostError("there is no session bus: DBUS_SESSION_BUS_ADDRESS is not set")
    session = BusConnection(session_address, limit)
    try:
        answer = session.ask(
            BusCall("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress"), limit
        )
    except NoAnswerError as problem:
        raise BusLostError(f"the session bus knows no accessibility bus: {problem}") from problem
    finally:
        session.close()
    if not answer or not isinstance(answer[0], str) or not answer[0]:
        raise BusLostError("the session bus knows no accessibility bus")
    return BusConnection(answer[0], limit)


def get_matches(node: Node, roles: tuple[str, ...], states: tuple[int, ...], most: int) -> BusCall:
    """Return the call that finds nodes below one which have all the states and one of the roles
    (none given: any)."""
    rule: tuple[object, ...] = (
        _bits(states, 2), _ALL, {}, _ALL,
        _bits(tuple(_NUMBERS[role] for role in roles), 4), _ANY if roles else _ALL,
        [], _ALL, False,
    )  # fmt: skip
    return node.call(
        COLLECTION, "GetMatches", "(aiia{ss}iaiiasib)uib", (rule, _SORT_CANONICAL, most, True)
    )


def read_nodes(answer: Answer) -> list[Node]:
    """Return the nodes of an answer."""
    found = answer[0] if answer else ()
    nodes = [Node(str(one[0]), str(one[1])) for one in found] if isinstance(found, list) else []
    return [node for node in nodes if node.path != NULL]


def read_text(answer: Answer) -> str:
    """Return the value of a property that is a text."""
    value = answer[0] if answer else None
    if not isinstance(value, tuple) or not isinstance(value[1], str):
        return ""
    # Icons stand in the private part of Unicode.
    return _ICONS.sub(" ", value[1]).strip()


def read_role(answer: Answer) -> str:
    """Return the word for a role."""
    number = answer[0] if answer else None
    return ROLES.get(number, "other") if isinstance(number, int) else "other"


def read_states(answer: Answer) -> int:
    """Return the states as a number with a bit for each."""
    words = answer[0] if answer else None
    if not isinstance(words, list):
        return 0
    return sum((word & 0xFFFFFFFF) << (32 * place) for place, word in enumerate(words))


def _bits(numbers: tuple[int, ...], words: int) -> list[int]:
    """Return 32-bit words, signed as the protocol has them, with a bit for each number."""
    bits = sum(1 << number for number in numbers)
    unsigned = [(bits >> (32 * place)) & 0xFFFFFFFF for place in range(words)]
    return [word - (1 << 32) if word >= 1 << 31 else word for word in unsigned]
