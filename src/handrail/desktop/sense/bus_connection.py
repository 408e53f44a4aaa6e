"""A connection to a D-Bus on which no call waits longer than its time limit.

jeepney reads and writes the messages. Its own connections wait for the greeting of the bus without
a limit, and for one answer before they ask the next question; a tree is read many times faster
with all questions of a level under way at once.
"""

import os
import time
from collections.abc import Mapping, Sequence
from itertools import count
from typing import NamedTuple

from jeepney import DBusAddress, HeaderFields, Message, MessageType, Parser, new_method_call
from jeepney.bus import get_connectable_addresses
from jeepney.io.blocking import prep_socket

CHUNK = 1 << 16
BUS_NAME = "org.freedesktop.DBus"
BUS_PATH = "/org/freedesktop/DBus"
PROPERTIES = "org.freedesktop.DBus.Properties"

Answer = tuple[object, ...] | None
"""The values of a reply; None: an error, or none in time."""


class BusCall(NamedTuple):
    """A method call."""

    bus_name: str
    path: str
    interface: str
    member: str
    signature: str = ""
    body: tuple[object, ...] = ()


class BusLostError(ConnectionError):
    """A bus cannot be reached, or does not answer any more."""


class NoAnswerError(TimeoutError):
    """A program on the bus answered nothing at all in time: it hangs."""


def get_property(bus_name: str, path: str, interface: str, name: str) -> BusCall:
    """Return the call that reads a property."""
    return BusCall(bus_name, path, PROPERTIES, "Get", "ss", (interface, name))


class BusConnection:
    """Asks other programs on a bus; used from one thread at a time."""

    def __init__(self, address: str, limit: float) -> None:
        """Connect to an address as in DBUS_SESSION_BUS_ADDRESS; raises BusLostError."""
        try:
            self._socket = prep_socket(next(get_connectable_addresses(address)), timeout=limit)
        except (OSError, RuntimeError, ValueError, KeyError) as problem:
            raise BusLostError(f"{address}: {problem}") from problem
        self._parser = Parser()
        self._serials = count(1)
        try:
            self.ask(BusCall(BUS_NAME, BUS_PATH, BUS_NAME, "Hello"), limit)
        except (BusLostError, NoAnswerError) as problem:
            self.close()
            raise BusLostError(f"{address}: {problem}") from problem

    def ask(self, call: BusCall, limit: float) -> Answer:
        """Return the answer to one call."""
        return self.ask_all((call,), limit)[0]

    def ask_all(self, calls: Sequence[BusCall], limit: float) -> list[Answer]:
        """Ask everything at once and return the answers in the same order, as far as they come
        within the limit in seconds; raises NoAnswerError if none does, and BusLostError."""
        deadline = time.monotonic() + limit
        answers: list[Answer] = [None] * len(calls)
        waiting: dict[int, int] = {}
        messages = bytearray()
        for index, call in enumerate(calls):
            serial = next(self._serials)
            waiting[serial] = index
            messages += _message(call).serialise(serial=serial)
        try:
            self._send(messages, deadline)
            while waiting:
                message = self._receive(deadline)
                if message is None:
                    break
                index = waiting.pop(message.header.fields.get(HeaderFields.reply_serial, -1), -1)
                if index >= 0 and message.header.message_type is MessageType.method_return:
                    answers[index] = tuple(message.body)
        except OSError as problem:
            raise BusLostError(str(problem)) from problem
        if calls and len(waiting) == len(calls):
            raise NoAnswerError(f"no answer within {limit:g} s")
        return answers

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _send(self, messages: bytearray, deadline: float) -> None:
        self._socket.settimeout(max(deadline - time.monotonic(), 0.001))
        try:
            self._socket.sendall(messages)
        except TimeoutError as problem:
            # Half a message is on its way: nothing can follow it.
            raise ConnectionResetError("the bus does not read any more") from problem

    def _receive(self, deadline: float) -> Message | None:
        """Return the next message, or None when the time is over."""
        while (message := self._parser.get_next_message()) is None:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            self._socket.settimeout(left)
            try:
                data = self._socket.recv(CHUNK)
            except TimeoutError:
                return None
            if not data:
                raise ConnectionResetError("the bus closed the connection")
            self._parser.add_data(data)
        return message


def session_bus_address(environ: Mapping[str, str]) -> str:
    """Return the address of the session's bus, or "" if there is none."""
    if address := environ.get("DBUS_SESSION_BUS_ADDRESS", ""):
        return address
    default = os.path.join(environ.get("XDG_RUNTIME_DIR", ""), "bus")
    return f"unix:path={default}" if os.path.isabs(default) and os.path.exists(default) else ""


def _message(call: BusCall) -> Message:
    address = DBusAddress(call.path, bus_name=call.bus_name, interface=call.interface)
    return new_method_call(address, call.member, call.signature or None, call.body)
