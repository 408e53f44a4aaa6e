"""Read kubectl calls: deletions with all they remove, and answers with secrets."""

import re
from collections.abc import Callable, Iterable, Iterator

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.readers.containers import SECRET_FILE
from handrail.shell.readers.make_effects import effect, path_effect

_RECREATED = frozenset(
    "pod pods po job jobs replicaset replicasets rs event events ev lease leases".split()
)
"""Kinds that a controller recreates, or that only record the past."""
_SECRETS = frozenset({"secret", "secrets"})
_DATA = re.compile(r"(?<!meta)data\b|\{\}|\{\.items\[\*\]\}|\{\.\}|\{\{ ?\. ?\}\}")
_WHOLE_OUTPUTS = frozenset({"yaml", "json", "kyaml"})
_RAW_SECRETS = re.compile(r"/secrets(?:[/?]|$)|/token(?:[/?]|$)")


def _kinds_and_names(call: ParsedArguments) -> tuple[list[str], list[str]]:
    """Return the kinds and the names of `delete pod,svc a b`, `delete pod/a svc/b`."""
    texts = [word.shown for word in call.operands]
    if any("/" in text for text in texts):
        pairs = [text.partition("/") for text in texts]
        return [kind for kind, _, _ in pairs], [name for _, _, name in pairs if name]
    kinds = [kind.partition(".")[0] for kind in texts[0].split(",")] if texts else []
    return kinds, texts[1:]


def _delete(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    kinds, names = _kinds_and_names(call)
    shown = " ".join(word.shown for word in call.operands) or "what the files name"
    many = call.has(
        "--all",
        "-A",
        "--all-namespaces",
        "-l",
        "--selector",
        "--field-selector",
        "-f",
        "--filename",
        "-k",
        "--kustomize",
        "--raw",
    )
    known = all(word.exact for word in call.operands)
    recreated = bool(kinds) and all(kind.lower() in _RECREATED for kind in kinds)
    single = recreated and bool(names) and known and not many
    forced = call.has("--force") or "0" in [word.text for word in call.values("--grace-period")]
    if single and not forced:
        yield effect(Kind.DESTROY, shown, severity=Severity.MEDIUM, says=f"deletes {shown}")
        return
    look = f"kubectl get {kinds[0]}" if kinds and known else "kubectl get all"
    yield effect(
        Kind.DESTROY,
        shown,
        says=_what_goes(kinds, names, shown, everything=call.has("--all"), forced=forced),
        instead=f"Look first: `{look}`; preview it with `--dry-run=client`.",
    )


def _what_goes(
    kinds: list[str], names: list[str], shown: str, *, everything: bool, forced: bool
) -> str:
    kind = kinds[0].lower() if kinds else ""
    if kind in {"ns", "namespace", "namespaces", "project", "projects"}:
        return f"deletes {shown} and everything in it"
    if everything or not names:
        return f"deletes all matches: {shown}"
    if kind in {"pvc", "pv", "persistentvolume", "persistentvolumeclaim"}:
        return f"deletes {shown} and the data on it"
    if kind in {"crd", "crds", "customresourcedefinition", "customresourcedefinitions"}:
        return f"deletes {shown} and every object of that kind"
    return f"deletes {shown} by force" if forced else f"deletes {shown} from the cluster"


def _get(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    kinds, _ = _kinds_and_names(call)
    raw = [word.text for word in call.values("--raw")]
    asks = any(kind.lower().partition(".")[0] in _SECRETS for kind in kinds)
    if not (asks and _shows_data(call)) and not any(_RAW_SECRETS.search(path) for path in raw):
        return
    shown = " ".join(word.shown for word in call.operands) or raw[0]
    yield effect(
        Kind.SECRET,
        shown,
        says=f"prints the values of {shown}",
        instead="List the keys only: `kubectl describe secret NAME`.",
    )


def _shows_data(call: ParsedArguments) -> bool:
    """Return whether the output contains more than names."""
    if call.has("--template"):
        return any(_DATA.search(word.text) for word in call.values("--template"))
    for word in call.values("-o", "--output"):
        form, _, expression = word.text.partition("=")
        if form in _WHOLE_OUTPUTS or not word.exact:
            return True
        if form.endswith("-file") or (expression and _DATA.search(expression)):
            return True
    return False


def _copy(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `kubectl cp`: between this machine and a pod."""
    if len(call.operands) < 2:
        return
    source, target = call.operands[:2]
    if ":" not in source.text:
        yield path_effect(Kind.READ, join(command.cwd, source), recursive=True)
    elif SECRET_FILE.search(source.text.partition(":")[2]):
        yield effect(
            Kind.SECRET,
            source.shown,
            says=f"copies the secret {source.shown} out of a pod",
            instead="Check rights without the token: `kubectl auth can-i --list`.",
        )
    if ":" not in target.text:
        yield path_effect(Kind.WRITE, join(command.cwd, target))


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "kube_delete": _delete,
    "kube_get": _get,
    "kube_copy": _copy,
}
