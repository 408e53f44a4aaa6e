"""Words that are only known in part, and the control or secret that their known pieces mean.

`~/.local/s*/h*/c*-token` and `$HOME/.$S/authorized_keys` leave little open. A word without a known
piece, or with one that fits many files, means nothing in particular.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from handrail.review.paths.known_paths import WELL_KNOWN_SECRETS

GAP = "…"
"""Stands in a target for what is only known when it runs."""
NARROWED = (
    *WELL_KNOWN_SECRETS,
    *(f"~/.ssh/{name}" for name in ("authorized_keys", "config", "id_ecdsa", "id_dsa", "rc")),
    "~/.bashrc", "~/.bash_profile", "~/.profile", "~/.zshrc", "~/.zshenv", "~/.gitconfig",
    "~/.config/handrail/handrail.yaml",
)  # fmt: skip
_DISTINCT = frozenset({
    "authorized_keys", "control-token", "hook-token", "read-token",
    "panel-sessions.json", "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa",
})  # fmt: skip
"""Names that hardly any other file has."""
_COMMON = frozenset({
    "settings.json", "settings.local.json", "config", "config.json", "hosts.yml", "credentials",
    "port", "environ", "rc", "handrail.yaml", "application_default_credentials.json",
})  # fmt: skip
"""Names of many files, which mean nothing if the folder may be any."""
_OPEN = re.compile(rf"({GAP}|\*+|\?|\[[!^]?\]?[^\]/]*\])")
_LETTERS = re.compile(r"[A-Za-z0-9_-]")
_LEAST_LETTERS = 4
_LEAST_LETTERS_OF_NAME = 3


def narrowed_to(
    target: str,
    candidates: Iterable[str],
    *,
    home: str,
    whole: bool,
    there: Callable[[str], bool | None],
) -> str:
    """The file that a word means, or nothing; `whole`: it takes all that is in a folder."""
    if "**" in target:
        return _found_below(target, candidates, there)
    if GAP in target and not _is_telling(target, home):
        return ""
    pattern = _expression(target, whole)
    for path in candidates:
        if pattern.fullmatch(path) and there(path) is not False:
            return path
    return ""


def _found_below(
    target: str, candidates: Iterable[str], there: Callable[[str], bool | None]
) -> str:
    """The file that a search by a telling name finds: `find ~ -name 'control-*'`."""
    root, _, name = target.partition("/**/")
    if "/" in name or len(_LETTERS.findall(name)) < _LEAST_LETTERS_OF_NAME:
        return ""
    pattern = _expression(name, whole=False)
    for path in candidates:
        last = path.rpartition("/")[2]
        is_below = path.startswith(f"{root}/") and last in _DISTINCT
        if is_below and pattern.fullmatch(last) and there(path) is not False:
            return path
    return ""


def _is_telling(target: str, home: str) -> bool:
    """Whether the known pieces are more than a folder or a name that many files have."""
    last = target.rpartition("/")[2]
    if not home or not target.startswith(f"{home}/"):
        return last in _DISTINCT
    below = target[len(home) + 1 :]
    if below.startswith(f"{GAP}/") and last in _COMMON:
        return False
    known = below.replace(GAP, "")
    return bool(_LETTERS.search(last)) and len(_LETTERS.findall(known)) >= _LEAST_LETTERS


@lru_cache(maxsize=256)
def _expression(target: str, whole: bool) -> re.Pattern[str]:
    pieces: list[str] = []
    at_start = False
    for index, piece in enumerate(_OPEN.split(target)):
        if not piece:
            continue
        if not index % 2:
            pieces.append(re.escape(piece))
        elif piece == GAP:
            pieces.append(".*")
        else:
            # A wildcard takes no dot at the beginning of a name.
            pieces.append(("(?!\\.)" if at_start else "") + _wildcard(piece))
        at_start = piece.endswith("/")
    return re.compile("".join(pieces) + ("(?:/.*)?" if whole else ""), re.DOTALL)


def _wildcard(piece: str) -> str:
    if piece[0] == "*":
        return "[^/]*"
    if piece == "?":
        return "[^/]"
    inside = piece[1:-1]
    negated = inside[:1] in {"!", "^"}
    members = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside[negated:])
    try:
        re.compile(f"[{members}]")
    except re.error:
        return "[^/]"
    return f"[{'^' if negated else ''}{members}]"
