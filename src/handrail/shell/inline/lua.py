"""Reads Lua."""

import re

from handrail.model.effect import Kind
from handrail.shell.inline.decode import decodes, from_characters
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.function_effects import (
    MOVES,
    Call,
    Table,
    joins_items,
    opens,
    passes,
    path,
    prints,
    reads,
    reads_variable,
    returns,
    runs_code,
    runs_shell,
    table,
)
from handrail.shell.inline.language import Language
from handrail.shell.inline.network import connects, sends, web
from handrail.shell.inline.scan import LanguageSyntax, Scanner, TextSyntax
from handrail.shell.inline.script import ScriptLanguage
from handrail.shell.inline.value import REMOTE, TYPED_IN, Value, text

SYNTAX = LanguageSyntax(
    comments=r"--\[(?P<eq>=*)\[.*?(?:\](?P=eq)\]|\Z)|--[^\n]*",
    texts=(
        TextSyntax('"', filled=True),
        TextSyntax("'", filled=True),
        TextSyntax(r"\[\[", "]]"),
        TextSyntax(r"\[=\[", "]=]"),
    ),
)
_WORDS = re.compile(r"\b(?:os|io|load|loadstring|loadfile|dofile|require|socket|lfs|_G|_ENV|vim)\b")


def _resolve(name: str) -> str:
    return name.removeprefix("_G.").removeprefix("_ENV.").replace("vim.fn.system", "io.popen")


def _require(found: EffectCollector, call: Call) -> Value:
    name = call.args[0].text if call.args else ""
    found.load([f"{name.replace('.', '/')}.lua"])
    return Value(ref=name if call.args and call.args[0].exact else "")


CALLS: Table = table(
    ("os.execute io.popen vim.fn.system vim.system", runs_shell()),
    ("os.remove lfs.rmdir", path(Kind.DELETE)),
    ("os.rename", MOVES),
    ("io.open", opens()),
    ("io.lines", reads()),
    ("io.output lfs.mkdir", path(Kind.WRITE)),
    ("io.input", path(Kind.READ)),
    ("io.read", returns(Value(flags=TYPED_IN))),
    ("load loadstring", runs_code()),
    ("dofile loadfile", path(Kind.RUN)),
    ("require", _require),
    ("os.getenv", reads_variable()),
    ("print io.write", prints),
    ("os.tmpname", returns(text("/tmp/lua"))),
    ("string.char", from_characters),
    ("string.reverse", decodes("reverse", kind="")),
    ("table.concat", joins_items),
    ("ipairs pairs tostring", passes()),
    ("socket.tcp socket.udp", returns(Value(type="socket"))),
    ("socket.connect", lambda found, call: connects(
        int(bool(call.args) and call.args[0].type == "socket"),
        port_at=1 + int(bool(call.args) and call.args[0].type == "socket"))(found, call)),
    ("socket.send", sends()),
    ("socket.receive", returns(Value(flags=REMOTE))),
    ("socket.http.request http.request ssl.https.request", web(data_at=1)),
)  # fmt: skip
LANGUAGE = Language(
    Scanner(SYNTAX),
    CALLS,
    constants={"true": Value("true", type="bool"), "false": Value("", type="bool")},
    joins=frozenset({".."}),
    dots=frozenset({".", ":"}),
    skipped=frozenset("local return not and or then else do end function".split()),
    loops=frozenset({"in"}),
    resolve=_resolve,
)
read = ScriptLanguage(LANGUAGE, _WORDS, shell_on_connection=re.compile(r"[<>]&\d")).read
"""Read what Lua code does."""
