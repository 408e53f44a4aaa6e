"""Reads Perl."""

import re

from handrail.model.effect import Kind
from handrail.shell.inline.code_walk import CodeWalk
from handrail.shell.inline.decode import decode, decodes, from_characters
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.function_effects import (
    COPIES,
    LINKS,
    MOVES,
    Call,
    CallEffect,
    becomes_root,
    changes_folder,
    forks,
    globs,
    kills_each,
    mode,
    passes,
    path,
    paths,
    prints,
    reads,
    redirects_streams,
    returns,
    runs_shell,
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
    NOTHING,
    REMOTE,
    TYPED_IN,
    Value,
    concatenate,
    list_of,
    text,
    unknown,
    variable,
)

_DELIMITED = r"(?:\s*(?=[({\[<|/!'~#])|\s+(?=[({\[<|/!~]))[({\[<|/!'~#]"
SYNTAX = LanguageSyntax(
    comments=r"(?<![$\w&@])\#[^\n]*|(?m:^)=[a-z]\w+.*?(?:(?m:^)=cut|\Z)",
    texts=(
        TextSyntax('"', filled=True),
        TextSyntax("'"),
        TextSyntax("`", filled=True, kind="command"),
        TextSyntax(rf"(?<![$@%&\w>{{-])qx{_DELIMITED}", filled=True, kind="command", nests=True),
        TextSyntax(rf"(?<![$@%&\w>{{-])qq{_DELIMITED}", filled=True, nests=True),
        TextSyntax(rf"(?<![$@%&\w>{{-])qw{_DELIMITED}", kind="words", nests=True),
        TextSyntax(rf"(?<![$@%&\w>{{-])q{_DELIMITED}", nests=True),
        TextSyntax(rf"(?<![$@%&\w>{{-])(?:m|qr){_DELIMITED}", kind="pattern", nests=True),
        TextSyntax(rf"(?<![$@%&\w>{{-])(?:s|tr|y){_DELIMITED}", kind="swap", nests=True),
        TextSyntax(r"<(?=[~/.\w*$-]*[/*.][^<>\n]*>)", "", filled=True, kind="glob"),
    ),
    names=r"[$@%&]\#?\{?\^?\w+\}?(?:::\w+)*|\$[&_!<>()0/,;.]|[A-Za-z_]\w*(?:::\w+)*",
    fills=r"(\$ENV\{\w+\}|\$\w+(?:\[[^\]]*\]|\{[^}]*\}|->[\[{][^\]}]*[\]}])*|\$\{\w+\}|@\w+)"
    r"|@\{\[(.{0,1000}?)\]\}",
    patterns=True,
    heredocs=r"<<~?(?P<q>[\"'`]?)(?P<tag>[A-Z_]\w*)(?P=q)",
)
_WORDS = re.compile(
    r"`|\b(?:qx|system|exec|eval|open|unlink|rmdir|rmtree|remove_tree|fork|kill|socket|Socket|LWP"
    r"|HTTP|IO|syscall|rename|chmod|chown|symlink|link|do|require|setuid|File|DBI|move|copy|pack"
    r"|unpack|decode_base64|truncate|mkdir|sysopen|dup2|POSIX|Net|readpipe|opendir|ENV)\b|\$[<>]\s*="
)


def _resolve(name: str) -> str:
    if name[:1] in "$@%&" and name[1:2] == "{":
        name = name[0] + name[2:].rstrip("}")
    name = name.removeprefix("CORE::GLOBAL::").removeprefix("CORE::").removeprefix("&")
    return name.replace("::", ".")


def _opens(found: EffectCollector, call: Call) -> Value | None:
    """`open(F, "<", "file")`, `open(F, ">file")`, `open(F, "command|")`, `open(F, "-|", …)`."""
    args = call.args[1:]
    if not args:
        return None
    how = args[0].text.strip()
    if len(args) > 1 and how in {"|-", "-|"}:
        found.call(args[1:]) if len(args) > 2 else found.script(args[1])
        return None
    if len(args) > 1:
        kind = Kind.WRITE if ">" in how or "+" in how else Kind.READ
        found.path(kind, args[1])
        return None
    if how.startswith("|") or how.endswith("|"):
        found.script(Value(how.strip("| "), flags=args[0].flags))
    elif "&" in how[:3]:
        found.streams_redirected = True
    else:
        found.path(Kind.WRITE if how[:1] in ">+" else Kind.READ, text(how.lstrip("<>+ ")))
    return None


def _tree(found: EffectCollector, call: Call) -> None:
    for value in call.args:
        if value.fields is None:
            found.path(Kind.DELETE, value, recursive=True)


def _socket(found: EffectCollector, call: Call) -> Value:
    """`IO::Socket::INET->new("host:80")`, or with PeerAddr and PeerPort."""
    host = call.named.get("PeerAddr") or call.named.get("PeerHost")
    port = call.named.get("PeerPort")
    if host is None:
        return found.connect((call.get(0) or NOTHING).text)
    return found.connect(host.text + (f":{port.text}" if port is not None else ""))


def _address(_found: EffectCollector, call: Call) -> Value:
    """`sockaddr_in(port, inet_aton(host))`."""
    return list_of(reversed(call.args[:2]))


def _unpacks(_found: EffectCollector, call: Call) -> Value:
    form = call.args[0].text if call.args else ""
    known = {"H*": "hex", "h*": "hex", "m": "base64", "m0": "base64", "u": "uu"}.get(form)
    if known is None:
        return from_characters(_found, Call("", call.args[1:])) if form in {"C*", "U*"} else (
            unknown(*call.args))  # fmt: skip
    return decode(known, call.args[1] if len(call.args) > 1 else NOTHING)


def _joins(_found: EffectCollector, call: Call) -> Value:
    parts: list[Value] = []
    for arg in call.args[1:]:
        parts += [arg] if arg.items is None else arg.items
    return concatenate(parts, call.args[0].text.join) if call.args else NOTHING


def _prints(found: EffectCollector, call: Call) -> Value:
    """`print $socket …` sends."""
    if call.args and call.args[0].type == "socket":
        sends()(found, call)
    prints(found, call)
    return NOTHING


def _reverses(_found: EffectCollector, call: Call) -> Value:
    value = call.args[0] if call.args else NOTHING
    return decode("reverse", value) if value.exact else unknown(value)


def _evaluate(follow: CodeWalk) -> Value:
    """`eval "code"` runs code, `eval { … }` only catches errors."""
    if follow.peek().text == "{":
        return follow.expression()
    bracket = follow.accept("(")
    value = follow.expression()
    if bracket:
        follow.accept(")")
    follow.found.run(value)
    return NOTHING


def _each(follow: CodeWalk) -> Value | None:
    """`for my $f ("/a", "/b") { … }`."""
    follow.accept("my", "our")
    token = follow.peek()
    if token.kind == "name" and token.text.startswith("$") and follow.peek(1).text == "(":
        follow.at += 2
        follow.names[token.text] = follow.one_of(list_of(follow.arguments(")")[0]))
        return None
    return follow.expression()


def _run_file(found: EffectCollector, call: Call) -> None:
    for value in call.args[:1]:
        if value.exact and not value.ref and "/" in value.text:
            found.add(Kind.RUN, found.place(value.text))


def _fetches(found: EffectCollector, call: Call) -> Value | None:
    """`get "http://…"`; a function of that name may be anything."""
    return web()(found, call) if call.args and _URL.match(call.args[0].text) else None


_URL = re.compile(r"(?:https?|ftp)://")
_METHOD_FETCH: CallEffect = web(at=1)
_METHOD_SEND: CallEffect = web(at=1, kind=Kind.SEND)
_CLIENT = returns(Value(type="client"))
CALLS = table(
    ("system exec", runs_shell_or_program),
    ("readpipe", runs_shell()),
    ("open", _opens),
    ("sysopen", path(Kind.WRITE, 1)),
    ("unlink rmdir", paths(Kind.DELETE)),
    ("rmtree remove_tree File.Path.rmtree File.Path.remove_tree", _tree),
    ("rename move File.Copy.move", MOVES),
    ("copy File.Copy.copy cp", COPIES),
    ("mkdir truncate make_path mkpath", path(Kind.WRITE)),
    ("chmod", mode(at=0, target=1)),
    ("chown", paths(Kind.PERMIT, 2)),
    ("symlink link", LINKS),
    ("chdir", changes_folder),
    ("read_file File.Slurp.read_file slurp", reads()),
    ("write_file File.Slurp.write_file", path(Kind.WRITE)),
    ("glob File.Glob.bsd_glob", globs),
    ("kill", kills_each),
    ("fork", forks),
    ("POSIX.setuid POSIX.setgid setuid", becomes_root),
    ("POSIX.dup2 dup2", redirects_streams),
    ("decode_base64 MIME.Base64.decode_base64 MIME.Base64.decode", decodes("base64", kind="")),
    ("pack", _unpacks),
    ("unpack", _unpacks),
    ("chr", from_characters),
    ("join", _joins),
    ("reverse", _reverses),
    ("do require", _run_file),
    ("IO.Socket.INET.new IO.Socket.new IO.Socket.INET6.new IO.Socket.SSL.new", _socket),
    ("connect", connects(1)),
    ("sockaddr_in pack_sockaddr_in", _address),
    ("inet_aton gethostbyname", passes()),
    ("print printf say", _prints),
    ("send syswrite", sends()),
    ("socket.print socket.send socket.write socket.syswrite socket.printf", sends()),
    ("recv sysread", returns(Value(flags=REMOTE))),
    ("get getstore getprint LWP.Simple.get LWP.Simple.getstore", _fetches),
    ("LWP.UserAgent.new HTTP.Tiny.new Mojo.UserAgent.new WWW.Mechanize.new", _CLIENT),
    ("client.get client.mirror client.head", _METHOD_FETCH),
    ("client.post client.put client.patch client.post_form", _METHOD_SEND),
    ("lc uc lcfirst sprintf_text quotemeta", passes()),
)
METHODS = table(("do execute prepare", runs_sql(1)))
CONSTANTS = {
    "%ENV": Value(ref="%ENV", flags=ENVIRON),
    "$ENV": Value(ref="$ENV"),
    "STDIN": Value(flags=TYPED_IN),
    "$0": NOTHING,
}


def _subscript(base: Value, key: Value) -> Value | None:
    if base.ref == "$ENV":
        return variable(key.ref or key.text)
    return NOTHING if base.ref[:1] in "$@%" else None


LANGUAGE = Language(
    Scanner(SYNTAX),
    CALLS,
    METHODS,
    CONSTANTS,
    joins=frozenset({"."}),
    dots=frozenset({"->", "::"}),
    bare_calls=True,
    skipped=frozenset("my our local return not and or".split()),
    keywords={"eval": _evaluate, "for": _each, "foreach": _each},
    loops=frozenset(),
    resolve=_resolve,
    subscript=_subscript,
)
read = ScriptLanguage(
    LANGUAGE,
    _WORDS,
    fork_bomb=re.compile(
        r"\bfork (?:\( \) )?(?:while|until|for)\b|\bwhile \( (?:1|fork(?: \( \))?|true) \)"
        r".{0,200}\bfork\b|\bwhile \( fork|\{ fork (?:\( \) )?(?:; )?redo|\bfork ;? ?redo"
    ),
    shell_on_connection=re.compile(
        r"open\s*\(?\s*STD(?:IN|OUT|ERR)\s*,\s*[\"'][<>]*&|[<>]&\s*(?:S\b|\$|\d)"
    ),
    becomes_root=re.compile(r"\$[<>]\s*=\s*(?:\$[<>]\s*=\s*)?0\b"),
).read
"""Read what Perl code does."""
