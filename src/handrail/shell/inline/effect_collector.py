"""Collect the effects of a piece of code while a reader walks through it."""

import posixpath
import re
import shlex
from collections.abc import Callable, Iterable, Sequence

from handrail.model.effect import KINDS, Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.shell.inline.code import Code
from handrail.shell.inline.loaded_files import load_first
from handrail.shell.inline.value import (
    DECODED,
    ENVIRON,
    FILE,
    GLOB,
    REMOTE,
    SOCKET,
    STATE,
    TYPED_IN,
    Value,
    flags_of,
)
from handrail.shell.variables import HOMES
from handrail.shell.word import OPAQUE

MAX_FOUND = 200
PLAINLY = "Write the code plainly, then run it."
_HIDDEN = (
    (REMOTE, "text that it gets over the network"),
    (DECODED, "text that is decoded while it runs"),
    (TYPED_IN, "text that it is given while it runs"),
)
_SHELL = re.compile(r"^\s*(?:exec\s+)?(?:\S*/)?(?:ba|z|da|k|c|a|fi)?sh\b|^\s*(?:cmd|powershell)\b")
_SHELL_OVER_NET = re.compile(r"/dev/(?:tcp|udp)/|/inet6?/(?:tcp|udp)/")
_DESTROYS = re.compile(
    r"\b(?:DROP\s+(?:TABLE|DATABASE|SCHEMA|KEYSPACE|COLLECTION|OWNED|VIEW|INDEX|COLUMN)"
    r"|TRUNCATE(?:\s+TABLE)?\s+\S|ALTER\s+TABLE\s+\S+\s+DROP|FLUSHALL|FLUSHDB"
    r"|DELETE\s+FROM\s+[^\s;]+\s*(?:;|$)|DELETE\s+FROM\s+[^\s;]+\s+WHERE\s+(?:1\s*=\s*1|true)\b)",
    re.IGNORECASE,
)


class EffectCollector:
    """The effects and commands so far, and the signs of a fork bomb or a reverse shell."""

    def __init__(self) -> None:
        self.effects: dict[Effect, None] = {}
        self.scripts: dict[str, None] = {}
        self.calls: dict[tuple[str, ...], None] = {}
        self.nested: Callable[[str], None] = lambda _: None
        """Reader of code that the code runs."""
        self.folder = ""
        """Where the file is that is read, as seen from the first one."""
        self.searched: list[str] = []
        """Folders in which the code looks for its modules, too."""
        self._loaded: set[str] = set()
        self.homes: dict[str, str] = {}
        """Variables that name a home folder and that the code has set."""
        self.cwd = ""
        self.host = ""
        self.loops = 0
        """Depth of nested endless loops."""
        self.forked = False
        self.calls_itself = False
        self.connected = False
        self.streams_redirected = False
        """Whether the code redirected its standard input or output."""
        self.starts_shell = False

    def add(
        self,
        kind: Kind,
        target: str,
        severity: Severity | None = None,
        *,
        says: str = "",
        instead: str = "",
        recursive: bool = False,
        glob: bool = False,
        undo: Undo | None = None,
    ) -> None:
        """Add an effect; severity and undo default to those of its kind."""
        if len(self.effects) >= MAX_FOUND:
            return
        facts = KINDS[kind]
        effect = Effect(
            kind,
            target,
            facts.severity if severity is None else severity,
            facts.undo if undo is None else undo,
            says=says,
            instead=instead,
            recursive=recursive,
            opaque=OPAQUE in target,
            glob=glob,
        )
        self.effects[effect] = None

    def path(
        self,
        kind: Kind,
        value: Value,
        severity: Severity | None = None,
        *,
        recursive: bool = False,
    ) -> None:
        """Add an effect on a file, on each file of a list, or on each possible file."""
        for each in value.choices or value.items or (value,):
            if each.items:
                self.path(kind, each, severity, recursive=recursive)
            elif each.type not in {"int", "None", "bool"}:
                target = self.place(each.text)
                glob = bool(each.flags & GLOB)
                self.add(kind, target, severity, recursive=recursive, glob=glob)

    def place(self, path: str) -> str:
        """Return a path relative to the code's current folder."""
        if not self.cwd or path.startswith(("/", "~", OPAQUE)):
            return path
        return f"{self.cwd.rstrip('/')}/{path}"

    def unseen(self, what: str, severity: Severity | None = None, says: str = "") -> None:
        """Add the running of code that nobody can see before."""
        self.add(Kind.UNSEEN, what, severity, says=says, instead=PLAINLY)

    def hidden(self, value: Value, flags: int = DECODED | REMOTE) -> bool:
        """Add an effect if the text to run comes from decoding or from outside."""
        for flag, what in _HIDDEN:
            if value.flags & flag & flags:
                self.unseen(what)
                return True
        return False

    def run(self, value: Value) -> None:
        """Read a text that the code runs in its own language."""
        for each in value.choices or (value,):
            self.hidden(each, DECODED | REMOTE | TYPED_IN)
            if each.exact:
                self.nested(each.text)
            elif each.flags & FILE and each.source:
                self.add(Kind.RUN, self.place(each.source))

    def load(self, names: Iterable[str]) -> None:
        """Read the first of these files that is known, which the code loads and so runs."""
        known = load_first(names, self.folder)
        if known is None or known[0] in self._loaded:
            return
        path, text = known
        self._loaded.add(path)
        outer, self.folder = self.folder, posixpath.dirname(path)
        self.nested(text)
        self.folder = outer

    def script(self, value: Value, cwd: Value | None = None) -> None:
        """Add a command line for a shell."""
        for each in value.choices or (value,):
            self.hidden(each)
            script = each.text.replace(STATE, "$HANDRAIL_HOME")
            if len(self.scripts) >= MAX_FOUND or not script.strip():
                continue
            self.starts_shell |= bool(_SHELL.match(script))
            if _SHELL_OVER_NET.search(script):
                self.reverse_shell()
            folder = cwd.text if cwd is not None and cwd.exact else ""
            folder = self.place(folder) if folder else self.cwd
            for name, home in self.homes.items():
                script = f"env {name}={_quote(home)} sh -c {shlex.quote(script)}"
            self.scripts[f"cd {_quote(folder)} && {script}" if folder else script] = None

    def call(
        self, argv: Sequence[Value], cwd: Value | None = None, env: Value | None = None
    ) -> None:
        """Add a program that starts without a shell; `env`: all its variables, if given."""
        words: list[str] = []
        for word in argv:
            words += [item.text for item in word.items] if word.items else [word.text]
        if not words or len(self.calls) >= MAX_FOUND:
            return
        self.hidden(Value(flags=flags_of(argv)))
        self.starts_shell |= bool(_SHELL.match(words[0])) and (len(words) == 1 or words[1] == "-i")
        folder = cwd.text if cwd is not None and cwd.exact else ""
        folder = self.place(folder) if folder else self.cwd
        surroundings = self._surroundings(env)
        # The home folder has to be looked up by a shell, like the folder that it runs in.
        if (
            folder
            or surroundings
            or any(word == "~" or word.startswith(("~/", STATE)) for word in words)
        ):
            line = " ".join(_quote(word) for word in (*surroundings, *words))
            self.scripts[f"cd {_quote(folder)} && {line}" if folder else line] = None
        else:
            self.calls[tuple(words)] = None

    def _surroundings(self, env: Value | None) -> list[str]:
        """Return the call of `env` that gives a program another home folder, if anything does."""
        fields = (env.fields if env is not None else None) or {}
        whole = env is None or not fields or bool(env.flags & ENVIRON)
        homes = {**self.homes, **{n: v.text for n, v in fields.items() if n in HOMES}}
        if whole and not homes:
            return []
        given = [f"{name}={text}" for name, text in homes.items()]
        return ["env", *([] if whole else ["-i"]), *given]

    def reach(self, kind: Kind, target: str, flags: int = 0) -> None:
        """Add the exchange of data with a host."""
        if kind is Kind.SEND and flags & ENVIRON:
            says = f"sends all environment variables to {target.replace(OPAQUE, '…')}"
            self.add(kind, target, Severity.CRITICAL, says=says)
        else:
            self.add(kind, target)

    def connect(self, target: str) -> Value:
        """Add a connection that stays open; return its socket."""
        self.host = target
        self.connected = True
        self.add(Kind.REACH, target)
        return Value(type="socket", text=target, flags=REMOTE | SOCKET)

    def sql(self, value: Value) -> None:
        """Add a database statement if it destroys data."""
        match = _DESTROYS.search(value.text)
        if match:
            statement = " ".join(value.text[match.start() :].split())[:120]
            self.add(Kind.DESTROY, statement, says=f"destroys data in a database: {statement}")

    def fork(self) -> None:
        """Note a fork; in an endless loop or a recursive function it is a fork bomb."""
        self.forked = True
        if self.loops or self.calls_itself:
            says = "doubles itself without end until the machine stands still (fork bomb)"
            self.add(Kind.EXHAUST, "fork", Severity.CRITICAL, says=says)

    def reverse_shell(self) -> None:
        """Add a shell for the other end of the connection."""
        says = f"gives a shell on this machine to {self.host.replace(OPAQUE, '…') or 'another'}"
        self.unseen("reverse shell", Severity.CRITICAL, says)

    def code(self) -> Code:
        """Return everything found."""
        if self.forked:
            self.fork()
        if self.connected and (self.streams_redirected or self.starts_shell):
            self.reverse_shell()
        return Code(tuple(self.effects), tuple(self.scripts), tuple(self.calls))


def _quote(word: str) -> str:
    """Quote a word for a shell, except a leading `~`."""
    if word == "~":
        return word
    if word.startswith(STATE):
        return f'"$HANDRAIL_HOME"{shlex.quote(word.removeprefix(STATE))}'
    return f"~/{shlex.quote(word[2:])}" if word.startswith("~/") else shlex.quote(word)
