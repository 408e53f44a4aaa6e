"""Reads Ruby."""

import re

from handrail.model.effect import Kind
from handrail.shell.inline.decode import decode, decodes, from_characters
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.function_effects import (
    COPIES,
    LINKS,
    MOVES,
    Call,
    Table,
    adds_effect,
    becomes_root,
    both,
    changes_folder,
    forks,
    formats,
    globs,
    joins_items,
    joins_path,
    kills_each,
    mode,
    opens,
    passes,
    path,
    paths,
    prints,
    reads,
    reads_variable,
    returns,
    runs_code,
    runs_shell_or_program,
    runs_sql,
    table,
)
from handrail.shell.inline.language import Language
from handrail.shell.inline.network import connects, sends, web
from handrail.shell.inline.scan import LanguageSyntax, Scanner, TextSyntax
from handrail.shell.inline.script import ScriptLanguage
from handrail.shell.inline.value import (
    ENVIRON,
    GLOB,
    NOTHING,
    REMOTE,
    TYPED_IN,
    Value,
    list_of,
    text,
    unknown,
    variable,
)

SYNTAX = LanguageSyntax(
    comments=r"(?<![\w{])\#[^\n]*|(?m:^)=begin.*?(?:(?m:^)=end|\Z)",
    texts=(
        TextSyntax('"', filled=True),
        TextSyntax("'"),
        TextSyntax("`", filled=True, kind="command"),
        TextSyntax(r"%x[({\[<|!/]", filled=True, kind="command", nests=True),
        TextSyntax(r"%[wWiI][({\[<|!/]", kind="words", nests=True),
        TextSyntax(r"%q[({\[<|!/]", nests=True),
        TextSyntax(r"%Q[({\[<|!/]|%[({\[](?=[^)\]}\n]*[)\]}])", filled=True, nests=True),
        TextSyntax(r"%r[({\[<|!/]", kind="pattern", nests=True),
    ),
    names=r"(?<!:):[A-Za-z_]\w*[?!]?(?!:)|[@$]{0,2}[A-Za-z_]\w*(?:[?!](?!=))?",
    fills=r"\#\{((?:[^{}]|\{[^{}]*\})*)\}",
    patterns=True,
    heredocs=r"<<[~-]?(?P<q>[\"'`]?)(?P<tag>[A-Z_]\w*)(?P=q)",
)
_WORDS = re.compile(
    r"`|%x|\b(?:system|sh|exec|spawn|eval|instance_eval|class_eval|fork|open|popen\w*|Open3|IO|File"
    r"|FileUtils|Dir|Pathname|Process|Net|URI|TCPSocket|Socket|send|__send__|public_send|method"
    r"|Kernel|Object|syscall|Base64|pack|unpack1?|HTTP\w*|Faraday|RestClient|ENV|load|require(?:_relative)?"
    r"|execute|drop_database|flushall|flushdb|rm_rf|rm_r|trap|PTY|Tempfile|Fiddle)\b"
)


def _resolve(name: str) -> str:
    return name.removeprefix("Kernel.").removeprefix("Object.").removeprefix("self.")


def _sends(found: EffectCollector, call: Call) -> Value | None:
    """`send(:system, "…")`, `Kernel.send("sys" + "tem", "…")`."""
    args = call.args[1:] if call.args and call.args[0].ref in _OBJECTS else call.args
    if not args:
        return None
    name = args[0].ref.lstrip(":") or args[0].text
    act = CALLS.get(name)
    if act is None and not args[0].exact and not args[0].ref:
        found.unseen("a method that is chosen while it runs")
    return None if act is None else act(found, Call(name, args[1:], call.named))


_OBJECTS = frozenset({"Kernel", "Object", "self", "main"})


def _opens(found: EffectCollector, call: Call) -> Value | None:
    """`open("|command")` runs it, `open("http://…")` downloads, else a file."""
    name = call.args[0].text if call.args else ""
    if name.startswith("|"):
        found.script(text(name[1:], call.args[0].flags))
        return Value(type="process")
    if re.match(r"(?:https?|ftp)://", name) or call.name == "URI.open":
        return web()(found, call)
    return opens()(found, call)


def _packs(_found: EffectCollector, call: Call) -> Value:
    """`["726d"].pack("H*")`, `"cm0=".unpack1("m")`."""
    form = call.args[1].text if len(call.args) > 1 else ""
    value = call.args[0]
    first = value.items[0] if value.items else value
    known = {"H*": "hex", "m": "base64", "m0": "base64", "u": "uu"}.get(form)
    if known is None:
        return from_characters(_found, Call("", call.args[:1])) if form in {"C*", "U*", "c*"} else (
            unknown(*call.args))  # fmt: skip
    return decode(known, first)


def _reverses(_found: EffectCollector, call: Call) -> Value:
    value = call.args[0]
    return decode("reverse", value) if value.exact and not value.ref else unknown(value)


def _path(_found: EffectCollector, call: Call) -> Value:
    return Value((call.get(0) or NOTHING).text, type="Pathname")


def _requires(found: EffectCollector, call: Call) -> None:
    name = call.args[0] if call.args else Value()
    if name.exact:
        found.load([name.text, f"{name.text}.rb"])


_WRITE, _DELETE = Kind.WRITE, Kind.DELETE
_TREE = path(_DELETE, recursive=True)
_SEND = web(kind=Kind.SEND)
CALLS: Table = table(
    ("system exec spawn sh Process.spawn Process.exec IO.popen PTY.spawn", runs_shell_or_program),
    ("Open3.capture2 Open3.capture2e Open3.capture3 Open3.popen3 Open3.popen2",
     runs_shell_or_program),
    ("send __send__ public_send method", _sends),
    ("eval instance_eval class_eval binding.eval module_eval", runs_code()),
    ("load", path(Kind.RUN)),
    ("require require_relative", _requires),
    ("open URI.open", _opens),
    ("File.open File.new IO.open", opens()),
    ("File.read IO.read File.readlines IO.readlines File.foreach File.binread", reads()),
    ("File.write IO.write File.binwrite IO.binwrite File.truncate Dir.mkdir", path(_WRITE)),
    ("FileUtils.mkdir_p FileUtils.mkdir FileUtils.touch", path(_WRITE)),
    ("File.delete File.unlink Dir.delete Dir.rmdir Dir.unlink", paths(_DELETE)),
    ("FileUtils.rm FileUtils.rm_f FileUtils.rmdir FileUtils.safe_unlink", path(_DELETE)),
    ("FileUtils.rm_rf FileUtils.rm_r FileUtils.rmtree FileUtils.remove_dir", _TREE),
    ("FileUtils.remove_entry FileUtils.remove_entry_secure FileUtils.remove rm_rf", _TREE),
    ("File.rename FileUtils.mv FileUtils.move", MOVES),
    ("FileUtils.cp FileUtils.cp_r FileUtils.copy IO.copy_stream", COPIES),
    ("File.chmod FileUtils.chmod", mode(at=0, target=1)),
    ("FileUtils.chmod_R", both(mode(at=0, target=1), path(Kind.PERMIT, 1, recursive=True))),
    ("File.chown FileUtils.chown FileUtils.chown_R", path(Kind.PERMIT, 2)),
    ("File.symlink File.link FileUtils.ln_s FileUtils.ln_sf FileUtils.ln", LINKS),
    ("Pathname Pathname.new", _path),
    ("Pathname.delete Pathname.unlink Pathname.rmdir", path(_DELETE)),
    ("Pathname.rmtree", _TREE),
    ("Pathname.read", reads()),
    ("Pathname.write", path(_WRITE)),
    ("Dir.glob Dir.children Dir.entries Dir.each_child", globs),
    ("Dir.tmpdir", returns(text("/tmp"))),
    ("Dir.chdir", changes_folder),
    ("File.join", joins_path),
    ("File.expand_path File.absolute_path URI URI.parse", passes()),
    ("sprintf format", formats),
    ("puts p print pp", prints),
    ("ENV.fetch", reads_variable()),
    ("fork Process.fork", forks),
    ("Process.kill", kills_each),
    ("Process.setuid Process.Sys.setuid Process.euid= Process.UID.change_privilege", becomes_root),
    ("Net.HTTP.get Net.HTTP.get_response HTTParty.get Faraday.get RestClient.get HTTP.get", web()),
    ("Net.HTTP.post Net.HTTP.post_form HTTParty.post Faraday.post", _SEND),
    ("RestClient.post HTTP.post", _SEND),
    ("TCPSocket.new TCPSocket.open Socket.tcp UDPSocket.new", connects(port_at=1)),
    ("socket.write socket.puts socket.print socket.send", sends()),
    ("socket.gets socket.read socket.recv", returns(Value(flags=REMOTE))),
    ("Base64.decode64 Base64.strict_decode64", decodes("base64", kind="")),
    ("Base64.urlsafe_decode64", decodes("base64url", kind="")),
    ("Zlib.Inflate.inflate Zlib.inflate", decodes("zlib", kind="")),
    ("gets STDIN.read", returns(Value(flags=TYPED_IN))),
)  # fmt: skip
METHODS = table(
    ("send __send__ public_send", _sends),
    ("execute exec_query", runs_sql(1)),
    ("flushall flushdb", adds_effect(Kind.DESTROY, "all keys", says="deletes every Redis key")),
    ("drop_database", adds_effect(Kind.DESTROY, "database", says="drops the database")),
    ("pack unpack unpack1", _packs),
    ("join", joins_items),
    ("reverse", _reverses),
    ("chr", from_characters),
    ("instance_eval class_eval", runs_code(1)),
)
CONSTANTS = {
    "ENV": Value(ref="ENV", flags=ENVIRON),
    "ARGV": Value(ref="ARGV", flags=TYPED_IN),
    "Dir.home": text("~"),
    "Dir.pwd": text("."),
    "true": Value("true", type="bool"),
    "false": Value("", type="bool"),
    "nil": Value("", type="None"),
}


def _subscript(base: Value, key: Value) -> Value | None:
    if base.ref == "Dir":
        return list_of([Value(key.text, flags=GLOB)])
    if base.ref in {"ENV", "ENV.fetch"}:
        return variable(key.text)
    return None


LANGUAGE = Language(
    Scanner(SYNTAX),
    CALLS,
    METHODS,
    CONSTANTS,
    joins=frozenset({"+", "<<"}),
    dots=frozenset({".", "::", "&."}),
    bare_calls=True,
    skipped=frozenset("return not and or then else begin unless if while until".split()),
    resolve=_resolve,
    subscript=_subscript,
)
read = ScriptLanguage(
    LANGUAGE,
    _WORDS,
    fork_bomb=re.compile(
        r"\bfork (?:\( \) )?(?:while|until)\b|\b(?:loop|while (?:true|1|fork))\b.{0,200}\bfork\b"
        r"|\bfork \{.{0,200}\bfork\b"
    ),
    shell_on_connection=re.compile(r"[<>]&(?:\d|%d|#\{)|\.reopen\b"),
).read
"""Read what Ruby code does."""
