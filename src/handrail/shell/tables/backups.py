"""Backups: programs that keep them, and how they are lost."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    HIGH,
    MEDIUM,
    READ,
    SECRET,
    WRITE,
    Fact,
    Program,
    Wrapper,
    program,
)

_HELP = "--help|--version"
_DELETES = "deletes from the backups"
_RESTIC_LOOK = "Preview it: `restic forget --dry-run`."
_BORG_LOOK = "Preview it: `borg prune --dry-run`."
_SHOWS_KEY = "prints or exports the key of the backups"
_CHANGES_KEYS = "changes access to the backups"


def _deletes(when: str, instead: str, values: str, harmless: str = "") -> Program:
    return program(
        Fact(DESTROY, when, says=_DELETES, instead=instead),
        values=values, harmless=f"{_HELP}{harmless}",
    )  # fmt: skip


PROGRAMS: dict[str, Program] = {
    "restic": program(
        Fact(DESTROY, "forget|prune|migrate", says=_DELETES, instead=_RESTIC_LOOK),
        Fact(DESTROY, "rewrite|repair --forget", says=_DELETES, instead=_RESTIC_LOOK),
        Fact(DESTROY, "repair packs", says=_DELETES, instead="Only check them: `restic check`."),
        Fact(CHANGE, "rewrite|repair|unlock|rebuild-index", severity=MEDIUM),
        Fact(DESTROY, "key add|remove|rm|passwd", says=_CHANGES_KEYS,
             instead="Only list them: `restic key list`."),
        Fact(SECRET, "cat masterkey|key", says=_SHOWS_KEY,
             instead="Only list them: `restic key list`."),
        Fact(READ, on="-p|--password-file|--repository-file"),
        Fact(READ, "backup", on="each", recursive=True),
        Fact(WRITE, "restore", on="-t|--target", recursive=True),
        values="-r --repo --repository-file -p --password-file --password-command --key-hint "
        "--cacert --cache-dir --tls-client-cert --limit-upload --limit-download -o --option "
        "--pack-size --retry-lock --compression --stuck-request-timeout --http-user-agent --tag "
        "--host -H --path -g --group-by -l --keep-last --keep-hourly -d --keep-daily -w "
        "--keep-weekly -m --keep-monthly -y --keep-yearly --keep-tag --keep-within "
        "--keep-within-hourly --keep-within-daily --keep-within-weekly --keep-within-monthly "
        "--keep-within-yearly --max-unused --max-repack-size -t --target -i --include -e "
        "--exclude --exclude-file --files-from --user --new-host --new-password-file",
        wraps=(Wrapper(form="shell", options="--password-command"),),
        harmless=f"{_HELP}|-h|--dry-run|-n",
    ),
    "borg": program(
        Fact(DESTROY, "delete|prune|compact|recreate|repo-delete|rdelete", says=_DELETES,
             instead=_BORG_LOOK),
        Fact(DESTROY, "debug delete-obj|put-obj", says=_DELETES, instead=_BORG_LOOK),
        Fact(DESTROY, "check --repair", says="repairs the backups, which can lose some",
             instead="Only check them: `borg check`."),
        Fact(CHANGE, "break-lock", severity=HIGH, says="takes away the lock of a running backup",
             instead="Look first: `borg list`."),
        Fact(CHANGE, "config * * *", severity=HIGH, says="changes how the backups are kept",
             instead="Only list: `borg config --list`."),
        Fact(DESTROY, "key change-*|import|migrate-*", says=_CHANGES_KEYS,
             instead="Look first: `borg info`."),
        Fact(SECRET, "key export", says=_SHOWS_KEY, instead="Look first: `borg info`."),
        Fact(READ, "create", on="2+", recursive=True),
        values="-r --repo --rsh --remote-path --umask --lock-wait --upload-ratelimit "
        "--upload-buffer --remote-ratelimit --remote-buffer --debug-topic --debug-profile -a "
        "--match-archives --glob-archives -P --prefix --sort-by --first --last --oldest --newest "
        "--older --newer --keep-within --keep-last --keep-secondly --keep-minutely -H "
        "--keep-hourly -d --keep-daily -w --keep-weekly -m --keep-monthly -y --keep-yearly "
        "--keep-13weekly --keep-3monthly --threshold -c --checkpoint-interval -C --compression "
        "--comment --timestamp -e --exclude --exclude-from --pattern --patterns-from --format "
        "--encryption --other-repo --from-borg1",
        wraps=(Wrapper(when="with-lock", skip=1),),
        harmless=f"{_HELP}|-h|--dry-run|-n|--cache-only",
    ),
    "borgmatic": _deletes("delete|repo-delete|rdelete|prune|compact|key|break-lock|recreate",
                          "Look first: `borgmatic list`.",
                          "-c --config --override --repository --archive --log-file --verbosity -v",
                          "|-h|--dry-run|-n"),
    "kopia": program(
        Fact(DESTROY, "snapshot|snap|blob|content|contents|manifest|policy delete|remove|rm|forget",
             says=_DELETES, instead="Look first: `kopia snapshot list`."),
        Fact(DESTROY, "snapshot|snap expire --delete", says=_DELETES,
             instead="Look first: `kopia snapshot list`."),
        Fact(DESTROY, "blob gc --delete", says=_DELETES,
             instead="Look first: `kopia snapshot list`."),
        Fact(DESTROY, "maintenance run --safety=none", says=_DELETES,
             instead="Look first: `kopia maintenance info`."),
        Fact(DESTROY, "repository|repo disconnect|change-password|destroy", says=_CHANGES_KEYS,
             instead="Look first: `kopia repository status`."),
        Fact(CHANGE, "maintenance run|set", severity=MEDIUM),
        values="-p --password --config-file --log-file --log-dir --log-level --file-log-level "
        "--content-log-dir --timezone --override-hostname --override-username "
        "--metrics-listen-addr",
        harmless=f"{_HELP}|--help-full|--help-man",
    ),
    "duplicacy": _deletes("prune", "Look first: `duplicacy list`.",
                          "-id -r -t -keep -threads -storage", "|-dry-run|-d"),
    "bup": _deletes("rm|gc|prune-older", "Look first: `bup ls`.", "-d --bup-dir", "|-n|--dry-run"),
    "duplicity": _deletes("remove-*|cleanup|collection-cleanup --force",
                          "Look first: `duplicity collection-status file:///backup`.",
                          "-v --verbosity --name --archive-dir --encrypt-key --sign-key "
                          "--gpg-options --ssh-options --log-file --tempdir --volsize "
                          "--full-if-older-than --include --exclude --rename --s3-endpoint-url "
                          "--s3-region-name"),
}  # fmt: skip
