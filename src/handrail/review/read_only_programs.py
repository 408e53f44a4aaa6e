"""Programs that only look, and those that rework files which their command line does not name."""

from collections.abc import Iterator, Mapping
from itertools import islice

from handrail.shell.command import Command, ParsedProgram
from handrail.shell.tables import migrations

MIGRATING = frozenset(migrations.PROGRAMS)
ONLOOKERS = frozenset(
    """
    : [ [[ alias ansible-doc atq basename bg break caller cal cd cksum clear cmp column comm
    compgen complete continue date declare df diff dig dir dirname dirs disown du echo env exa
    exit expand expr eza
    factor false fc fg file findmnt fmt fold free getconf getopt getopts groups hash head
    help hexdump history hostname id jobs join jq last ldd let local locale locate
    logname look ls lsattr lsblk lscpu lsmod lsof lspci lsusb man md5sum mapfile modinfo more nl nm
    nproc numfmt objdump od paste pathchk pgrep pidof popd pr printenv printf ps pushd pwd read
    readarray readelf readlink readonly realpath return rev seq set sha1sum sha256sum sha512sum
    shift shopt size sleep sort ss stat strings sum systemd-cgls tac tail test time times tput tr
    trap tree true tsort tty type typeset ulimit umask unalias uname unexpand uniq unset uptime
    users vmstat w wait wc whatis whereis which who whoami xxd yes
    """.split()
)
"""The tables say nothing of them, because there is nothing to say."""

_REWORKING = {
    "cabal": "build install run test",
    "cargo": "add clippy fix fmt remove update",
    "clang": "",
    "cmake": "",
    "csplit": "",
    "docker": "compose",
    "docker-compose": "",
    "dotnet": "format",
    "dvc": "checkout fetch pull repro",
    "gh": "pr",
    "git": "am apply bisect checkout cherry-pick merge pull rebase revert sparse-checkout stash "
    "submodule switch",
    "go": "fmt",
    "hg": "graft histedit merge pull rebase shelve unshelve update",
    "hugo": "",
    "mkdocs": "build",
    "npm": "audit version",
    "rebar3": "",
    "rustc": "",
    "split": "",
    "stack": "",
    "svn": "merge switch update",
    "swift": "build run test",
    "terraform": "fmt",
    "tsc": "",
    "uv": "add lock remove sync",
    "yarn": "",
}
"""By program, the calls that change files of the work tree, as the project says; empty: each."""
_REFS_AND_INDEX = {
    "git": "add am bisect branch checkout cherry-pick commit fast-import merge mv notes pull "
    "read-tree rebase reset restore revert rm stage stash switch symbolic-ref tag "
    "update-index update-ref worktree",
    "gh": "pr",
    "jj": "",
    "but": "",
    "gt": "",
    "git-town": "",
    "stg": "",
    "pre-commit": "",
}
"""By program, the calls that change commits, branches, tags, stashes or the index; empty: each."""
_LISTING = frozenset({"branch", "tag", "notes", "worktree"})
"""Calls of git that only list, if nothing is named."""
_LOOKING = frozenset(
    "checks diff help images list log logs ls ps show status summary version view why".split()
)
"""What they are called with, or the word after it, where they only look."""
_ASIDE = frozenset({"--check", "--dry-run", "--help", "--noEmit", "--version", "-V", "-h"})
_WITH_VALUE = frozenset({"-C", "-c", "--git-dir", "--work-tree", "-R", "--cwd", "-f", "--prefix"})


def changes_unnamed_files(command: Command) -> bool:
    """Whether a program that is known changes files which nothing of what it does names."""
    return _is_called(command, _REWORKING)


def changes_repository(program: ParsedProgram | None) -> bool:
    """Whether a command line changes commits, branches, tags, stashes or the index."""
    commands = program.commands if program else ()
    return any(
        command.name in _REFS_AND_INDEX
        and not command.elsewhere
        and _is_called(command, _REFS_AND_INDEX)
        and not _lists_names(command)
        for command in commands
    )


def _lists_names(command: Command) -> bool:
    """Whether it shows branches or tags: it names none."""
    call = list(islice(_plain([word.text for word in command.argv[1:]]), 2))
    return len(call) == 1 and call[0] in _LISTING


def _is_called(command: Command, table: Mapping[str, str]) -> bool:
    """Whether a table has this call of a program, and it does more than look."""
    calls = table.get(command.name)
    if calls is None:
        return False
    words = [word.text for word in command.argv[1:]]
    call = list(islice(_plain(words), 2))
    if not _ASIDE.isdisjoint(words) or not _LOOKING.isdisjoint(call):
        return False
    return not calls or (bool(call) and call[0] in calls.split())


def _plain(words: list[str]) -> Iterator[str]:
    """Those that are neither options nor values of them."""
    before = ""
    for word in words:
        if not word.startswith("-") and before not in _WITH_VALUE:
            yield word
        before = word
