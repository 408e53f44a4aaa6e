"""The BSDs, macOS and Windows: what looks after the machine there."""

from collections.abc import Callable

import pytest

from handrail.model.effect import PATH_KINDS, Effect
from handrail.model.ordinal import Severity

Effects = Callable[[str], tuple[Effect, ...]]

DANGEROUS = [
    ("pw useradd bob -G wheel", "system high"),
    ("pw user mod bob -G wheel", "system high"),
    ("pw groupmod wheel -m bob", "system high"),
    ("rmuser -y bob", "system high"),
    ("sysrc sshd_enable=NO", "system high"),
    ("sysrc -x pf_enable", "system high"),
    ("log erase --all", "tamper high"),
    ("log config --mode level:off", "tamper high"),
    ("gpart destroy -F ada0", "device critical"),
    ("ipfw -q flush", "tamper high"),
    ("kldload evil", "system high"),
    ("bectl destroy be1", "destroy high"),
    ("jexec web rm -rf /var", "destroy high"),
    ("vssadmin delete shadows /all", "destroy high"),
    ("sysadminctl -deleteUser bob", "system high"),
    ("sysadminctl -screenLock off", "system high"),
]

EVERYDAY = [
    "pw usershow bob",
    "sysrc -a",
    "sysrc sshd_enable",
    "log show --last 1h",
    "log stream --level debug",
    "gpart show ada0",
    "ipfw list",
    "kldstat",
    "bectl list",
    "jexec web ls",
    "vssadmin list shadows",
    "sysadminctl -screenLock status",
]


@pytest.mark.parametrize(("command", "expected"), DANGEROUS)
def test_danger_is_seen(effects: Effects, command: str, expected: str) -> None:
    assert expected in {f"{effect.kind} {effect.severity}" for effect in effects(command)}


@pytest.mark.parametrize("command", EVERYDAY)
def test_everyday_work_is_left_alone(effects: Effects, command: str) -> None:
    found = [effect for effect in effects(command) if effect.kind not in PATH_KINDS]
    assert not [effect.text for effect in found if effect.severity > Severity.LOW]
