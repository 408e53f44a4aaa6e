"""Reads PHP."""

import re

from handrail.model.effect import Kind
from handrail.shell.inline.code_walk import CodeWalk
from handrail.shell.inline.decode import decodes, from_characters
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.function_effects import (
    COPIES,
    LINKS,
    MOVES,
    Call,
    Table,
    becomes_root,
    changes_folder,
    forks,
    formats,
    globs,
    kills,
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
    flags_of,
    list_of,
    text,
    unknown,
    variable,
)

SYNTAX = LanguageSyntax(
    comments=r"//[^\n]*|\#(?!\[)[^\n]*|/\*.*?(?:\*/|\Z)|<\?(?:php|=)?|\?>",
    texts=(
        TextSyntax('"', filled=True),
        TextSyntax("'"),
        TextSyntax("`", filled=True, kind="command"),
    ),
    names=r"\${1,2}\w+|\\?[A-Za-z_]\w*(?:\\\w+)*",
    fills=r"\{(\$[^}]*)\}|(\$\w+(?:\[[^\]]*\]|->\w+)?)|\$\{(\w+)\}",
    heredocs=r"<<<\s*(?P<q>[\"']?)(?P<tag>[A-Za-z_]\w*)(?P=q)",
    marks=r"\?->|=>|->|::|\|\||&&|\?\?=?|[.+*/-]=|[=!]==?|<<|>>|[^\w\s]",
)
_WORDS = re.compile(
    r"`|\$\w+\s*\(|\b(?:system|exec|shell_exec|passthru|popen|proc_open|pcntl_\w+|eval|assert"
    r"|create_function|unlink|rmdir|rename|copy|chmod|chown|symlink|link|fopen|file_\w+|file"
    r"|readfile|curl_\w+|fsockopen|pfsockopen|stream_\w+|socket_\w+|mail|include(?:_once)?"
    r"|require(?:_once)?|call_user_func\w*|array_map|array_walk|usort|preg_replace|posix_\w+"
    r"|query|exec|mysqli_\w+|pg_\w+|dl|ini_set|putenv|touch|mkdir|move_uploaded_file|ob_start"
    r"|unserialize|glob|base64_decode|chdir|getenv|_ENV|_SERVER|show_source|highlight_file|parse_ini_file)\b",
    re.IGNORECASE,
)


def _resolve(name: str) -> str:
    return name if name.startswith("$") else name.lstrip("\\").lower()


def _reads(found: EffectCollector, call: Call) -> Value | None:
    """A file, or an address: PHP takes both alike."""
    name = call.args[0] if call.args else NOTHING
    if name.text == "php://stdin":
        return Value(flags=TYPED_IN)
    if re.match(r"(?:https?|ftp)://", name.text):
        context = call.args[2].flags if len(call.args) > 2 else 0
        return web(kind=Kind.SEND if context & _SENDS else Kind.FETCH)(found, call)
    return reads()(found, call)


_SENDS = 1 << 20


def _context(_found: EffectCollector, call: Call) -> Value:
    """`stream_context_create(["http" => ["method" => "POST", …]])`."""
    options = call.named.get("http") or NOTHING
    method = (options.fields or {}).get("method", NOTHING).text.upper()
    return Value(flags=(_SENDS if method in {"POST", "PUT"} else 0) | options.flags)


def _option(found: EffectCollector, call: Call) -> None:
    """`curl_setopt($c, CURLOPT_POSTFIELDS, $data)`."""
    name = call.args[1].ref if len(call.args) > 1 else ""
    value = call.args[2] if len(call.args) > 2 else NOTHING
    if name == "curlopt_url":
        found.host = value.text
    elif name in {"curlopt_postfields", "curlopt_infile", "curlopt_upload"}:
        found.reach(Kind.SEND, found.host, flags_of(call.args))


def _curl(found: EffectCollector, call: Call) -> Value:
    if call.args:
        found.host = call.args[0].text
    return Value(type="curl", text=found.host)


def _curl_runs(found: EffectCollector, _call: Call) -> Value:
    found.add(Kind.FETCH, found.host)
    return Value(flags=REMOTE, source=found.host)


def _includes(found: EffectCollector, call: Call) -> None:
    name = call.args[0] if call.args else NOTHING
    if re.match(r"(?:https?|ftp|data|php)://?", name.text):
        found.add(Kind.FETCH, name.text)
        found.unseen(f"the code at {name.text}")
    elif name.exact:
        found.add(Kind.RUN, found.place(name.text))


def _calls_function(found: EffectCollector, call: Call) -> Value | None:
    """`call_user_func("system", "…")`, `array_map("system", ["…"])`."""
    if not call.args:
        return None
    order = call.args if call.args[0].items is None else call.args[1::-1]
    name, rest = _resolve(order[0].text), order[1:]
    act = CALLS.get(name)
    if act is None:
        return None
    given = rest[0].items if rest and rest[0].items is not None else None
    if given is None:
        return act(found, Call(name, rest))
    values = [act(found, Call(name, (value,))) for value in given]
    return list_of([value for value in values if value is not None])


def _implodes(_found: EffectCollector, call: Call) -> Value | None:
    items = call.args[-1].items if call.args else None
    return None if items is None else concatenate(items, call.args[0].text.join)


def _each(follow: CodeWalk) -> None:
    """`foreach (["/a", "/b"] as $f) …`."""
    follow.accept("(")
    values = follow.expression()
    follow.accept("as")
    name = follow.advance().text
    if follow.accept("=>"):
        name = follow.advance().text
    follow.names[name] = follow.one_of(values)
    follow.accept(")")


_WRITE, _DELETE = Kind.WRITE, Kind.DELETE
_CONNECT = connects(port_at=1)
CALLS: Table = table(
    ("system exec shell_exec passthru popen proc_open", runs_shell()),
    ("pcntl_exec", starts_program()),
    ("eval assert create_function", runs_code()),
    ("preg_replace", lambda _found, call: unknown(*call.args)),
    ("include include_once require require_once", _includes),
    ("call_user_func call_user_func_array array_map array_walk usort ob_start", _calls_function),
    ("unlink rmdir", path(_DELETE)),
    ("rename move_uploaded_file", MOVES),
    ("copy", COPIES),
    ("file_put_contents touch mkdir", path(_WRITE)),
    ("file_get_contents file readfile parse_ini_file show_source highlight_file", _reads),
    ("fopen", opens()),
    ("chmod", mode()),
    ("chown chgrp", path(Kind.PERMIT)),
    ("symlink link", LINKS),
    ("glob", globs),
    ("chdir", changes_folder),
    ("getcwd", returns(text("."))),
    ("sys_get_temp_dir", returns(text("/tmp"))),
    ("getenv", reads_variable()),
    ("curl_init", _curl),
    ("curl_setopt", _option),
    ("curl_exec", _curl_runs),
    ("stream_context_create", _context),
    ("fsockopen pfsockopen stream_socket_client", _CONNECT),
    ("socket_connect", connects(1, port_at=2)),
    ("fwrite fputs socket_write socket_send", lambda found, call: sends()(found, call)
     if call.args and (call.args[0].type == "socket" or found.connected) else None),
    ("fgets fread stream_get_contents socket_read", lambda _found, call: unknown(*call.args)),
    ("mail", sends(0)),
    ("echo print print_r var_dump var_export", prints),
    ("pcntl_fork", forks),
    ("posix_kill", kills),
    ("posix_setuid posix_setgid posix_seteuid", becomes_root),
    ("base64_decode", decodes("base64", kind="")),
    ("gzinflate", decodes("deflate", kind="")),
    ("gzuncompress gzdecode zlib_decode", decodes("zlib", kind="")),
    ("str_rot13", decodes("rot13", kind="")),
    ("hex2bin", decodes("hex", kind="")),
    ("urldecode rawurldecode", decodes("url", kind="")),
    ("strrev", decodes("reverse", kind="")),
    ("chr", from_characters),
    ("implode join", _implodes),
    ("sprintf", formats),
    ("trim escapeshellarg escapeshellcmd strtolower strval", passes()),
    ("json_encode serialize realpath", passes()),
    ("mysqli_query pg_query mysql_query", runs_sql(0)),
    ("new pdo pdo mysqli", returns(Value(type="database"))),
)  # fmt: skip
METHODS = table(("query exec execute prepare multi_query", runs_sql(1)))
CONSTANTS = {
    "__DIR__": text("."),
    "$_ENV": Value(ref="$_ENV", flags=ENVIRON),
    "$_SERVER": Value(ref="$_SERVER", flags=ENVIRON),
    "$_GET": Value(flags=REMOTE),
    "$_POST": Value(flags=REMOTE),
    "$_REQUEST": Value(flags=REMOTE),
    "$argv": Value(flags=TYPED_IN),
    "true": Value("true", type="bool"),
    "false": Value("", type="bool"),
    "null": Value("", type="None"),
}


def _subscript(base: Value, key: Value) -> Value | None:
    if base.ref in {"$_ENV", "$_SERVER"}:
        return variable(key.text)
    return unknown(base) if base.ref.startswith("$") else None


LANGUAGE = Language(
    Scanner(SYNTAX),
    CALLS,
    METHODS,
    CONSTANTS,
    joins=frozenset({"."}),
    dots=frozenset({"->", "::", "?->"}),
    bare_calls=True,
    skipped=frozenset("return new else static global throw and or".split()),
    keywords={"foreach": _each},
    loops=frozenset(),
    callable_text=True,
    resolve=_resolve,
    subscript=_subscript,
)
read = ScriptLanguage(
    LANGUAGE,
    _WORDS,
    fork_bomb=re.compile(r"\b(?:while \( (?:1|true) \)|for \( ; ; \)).{0,200}\bpcntl_fork\b"),
    shell_on_connection=re.compile(r"[<>]&\d|proc_open\s*\([^)]{0,300}\$sock"),
).read
"""Read what PHP code does."""
