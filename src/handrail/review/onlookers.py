"""Programs that only look, and those that do what a project has written into its migrations."""

from handrail.shell.tables import migrations

MIGRATING = frozenset(migrations.PROGRAMS)
ONLOOKERS = frozenset(
    """
    : [ [[ alias basename bg break caller cal cd cksum clear cmp column comm compgen complete
    continue date declare df diff dig dir dirname dirs disown du echo enable env exit expand expr
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
