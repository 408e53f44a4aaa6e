"""Read Terraform calls without approval, and Ansible modules that change machines."""

import re
from collections.abc import Callable, Iterable, Iterator

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.readers.make_effects import effect

_SHOW_PLAN = "Show the plan and let the user apply it: `terraform plan`."


def _terraform(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `yes | terraform apply` and `TF_CLI_ARGS=-auto-approve`: nobody approves them."""
    if not call.operands or call.operands[0].text != "apply":
        return
    given = " ".join(value.text for name, value in command.assignments if name in _ARGUMENTS)
    if "-destroy" in given:
        yield effect(
            Kind.DESTROY,
            command.text,
            says="deletes all infrastructure of this configuration",
            instead="Preview it: `terraform plan -destroy`.",
        )
    elif "-auto-approve" in given or command.fed_by or command.input:
        yield effect(
            Kind.CHANGE,
            command.text,
            severity=Severity.HIGH,
            says="changes infrastructure without anyone having seen the plan",
            instead=_SHOW_PLAN,
        )


_ARGUMENTS = frozenset({"TF_CLI_ARGS", "TF_CLI_ARGS_apply"})

_TRY = "Try it first: add `--check`."
_STATE = re.compile(r"\bstate=(\w+)|[\"']state[\"']\s*:\s*[\"'](\w+)")
_GONE = frozenset({"absent", "deleted", "removed", "terminated", "purged"})
_PACKAGES = frozenset("apt yum dnf package pip npm gem pacman apk homebrew snap zypper".split())
_ACCOUNTS = frozenset({"user", "group", "authorized_key", "sudoers"})
_DISKS = frozenset({"filesystem", "parted", "lvol", "lvg", "zfs"})
_LATER = frozenset({"cron", "at", "systemd_unit"})
_HARMLESS = frozenset(
    """
    setup ping debug stat find slurp assert wait_for gather_facts package_facts service_facts uri
    getent fail set_fact win_ping
    """.split()
)
_COMMANDS = frozenset({"shell", "command", "raw", "script", "expect", "win_shell", "win_command"})


def _ansible(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    modules = call.values("-m", "--module-name")
    module = modules[-1].text.rpartition(".")[2] if modules else "command"
    arguments = " ".join(word.text for word in call.values("-a", "--args"))
    where = call.operands[0].shown if call.operands else "the machines"
    found = _STATE.search(arguments)
    state = (found[1] or found[2]) if found else ""
    if module in _HARMLESS:
        return
    if state in _GONE:
        severity = Severity.MEDIUM if module in _PACKAGES else Severity.HIGH
        yield effect(
            Kind.DESTROY,
            where,
            severity=severity,
            instead=_TRY,
            says=f"removes something on {where} ({module}: {arguments})",
        )
    elif module == "reboot" or (module in {"service", "systemd"} and state == "stopped"):
        yield effect(
            Kind.KILL,
            where,
            severity=Severity.HIGH,
            instead=_TRY,
            says=f"takes services or machines down on {where}",
        )
    elif module in _ACCOUNTS:
        yield effect(Kind.PRIVILEGE, where, says=f"changes who may log in on {where}", instead=_TRY)
    elif module in _DISKS:
        yield effect(Kind.DESTROY, where, says=f"changes disks on {where}", instead=_TRY)
    elif module in _LATER:
        yield effect(Kind.PERSIST, where, says=f"makes code run later on {where}", instead=_TRY)
    else:
        severity = Severity.LOW if module in _COMMANDS else Severity.MEDIUM
        yield effect(Kind.CHANGE, where, severity=severity, says=f"runs {module} on {where}")


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "terraform": _terraform,
    "ansible": _ansible,
}
