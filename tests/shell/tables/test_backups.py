"""Backups: what deletes them or changes who can open them is stopped, making them is not."""

from collections.abc import Callable

import pytest

from handrail.model.effect import PATH_KINDS, Effect
from handrail.model.ordinal import Severity

Effects = Callable[[str], tuple[Effect, ...]]

DANGEROUS = [
    ("duplicacy prune -all", "destroy high"),
    ("bup prune-older --keep-all-for=1d", "destroy high"),
    ("borg -r /srv/repo repo-delete", "destroy high"),
    ("borg --repo=/srv/repo delete -a 'old-*'", "destroy high"),
    ("borg --rsh 'ssh -i k' --lock-wait 10 delete /srv/repo::a", "destroy high"),
    ("borg prune -H 3 --keep-daily 1 repo", "destroy high"),
    ("borg -r x key change-passphrase", "destroy high"),
    ("borg key export repo", "secret high"),
    ("borg config repo append_only 0", "change high"),
    ("borg with-lock repo rm -rf /etc", "delete high"),
    ("restic -r x --cacert c forget --keep-last 1", "destroy high"),
    ("restic --repo x --password-file p prune", "destroy high"),
    ("restic key passwd", "destroy high"),
    ("restic cat masterkey", "secret high"),
    ("restic --password-command 'rm -rf /etc' snapshots", "delete high"),
    ("restic unlock", "change medium"),
    ("kopia --config-file k snapshot delete abc --delete", "destroy high"),
    ("kopia repository disconnect", "destroy high"),
    ("borgmatic --verbosity 1 prune", "destroy high"),
    ("duplicity -v 4 remove-older-than 1D --force s3://b", "destroy high"),
]

EVERYDAY = [
    "borg -r /srv/repo list",
    "borg create /srv/repo::now src",
    "borg -r repo delete --dry-run a",
    "borg config repo --list",
    "restic key list",
    "restic -r x key list",
    "restic -r x backup src",
    "restic forget -n --keep-last 1",
    "restic cat config",
    "kopia snapshot create src",
    "kopia snapshot expire",
    "borgmatic create",
]


@pytest.mark.parametrize(("command", "expected"), DANGEROUS)
def test_danger_is_seen(effects: Effects, command: str, expected: str) -> None:
    assert expected in {f"{effect.kind} {effect.severity}" for effect in effects(command)}


@pytest.mark.parametrize("command", EVERYDAY)
def test_everyday_work_is_left_alone(effects: Effects, command: str) -> None:
    found = [effect for effect in effects(command) if effect.kind not in PATH_KINDS]
    assert not [effect.text for effect in found if effect.severity > Severity.LOW]
