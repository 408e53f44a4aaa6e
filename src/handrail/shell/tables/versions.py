"""Other tools that keep versions: hub, svn, hg, jj, bfg."""

import msgspec

from handrail.shell.tables.git import GIT, SUBCOMMANDS, destroy, discard, rewrite
from handrail.shell.tables.shorthand import (
    DESTROY,
    DISCARD,
    FETCH,
    HIGH,
    LOW,
    MEDIUM,
    PUBLISH,
    READ,
    REWRITE,
    RUN,
    TAMPER,
    UNSEEN,
    Fact,
    Program,
    Wrapper,
    program,
)

_HG = program(
    discard("update|up|checkout|co|goto -C|--clean", "throws away all uncommitted changes",
            instead="Keep them: `hg shelve`."),
    discard("revert -C|--no-backup", "throws away uncommitted changes without a copy",
            instead="Keep a copy: `hg shelve`."),
    Fact(DISCARD, "revert !-C|--no-backup", severity=MEDIUM,
         says="takes changes back; hg keeps them in .orig files"),
    discard("purge|clean !-p|--print", "deletes untracked files, beyond hg's reach",
            instead="Look first: `hg purge --print`."),
    destroy("shelve -d|--delete", "throws away shelved work", instead="See: `hg shelve -l`."),
    destroy("shelve --cleanup", "throws away shelved work", instead="See: `hg shelve -l`."),
    discard("remove|rm -f|--force", "deletes files with uncommitted changes",
            instead="Keep them: `hg shelve`."),
    rewrite("strip", "removes commits from the repository", "Undo a commit: `hg backout`."),
    rewrite("debugstrip|rollback", "removes commits from the repository",
            "Undo a commit: `hg backout`."),
    rewrite("push -f|--force", "pushes new heads or branches past hg's check",
            "Preview it: `hg outgoing`."),
    Fact(REWRITE, "histedit|rebase|amend|prune|absorb|fold|split", severity=LOW),
    Fact(PUBLISH, "push", severity=LOW),
    Fact(FETCH, "clone|pull|incoming", on="1", severity=LOW),
    Fact(UNSEEN, "--config=hooks.*|--config=alias.*=!*|--config=extensions.*=/*",
         says="runs a hook, alias or extension from the command line",
         instead="Run the command itself, in plain sight."),
    values="-R --repository --cwd --config -r --rev -m --message -l --logfile -u --user -d --date "
    "-b --branch -B --bookmark -I --include -X --exclude -e --ssh --remotecmd -t --tool -o",
    chdir="-R|--repository|--cwd", wraps=(Wrapper(form="shell", options="-e|--ssh|--remotecmd"),),
    harmless="-n|--dry-run|--help",
)  # fmt: skip

_SVN = program(
    discard("revert", "throws away uncommitted changes to {target}", on="each",
            instead="Keep them in a patch: `svn diff`."),
    destroy("cleanup --remove-unversioned|--remove-ignored|--vacuum-pristines",
            "deletes files unknown to svn", instead="Look first: `svn status`."),
    discard("delete|del|remove|rm --force", "deletes {target} with uncommitted changes", on="each",
            instead="Without force svn keeps changes: `svn status` shows them."),
    Fact(DESTROY, "delete|del|remove|rm @*://*", on="1",
         says="deletes {target} in the repository at once",
         instead="Look at it: `svn list {target}`."),
    Fact(REWRITE, "propset|propdel|propedit --revprop", severity=HIGH,
         says="changes the message of an old commit", instead="Read it: `svn proplist`."),
    Fact(PUBLISH, "commit|ci|import", severity=LOW, says="commits to the server"),
    Fact(FETCH, "checkout|co|export|update|up|switch", on="1", severity=LOW),
    Fact(READ, "-F|--file", on="-F|--file"),
    values="-m --message -r --revision -F --file --username --password --depth --config-dir "
    "--config-option --accept --changelist -c --change --editor-cmd --diff-cmd --diff3-cmd",
    wraps=(Wrapper(form="shell", options="--editor-cmd|--diff-cmd|--diff3-cmd"),),
    harmless="--help",
)  # fmt: skip

_JJ = program(
    rewrite("op|operation abandon", "deletes jj's record for undo",
            "Look at it: `jj op log`."),
    rewrite("util gc --expire=now", "deletes jj's whole undo history",
            "Look at it: `jj op log`."),
    rewrite("git push --deleted", "deletes branches on the remote",
            "Preview it: `jj git push --deleted --dry-run`."),
    Fact(PUBLISH, "git push", severity=LOW),
    Fact(FETCH, "git clone|fetch", on="1", severity=LOW),
    Fact(REWRITE, "abandon|rebase|squash|split|describe|restore", severity=LOW,
         says="changes commits; `jj undo` takes it back"),
    values="-R --repository --at-operation --at-op --config --config-file -r --revision "
    "--revisions -m --message -b --bookmark -c --change -d --destination -s --source -t --to -f "
    "--from -T --template -A --insert-after -B --insert-before --remote -o --onto --tool",
    chdir="-R|--repository", wraps=(Wrapper(when="util exec"),), harmless="--dry-run|--help|-h",
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    "hub": msgspec.structs.replace(
        GIT,
        subcommands={
            **SUBCOMMANDS,
            "delete": program(
                Fact(DESTROY, on="1", says="deletes the repository {target}",
                     instead="Look at it: `gh repo view {target}`."),
            ),
            "release": program(
                Fact(DESTROY, "delete", says="deletes a release",
                     instead="Look at them: `hub release`."),
            ),
            "api": program(values="-X --method -F --field -f --raw-field -H --header -p --cache",
                           reader="forge_api"),
            "gist": program(
                Fact(READ, "create", on="each"), Fact(PUBLISH, "create", severity=MEDIUM),
            ),
        },
    ),
    "bfg": program(
        rewrite("", "rewrites every commit of the repository",
                "Find the large files first: `git lfs migrate info`."),
        values="-b --strip-blobs-bigger-than -B --strip-biggest-blobs -bi --strip-blobs-with-ids "
        "-D --delete-files --delete-folders -rt --replace-text -fi --filter-content-including -p",
        harmless="--help|--version",
    ),
    "svn": _SVN,
    "svnadmin": program(
        rewrite("setrevprop|rmlocks|rmtxns|load|hotcopy|delrevprop",
                "changes the repository itself", "Check it: `svnadmin verify`."),
    ),
    "hg": _HG,
    "chg": program(same_as="hg"),
    "jj": _JJ,
    "sl": program(same_as="hg"),
    "bzr": program(
        discard("revert", "throws away uncommitted changes", instead="Keep them: `bzr shelve`."),
        discard("clean-tree", "deletes untracked files", instead="Look first: `bzr status`."),
        rewrite("uncommit", "removes commits", "Look first: `bzr log`."),
        Fact(PUBLISH, "push", severity=LOW),
    ),
    "brz": program(same_as="bzr"),
    "fossil": program(
        discard("revert|clean", "throws away uncommitted changes",
                instead="Keep them: `fossil stash save`."),
        rewrite("purge|shun|scrub", "removes history", "Look first: `fossil timeline`."),
        Fact(PUBLISH, "push|sync", severity=LOW),
    ),
    "p4": program(
        Fact(DESTROY, "obliterate -y", says="deletes files and their history from the server",
             instead="Preview it: `p4 obliterate` without `-y`."),
        discard("sync -f", "throws away local changes", instead="Keep them: `p4 shelve`."),
        discard("revert|clean !-n", "throws away local changes", instead="Keep them: `p4 shelve`."),
        Fact(PUBLISH, "submit", severity=MEDIUM),
        values="-c -C -d -H -p -P -u -Q -x -b -r -G",
    ),
    "pre-commit": program(
        Fact(RUN, "run", severity=LOW),
        Fact(TAMPER, "uninstall", severity=MEDIUM, says="removes the repository's hooks"),
        values="-c --config --repo -t --hook-type",
    ),
}  # fmt: skip
