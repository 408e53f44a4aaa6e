"""The `notify` section of `handrail.yaml`: whom Handrail tells when a run goes badly wrong."""

import re
from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

from handrail.model.ordinal import Severity

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class MissingVariableError(LookupError):
    """An address names a variable that is not set."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not in secrets.env in Handrail's state folder")
        self.name = name


class Notify(Struct, frozen=True, forbid_unknown_fields=True):
    """Messages to people: about every emergency stop, and about findings from `severity` on."""

    urls: Annotated[
        tuple[str, ...],
        Meta(
            description="Apprise addresses: `mailtos://you:${MAIL_PASSWORD}@example.com`, "
            "`slack://…`, `ntfy://…`. `${NAME}` comes from secrets.env in the state "
            "folder."
        ),
    ] = ()
    approvals: Annotated[
        tuple[str, ...],
        Meta(
            description="Addresses of those who are asked when an action waits for a person; "
            "empty: `urls`."
        ),
    ] = ()
    severity: Annotated[
        Severity, Meta(description="Tell people about findings at least this bad.")
    ] = Severity.HIGH
    per_hour: Annotated[
        int,
        Meta(description="How many messages an hour at most; the next one counts the rest.", ge=1),
    ] = 10

    def __post_init__(self) -> None:
        _check_addresses("urls", self.urls)
        _check_addresses("approvals", self.approvals)


def _check_addresses(key: str, urls: tuple[str, ...]) -> None:
    """Raise ValueError if one of them is no address."""
    for index, url in enumerate(urls):
        if "://" not in url and not _VARIABLE.match(url):
            # The address itself may be a secret.
            raise ValueError(
                f"{key}[{index}] is no address; it begins with a service, ntfy://… for example"
            )


def fill_in_variables(url: str, environ: Mapping[str, str]) -> str:
    """Put the variables into an address; raise MissingVariableError if one is not set."""

    def value(found: "re.Match[str]") -> str:
        name = found.group(1)
        if name not in environ:
            raise MissingVariableError(name)
        return environ[name]

    return _VARIABLE.sub(value, url)
