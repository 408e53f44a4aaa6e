"""Read copies between this machine and object stores: files that leave, files that are written."""

import re
from collections.abc import Callable, Iterable, Iterator

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.readers.make_effects import effect, path_effect
from handrail.shell.word import Word

_COPIES = frozenset(
    "cp mv sync rsync copy move put get upload download mirror copyto moveto bisync".split()
)
_MOVES = frozenset({"mv", "move", "moveto"})


def is_remote(text: str) -> bool:
    """Return whether this is `s3://bucket/x`, `gs://…`, `https://…`, or rclone's `remote:path`."""
    name, colon, _ = text.partition(":")
    return bool(colon) and "/" not in name and name not in {"", "."}


def copies(command: Command, verb: str, operands: tuple[Word, ...]) -> Iterator[Effect]:
    """Yield the effects of a copy from the first operands to the last."""
    if verb not in _COPIES or len(operands) < 2:
        return
    *sources, target = operands
    for source in sources:
        if is_remote(source.text) or source.text == "-":
            continue
        path = join(command.cwd, source)
        yield path_effect(Kind.READ, path, recursive=True)
        if verb in _MOVES:
            yield path_effect(Kind.WRITE, path, says=f"moves {path.shown} away")
    if is_remote(target.text):
        if any(not is_remote(source.text) for source in sources):
            shown = target.shown
            yield effect(Kind.SEND, shown, severity=Severity.MEDIUM, says=f"uploads to {shown}")
    elif target.text != "-":
        yield path_effect(Kind.WRITE, join(command.cwd, target))


def _aws(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    texts = [word.text for word in call.operands[:2]]
    if texts[:1] == ["s3"] and len(texts) > 1:
        yield from copies(command, texts[1], call.operands[2:4])


def _object_copy(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `gsutil cp a b`, `rclone copy a b`: a verb, then from and to."""
    if call.operands:
        yield from copies(command, call.operands[0].text, call.operands[1:])


def _gcloud_storage(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    words = [word.text for word in call.operands]
    if "storage" in words[:2]:
        at = words.index("storage") + 1
        yield from copies(command, words[at] if at < len(words) else "", call.operands[at + 1 :])
    elif words[:2] == ["compute", "scp"]:
        yield from copies(command, "cp", call.operands[2:])


_DNS_DELETION = re.compile(r"^\s*(?:update\s+)?del(?:ete)?\b", re.MULTILINE | re.IGNORECASE)


def _nsupdate(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Yield the effects of its input script on DNS records."""
    for word in call.operands:
        yield path_effect(Kind.READ, join(command.cwd, word))
    if command.input is not None and _DNS_DELETION.search(command.input):
        yield effect(
            Kind.DESTROY,
            "DNS records",
            says="deletes DNS records",
            instead="Look first: `dig NAME ANY`; let the user change the zone.",
        )
    else:
        yield effect(
            Kind.CHANGE, "DNS records", severity=Severity.MEDIUM, says="changes DNS records"
        )


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "aws": _aws,
    "nsupdate": _nsupdate,
    "object_copy": _object_copy,
    "gcloud_storage": _gcloud_storage,
}
