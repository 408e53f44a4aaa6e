"""Reads JavaScript and TypeScript: node, deno, bun."""

import re

from handrail.model.effect import Kind
from handrail.shell.inline.decode import decode, decodes, from_characters
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.function_effects import (
    COPIES,
    LINKS,
    MOVES,
    Call,
    adds_effect,
    becomes_root,
    joins_path,
    kills,
    lists,
    mode,
    opens,
    passes,
    path,
    prints,
    reads,
    reads_variable,
    returns,
    runs_code,
    runs_shell,
    runs_sql,
    starts_program,
    table,
)
from handrail.shell.inline.javascript_modules import declare, imports, requires, resolve
from handrail.shell.inline.language import Language
from handrail.shell.inline.network import connects, sends, web
from handrail.shell.inline.scan import LanguageSyntax, Scanner, TextSyntax
from handrail.shell.inline.script import ScriptLanguage
from handrail.shell.inline.value import (
    ENVIRON,
    NOTHING,
    TYPED_IN,
    Value,
    concatenate,
    list_of,
    text,
)

SYNTAX = LanguageSyntax(
    comments=r"//[^\n]*|/\*.*?(?:\*/|\Z)|\A\#![^\n]*",
    texts=(
        TextSyntax('"', filled=True),
        TextSyntax("'", filled=True),
        TextSyntax("`", filled=True),
    ),
    names=r"[A-Za-z_$#][\w$]*",
    fills=r"\$\{((?:[^{}]|\{[^{}]*\})*)\}",
    patterns=True,
)
_WORDS = re.compile(
    r"\b(?:require|import|process|child_process|fs|eval|Function|fetch|Deno|Bun|exec\w*|spawn\w*"
    r"|axios|XMLHttpRequest|WebSocket|net|http\w*|globalThis|global|constructor|query|setTimeout"
    r"|atob|Buffer|vm|got|execa|shelljs|dropDatabase|deleteIndex|clearIndex|flushall|flushAll|doShellScript|rm\w*|unlink\w*|\$)"
)


def _spawn(found: EffectCollector, call: Call) -> Value:
    through_shell = call.named.get("shell")
    if through_shell is not None and through_shell.ref != "false" and call.args:
        words = [call.args[0], *(call.args[1].items or () if len(call.args) > 1 else ())]
        found.script(concatenate(words, " ".join), call.named.get("cwd"))
        return Value(type="process")
    args = [arg for arg in call.args if arg.fields is None]
    return starts_program()(found, Call(call.name, tuple(args), call.named)) or NOTHING


def _buffer(_found: EffectCollector, call: Call) -> Value:
    """`Buffer.from("…", "base64")`."""
    form = call.args[1].text if len(call.args) > 1 else ""
    if form in {"base64", "hex", "base64url"}:
        return decode(form, call.args[0])
    if call.args and call.args[0].items is not None:
        return from_characters(_found, call)
    return call.args[0] if call.args else NOTHING


def _connect(found: EffectCollector, call: Call) -> Value:
    """`net.connect(port, host)` and `net.connect({host, port})`."""
    port, host = call.named.get("port"), call.named.get("host")
    words = [v for v in call.args[:2] if v.fields is None]
    if host is not None or port is not None:
        words = [port or NOTHING, host or text("localhost")]
    ordered = list(reversed(words[:2])) if len(words) > 1 and words[0].number is not None else words
    return found.connect(":".join(word.text for word in ordered))


def _web_request(found: EffectCollector, call: Call) -> Value | None:
    """`https.request({hostname, method})`."""
    host = call.named.get("hostname") or call.named.get("host")
    if host is not None and (not call.args or call.args[0].fields is not None):
        port = call.named.get("port")
        host = host if port is None else text(f"{host.text}:{port.text}")
        call = Call(call.name, (host, *call.args[1:]), call.named)
    method = call.named.get("method", NOTHING).text.upper()
    found.host = call.args[0].text if call.args else ""
    kind = Kind.SEND if method in {"POST", "PUT", "PATCH"} else Kind.FETCH
    web(kind=kind)(found, call)
    return Value(type="webrequest", text=found.host)


def _asks_model(found: EffectCollector, call: Call) -> Value:
    found.reach(Kind.SEND, f"api.{call.name.partition('.')[0]}.com", call.flags)
    return Value(ref=call.name)


def _delayed(found: EffectCollector, call: Call) -> None:
    """`setTimeout("code")`."""
    if call.args and call.args[0].exact and not call.args[0].ref:
        found.run(call.args[0])


def _joined(_found: EffectCollector, call: Call) -> Value:
    separator = call.args[1].text if len(call.args) > 1 else ","
    items = call.args[0].items
    return NOTHING if items is None else concatenate(items, separator.join)


def _reversed(_found: EffectCollector, call: Call) -> Value | None:
    items = call.args[0].items if call.args else None
    return None if items is None else list_of(reversed(items))


def _split(_found: EffectCollector, call: Call) -> Value | None:
    whole, by = call.args[0], call.args[1].text if len(call.args) > 1 else "\0"
    if not whole.exact or len(whole.text) > 4096:
        return None
    parts = list(whole.text) if by == "" else whole.text.split(by)
    return list_of([text(part, whole.flags) for part in parts])


def _concat(_found: EffectCollector, call: Call) -> Value:
    return concatenate(call.args)


_READ, _WRITE, _DELETE = Kind.READ, Kind.WRITE, Kind.DELETE
_MODEL_NAMES = "openai.createCompletion openai.createChatCompletion openai.chat.completions.create"

CALLS = table(
    ("require module.require require.make() import", requires),
    ("require.make", returns(Value(ref="require"))),
    ("fs.rm fs.unlink fs.rmdir fs.remove Deno.remove del fs.emptyDir", path(_DELETE)),
    ("rimraf del.deleteAsync trash fs.rmrf", path(_DELETE, recursive=True)),
    ("fs.writeFile fs.appendFile fs.createWriteStream fs.truncate fs.mkdir", path(_WRITE)),
    ("fs.outputFile fs.writeJson fs.mkdirp fs.ensureDir fs.utimes", path(_WRITE)),
    ("Deno.writeTextFile Deno.writeFile Deno.mkdir Bun.write", path(_WRITE)),
    ("fs.readFile fs.createReadStream Deno.readTextFile Deno.readFile fs.readJson Bun.file",
     reads()),
    ("fs.open Deno.open", opens()),
    ("fs.rename Deno.rename fs.move", MOVES),
    ("fs.copyFile fs.cp fs.copy Deno.copyFile", COPIES),
    ("fs.chmod Deno.chmod", mode()),
    ("fs.chown Deno.chown", path(Kind.PERMIT)),
    ("fs.symlink fs.link Deno.symlink", LINKS),
    ("fs.readdir Deno.readDir", lists("*")),
    ("path.join path.resolve path.posix.join", joins_path),
    ("Object.entries Object.keys Object.values path.normalize", passes()),
    ("String path.dirname encodeURIComponent JSON.stringify", passes()),
    ("os.homedir", returns(text("~"))),
    ("os.tmpdir", returns(text("/tmp"))),
    ("process.cwd", returns(text("."))),
    ("child_process.exec shelljs.exec execa.command execa.commandSync zx.$ $", runs_shell()),
    ("child_process.spawn child_process.execFile execa child_process.fork cross-spawn", _spawn),
    ("Deno.run", runs_shell(9, "cmd")),
    ("Bun.spawn", runs_shell()),
    ("Deno.Command", lambda found, call: found.call(
        [*call.args[:1], *(call.named.get("args", NOTHING).items or ())])),
    ("console.log console.error console.dir console.table process.stdout.write", prints),
    ("Deno.env.get", reads_variable()),
    ("eval Function vm.runInThisContext vm.runInNewContext vm.Script vm.runInContext", runs_code()),
    ("setTimeout setInterval", _delayed),
    ("Buffer.from Buffer", _buffer),
    ("atob", decodes("base64", kind="")),
    ("unescape decodeURIComponent", decodes("url", kind="")),
    ("String.fromCharCode String.fromCodePoint", from_characters),
    ("zlib.inflate zlib.gunzip zlib.unzip zlib.brotliDecompress", decodes("zlib")),
    ("fetch axios axios.get got got.get superagent.get http2.connect needle.get", web()),
    ("axios.post axios.put axios.patch axios.delete got.post", web(kind=Kind.SEND)),
    ("superagent.post needle.post navigator.sendBeacon", web(kind=Kind.SEND)),
    ("http.request http.get", _web_request),
    ("webrequest.write webrequest.end", sends()),
    ("net.connect net.createConnection", _connect),
    ("Deno.connect", _connect),
    ("socket.connect", lambda found, call: _connect(found, Call("", call.args[1:], call.named))),
    ("net.Socket", returns(Value(type="socket"))),
    ("WebSocket", connects()),
    ("socket.write socket.end socket.send", sends()),
    ("process.kill Deno.kill", kills),
    ("process.setuid process.setgid process.seteuid", becomes_root),
    (_MODEL_NAMES, _asks_model),
)  # fmt: skip
METHODS = table(
    ("query execute $executeRawUnsafe raw", runs_sql(1)),
    (
        "flushall flushAll flushdb",
        adds_effect(Kind.DESTROY, "all keys", says="deletes every Redis key"),
    ),
    ("deleteIndex clearIndex", adds_effect(Kind.DESTROY, "index", says="deletes a search index")),
    ("dropDatabase", adds_effect(Kind.DESTROY, "database", says="drops the database")),
    ("join", _joined),
    ("concat", _concat),
    ("reverse", _reversed),
    ("split", _split),
    ("toString", passes()),
    ("constructor", runs_code(1)),
    ("doShellScript", runs_shell(1)),
    ("call bind", lambda found, call: None),
)
CONSTANTS = {
    "process.env": Value(ref="process.env", flags=ENVIRON),
    "process.argv": Value(ref="process.argv", flags=TYPED_IN),
    "process.stdin": Value(ref="process.stdin", flags=TYPED_IN),
    "process.execPath": text("node"),
    "true": Value("true", type="bool"),
    "false": Value("", type="bool", ref="false"),
    "null": Value("", type="None"),
    "undefined": Value("", type="None"),
}
LANGUAGE = Language(
    Scanner(SYNTAX),
    CALLS,
    METHODS,
    CONSTANTS,
    dots=frozenset({".", "?."}),
    skipped=frozenset("new await async return typeof void throw yield else export default".split()),
    keywords={
        "const": declare,
        "let": declare,
        "var": declare,
        "import": imports,
    },
    environment="process.env",
    arrows=True,
    remote=frozenset({"http", "net", "axios", "got", "needle", "superagent"}),
    resolve=resolve,
)
read = ScriptLanguage(
    LANGUAGE,
    _WORDS,
    fork_bomb=re.compile(r"(?:while \( (?:true|1) \)|for \( ; ; \)).{0,200}(?:\. fork|fork) \("),
).read
"""Read what JavaScript code does."""
