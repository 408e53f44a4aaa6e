"""Read programs that open a channel to another machine: shells, copies, connections, tunnels."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.readers.hosts import Address, parse_host, parse_remote, parse_url
from handrail.shell.readers.make_effects import effect, path_effect
from handrail.shell.readers.network import (
    ASK_A_PERSON,
    is_outside,
    listens_on,
    local_socket,
    metadata,
    reads,
    sends,
    unknown_input,
    writes,
)
from handrail.shell.readers.redis import typed_orders
from handrail.shell.word import Word

_SHELLS = re.compile(r"(?:^|/|\s)(?:ba|da|z|k|c|tc|fi|a|mk)?sh\b|cmd(?:\.exe)?\b|powershell|pwsh")


def _contact(address: Address) -> Effect:
    return metadata(address) if address.is_metadata else effect(Kind.REACH, address.shown)


def _at_port(address: Address, port: str) -> Address:
    """Join address and port: in `nc host 80` the port is a word of its own."""
    return msgspec.structs.replace(address, port=int(port[:9])) if port.isdecimal() else address


# ssh

_SSH_VALUES = frozenset("BbcDEeFIiJLlmOopPQRSWw")
_SSH_COMMANDS = re.compile(
    r"(?:ProxyCommand|LocalCommand|KnownHostsCommand|RemoteCommand)\s*[= ]\s*(.+)",
    re.IGNORECASE | re.DOTALL,
)
_TAKES_INPUT = re.compile(
    r">|\b(?:cat|tee|dd|tar|cpio|sh|bash|zsh|python\d?|perl|ruby|node|gunzip|zcat|xz|zstd|psql|mysql|"
    r"sudo|gpg|load|import|restore|receive|apply)\b"
)


class _Ssh(msgspec.Struct):
    """An ssh call, parsed as ssh does: options may follow the host."""

    options: list[tuple[str, Word]]
    host: Word | None
    remote: tuple[Word, ...]


def _read_ssh(command: Command) -> _Ssh:
    options: list[tuple[str, Word]] = []
    host: Word | None = None
    words = command.argv[1:]
    index = 0
    while index < len(words):
        text = words[index].text
        index += 1
        if len(text) < 2 or text[0] != "-":
            if host is not None:
                return _Ssh(options, host, words[index - 1 :])
            host = words[index - 1]
            continue
        if text == "--":
            continue
        for place in range(1, len(text)):
            letter, rest = text[place], text[place + 1 :]
            if letter not in _SSH_VALUES:
                options.append((letter, Word("")))
                continue
            if rest:
                options.append((letter, Word(rest, raw=words[index - 1].raw)))
            elif index < len(words):
                options.append((letter, words[index]))
                index += 1
            break
    return _Ssh(options, host, ())


def _ssh(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    ssh = _read_ssh(command)
    address = parse_host(ssh.host.text) if ssh.host is not None else Address("")
    for letter, value in ssh.options:
        address = _at_port(address, value.text if letter == "p" else "")
    if address.host:
        yield _contact(address)
    for letter, value in ssh.options:
        yield from _ssh_option(letter, value, address, command)
    remote = " ".join(word.text for word in ssh.remote)
    forwards_only = any(letter in "NGVTQ" for letter, _ in ssh.options) and not remote
    if forwards_only or not unknown_input(command):
        return
    if not remote or _TAKES_INPUT.search(remote):
        files = [item.target for item in command.redirects if not item.writes]
        own = bool(files) and not any(is_outside(command, path) for path in files)
        yield sends(address, Severity.MEDIUM if own else Severity.HIGH, "its input")


def _ssh_option(letter: str, value: Word, address: Address, command: Command) -> Iterator[Effect]:
    if letter == "R" or (letter == "o" and re.match(r"RemoteForward\b", value.text, re.IGNORECASE)):
        yield effect(
            Kind.SEND, address.shown, severity=Severity.HIGH,
            says=f"opens a way from {address.shown} into this machine ({value.shown})",
            instead="Forward in the other direction, to reach their service: "
            "`ssh -N -L 8080:localhost:80 HOST`.",
        )  # fmt: skip
    elif letter in "LDW" or (
        letter == "o" and re.match(r"(?:Local|Dynamic)Forward\b", value.text, re.IGNORECASE)
    ):
        yield effect(Kind.REACH, address.shown, severity=Severity.LOW)
    elif letter == "w":
        yield effect(Kind.SEND, address.shown, severity=Severity.MEDIUM, says="joins two networks")
    elif letter == "I":
        yield effect(Kind.UNSEEN, value.shown, severity=Severity.HIGH,
                     says=f"loads the library {value.shown} into ssh",
                     instead="Use a key file: `ssh -i ~/.ssh/id_ed25519 HOST`.")  # fmt: skip
    elif letter == "E":
        yield from writes(command, value)
    elif letter == "F" and value.text not in {"/dev/null", "none"}:
        yield reads(command, value)


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def ssh_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find commands that ssh runs on this machine, before or after it connects."""
    for letter, value in _read_ssh(command).options:
        if letter == "o" and (match := _SSH_COMMANDS.match(value.text)):
            yield _unquoted(match[1])


# scp, sftp, rsync


def _copies(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `scp a host:b`; either side may be another machine."""
    if len(call.operands) < 2:
        for word in call.operands:
            if remote := parse_remote(word.text):
                yield _contact(remote)
        return
    *sources, target = call.operands
    away = parse_remote(target.text)
    recursive = call.has("-r", "-R", "--recursive", "-a", "--archive")
    outside = False
    for source in sources:
        remote = parse_remote(source.text)
        if remote is None:
            outside = outside or is_outside(command, source)
            yield reads(command, source, recursive=recursive)
        else:
            yield effect(Kind.FETCH, remote.shown)
            if away is None:
                yield from _received(command, remote, target)
    if away is not None:
        yield sends(away, Severity.MEDIUM, sources[0].shown)
    elif not any(parse_remote(source.text) for source in sources):
        yield from writes(command, target)
    for word in call.values("-S"):
        if not re.search(r"(?:^|/)ssh$", word.text):
            yield effect(Kind.UNSEEN, word.shown, severity=Severity.HIGH,
                         says=f"runs {word.shown} in place of ssh",
                         instead="Leave the option out: `scp FILE HOST:PATH`.")  # fmt: skip


def _received(command: Command, remote: Address, target: Word) -> Iterator[Effect]:
    text = target.text
    if text.endswith("/") or text in {".", "..", "~"}:
        yield from writes(command, Word(posixpath.join(text, posixpath.basename(remote.path))))
    yield from writes(command, target)


def copy_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find commands that scp and rsync start: another remote shell, a proxy."""
    for value in call.values("-o"):
        if match := _SSH_COMMANDS.match(value.text):
            yield _unquoted(match[1])
    for value in call.values("-e", "--rsh", "--rsync-path"):
        yield value.text


_RSYNC_FIRST = "Preview it: `rsync -avn --delete SOURCE TARGET`."


def _rsync(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    if call.has("-n", "--dry-run", "--list-only", "--daemon"):
        return
    yield from _copies(command, call)
    if len(call.operands) < 2:
        return
    *sources, target = call.operands
    if any(name.startswith(("--delete", "--del")) for name in call.options):
        away = parse_remote(target.text)
        if away is None:
            yield path_effect(Kind.DELETE, join(command.cwd, target), recursive=True,
                              says=f"deletes everything in {target.shown} that is not in "
                                   f"{sources[0].shown}",
                              instead=_RSYNC_FIRST)  # fmt: skip
        else:
            yield effect(Kind.DESTROY, target.shown, severity=Severity.HIGH,
                         says=f"deletes everything in {target.shown} that is not in "
                              f"{sources[0].shown}",
                         instead=_RSYNC_FIRST)  # fmt: skip
    if call.has("--remove-source-files"):
        for source in sources:
            if parse_remote(source.text) is None:
                yield path_effect(Kind.DELETE, join(command.cwd, source), recursive=True)


_PUT = re.compile(
    r"^\s*(?:m?put|reput|send|append|mirror\s+(?:-\S*R\S*|--reverse)\S*)\s+(.+)$", re.IGNORECASE
)
_REMOVE = re.compile(
    r"^\s*(rm|mrm|rmdir|delete|mdelete|glob\s+rm|del|mirror\b.*\s(?:-e|--delete\S*))\s+(?:-\w+\s+)*(.+)$",
    re.IGNORECASE,
)
_MANY = re.compile(r"^\s*(?:mrm|mdelete|mirror|glob)\b|^\s*rm\s+-\w*[rR]|[*?]|\s/$", re.IGNORECASE)
"""Commands that delete more than the one named file."""


def _transfer(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read sftp, ftp, lftp: a small language of commands on the input or in `-e`/`-c`."""
    address = next((parse_url(word.text) for word in call.operands), Address(""))
    host = parse_remote(address.host) or address
    if host.host:
        yield _contact(host)
    for word in call.values("-b", "-f"):
        yield reads(command, word)
    for line in _transfer_lines(command, call):
        if match := _PUT.match(line):
            path = Word(match[1].split()[0])
            yield reads(command, path)
            severity = Severity.HIGH if is_outside(command, path) else Severity.MEDIUM
            yield sends(host, severity, path.text)
        if match := _REMOVE.match(line):
            many = _MANY.search(line.rstrip()) is not None
            yield effect(
                Kind.DESTROY,
                match[2],
                severity=Severity.HIGH if many else Severity.MEDIUM,
                says=f"deletes {match[2].strip()} on {host.host or 'the server'}",
                instead="List it first: `ls -l` on the server." if many else "",
            )


def _transfer_lines(command: Command, call: ParsedArguments) -> list[str]:
    texts = [word.text for word in call.values("-e", "-c")]
    if command.input is not None:
        texts.append(command.input)
    return [line for text in texts for line in re.split(r"[\n;]", text)]


def transfer_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find `!cmd`: it runs on this machine in every ftp client."""
    for line in _transfer_lines(command, call):
        if line.lstrip().startswith("!"):
            yield line.lstrip()[1:]


# Raw connections


def _netcat(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    host = next((word for word in call.operands if not re.fullmatch(r"[\d,-]+", word.text)), None)
    address = parse_host(host.text) if host is not None else Address("")
    address = _at_port(address, call.operands[-1].text if call.operands else "")
    listens = call.has("-l", "--listen")
    runs = [*call.values("-e", "--exec", "--sh-exec", "--lua-exec")]
    runs += [word for word in call.values("-c") if _SHELLS.search(word.text) or " " in word.text]
    if runs:
        yield _hands_shell(f"runs {runs[0].shown} for the other end of the connection")
        return
    if call.has("-z"):
        yield effect(Kind.REACH, address.shown)
        return
    for word in call.operands:
        if call.has("-U", "--unixsock"):
            yield from local_socket(command, word)
    if listens:
        yield from listens_on((*call.operands, *call.values("-p")))
        yield effect(Kind.REACH, "this machine", severity=Severity.MEDIUM,
                     says="waits for connections on a port")  # fmt: skip
        if unknown_input(command):
            yield _offers("its input")
        return
    if not address.host:
        return
    yield from typed_orders(command)
    if unknown_input(command) or "coproc" in command.via:
        yield sends(address, Severity.HIGH, "its input, raw,")
    else:
        yield sends(address, Severity.MEDIUM, "raw data")


def _hands_shell(says: str) -> Effect:
    return effect(Kind.UNSEEN, "a remote shell", severity=Severity.CRITICAL, says=says,
                  instead="Run it here and read its output, e.g. `ls -la`.")  # fmt: skip


def _offers(what: str) -> Effect:
    return effect(Kind.SEND, "whoever connects", severity=Severity.HIGH,
                  says=f"offers {what} to whoever connects", instead=ASK_A_PERSON)  # fmt: skip


_SOCAT_RUNS = re.compile(r"(?:EXEC|SYSTEM|SHELL):(.*)", re.IGNORECASE | re.DOTALL)
_SOCAT_FILE = re.compile(r"(?:FILE|OPEN|GOPEN|CREATE):([^,]*)", re.IGNORECASE)
_SOCAT_HOST = re.compile(
    r"(?:TCP[46]?|UDP[46]?|OPENSSL|SSL|TCP[46]?-CONNECT|OPENSSL-CONNECT|UDP[46]?-\w+|SCTP\w*|"
    r"SOCKS\w*|PROXY):((?:\[[^\]]*\]|[^:,]+)(?::\d+)?)",
    re.IGNORECASE,
)
_SOCAT_LISTEN = re.compile(
    r"(?:TCP[46]?|UDP[46]?|OPENSSL|SCTP\w*|VSOCK)-(?:LISTEN|L)|TCP-?L:", re.IGNORECASE
)
_SOCAT_SOCKET = re.compile(r"(?:UNIX(?:-\w+)?|ABSTRACT\S*):([^,]*)", re.IGNORECASE)
_SOCAT_PORT = re.compile(r"\w+-L(?:ISTEN)?:(\d+)", re.IGNORECASE)


def _socat(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read two joined addresses: a socket and a shell make a remote shell."""
    ends = [word.text for word in call.operands[:2]]
    hosts = [parse_host(match[1]) for end in ends if (match := _SOCAT_HOST.match(end))]
    hosts = [host for host in hosts if host.host]
    listens = any(_SOCAT_LISTEN.match(end) for end in ends)
    runs = any(_SOCAT_RUNS.match(end) for end in ends)
    if runs and (hosts or listens):
        yield _hands_shell("connects a shell or a program to the network")
        return
    files = [Word(match[1]) for end in ends if (match := _SOCAT_FILE.match(end))]
    for path in files:
        yield reads(command, path)
    for end in ends:
        if match := _SOCAT_SOCKET.match(end):
            yield from local_socket(command, Word(match[1]))
    stdin = any(end.upper() in {"-", "STDIN", "STDIO"} for end in ends)
    fed = bool(files) or (stdin and unknown_input(command))
    yield from typed_orders(command) if hosts else ()
    for host in hosts:
        yield sends(host, Severity.HIGH if fed and not listens else Severity.MEDIUM, "raw data")
    if listens:
        ports = [match[1] for end in ends if (match := _SOCAT_PORT.match(end))]
        yield from listens_on(map(Word, ports))
        severity = Severity.HIGH if files else Severity.MEDIUM
        yield effect(Kind.REACH, "this machine", severity=severity,
                     says="opens a port that others can connect to",
                     instead="Reach the service itself: `curl http://localhost:8000`.")  # fmt: skip


def socat_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find programs that socat starts."""
    for word in call.operands[:2]:
        if match := _SOCAT_RUNS.match(word.text):
            yield match[1].partition(",")[0].strip("\"'")


def _connects(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read telnet, wscat and others: piped input goes to an address."""
    for word in (*call.operands[:1], *call.values("-c", "--connect")):
        address = _at_port(parse_url(word.text), "".join(w.text for w in call.operands[1:2]))
        if not address.host or " " in word.text:
            continue
        yield _contact(address)
        yield from typed_orders(command)
        if unknown_input(command):
            yield sends(address, Severity.HIGH, "its input")
        for text in call.values("-x", "--execute", "-d"):
            yield sends(address, Severity.MEDIUM, text.shown)


# openssl


def _openssl(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    verb = call.operands[0].text if call.operands else ""
    yield from _openssl_files(command, call, verb)
    for word in call.values("-engine", "-provider-path"):
        if "/" in word.text or word.text.endswith(".so"):
            yield effect(Kind.UNSEEN, word.shown, severity=Severity.HIGH,
                         says=f"loads the library {word.shown}",
                         instead="Leave the engine out.")  # fmt: skip
    if verb == "s_client":
        for word in call.values("-connect", "-proxy") or call.operands[1:2]:
            address = parse_host(word.text)
            yield _contact(address)
            if unknown_input(command):
                yield sends(address, Severity.HIGH, "its input")
    elif verb == "s_server" and call.has("-WWW", "-HTTP", "-www"):
        yield effect(Kind.SEND, "whoever connects", severity=Severity.MEDIUM,
                     says="serves files to the network")  # fmt: skip


_DIGESTS = frozenset({"dgst", "sha1", "sha256", "sha512", "md5"})


def _openssl_files(command: Command, call: ParsedArguments, verb: str) -> Iterator[Effect]:
    """Find keys and data that are read; with `-noout` they are only checked."""
    inputs = ("-in", "-inkey", "-key", "-certfile", "-CAkey", "-signkey", "-kfile")
    if not call.has("-noout") or call.has("-text"):
        for word in call.values(*inputs):
            yield reads(command, word)
    for word in call.values("-out", "-keyout", "-sess_out", "-writerand"):
        yield from writes(command, word)
    if verb in _DIGESTS:
        for word in call.operands[1:]:
            yield reads(command, word)


# rclone

_RCLONE_LOSES = frozenset({"delete", "deletefile", "purge", "rmdirs", "cleanup", "dedupe"})


def _rclone(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `rclone copy here remote:there`: both ends may be anywhere."""
    if call.has("-n", "--dry-run", "-i", "--interactive") or not call.operands:
        return
    verb, *ends = call.operands
    sides = [(word, parse_remote(word.text)) for word in ends]
    if verb.text in _RCLONE_LOSES and sides:
        yield _rclone_loss(command, *sides[-1], what="deletes")
    if verb.text in {"sync", "bisync"} and len(sides) > 1:
        yield _rclone_loss(
            command, *sides[1], what="deletes everything missing from the source from"
        )
    if verb.text in {"copy", "copyto", "move", "moveto", "sync", "bisync"} and len(sides) > 1:
        (source, here), (target, there) = sides[:2]
        if here is None:
            yield reads(command, source, recursive=True)
            if there is not None:
                yield sends(there, Severity.MEDIUM, source.shown)
            if verb.text.startswith("move"):
                yield path_effect(Kind.DELETE, join(command.cwd, source), recursive=True)
        elif there is None:
            yield effect(Kind.FETCH, here.shown)
            yield from writes(command, target)
    if verb.text == "config" and ends and ends[0].text in {"show", "dump"}:
        yield effect(Kind.SECRET, "rclone's passwords", severity=Severity.HIGH,
                     says="prints the passwords of all remotes",
                     instead="List their names: `rclone listremotes`.")  # fmt: skip


def _rclone_loss(command: Command, word: Word, remote: Address | None, what: str) -> Effect:
    instead = f"Preview it: `rclone ls {word.shown}`, or add `--dry-run`."
    if remote is None:
        return path_effect(Kind.DELETE, join(command.cwd, word), recursive=True,
                           says=f"{what} {word.shown}", instead=instead)  # fmt: skip
    return effect(Kind.DESTROY, word.shown, severity=Severity.HIGH,
                  says=f"{what} {word.shown}", instead=instead)  # fmt: skip


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "ssh": _ssh,
    "copies": _copies,
    "rsync": _rsync,
    "transfer": _transfer,
    "netcat": _netcat,
    "socat": _socat,
    "connects": _connects,
    "openssl": _openssl,
    "rclone": _rclone,
}

SCRIPTS: dict[str, Callable[[Command, ParsedArguments], Iterable[str]]] = {
    "ssh": ssh_scripts,
    "copies": copy_scripts,
    "rsync": copy_scripts,
    "transfer": transfer_scripts,
    "socat": socat_scripts,
}
