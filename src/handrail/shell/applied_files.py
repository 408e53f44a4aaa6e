"""Plans and manifests: files and streams that one command makes and another carries out."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.shell.command import Command, ParsedProgram

_TERRAFORM = frozenset({"terraform", "tofu", "opentofu", "terragrunt"})
_KUBECTL = frozenset({"kubectl", "k", "oc", "kubecolor"})
CARRIERS = _TERRAFORM | _KUBECTL | {"socat", "nc", "ncat", "netcat", "curl"}
"""Programs that carry out what another one made."""
_PUTS = frozenset({"apply", "create", "replace"})
_FILE = frozenset({"-f", "--filename"})
_HAPROXY = frozenset({"haproxy.sock", "admin.sock", "haproxy.stat", "haproxy-admin.sock"})
_SWITCHES_OFF = re.compile(
    r"\b(?:disable|shutdown|del)\s+(?:server|frontend|session|backend|agent|health)"
    r"|set\s+server\s+\S+\s+(?:state\s+(?:maint|drain)|weight\s+0)"
)


def applied_effects(
    program: ParsedProgram,
    networked: set[int],
    upstream: Callable[[ParsedProgram, int], frozenset[int]],
) -> Iterator[Effect]:
    """`plan -destroy -out=p && apply p`, and `curl … | kubectl apply -f -`."""
    plans: set[str] = set()
    for index, command in enumerate(program.commands):
        words = [word.text for word in command.argv[1:]]
        if command.name in _TERRAFORM:
            plans |= _destroying_plan(words)
            if "apply" in words and plans.intersection(words):
                yield _effect(
                    index,
                    command,
                    Kind.DESTROY,
                    "carries out a plan to delete all infrastructure",
                    "Show the plan to the user: `terraform show PLAN`.",
                )
        elif _HAPROXY.intersection(_sockets(words)) and _SWITCHES_OFF.search(command.input or ""):
            yield _effect(
                index,
                command,
                Kind.KILL,
                "takes servers out of the load balancer",
                "Look first: `echo 'show stat' | socat stdio SOCKET`.",
            )
        elif _takes_manifest(command, words) and upstream(program, index) & networked:
            yield _effect(
                index,
                command,
                Kind.UNSEEN,
                "puts something from the network into the cluster, unseen",
                "Download it, read it, then apply the file: `curl -fsSL URL -o manifest.yaml`.",
            )


def _sockets(words: list[str]) -> set[str]:
    """The last parts of paths and addresses: `unix-connect:/run/haproxy.sock`."""
    return {word.rpartition("/")[2] for word in words}


def _destroying_plan(words: list[str]) -> set[str]:
    if "plan" not in words or not {"-destroy", "--destroy"}.intersection(words):
        return set()
    files = {word.partition("=")[2] for word in words if word.lstrip("-").startswith("out=")}
    return files | {file for option, file in pairwise(words) if option in {"-out", "--out"}}


def _takes_manifest(command: Command, words: list[str]) -> bool:
    if command.name not in _KUBECTL or not _PUTS.intersection(words):
        return False
    if {"-f-", "-f=-", "--filename=-"}.intersection(words):
        return True
    return any(option in _FILE and file == "-" for option, file in pairwise(words))


def _effect(index: int, command: Command, kind: Kind, says: str, instead: str) -> Effect:
    return Effect(
        kind, command.text[:80], Severity.HIGH, Undo.IMPOSSIBLE, says, instead, command=index
    )
