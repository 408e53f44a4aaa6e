"""Effects of Python functions that need more than a row in the table."""

import posixpath

import msgspec

from handrail.model.effect import Kind
from handrail.shell.inline.decode import characters, decode
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.function_effects import (
    Call,
    CallEffect,
    path,
    runs_shell,
)
from handrail.shell.inline.value import (
    DECODED,
    GLOB,
    NOTHING,
    REMOTE,
    SOCKET,
    Value,
    concatenate,
    list_of,
    text,
    truthy,
    unknown,
)
from handrail.shell.word import OPAQUE

PATH = "pathlib.Path"
ALL = list_of([Value("*", flags=GLOB)])
"""The names of all files in a folder."""


def searches(found: EffectCollector, call: Call) -> None:
    """`sys.path.insert(0, "lib")`: modules are looked for there, too."""
    if call.args and call.args[-1].exact:
        found.searched.append(call.args[-1].text)


def process(found: EffectCollector, call: Call) -> Value:
    """`subprocess.run` and its relatives."""
    argv, cwd = call.get(0, "args"), call.named.get("cwd")
    given = call.named.get("input") or NOTHING
    for each in (argv.choices or (argv,)) if argv is not None else ():
        if each.items is None:
            found.script(each, cwd)
        elif truthy(call.named.get("shell")) and each.items:
            found.script(each.items[0], cwd)
        else:
            found.call(each.items, cwd, call.named.get("env"))
            if each.items and given.exact and each.items[0].text.rpartition("/")[2] in _SHELLS:
                found.script(given, cwd)
    if any(call.named[key].flags & SOCKET for key in ("stdin", "stdout") if key in call.named):
        found.streams_redirected = True
    return Value(type="process")


_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh"})


def terminal(found: EffectCollector, call: Call) -> None:
    """`pty.spawn`: a program on a terminal of its own."""
    runs_shell(0, "argv")(found, call)


def join_paths(parts: tuple[Value, ...]) -> Value:
    """Join paths as Python does: an absolute part starts over."""
    return concatenate(parts, lambda texts: posixpath.join(*texts) if texts else ".")


def join_path(_found: EffectCollector, call: Call) -> Value:
    joined = join_paths(call.args) if call.args else text(".")
    return as_path(joined)


def as_path(value: Value) -> Value:
    choices = tuple(as_path(choice) for choice in value.choices)
    return msgspec.structs.replace(value, type=PATH, choices=choices)


def folder_of(_found: EffectCollector, call: Call) -> Value:
    """`os.path.dirname(x)`, `Path(x).parent`."""
    return concatenate(call.args[:1], lambda texts: posixpath.dirname(texts[0]) or ".")


def name_of(_found: EffectCollector, call: Call) -> Value:
    """`Path(x).name`."""
    return text(posixpath.basename(call.args[0].text), call.flags)


def globs(*between: str) -> CallEffect:
    """`glob.glob("/etc/*")`: the files are as good as the pattern."""

    def act(_found: EffectCollector, call: Call) -> Value:
        parts = [arg for arg in call.args if arg.type != "bool"]
        pattern = join_paths((*parts[:1], *(text(part) for part in between), *parts[1:]))
        return list_of([msgspec.structs.replace(pattern, flags=pattern.flags | GLOB)])

    return act


def walks(_found: EffectCollector, call: Call) -> Value:
    """`os.walk`: every folder below, and the names of all files in it."""
    folder = call.args[0] if call.args else NOTHING
    below = Value(f"{folder.text.rstrip('/')}/**", flags=GLOB)
    return list_of([list_of([below, ALL, ALL])])


def request(_found: EffectCollector, call: Call) -> Value:
    """Read a request object that the code sends later."""
    url = call.get(0, "url") or NOTHING
    method = call.named.get("method") or NOTHING
    sending = call.get(1, "data") is not None or method.text in {"POST", "PUT", "PATCH", "DELETE"}
    return Value(url.text, type="sending" if sending else "request", flags=call.flags)


def web_connection(found: EffectCollector, call: Call) -> Value:
    found.host = call.args[0].text if call.args else OPAQUE
    port = call.get(1, "port")
    if port is not None and port.text.isdecimal() and ":" not in found.host:
        found.host += f":{port.text}"
    return Value(found.host, type="http.client")


def web_request(found: EffectCollector, call: Call) -> Value:
    """`HTTPSConnection(host).request("POST", path, body)`."""
    method = (call.get(1, "method") or NOTHING).text.upper()
    sending = method in {"POST", "PUT", "PATCH"} or truthy(call.get(3, "body"))
    found.reach(Kind.SEND if sending else Kind.FETCH, call.args[0].text, call.flags)
    return Value(type="response", flags=REMOTE)


def looks_up(found: EffectCollector, call: Call) -> None:
    """Read a DNS lookup: a name built at run time can carry data out."""
    host = call.get(0, "host") or NOTHING
    carries = host.text.startswith(OPAQUE) and "." in host.text
    found.reach(Kind.SEND if carries else Kind.REACH, host.text, call.flags)


def database(found: EffectCollector, call: Call) -> Value:
    """Read the opening of a database file; one in memory does no harm."""
    file = call.get(0, "database") or NOTHING
    if file.text in {":memory:", ""}:
        return Value(type="memory")
    found.path(Kind.READ, file)
    return Value(type="database")


def remote_shell(found: EffectCollector, call: Call) -> None:
    found.call([text("ssh"), text(found.host or OPAQUE), *call.args[1:2]])


def unpickle(found: EffectCollector, call: Call) -> None:
    """Read unpickling, which runs code from the data."""
    for value in call.args[:1]:
        found.hidden(value, DECODED | REMOTE)


def numbers_or_bytes(_found: EffectCollector, call: Call) -> Value:
    """`bytes([114, 109])`, `bytes("text", "utf8")`."""
    value = call.args[0] if call.args else text("")
    if value.items is not None:
        return characters(value.items, kind="bytes")
    return msgspec.structs.replace(value, type="bytes") if value.exact else unknown(value)


def codec(_found: EffectCollector, call: Call) -> Value:
    form = (call.get(1, "encoding") or text("utf-8")).text.lower().replace("_codec", "")
    form = {"rot_13": "rot13", "hex_codec": "hex", "zip": "zlib"}.get(form, form)
    value = call.args[0] if call.args else NOTHING
    if form.replace("-", "").replace("_", "") in {"utf8", "ascii", "latin1"}:
        return value
    return msgspec.structs.replace(decode(form, value), type="")


def opens_low(found: EffectCollector, call: Call) -> Value | None:
    file, how = call.get(0, "path"), call.get(1, "flags")
    if file is not None:
        found.path(Kind.READ if how is not None and how.ref == "os.O_RDONLY" else Kind.WRITE, file)
    return None


def links(found: EffectCollector, call: Call) -> None:
    path(Kind.LINK, 0, "src")(found, call)
    path(Kind.WRITE, 1, "dst")(found, call)


def links_here(found: EffectCollector, call: Call) -> None:
    path(Kind.LINK, 1, "target")(found, call)
    path(Kind.WRITE, 0)(found, call)


def extracts(found: EffectCollector, call: Call) -> None:
    found.path(Kind.WRITE, call.get(1, "path") or text("."))


def language_model(host: str) -> CallEffect:
    def act(found: EffectCollector, call: Call) -> Value:
        if not call.name.rpartition(".")[2][:1].isupper():
            found.reach(Kind.SEND, host, call.flags)
        return Value(ref=call.name)

    return act


def deletes_online(found: EffectCollector, call: Call) -> None:
    """`stripe.Customer.delete(…)`: what is gone there is gone."""
    if call.name.rpartition(".")[2] in {"delete", "delete_discount", "cancel"}:
        found.add(Kind.DESTROY, call.name, says=f"deletes data at a service: {call.name}")


def command_module(found: EffectCollector, call: Call) -> Value:
    """The `sh` library: `sh.rm("-rf", "x")`."""
    found.call([text(call.name.partition(".")[2]), *call.args])
    return Value(type="process")
