"""Where the conversation of a Claude Code session is: the last message in its transcript."""

import os
from collections import OrderedDict

import msgspec

_TAIL = 1_000_000
"""Bytes from the end that are looked at; a single message may be long."""
_MAX_SESSIONS = 2000
_SPOKEN = frozenset({"user", "assistant"})


class _Line(msgspec.Struct):
    type: str = ""
    uuid: str = ""
    isSidechain: bool = False  # noqa: N815 - their name


_decoder = msgspec.json.Decoder(_Line)


class Transcripts:
    """The transcripts of sessions, as their hooks name them. May be asked in any thread."""

    def __init__(self) -> None:
        self._paths: OrderedDict[str, str] = OrderedDict()

    def note(self, session: str, path: str) -> None:
        """A hook says where the transcript of its session is."""
        if path and self._paths.get(session) != path:
            self._paths[session] = path
            if len(self._paths) > _MAX_SESSIONS:
                self._paths.popitem(last=False)

    def last_message(self, session: str) -> str:
        """The id of the last message of the conversation itself; empty: not known."""
        path = self._paths.get(session, "")
        return last_message(path) if os.path.isabs(path) else ""


def last_message(path: str) -> str:
    """The id of the last message in a transcript, sub-agents aside; empty: there is none."""
    try:
        with open(path, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _TAIL))
            lines = file.read(_TAIL).splitlines()
    except OSError:
        return ""
    for line in reversed(lines):
        try:
            found = _decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue  # just being written, or cut off at the front
        if found.type in _SPOKEN and found.uuid and not found.isSidechain:
            return found.uuid
    return ""
