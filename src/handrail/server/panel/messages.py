"""What `handrail panel` asks the daemon, and its answers."""

import msgspec

CODES, TOKEN, SESSIONS = "/panel/codes", "/panel/token", "/panel/sessions"
HOW_TO_BUILD = "make panel"
"""The command in a checkout with npm."""


class CodeRequest(msgspec.Struct, frozen=True):
    """A person wants to log a browser in."""

    read_only: bool = False
    file: bool = False
    """Whether to write the link into a file for a browser on this machine: the arguments of a
    process are no place for a code."""


class LoginLink(msgspec.Struct, frozen=True):
    """A link that logs one browser in."""

    url: str
    code: str
    seconds: float
    file: str = ""
    is_built: bool = True
    """Whether the pages of the panel are there."""
    problem: str = ""
    """Why `panel.listen` is not in use, or ""."""


class TokenRequest(msgspec.Struct, frozen=True):
    """A person wants the read-only token."""

    new: bool = False
