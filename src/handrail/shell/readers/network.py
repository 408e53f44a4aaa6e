"""Read programs that talk to other machines: the data they fetch, and our data they send."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.readers.hosts import Address, parse_host, parse_url
from handrail.shell.readers.make_effects import effect, http_method, path_effect
from handrail.shell.word import OPAQUE, Word

NO_FILE = frozenset({"-", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", ""})
_TEMP = ("/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/")
_CREDENTIAL = re.compile(
    r"\$\{?\w*(?:SECRET|TOKEN|PASSW|CREDENTIAL|PRIVATE_KEY|ACCESS_KEY|API_KEY|DATABASE_URL)\w*"
)
_DATABASE_PORTS = frozenset({
    2379, 5984, 6333, 7474, 7700, 8001, 8086, 8108, 8123, 8500, 8983, 9090, 9200, 9201, 9243, 15672,
})  # fmt: skip
"""Ports where databases, queues and gateways take deletions by HTTP."""
_SOCKETS = re.compile(r"(?:docker|containerd|crio|podman|buildkitd|cri-dockerd)\.sock$")
_ADMIN = re.compile(
    r"_delete_by_query|delete_series|/doDelete\b|/scriptText\b|/purge_cache\b|/_cluster/settings\b"
)
"""Addresses of well-known services that delete or stop something on a POST."""
_SEARCH_PORTS = frozenset({9200, 9201, 9243})
_SQL_PORTS = frozenset({4001, 8086, 8123, 8443, 8529, 9047})
_SQL_LOSES = re.compile(
    r"\b(?:DROP|TRUNCATE)[\s+]+\w+|\bDELETE[\s+]+FROM\b|\bDETACH[\s+]+(?:TABLE|DATABASE)",
    re.IGNORECASE,
)
"""Databases that accept SQL by HTTP, and SQL that loses data."""
_SEARCH_ORDER = re.compile(r"/_(?:close|shutdown|freeze)\b")
_ADMIN_BODY = re.compile(r"<delete>|\"purge_everything\"\s*:\s*true")
_LIVE_KEY = re.compile(r"\b[sr]k_live_")
LOOK_FIRST = "Send only the needed text, in the command itself: `curl -d 'text' URL`."
ASK_A_PERSON = "Write it into a file of the project and ask a person to send it."


# What is said about an address


def reaches(address: Address) -> Iterator[Effect]:
    """Yield the effect of contacting an address without sending data."""
    if address.is_metadata:
        yield metadata(address)
    elif address.scheme == "file" or not address.host:
        return
    elif address.is_private:
        yield effect(Kind.REACH, address.shown)
    else:
        yield effect(Kind.FETCH, address.shown)


def metadata(address: Address) -> Effect:
    """Return the effect of asking a cloud's metadata service, which hands out credentials."""
    return effect(
        Kind.SECRET, address.shown, severity=Severity.HIGH,
        says=f"asks the cloud's metadata service {address.shown}, which hands out credentials",
        instead="Use the credentials the task was given: `aws sts get-caller-identity`.",
    )  # fmt: skip


def sends(address: Address, severity: Severity, what: str = "data") -> Effect:
    """Return the effect of sending data to an address; the own network weighs less."""
    host = address.shown
    if address.is_metadata:
        return metadata(address)
    if address.is_loopback:
        return effect(Kind.REACH, host)
    if address.is_private:
        severity = min(severity, Severity.MEDIUM)
    return effect(Kind.SEND, host, severity=severity, says=f"sends {what} to {host}",
                  instead=LOOK_FIRST if severity >= Severity.HIGH else "")  # fmt: skip


# What is known about the data


def unknown_input(command: Command) -> bool:
    """Return whether a command gets data on its standard input that the line does not show."""
    opened = [item.target.text for item in command.redirects if not item.writes]
    if opened:
        return command.input is None and opened[-1] != "/dev/null"
    return command.input is None and bool(command.fed_by)


def is_outside(command: Command, path: Word) -> bool:
    """Return whether a path is neither below the command's folder nor temporary."""
    text = path.text
    if not text.startswith(("/", "~")):
        return False
    whole = join(command.cwd, path).text
    return not (whole.startswith((command.cwd.text + "/", *_TEMP)) or whole == command.cwd.text)


def reads(command: Command, path: Word, *, recursive: bool = False) -> Effect:
    """Return the effect of reading a local file or folder."""
    return path_effect(Kind.READ, join(command.cwd, path), recursive=recursive)


def writes(command: Command, path: Word) -> Iterator[Effect]:
    """Yield the effect of writing a local file, if it is one."""
    if path.text not in NO_FILE:
        yield path_effect(Kind.WRITE, join(command.cwd, path))


def _file(word: Word, text: str) -> Word:
    return Word(text.strip("\"'"), word.glob, "" if OPAQUE not in text else word.raw)


def _literal(word: Word) -> Severity:
    """Weigh a literal text; a credential's variable in it weighs more."""
    written = word.raw or word.text
    return Severity.HIGH if _CREDENTIAL.search(written) else Severity.MEDIUM


class _RequestBody:
    """The data of a request: its weight, and the files it comes from."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.severity: Severity | None = None
        self.files: list[Word] = []

    def add(self, severity: Severity) -> None:
        self.severity = max(self.severity or severity, severity)

    def add_literal(self, word: Word) -> None:
        self.add(_literal(word))

    def add_value(self, word: Word, file: str) -> None:
        """Add a value: a file if it matches, otherwise the data itself."""
        match = re.match(file, word.text, re.DOTALL)
        if match:
            self.add_file(word, match[1])
        else:
            self.add_literal(word)

    def add_file(self, word: Word, text: str) -> None:
        if text in {"-", ".", "/dev/stdin"}:
            self.add(Severity.HIGH if unknown_input(self.command) else Severity.MEDIUM)
            return
        path = _file(word, text)
        self.files.append(path)
        self.add(Severity.HIGH if is_outside(self.command, path) else Severity.MEDIUM)

    @property
    def what(self) -> str:
        if self.files:
            return self.files[0].shown
        return "its input" if self.severity is Severity.HIGH else "data"

    def effects(self, addresses: Iterable[Address]) -> Iterator[Effect]:
        """Yield the effects of reading the files, and of sending them to each address."""
        for path in self.files:
            yield reads(self.command, path)
        if self.severity is not None:
            for address in addresses:
                yield sends(address, self.severity, self.what)


def _deletes(address: Address) -> Iterator[Effect]:
    """Read an HTTP DELETE: it removes the resource on the server."""
    known_database = address.port in _DATABASE_PORTS
    if address.is_loopback and not known_database:
        yield effect(Kind.CHANGE, address.shown, severity=Severity.LOW)
        return
    mild = address.host.startswith(OPAQUE) and not known_database
    where = f"{address.shown}{address.path}".replace(OPAQUE, "…")
    yield effect(
        Kind.DESTROY, where, severity=Severity.MEDIUM if mild else Severity.HIGH,
        says=f"deletes {where} on the server",
        instead=f"Look at it first: `curl -s {address.scheme or 'https'}://{where}`.",
    )  # fmt: skip


# curl and its like


def _curl(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    words = (*call.operands, *call.values("--url"), *_config_urls(command, call))
    addresses = [parse_url(word.text) for word in words]
    for address in addresses:
        if address.scheme == "file":
            yield reads(command, Word(address.path or "/"))
        yield from reaches(address)
    yield from _rerouted(call)
    yield from _curl_body(call, command).effects(addresses)
    yield from _curl_orders(command, call, addresses)
    yield from _curl_files(command, call, addresses)
    for word in call.values("--unix-socket", "--abstract-unix-socket"):
        yield from local_socket(command, word)
    for word in call.values("-Q", "--quote", "--prequote", "--postquote"):
        if re.match(r"[-+*]?\s*(?:DELE|RMD|rm|rmdir)\b", word.text, re.IGNORECASE):
            yield effect(Kind.DESTROY, word.shown, severity=Severity.HIGH,
                         says=f"deletes files on the server ({word.shown})",
                         instead="List them first: `curl -l URL`.")  # fmt: skip


_CONFIG_URL = re.compile(r"(?mi)^\s*-{0,2}url\s*[=: ]?\s*[\"']?([^\s\"']+)")


def _config_urls(command: Command, call: ParsedArguments) -> Iterator[Word]:
    """Find addresses on the standard input, as in `curl -K -`."""
    if any(word.text in {"-", "/dev/stdin"} for word in call.values("-K", "--config")):
        for text in _CONFIG_URL.findall(command.input or ""):
            yield Word(text)


def _rerouted(call: ParsedArguments) -> Iterator[Effect]:
    """Find the real target of a request: `--resolve`, `--connect-to`, a proxy."""
    for word in call.values("--resolve", "--connect-to"):
        for part in re.split(r"[:,+\[\]]", word.text):
            if (other := parse_host(part)).is_metadata:
                yield metadata(other)
        match = _CONNECT_TO.fullmatch(word.text) or _RESOLVE.fullmatch(word.text)
        if match is not None:
            yield from _local(parse_host(f"{match['host']}:{match['port']}"))
    for word in call.values("-x", "--proxy", "--preproxy", "--socks5", "--socks5-hostname"):
        yield from _local(parse_url(word.text))


_CONNECT_TO = re.compile(r"[^:]*:\d*:(?P<host>\[.*\]|[^:]*):(?P<port>\d+)")
_RESOLVE = re.compile(r"[+-]?[^:]+:(?P<port>\d+):(?P<host>\[?[^,\[\]]+\]?)(?:,.*)?")


def _local(address: Address) -> Iterator[Effect]:
    """Yield an effect only for this machine; any other target is what the address says."""
    if address.is_loopback:
        yield effect(Kind.REACH, address.shown)


_TEXTS = (
    "-d", "--data", "--data-raw", "--data-ascii", "--data-binary", "--data-urlencode", "--json",
)  # fmt: skip


def _curl_orders(
    command: Command, call: ParsedArguments, addresses: list[Address]
) -> Iterator[Effect]:
    """Find requests that make the server delete, stop or pay something."""
    method = http_method(call, "-X", "--request")
    if call.operands and _METHOD.fullmatch(call.operands[0].text):
        method = method or call.operands[0].text.upper()  # curlie POST address
    texts = [word.text for word in call.values(*_TEXTS)]
    posts = method not in {"", "GET", "HEAD"} or bool(texts) or call.has("--data-urlencode", "-F")
    for address in addresses:
        if method == "DELETE":
            yield from _deletes(address)
        elif posts and _is_order(address, texts):
            yield _orders(address, _ORDER)
        elif texts and any(_LIVE_KEY.search(word.text) for word in command.argv):
            yield _orders(address, "gives {} an order with a live key, which moves real money")


_ORDER = "tells {} to delete or stop something for everyone"


def _is_order(address: Address, texts: Iterable[str]) -> bool:
    if _ADMIN.search(address.path) or any(_ADMIN_BODY.search(text) for text in texts):
        return True
    if address.port in _SQL_PORTS and any(map(_SQL_LOSES.search, (unquote(address.path), *texts))):
        return True
    return address.port in _SEARCH_PORTS and _SEARCH_ORDER.search(address.path) is not None


def _orders(address: Address, says: str) -> Effect:
    return effect(Kind.DESTROY, address.shown, severity=Severity.HIGH,
                  says=says.format(address.shown), instead=ASK_A_PERSON)  # fmt: skip


def _curl_body(call: ParsedArguments, command: Command) -> _RequestBody:
    body = _RequestBody(command)
    for word in call.values("-d", "--data", "--data-ascii", "--data-binary", "--json"):
        body.add_value(word, r"@(.+)")
    for word in call.values("--data-urlencode"):
        body.add_value(word, r"[^=@]*@(.+)")
    for word in call.values("-F", "--form"):
        body.add_value(word, r"[^=]*=\s*[@<]([^;,]+)")
    for word in call.values("--data-raw", "--form-string"):
        body.add_literal(word)
    for word in call.values("-T", "--upload-file"):
        body.add_file(word, word.text)
    for word in call.values("-H", "--header"):
        if word.text.startswith("@"):
            body.add_file(word, word.text[1:])
        elif OPAQUE in word.text and re.search(r"\$\(|`", word.raw):
            body.add(Severity.MEDIUM)
    return body


def _curl_files(
    command: Command, call: ParsedArguments, addresses: list[Address]
) -> Iterator[Effect]:
    folder = (call.values("--output-dir") or [Word(".")])[-1]
    for word in call.values("-o", "--output"):
        if word.text not in NO_FILE:
            yield from writes(command, join(folder, word) if folder.text != "." else word)
    if call.has("-O", "--remote-name", "--remote-name-all"):
        yield from _downloads(command, folder, addresses)
    for word in call.values("-c", "--cookie-jar", "-D", "--dump-header", "--trace", "--stderr",
                            "--trace-ascii", "--etag-save", "--hsts", "--alt-svc"):  # fmt: skip
        yield from writes(command, word)
    for word in call.values("-K", "--config", "--netrc-file", "--etag-compare"):
        if word.text not in NO_FILE:
            yield reads(command, word)
    for word in call.values("-b", "--cookie"):
        if "=" not in word.text and word.text:
            yield reads(command, word)


def _downloads(command: Command, folder: Word, addresses: Iterable[Address]) -> Iterator[Effect]:
    """Find files that get their name from the server."""
    for address in addresses:
        name = address.file_name or "index.html"
        yield from writes(command, Word(posixpath.join(folder.text, name)))


def local_socket(command: Command, word: Word) -> Iterator[Effect]:
    """Read a socket of a local service that can do anything in its name."""
    if _SOCKETS.search(word.text):
        yield effect(Kind.ESCAPE, word.shown, severity=Severity.HIGH,
                     says=f"speaks to the container engine through {word.shown}",
                     instead="Use the client: `docker ps`.")  # fmt: skip
    elif "handrail" in word.text:
        yield effect(Kind.TAMPER, word.shown, severity=Severity.CRITICAL,
                     says=f"speaks to the guard itself through {word.shown}",
                     instead="Ask for its state: `handrail status`.")  # fmt: skip
    else:
        yield reads(command, word)


def _wget(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    words = [*call.operands, *_listed(command, call)]
    addresses = [parse_url(word.text) for word in words if " " not in word.text]
    for address in addresses:
        yield from reaches(address)
    body = _RequestBody(command)
    for word in call.values("--post-file", "--body-file"):
        body.add_file(word, word.text)
    for word in call.values("--post-data", "--body-data"):
        body.add_literal(word)
    yield from body.effects(addresses)
    method = http_method(call, "--method")
    for address in addresses:
        if method == "DELETE":
            yield from _deletes(address)
        elif (method not in {"", "GET", "HEAD"} or body.severity is not None) and _is_order(
            address, [word.text for word in call.values("--post-data", "--body-data")]
        ):
            yield _orders(address, _ORDER)
    for word in call.values("-i", "--input-file", "--load-cookies", "--config"):
        if word.text not in NO_FILE:
            yield reads(command, word)
    for word in call.values("-o", "-a", "--output-file", "--append-output", "--save-cookies"):
        yield from writes(command, word)
    target = call.values("-O", "--output-document")
    folder = (call.values("-P", "--directory-prefix") or [Word(".")])[-1]
    if target:
        yield from writes(command, target[-1])
    elif not call.has("--spider", "--delete-after"):
        yield from _downloads(command, folder, addresses)


def _listed(command: Command, call: ParsedArguments) -> Iterator[Word]:
    """Find addresses on the standard input, as in `wget -i -`."""
    if any(word.text in {"-", "/dev/stdin"} for word in call.values("-i", "--input-file")):
        yield from map(Word, (command.input or "").split())


def _downloader(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read aria2c, axel, fetch and others that store downloads under a name or in a folder."""
    addresses = [parse_url(word.text) for word in call.operands if " " not in word.text]
    for address in addresses:
        yield from reaches(address)
    folder = (call.values("-d", "--dir", "--directory", "-P") or [Word(".")])[-1]
    names = call.values("-o", "--out", "--output")
    for name in names:
        if name.text not in NO_FILE:
            yield from writes(command, Word(posixpath.join(folder.text, name.text), raw=name.raw))
    if not names:
        yield from _downloads(command, folder, addresses)
    for word in call.values("-i", "--input-file"):
        yield reads(command, word)


def _browser(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read programs that only view the addresses in their operands."""
    for word in (*call.operands, *call.values("-c", "--connect", "--url", "-u")):
        if " " not in word.text and re.search(r"[.:/]|localhost", word.text):
            yield from reaches(parse_url(word.text))


def _opener(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `open`, `xdg-open` and browsers: operands are addresses or files."""
    for word in call.operands:
        address = parse_url(word.text)
        if address.scheme in {"http", "https", "ws", "wss"} or address.is_loopback:
            yield from reaches(address)


_METHOD = re.compile(r"GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS", re.IGNORECASE)
_ITEM = re.compile(r"^[^=:@]*(?::=@|=@|@|:=|==|=|:)", re.DOTALL)


def _httpie(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `http POST host a=b file@path`: a method, an address, and items."""
    words = list(call.operands)
    method = ""
    if len(words) > 1 and _METHOD.fullmatch(words[0].text):
        method = words.pop(0).text.upper()
    if not words:
        return
    text = words[0].text
    address = parse_url(f"localhost{text}" if text.startswith(":") or text == "/" else text)
    yield from reaches(address)
    body = _RequestBody(command)
    for word in words[1:]:
        match = _ITEM.match(word.text)
        mark = match.group().lstrip("abcdefghijklmnopqrstuvwxyz") if match else ""
        if mark.endswith("@"):
            body.add_file(word, word.text[len(match.group()) :] if match else word.text)
        elif mark.endswith("=") and not mark.endswith("=="):
            body.add_literal(word)
    for word in call.values("--raw"):
        body.add_literal(word)
    if unknown_input(command) and not call.has("--ignore-stdin", "-I"):
        body.add(Severity.HIGH)
    yield from body.effects([address])
    posts = "POST" if body.severity is not None else ""
    texts = [word.text for word in (*words[1:], *call.values("--raw"))]
    if method == "DELETE":
        yield from _deletes(address)
    elif (method or posts) not in {"", "GET", "HEAD", "OPTIONS"} and _is_order(address, texts):
        yield _orders(address, _ORDER)
    for word in call.values("-o", "--output"):
        yield from writes(command, word)


# Names that carry data


_SUBSTITUTED = re.compile(r"\$\(([^()]*)|`([^`]*)")
_PLAIN_FACTS = re.compile(r"\s*(?:hostname|whoami|date|uname|id|arch|logname)\b[^|;&<]*")


def _lookup(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read dig, host, ping: a name made from a file's content carries that content out."""
    carried = list(call.values("-p", "--pattern")) if "ping" in command.name else []
    for word in (*call.operands, *carried):
        if word.text.startswith("@") and (server := parse_host(word.text[1:])).host:
            yield effect(Kind.REACH, server.shown)
        whole = any(word is item for item in carried)
        if command.fed_by and _carries(word, whole=whole):
            host = word.text.rpartition(OPAQUE)[2].strip(".") or "the network"
            yield effect(
                Kind.SEND, host, severity=Severity.HIGH,
                says=f"carries the output of a command out to {host} inside a name or packet",
                instead="Look up a plain name: `dig +short example.com`.",
            )  # fmt: skip
    for word in call.operands[:1]:
        if parse_host(word.text).is_metadata:
            yield effect(Kind.REACH, word.text)


def _carries(word: Word, *, whole: bool) -> bool:
    """Return whether a name contains the output of a command that tells more than who and where."""
    if OPAQUE not in word.text or not re.search(r"\$\(|`", word.raw):
        return False
    if not whole and not re.search(OPAQUE + r"[\w.-]*\.[A-Za-z]", word.text):
        return False
    parts = [first or second for first, second in _SUBSTITUTED.findall(word.raw)]
    return not all(_PLAIN_FACTS.fullmatch(part) for part in parts)


# Mail


def _mail(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    people = [word.text for word in (*call.operands, *call.values("-t", "--to", "-c", "-b"))]
    outside = [person for person in people if "@" in person and not person.endswith("@localhost")]
    attached = call.values("-a", "-A", "--attach", "--attachment", "-q")
    files = [word for word in attached if ":" not in word.text]
    for word in files:
        yield reads(command, Word(word.text.removeprefix("@"), word.glob, word.raw))
    listed = [word for word in call.operands if re.search(r"\$\(|`", word.raw)]
    if listed:
        yield effect(Kind.SEND, listed[0].shown, severity=Severity.HIGH,
                     says="mails everyone on a list", instead=ASK_A_PERSON)  # fmt: skip
    if not outside:
        return
    high = bool(files) or unknown_input(command)
    host = outside[0].rpartition("@")[2]
    yield effect(
        Kind.SEND, host, severity=Severity.HIGH if high else Severity.MEDIUM,
        says=f"mails {'files or unseen text' if high else 'a message'} to {outside[0]}",
        instead=ASK_A_PERSON,
    )  # fmt: skip


# Sharing a folder


def listens_on(words: Iterable[Word]) -> Iterator[Effect]:
    """Yield a port of this machine on which a program answers; it has no weight by itself."""
    for word in words:
        port = word.text.rpartition(":")[2]
        if port.isdecimal():
            yield effect(Kind.REACH, f"localhost:{port}", severity=Severity.NONE,
                         says=f"answers on port {port}")  # fmt: skip


def _serve(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read a web server for a folder: everyone who reaches the port can read it."""
    yield from listens_on((*call.operands, *call.values("-p", "--port", "-l", "--listen")))
    folders = call.values("-d", "--directory", "-D", "--root")
    if command.name not in {"http.server", "SimpleHTTPServer"}:
        folders = [*folders, *call.operands]
    for folder in folders or [Word(".")]:
        if folder.text.isdecimal():
            continue
        yield reads(command, folder, recursive=True)
        if is_outside(command, folder):
            yield effect(
                Kind.SEND, folder.shown, severity=Severity.HIGH,
                says=f"serves everything in {folder.shown} to the network",
                instead="Serve a folder of the project: `python3 -m http.server -d dist`.",
            )  # fmt: skip


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "curl": _curl,
    "wget": _wget,
    "downloader": _downloader,
    "browser": _browser,
    "opener": _opener,
    "httpie": _httpie,
    "lookup": _lookup,
    "mail": _mail,
    "serve": _serve,
}
