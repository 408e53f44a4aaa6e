"""Read container commands: mounts, copies out of a container, removals of everything at once."""

import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join, normalise
from handrail.shell.readers.make_effects import effect, path_effect, takes_over
from handrail.shell.word import OPAQUE, Word

_PROJECT_ONLY = 'Mount only the project: `docker run --rm -v "$PWD":/app -w /app IMAGE CMD`.'

_SOCKET = re.compile(
    r"/(?:var/)?run/(?:docker|containerd/containerd|crio/crio|podman/podman|dockershim"
    r"|user/\d+/docker)\.sock"
)
_WHOLE = re.compile(
    r"/|/(?:etc|root|boot|usr|bin|sbin|lib\w*|dev|home|Users|var|run|opt|srv|mnt|media)"
    r"|/var/(?:run|lib|log|spool)|/var/lib/(?:docker|containerd|kubelet|rancher|etcd)"
    r"|/(?:home|Users)/[^/]+"
)
"""Folders of the machine itself (or of a person): mounting one gives a container a hold of it."""
_SYSTEM = re.compile(r"/(?:etc|root|boot|usr|bin|sbin|lib\w*|proc|sys|var/lib/(?:docker|kubelet))/")
_KERNEL = re.compile(r"/(?:proc|sys)")
_ERASES = re.compile(r"\b(?:rm|rmdir|unlink|shred|wipe|srm)\b|-delete\b|\bmkfs\b|\btruncate\b")
_LISTS = re.compile(r"\b(?:ps|ls|list|images)\b")
_NARROWS = re.compile(r"--filter|\s-\w*f\b|\bgrep\b|\bcompose\b|\bhead\b|\s-\w*l\b|--latest")
_CLOUD_KEYS = re.compile(
    r"AWS_(?:SECRET_ACCESS_KEY|SESSION_TOKEN)|AZURE_CLIENT_SECRET|ARM_CLIENT_SECRET"
    r"|GOOGLE_(?:CREDENTIALS|APPLICATION_CREDENTIALS_JSON)|CLOUDSDK_AUTH_ACCESS_TOKEN"
    r"|DIGITALOCEAN_(?:ACCESS_)?TOKEN|CLOUDFLARE_API_(?:TOKEN|KEY)|VAULT_TOKEN|SSH_PRIVATE_KEY"
)
SECRET_FILE = re.compile(
    r"/\.(?:ssh|gnupg)/(?!known_hosts|config$|.*\.pub$)|/\.aws/credentials|/\.netrc$|/\.pgpass$"
    r"|/run/secrets/|/etc/(?:shadow|gshadow)|/\.kube/config|/\.docker/config\.json"
    r"|/id_(?:rsa|dsa|ecdsa|ed25519)$|/\.vault-token|/\.git-credentials"
)


class Mount(msgspec.Struct, frozen=True):
    """A folder or volume that a container sees."""

    source: Word
    target: str
    bind: bool
    read_only: bool


def mounts(call: ParsedArguments) -> Iterator[Mount]:
    """Yield the mounts of `-v`, `--volume` and `--mount`."""
    for word in call.values("-v", "--volume"):
        source, colon, rest = word.text.partition(":")
        if not colon:
            continue
        target, _, options = rest.partition(":")
        bind = source.startswith(("/", ".", "~", OPAQUE)) or "/" in source
        yield Mount(
            Word(source, raw=word.raw.partition(":")[0]), target, bind, "ro" in options.split(",")
        )
    for word in call.values("--mount"):
        fields = dict(part.partition("=")[::2] for part in word.text.split(","))
        source = fields.get("source") or fields.get("src") or ""
        target = fields.get("target") or fields.get("dst") or fields.get("destination") or ""
        read_only = fields.get("readonly", fields.get("ro", "no")) in {"", "true", "1"}
        bind = fields.get("type", "volume") == "bind" or source.startswith("/")
        if source:
            yield Mount(Word(source), target, bind, read_only)


def _run(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    inner = " ".join(word.text for word in call.operands[1:])
    for mount in mounts(call):
        yield from _mounted(command, mount)
        yield from _erased(command, mount, inner)
    yield from _handed_over(call)


def _mounted(command: Command, mount: Mount) -> Iterator[Effect]:
    if not mount.bind or not mount.source.exact:
        return
    path = join(command.cwd, mount.source)
    text = path.text
    if _SOCKET.fullmatch(text):
        yield effect(
            Kind.ESCAPE,
            text,
            says="hands the container the docker socket, which is full power over this machine",
            instead=_PROJECT_ONLY,
        )
    elif _WHOLE.fullmatch(text) or (_SYSTEM.match(text) and not mount.read_only):
        yield effect(
            Kind.ESCAPE,
            text,
            says=f"opens {text} of this machine to the container",
            instead=_PROJECT_ONLY,
        )
    elif _KERNEL.fullmatch(text):
        severity = Severity.MEDIUM if mount.read_only else Severity.HIGH
        yield effect(
            Kind.ESCAPE,
            text,
            severity=severity,
            instead=_PROJECT_ONLY,
            says=f"opens the kernel's {text} to the container",
        )
    elif not _SYSTEM.match(text):
        yield path_effect(Kind.READ, path, recursive=True)
        if not mount.read_only:
            yield takes_over(path, "opens {target} to the container")


def _erased(command: Command, mount: Mount, inner: str) -> Iterator[Effect]:
    """Read `docker run -v DATA:/d IMAGE rm -rf /d`: the container deletes a mounted folder."""
    if not mount.target or not _ERASES.search(inner):
        return
    for match in re.finditer(
        re.escape(mount.target.rstrip("/")) + r"(/[^\s'\";&|]*|(?![\w.-]))", inner
    ):
        below = match[1].rstrip("*")
        if mount.bind:
            path = Word(normalise(f"{mount.source.text}/{match[1]}"), glob="*" in match[1])
            yield path_effect(Kind.DELETE, join(command.cwd, path), recursive=True)
        elif below in {"", "/"}:
            name = mount.source.shown
            yield effect(
                Kind.DESTROY,
                name,
                says=f"deletes everything in the volume {name}",
                instead=f"Look first: `docker volume inspect {name}`.",
            )


def _handed_over(call: ParsedArguments) -> Iterator[Effect]:
    for word in call.values("-e", "--env"):
        name, equals, _ = word.text.partition("=")
        if _CLOUD_KEYS.fullmatch(name) and (not equals or not word.exact):
            yield effect(
                Kind.SECRET,
                name,
                says=f"hands the credential {name} to a container image",
                instead="Give the container a key of its own for the task, in `--env-file .env`.",
            )


def _mass(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `docker rm -f $(docker ps -aq)`: it removes all containers, not only the task's."""
    opaque = [word for word in call.operands if not word.exact]
    fed = [word for word in opaque if command.fed_by and _is_a_listing(word)]
    if not fed:
        return
    narrow = all(_NARROWS.search(word.raw) for word in fed)
    yield effect(
        Kind.DESTROY,
        command.text,
        severity=Severity.MEDIUM if narrow else Severity.HIGH,
        says="stops or removes everything in a listing, even from others",
        instead="Name the one you started: `docker ps -a`, then `docker rm NAME`.",
    )


def _is_a_listing(word: Word) -> bool:
    written = word.raw
    substitution = "$(" in written or "`" in written
    return not substitution or bool(_LISTS.search(written))


_REMOTE = re.compile(r"(?:tcp|ssh|https?)://(?!localhost|127\.|\[?::1)")
_LOCAL_CONTEXTS = frozenset({"default", "desktop-linux", "rootless", "colima", "orbstack"})
_REMOVES = frozenset({"rm", "rmi", "kill", "stop", "down", "remove", "prune"})


def _engine(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read calls of another machine's docker: what they remove is not ours."""
    hosts = [word.shown for word in call.values("-H", "--host", "--url")]
    hosts += [value.shown for name, value in command.assignments if name == "DOCKER_HOST"]
    remote = next((host for host in hosts if _REMOTE.match(host)), "")
    if not remote:
        contexts = [word.shown for word in call.values("--context", "--connection")]
        contexts += [value.shown for name, value in command.assignments if name == "DOCKER_CONTEXT"]
        remote = next((name for name in contexts if name not in _LOCAL_CONTEXTS), "")
    if not remote:
        return
    words = {word.text for word in call.operands[:2]}
    if words & _REMOVES:
        yield effect(
            Kind.DESTROY,
            remote,
            says=f"stops or removes containers on {remote}",
            instead="Look first: `docker ps -a`; leave other hosts to the user.",
        )
    else:
        yield effect(
            Kind.REACH, remote, severity=Severity.MEDIUM, says=f"works on the docker of {remote}"
        )


def _copy(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `docker cp`: between this machine and a container."""
    if len(call.operands) < 2:
        return
    source, target = call.operands[-2:]
    container, colon, inside = source.text.partition(":")
    if colon and "/" not in container:
        if SECRET_FILE.search(inside):
            yield effect(
                Kind.SECRET,
                source.shown,
                says=f"copies the secret {inside} out of a container",
                instead="Use the application's own interface instead of its keys.",
            )
    elif source.text != "-":
        yield path_effect(Kind.READ, join(command.cwd, source), recursive=True)
    name, colon, _ = target.text.partition(":")
    if target.text != "-" and not (colon and "/" not in name):
        yield path_effect(Kind.WRITE, join(command.cwd, target))


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "container_run": _run,
    "container_mass": _mass,
    "container_engine": _engine,
    "container_copy": _copy,
}
