"""Secrets: what prints them, what loses them, and what only lists their names."""

from collections.abc import Callable

import pytest

from handrail.model.effect import PATH_KINDS, Effect
from handrail.model.ordinal import Severity

Effects = Callable[[str], tuple[Effect, ...]]

DANGEROUS = [
    ("security dump-keychain -d", "secret high"),
    ("security find-generic-password -wa github", "secret high"),
    ("secret-tool lookup service x", "secret high"),
    ("pass show web/github", "secret high"),
    ("pass web/github", "secret high"),
    ("op read op://vault/item/password", "secret high"),
    ("bw export --format json", "secret high"),
    ("lpass show x", "secret high"),
    ("doppler secrets download --no-file", "secret high"),
    ("gpg --export-secret-keys -a", "secret high"),
    ("gpg --batch --yes --delete-secret-keys X", "destroy high"),
    ("sops -d secrets.yaml", "secret high"),
    ("ansible-vault view x.yml", "secret high"),
    ("ssh-copy-id user@host", "persist high"),
    ("ssh-add -D", "destroy high"),
    ("certutil -A -n x -t C,, -i ca.pem -d db", "persist high"),
    ("linpeas.sh -a", "unseen high"),
    ("msfvenom -p linux/x64/shell_reverse_tcp", "unseen high"),
    ("xinput test 4", "secret high"),
]

EVERYDAY = [
    "env",
    "printenv PATH",
    "set -euo pipefail",
    "export FOO=bar",
    "env FOO=1 npm test",
    "pass ls",
    "op item list",
    "bw status",
    "op run -- npm start",
    "security find-identity -v",
    "gpg --verify a.sig a",
    "gpg --list-secret-keys",
    "ssh-keygen -t ed25519 -f ./key -N ''",
    "ssh-add -l",
    "klist",
    "keytool -list -keystore x.jks",
    "pbpaste",
    "doppler run -- npm start",
]


@pytest.mark.parametrize(("command", "expected"), DANGEROUS)
def test_danger_is_seen(effects: Effects, command: str, expected: str) -> None:
    assert expected in {f"{effect.kind} {effect.severity}" for effect in effects(command)}


@pytest.mark.parametrize("command", EVERYDAY)
def test_everyday_work_is_left_alone(effects: Effects, command: str) -> None:
    found = [effect for effect in effects(command) if effect.kind not in PATH_KINDS]
    assert not [effect.text for effect in found if effect.severity > Severity.LOW]


@pytest.mark.parametrize("command", ["env", "printenv", "env -0"])
def test_printing_the_environment_is_known_for_what_it_is(effects: Effects, command: str) -> None:
    assert "the environment" in {effect.target for effect in effects(command)}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ssh-keygen -f ~/.ssh/id_rsa -N ''", "write /home/me/.ssh/id_rsa"),
        ("ssh-keygen -y -f ~/.ssh/id_rsa", "read /home/me/.ssh/id_rsa"),
        ("age -d -i ~/.age/key f.age", "read /home/me/.age/key"),
        ("gpg -o /etc/x -d f.gpg", "write /etc/x"),
    ],
)
def test_files(touched: Callable[[str], list[str]], command: str, expected: str) -> None:
    assert expected in touched(command)
