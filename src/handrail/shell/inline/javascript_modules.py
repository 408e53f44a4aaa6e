"""Read how JavaScript imports and destructures modules."""

import re

from handrail.shell.inline.code_walk import CodeWalk
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.function_effects import Call
from handrail.shell.inline.value import NOTHING, Value

_MODULES = {
    "fs.promises": "fs",
    "fs/promises": "fs",
    "fs-extra": "fs",
    "graceful-fs": "fs",
    "https": "http",
    "tls": "net",
    "axios.default": "axios",
    "child_process.promises": "child_process",
    "globalThis": "",
    "global": "",
    "window": "",
    "self": "",
    "process.mainModule": "module",
    "module.require": "require",
    "module.createRequire": "require.make",
    "Bun.$": "$",
    "undici.fetch": "fetch",
    "node-fetch": "fetch",
    "rimraf.sync": "rimraf",
    "rimraf.rimraf": "rimraf",
    "execa.execa": "execa",
}
_ENDINGS = ("", ".js", ".mjs", ".cjs", ".ts", "/index.js")
"""What a program may add to the name of a file."""
_TRIMS = re.compile(r"(?:Sync|Async)$")


def resolve(name: str) -> str:
    """Return the name of a module or function in the tables."""
    name = name.removeprefix("node:")
    root, dot, rest = name.partition(".")
    head = _MODULES.get(root, root)
    name = f"{head}{dot}{rest}" if head else rest or "global"
    for long, short in _MODULES.items():
        if short and (name == long or name.startswith(f"{long}.")):
            name = (short + name[len(long) :]).lstrip(".")
    return _TRIMS.sub("", name.removesuffix(".default"))


def requires(found: EffectCollector, call: Call) -> Value:
    """`require("fs")`."""
    name = call.args[0] if call.args else NOTHING
    if not name.exact:
        found.hidden(name)
        return NOTHING
    return _module(found, name.text)


def _module(found: EffectCollector, name: str) -> Value:
    if name.startswith(("./", "../", "/", "file:///")):
        path = name.removeprefix("file://")
        found.load(path + ending for ending in _ENDINGS)
    return Value(ref=resolve(name))


def declare(follow: CodeWalk) -> None:
    """`const {execSync, spawn: s} = require("child_process")`, or a plain declaration."""
    if not follow.accept("{"):
        follow.expression()
        return
    names: dict[str, str] = {}
    while follow.at < len(follow.tokens) and not follow.accept("}"):
        token = follow.advance()
        if token.kind == "name":
            names[token.text] = follow.advance().text if follow.accept(":", "as") else token.text
    if follow.accept("="):
        value = follow.expression()
    else:
        follow.accept("from")
        value = _module(follow.found, follow.advance().text)
    for name, own in names.items():
        follow.names[own] = follow.member(value, name)


def imports(follow: CodeWalk) -> None:
    """`import fs, {rmSync as r} from "node:fs"`, `import * as fs from "fs"`, `import("fs")`."""
    if follow.peek().text == "(":
        follow.at += 1
        args, _ = follow.arguments(")")
        value = requires(follow.found, Call("import", args))
        while follow.accept(".") and follow.peek().text in {"then", "default"}:
            follow.advance()
        if follow.accept("("):
            token = follow.peek(1) if follow.peek().text == "(" else follow.peek()
            follow.names[token.text] = value
            follow.items.append(value)
            follow.arguments(")")
            follow.items.pop()
        return
    follow.accept("type")
    if follow.accept("*"):
        follow.accept("as")
    own = follow.advance().text if follow.peek().kind == "name" else ""
    follow.accept(",")
    if follow.peek().text == "{":
        place = follow.at
        declare(follow)
        if own:
            end = follow.at
            follow.names[own] = Value(ref=resolve(follow.tokens[end - 1].text))
        if follow.at == place:
            follow.advance()
    elif own and follow.accept("from"):
        follow.names[own] = _module(follow.found, follow.advance().text)
    elif not own and follow.peek().kind == "text":
        _module(follow.found, follow.advance().text)
