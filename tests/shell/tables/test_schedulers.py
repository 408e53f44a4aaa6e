"""Schedulers: what runs later by itself is stopped, listing is not."""

from collections.abc import Callable

import pytest

from handrail.model.effect import PATH_KINDS, Effect, Kind
from handrail.model.ordinal import Severity

Effects = Callable[[str], tuple[Effect, ...]]

STOPPED = {
    Kind.PERSIST: [
        "crontab /tmp/cron.txt",
        "echo '* * * * * /tmp/x' | crontab -",
        "crontab -u www-data /tmp/x",
        "EDITOR='tee -a' crontab -e",
        "echo /tmp/x.sh | at now + 1 minute",
        "at -f x.sh 03:00",
        "batch < x.sh",
        "systemd-run --on-active=60 /tmp/x.sh",
        "schtasks /create /tn x /tr y",
    ],
    Kind.DESTROY: [
        "crontab -r",
        "sudo crontab -u root -ri",
        "fcrontab -r",
    ],
    Kind.DELETE: [
        "echo 'rm -rf /etc' | at midnight",
        "systemd-run --uid=0 rm -rf /etc",
    ],
}
ROWS = [(kind, command) for kind, commands in STOPPED.items() for command in commands]


@pytest.mark.parametrize(("kind", "command"), ROWS)
def test_running_later(effects: Effects, kind: Kind, command: str) -> None:
    severe = [effect for effect in effects(command) if effect.severity >= Severity.HIGH]
    assert kind in {effect.kind for effect in severe}


@pytest.mark.parametrize(("kind", "command"), ROWS)
def test_what_to_do_instead(effects: Effects, kind: Kind, command: str) -> None:
    severe = [effect for effect in effects(command) if effect.severity >= Severity.HIGH]
    assert all(effect.instead for effect in severe if effect.kind not in PATH_KINDS)


CALM = [
    "crontab -l",
    "crontab -l -u test",
    "crontab -e",
    "crontab --help",
    "at -l",
    "at -c 3",
    "atrm 3",
    "systemd-run --user --scope make",
    "schtasks /query",
]


@pytest.mark.parametrize("command", CALM)
def test_listing(effects: Effects, command: str) -> None:
    assert all(effect.severity < Severity.HIGH for effect in effects(command))
