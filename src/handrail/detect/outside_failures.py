"""Failures that no file of the work tree can have caused: a network, a server, a disk, a clock."""

import re
from typing import Final

from handrail.model.action import Outcome

_BEGIN, _END = 100, 300
"""Characters of an output that tell why it failed: hosts report first, programs last."""
_NETWORK, _SERVER = "the network", "a server's answer"
_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "a machine that does not answer": (
        "ssh: connect to host", "kex_exchange_identification", "banner exchange",
        "ssh_exchange_identification",
    ),
    _NETWORK: (
        "could not resolve host", "name or service not known", "name resolution",
        "nodename nor servname", "getaddrinfo", "eai_again", "network is unreachable",
        "no route to host", "connection refused", "connection reset", "connection aborted",
        "connection closed by", "econnrefused", "econnreset", "enetunreach", "tls handshake",
        "failed to establish a new connection", "ssl_error_syscall",
    ),
    _SERVER: (
        "500 internal server error", "502 bad gateway", "503 service", "504 gateway",
        "429 too many requests", "too many requests", "rate limit exceeded",
        "service unavailable", "bad gateway", "gateway time-out", "gateway timeout",
    ),
    "a full disk": (
        "no space left on device", "enospc", "disk quota exceeded", "disk is full",
    ),
    "a time-out": (
        "timed out", "etimedout", "deadline exceeded", "time-out after", "timeout after",
        "timeout expired", "timeout exceeded",
    ),
}  # fmt: skip
"""The causes, and the words of programs that tell of them."""
_STATUS = re.compile(
    r"(?:\b(?:https?|httperror|status|returned|response)\b[^\n]{0,16}?[ :=(]|http/[\d.]+ )"
    r"(?:429|50[0-4]|52[0-9])\b"
)
_OWN_MACHINE = ("localhost", "127.0.0.", "0.0.0.0:", "[::1]", "::1 ", ".sock")
"""A server on this machine may well run the very files that the agent changes."""


def outside_cause(outcome: Outcome) -> str:
    """Return the cause outside of the work tree that made an action fail, or ""."""
    if outcome.ok:
        return ""
    whole = outcome.error or outcome.output
    said = (whole if len(whole) <= _BEGIN + _END else whole[:_BEGIN] + whole[-_END:]).lower()
    cause = _cause(said)
    if cause in (_NETWORK, _SERVER) and any(name in said for name in _OWN_MACHINE):
        return ""
    return cause


def _cause(said: str) -> str:
    for cause, words in _WORDS.items():
        for each in words:
            if each in said:
                return cause
    has_status = ("50" in said or "52" in said or "429" in said) and _STATUS.search(said)
    return _SERVER if has_status else ""
