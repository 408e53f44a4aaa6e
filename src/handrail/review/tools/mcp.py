"""Tools that a server brings along: the name says what is done, the input to which paths and hosts.

Such a tool is a stranger's. What cannot be told from its name counts as writing.
"""

import re
from collections.abc import Iterator

import msgspec

from handrail.model.action import Action
from handrail.model.effect import Effect, Kind
from handrail.model.host import known_hosts
from handrail.model.ordinal import Severity, Undo
from handrail.review.protection.controls import HOST_FOLDERS, SETTINGS_FILE, STEERING
from handrail.review.tools.input_texts import (
    LONGEST_PATH,
    PATH_NAMES,
    TEXT_NAMES,
    InputContents,
    InputText,
    TooManyValuesError,
    joined,
)
from handrail.shell.readers.make_effects import effect, path_effect

_READING = frozenset(
    """
    read get list search find query fetch view describe show status count lookup inspect check
    explain tree info stat grep diff upload attach send
    """.split()
)
_WRITING = frozenset(
    """
    write create edit update save append replace insert set put patch apply make modify overwrite
    rename move copy download extract restore revert execute exec run
    """.split()
)
_RECORDING = frozenset({"add", "stage", "commit", "log", "blame", "branch", "push"})
"""What git does without touching a file."""
_MOVING = frozenset({"move", "rename", "mv"})
_COPYING = frozenset({"copy", "cp", "duplicate"})
_HARMFUL = frozenset(
    """
    delete remove drop destroy purge truncate wipe erase terminate revoke reset force rm unlink
    """.split()
)
_CHANGING = _WRITING | _HARMFUL
_OUTWARD = frozenset(
    """
    send post publish upload tweet email pay transfer deploy merge execute run exec eval
    """.split()
)
_FOLDERS = frozenset({"directory", "dir", "folder", "mkdir"})

_SOURCES = frozenset(
    "source src from oldpath sourcepath srcpath frompath sourcefile origin sources".split()
)
_TARGETS = frozenset(
    """
    destination dest dst to newpath destinationpath destpath dstpath topath destinationfile target
    """.split()
)
_ADDRESSES = frozenset({"url", "uri", "href", "link", "address", "endpoint", "host"})
_MAYBE_PATHS = _SOURCES | _TARGETS | _ADDRESSES | {"output"}
"""Fields that hold a path only if it looks like one."""
_PROSE = TEXT_NAMES | frozenset(
    """
    query q search searchquery pattern regex title subject prompt question message description
    summary comment oldstring oldstr oldtext
    """.split()
)
"""Fields that hold words about something, or the text of a file, but no path."""
_PATH_BEGINS = ("/", "~", ".", "file:")
_WEB = re.compile(r"(?:https?|wss?)://[^/\s]+", re.IGNORECASE)
_HOST_AND_PORT = re.compile(r"(?:\[[0-9a-f:.]+\]|[\w.-]+):\d{1,5}(?:[/?#]\S*)?", re.IGNORECASE)
_OTHER_SCHEME = re.compile(r"(?!file:)[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_TOP_FOLDERS = frozenset(
    """
    home root Users tmp var private etc usr opt srv mnt media Volumes data dev proc sys run bin sbin
    lib boot Library System Applications workspace workspaces
    """.split()
)
_FILE_NAME = re.compile(r"[^/]\.\w{1,5}$")
_BESIDE = tuple(name for host in known_hosts() for name in host.files_beside)
_KEPT_NAMES = frozenset({SETTINGS_FILE, *HOST_FOLDERS, *_BESIDE})
_CONTROL_WORDS = ("handrail", *(host.program for host in known_hosts()))
_MAX_PATHS = 1_000


def words_of(tool: str) -> frozenset[str]:
    """The words in a tool's own name, without its server's."""
    name = tool.rpartition("__")[2] or tool
    spaced = "".join(f" {char}" if char.isupper() else char for char in name[:200])
    return frozenset(re.split(r"[\s_.-]+", spaced.lower()))


def by_name(tool: str) -> Iterator[Effect]:
    """What a tool is for, if its name says that this is no small matter."""
    words, name = words_of(tool), tool.rpartition("__")[2] or tool
    if words & _HARMFUL:
        kind, says = Kind.DESTROY, f"calls {tool}, which by its name destroys something"
    elif words & _OUTWARD:
        kind, says = Kind.CHANGE, f"calls {tool}, which acts outside this machine"
    else:
        return
    yield effect(kind, name, severity=Severity.MEDIUM, undo=Undo.UNKNOWN, says=says)


def input_effects(action: Action, contents: InputContents) -> Iterator[Effect]:
    """What is done to the paths and hosts that stand in an input."""
    words = words_of(action.tool)
    made: dict[tuple[Kind, str], Effect] = {}
    for leaf in contents.leaves:
        if len(leaf.text) <= LONGEST_PATH and _is_path(leaf, action):
            one = _path_effect(action, words, leaf, alone=len(contents.leaves) == 1)
            made.setdefault((one.kind, one.target), one)
    for one in _carried(action, words, contents):
        made.setdefault((one.kind, one.target), one)
    if len(made) > _MAX_PATHS:
        raise TooManyValuesError(action.tool, _MAX_PATHS, "paths")
    yield from made.values()
    for address in dict.fromkeys(_addresses(contents)):
        yield effect(Kind.FETCH, address)


def written_texts(action: Action, contents: InputContents) -> dict[str, str]:
    """The text that a call puts into files, by path."""
    if not _changes(words_of(action.tool)):
        return {}
    texts: dict[str, list[str]] = {}
    for leaf in contents.leaves:
        if leaf.beside and leaf.name in TEXT_NAMES and len(leaf.beside) <= LONGEST_PATH:
            texts.setdefault(joined(action, leaf.beside).text, []).append(leaf.text)
    return {path: "\n".join(parts) for path, parts in texts.items()}


def _changes(words: frozenset[str]) -> bool:
    reads = words & _READING or ("git" in words and words & _RECORDING)
    return not reads or bool(words & _CHANGING)


# Paths


def _is_path(leaf: InputText, action: Action) -> bool:
    text, name = leaf.text, leaf.name
    if not text or "\n" in text or _OTHER_SCHEME.match(text):
        return False
    if name in PATH_NAMES or text[:5].lower() == "file:":
        return True
    if name in _MAYBE_PATHS and _looks_like_path(text, action):
        return True
    if name in _PROSE or not (text.startswith(_PATH_BEGINS) or _names_control(text)):
        return False
    return _steers(joined(action, text).text, action)


def _looks_like_path(text: str, action: Action) -> bool:
    """`/blog/new` may be an address in a site; `/etc/x` is a path on this machine."""
    if not text.startswith("/"):
        return text.startswith(_PATH_BEGINS)
    top = text.split("/", 2)[1]
    return top in _TOP_FOLDERS or f"{action.cwd}/".startswith(f"/{top}/")


def _names_control(text: str) -> bool:
    """Whether a single word may be a control's name without a folder."""
    low = text.lower()
    return any(word in low for word in _CONTROL_WORDS) and len(text.split()) == 1


def _steers(path: str, action: Action) -> bool:
    """Whether a path is a control by its name, so that it counts in any field."""
    state = action.env.get("HANDRAIL_HOME", "").rstrip("/")
    in_state = bool(state) and f"{path}/".startswith(f"{state}/")
    in_host = any(f"/{name}/" in path for name in HOST_FOLDERS)
    return in_state or in_host or STEERING.search(path) is not None


def _path_effect(action: Action, words: frozenset[str], leaf: InputText, *, alone: bool) -> Effect:
    path = joined(action, leaf.text)
    if leaf.name in _SOURCES and words & _MOVING:
        return path_effect(Kind.WRITE, path, recursive=True, says=f"moves {path.shown} away")
    one = path_effect(_kind(words, leaf, path.text, action), path)
    if alone and one.kind is Kind.WRITE and words & _FOLDERS:
        # An empty folder takes nothing away; where it is not empty, there is more in the input.
        return msgspec.structs.replace(one, undo=Undo.NEEDLESS)
    return one


def _kind(words: frozenset[str], leaf: InputText, path: str, action: Action) -> Kind:
    if words & _HARMFUL:
        return Kind.DELETE
    if not _changes(words):
        return Kind.READ
    if leaf.name in _SOURCES and words & _COPYING:
        return Kind.READ
    if leaf.name in _ADDRESSES and not words & _WRITING and not _steers(path, action):
        return Kind.READ
    return Kind.WRITE


def _carried(action: Action, words: frozenset[str], contents: InputContents) -> Iterator[Effect]:
    """What is moved or copied into a folder keeps its name there, a host's folder too."""
    if not words & (_MOVING | _COPYING):
        return
    names = {leaf.text.rstrip("/").rpartition("/")[2] for leaf in _leaves(contents, _SOURCES)}
    for name in sorted(names & _KEPT_NAMES):
        for leaf in _leaves(contents, _TARGETS):
            if _FILE_NAME.search(leaf.text):
                continue  # no folder: it gets that name
            yield path_effect(Kind.WRITE, joined(action, f"{leaf.text}/{name}"))


def _leaves(contents: InputContents, names: frozenset[str]) -> Iterator[InputText]:
    for leaf in contents.leaves:
        if leaf.name in names and len(leaf.text) <= LONGEST_PATH and "\n" not in leaf.text:
            yield leaf


# Hosts


def _addresses(contents: InputContents) -> Iterator[str]:
    """Web addresses, the first of each host."""
    hosts: set[str] = set()
    for leaf in contents.leaves:
        text = leaf.text
        if len(text) > LONGEST_PATH:
            continue
        found = _WEB.match(text)
        if found is None and leaf.name in _ADDRESSES:
            found = _HOST_AND_PORT.fullmatch(text)
        if found is not None and found[0].lower() not in hosts:
            hosts.add(found[0].lower())
            yield text.partition("\n")[0]
    for fields in contents.objects:
        known = dict(fields)
        host, port = known.get("host", known.get("hostname")), known.get("port")
        if isinstance(host, str) and len(host) <= LONGEST_PATH and isinstance(port, int | str):
            yield f"{host}:{port}"
