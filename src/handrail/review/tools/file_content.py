"""Text written into files that run later: scripts, hooks, CI, package manifests."""

import json
import re
import shlex
from collections.abc import Callable, Iterator

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.model.host import known_hosts
from handrail.model.ordinal import Severity, Undo
from handrail.review.protection.tampering_code import tampering_code
from handrail.shell import ProgramLookup, UnreadableError, read

_MAX_TEXT = 64 * 1024
_MAX_LINES = 200


class FileType(msgspec.Struct, frozen=True):
    """A sort of file that holds commands, and when they run."""

    pattern: str
    extract: Callable[[str], Iterator[str]]
    by_itself: bool = False
    """Runs without anybody reviewing it again (hooks, lifecycle scripts)."""


def _whole(text: str) -> Iterator[str]:
    yield text


def _package_scripts(text: str) -> Iterator[str]:
    """Scripts that npm runs by itself on install, publish and the like."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return
    scripts = data.get("scripts") if isinstance(data, dict) else None
    for name, command in scripts.items() if isinstance(scripts, dict) else ():
        if isinstance(command, str) and re.fullmatch(
            r"(?:pre|post)?(?:install|prepare|publish|uninstall|version|pack)", name
        ):
            yield command


def _ci_steps(text: str) -> Iterator[str]:
    """`run:` of GitHub, `script:` items of GitLab and others."""
    lines = text.splitlines()[: _MAX_LINES * 10]
    index = 0
    while index < len(lines):
        match = re.match(
            r"^(\s*)(?:-\s+)?(?:run|script|command|before_script):\s*(.*)$", lines[index]
        )
        index += 1
        if not match:
            continue
        indent, rest = len(match[1]), match[2]
        if rest and rest[0] not in "|>":
            yield rest.strip("\"'")
            continue
        block: list[str] = []
        while index < len(lines):
            line = lines[index]
            if line.strip() and len(line) - len(line.lstrip()) <= indent:
                break
            block.append(re.sub(r"^\s*-\s+", "", line) if rest[:1] == "" else line.strip())
            index += 1
        yield "\n".join(block)


def _docker_runs(text: str) -> Iterator[str]:
    joined = text.replace("\\\n", " ")
    yield from re.findall(r"(?m)^\s*RUN\s+(.+)$", joined)[:_MAX_LINES]


def _recipes(text: str) -> Iterator[str]:
    lines = re.findall(r"(?m)^\t[@+-]*(.+)$", text.replace("\\\n", " "))
    yield from (line.replace("$$", "$") for line in lines[:_MAX_LINES])


def _servers(text: str) -> Iterator[str]:
    """Programs that agents start as tool servers."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return
    servers = data.get("mcpServers") if isinstance(data, dict) else None
    for server in servers.values() if isinstance(servers, dict) else ():
        if not isinstance(server, dict):
            continue
        arguments = server.get("args")
        words = [server.get("command"), *(arguments if isinstance(arguments, list) else ())]
        yield shlex.join(word for word in words if isinstance(word, str))


def _placeholders(text: str) -> Iterator[str]:
    """Commands that run when a skill or a command of an agent is opened."""
    yield from re.findall(r"!`([^`\n]+)`", text)[:_MAX_LINES]
    yield from re.findall(r"(?ms)^```!\s*$(.*?)^```", text)[:_MAX_LINES]


_HOST_FOLDERS = "|".join(re.escape(host.folder) for host in known_hosts())
FILE_TYPES = (
    FileType(r".*/\.git/hooks/[^/]+|.*/\.husky/[^/]+", _whole, by_itself=True),
    FileType(r".*/\.(?:bashrc|bash_profile|bash_aliases|profile|zshrc|zshenv|zprofile|envrc)",
             _whole, by_itself=True),
    FileType(r".*/package\.json", _package_scripts, by_itself=True),
    FileType(r".*/\.mcp\.json", _servers, by_itself=True),
    FileType(rf".*/(?:{_HOST_FOLDERS})/(?:.*/)?[^/]+\.md", _placeholders, by_itself=True),
    FileType(r".*/\.github/workflows/[^/]+\.ya?ml|.*/\.gitlab-ci\.yml|.*/\.circleci/config\.yml"
             r"|.*/(?:azure-pipelines|bitbucket-pipelines|cloudbuild)\.ya?ml|.*/\.travis\.yml",
             _ci_steps),
    FileType(r".*/(?:Dockerfile|Containerfile)(?:\.[^/]+)?|.*\.dockerfile", _docker_runs),
    FileType(r".*/(?:GNUm|[mM])akefile|.*\.mk", _recipes),
    FileType(r".*\.(?:sh|bash|zsh|ksh|command|bats)", _whole),
)  # fmt: skip
_COMPILED = tuple((re.compile(kind.pattern), kind) for kind in FILE_TYPES)
_ZSH = re.compile(r"#!\s*\S*/(?:env\s+)?zsh\b")
_SHEBANG = re.compile(r"#!\s*\S*/(?:env\s+)?(?:ba|z|k|da)?sh\b")


def content_effects(
    path: str,
    text: str,
    *,
    knowledge: ProgramLookup,
    weigh: Callable[[Effect], Effect],
    home: str,
    state: str,
    cwd: str,
) -> Iterator[Effect]:
    """What the commands in a file would do when it runs, as far as that is serious."""
    if _AGENT_FILE.search(path) and _gives_power(text):
        yield _empowers(path)
    kind = file_type(path, text)
    if kind is None:
        tampers = tampering_code(path, text, weigh=weigh, home=home, cwd=cwd, state=state)
        if tampers is not None:
            yield _later(path, tampers, _SCRIPT)
        return
    if len(text) > _MAX_TEXT:
        yield _unread(path)
        return
    environ = {"HOME": home, "HANDRAIL_HOME": state}
    for command in kind.extract(text):
        try:
            reading = read(command, cwd=cwd, environ=environ, knowledge=knowledge)
        except UnreadableError:
            yield _unread(path)
            return
        for effect in map(weigh, reading.effects):
            if effect.severity >= Severity.HIGH:
                yield _later(path, effect, kind)
                return


def file_type(path: str, text: str) -> FileType | None:
    """What sort of commands a file holds, if any."""
    for pattern, kind in _COMPILED:
        if pattern.fullmatch(path):
            return kind
    return _SCRIPT if _SHEBANG.match(text) else None


_SCRIPT = FileType("", _whole)
_INSTRUCTIONS = "|".join(
    re.escape(name) for host in known_hosts() for name in host.instruction_folders
)
_AGENT_FILE = re.compile(rf"/(?:{_INSTRUCTIONS})/(?:.*/)?[^/]+\.md$")
_HEAD = re.compile(r"\s*---[ \t]*\r?\n(.*?)(?:^---|\Z)", re.DOTALL | re.MULTILINE)
_MODE = r"^[\"']?permissionMode[\"']?\s*:\s*[\"']?bypassPermissions"
_POWER = re.compile(rf"(?m)^[\"']?hooks[\"']?\s*:|{_MODE}")
_POWER_IN_PART = re.compile(
    rf"(?m)^[\"']?hooks[\"']?\s*:\s*(?:[{{*&]|\r?\n[ \t]+[\"']?[A-Z]\w+[\"']?\s*:)|{_MODE}"
)


def _gives_power(text: str) -> bool:
    """Whether the head of a skill, an agent or a command sets hooks or rights.

    An edit may be a part of the head; there the names of events tell.
    """
    head = _HEAD.match(text)
    return bool(_POWER.search(head[1]) if head else _POWER_IN_PART.search(text))


def _empowers(path: str) -> Effect:
    return Effect(
        Kind.TAMPER,
        path,
        Severity.CRITICAL,
        Undo.IMPOSSIBLE,
        f"gives agents hooks or rights of their own, by {path.rpartition('/')[2]}",
        "Leave `hooks` and `permissionMode` out of its head; a person can add them.",
    )


def _unread(path: str) -> Effect:
    name = path.rpartition("/")[2]
    return Effect(
        Kind.WRITE,
        path,
        Severity.MEDIUM,
        Undo.CHECKPOINT,
        f"writes {name}, whose commands cannot be read",
    )


def is_shell_script(path: str, text: str) -> bool:
    """Whether a file holds commands for a shell."""
    return path.endswith((".sh", ".bash")) or _SHEBANG.match(text) is not None


def is_zsh_script(text: str) -> bool:
    """Whether a script is written for zsh, whose syntax is not read everywhere."""
    return _ZSH.match(text) is not None


def _later(path: str, effect: Effect, kind: FileType) -> Effect:
    name = path.rpartition("/")[2]
    if kind.by_itself and effect.severity is Severity.CRITICAL:
        tampers = effect.kind is Kind.TAMPER
        return Effect(
            Kind.TAMPER if tampers else Kind.PERSIST,
            path,
            Severity.CRITICAL if tampers else Severity.HIGH,
            Undo.IMPOSSIBLE,
            f"puts a command into {name} that runs by itself and {effect.text}",
            "Leave this command out, or let a person start it.",
        )
    return Effect(
        Kind.WRITE,
        path,
        Severity.MEDIUM,
        Undo.CHECKPOINT,
        f"writes {name}, which {effect.text} when it runs",
    )
