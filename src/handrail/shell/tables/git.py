"""git: what throws work away, rewrites history, publishes, or runs other commands."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    DISCARD,
    FETCH,
    HIGH,
    IMPOSSIBLE,
    LOW,
    MEDIUM,
    PERSIST,
    PUBLISH,
    REACH,
    READ,
    REWRITE,
    SECRET,
    SEND,
    TAMPER,
    UNKNOWN,
    UNSEEN,
    WRITE,
    Fact,
    Program,
    Wrapper,
    program,
)

_STASH = "Keep the changes first: `git stash push --include-untracked`."
_LOOK = "Preview it: `git clean -nd`."
_DRY = "-n|--dry-run !--no-dry-run"
_LEASE = "Push without losing commits of others: `git push --force-with-lease`."
_LEFT = "Look at them: `git ls-remote origin`, and leave the deletion to a person."
_REFLOG = "Leave git's safety net alone; look at it with `git reflog`."
_ADDRESS = "@*://*|*@*:*|*::*"


def discard(when: str, says: str, on: str = "", instead: str = _STASH) -> Fact:
    """A way to lose uncommitted work, unless a checkpoint holds it."""
    return Fact(DISCARD, when, on=on, severity=HIGH, undo=UNKNOWN, says=says, instead=instead)


def destroy(when: str, says: str, on: str = "", instead: str = _STASH) -> Fact:
    """A way to lose what no checkpoint holds: ignored files, the stash, another work tree."""
    return Fact(DISCARD, when, on=on, severity=HIGH, undo=IMPOSSIBLE, says=says, instead=instead)


def rewrite(when: str, says: str, instead: str, on: str = "") -> Fact:
    """A way to lose commits."""
    return Fact(REWRITE, when, on=on, severity=HIGH, says=says, instead=instead)


_FETCHING = (
    Fact(FETCH, _ADDRESS, on="1"),
    Fact(UNSEEN, "@ext::*", on="1", says="runs a command as the transport: {target}",
         instead="Clone over https: `git clone https://github.com/owner/repo`."),
)  # fmt: skip
_FILTER_REPO = program(
    rewrite("", "rewrites every commit of the repository",
            "Measure first: `git filter-repo --analyze`, and leave the rewrite to a person."),
    harmless="--analyze|--dry-run|--help|-h|--version",
)  # fmt: skip
_LFS = program(
    rewrite("migrate import|export", "rewrites every commit to move files into or out of LFS",
            "Preview it: `git lfs migrate info`."),
    rewrite("prune --force|-f", "deletes large files, perhaps the only copies",
            "Preview it: `git lfs prune --dry-run`."),
    Fact(REWRITE, "prune !--force|-f", severity=LOW, says="deletes local copies of old files"),
    Fact(FETCH, "fetch|pull|clone", severity=LOW),
    Fact(PUBLISH, "push", severity=LOW),
    values="-I --include -X --exclude --include-ref --exclude-ref --above --object-map --remote",
    harmless="--dry-run|-d|--help",
)  # fmt: skip

SUBCOMMANDS: dict[str, Program] = {
    # What throws uncommitted work away
    "reset": program(
        discard("--hard", "throws away all uncommitted changes to tracked files"),
        discard("--merge", "throws away staged changes and those of a merge"),
        values="--pathspec-from-file -U --unified --inter-hunk-context",
    ),
    "checkout": program(
        discard("-f|--force", "throws away all uncommitted changes to tracked files"),
        discard("--pathspec-from-file", "throws away uncommitted changes to the listed files"),
        Fact(REWRITE, "-B", on="-B", severity=MEDIUM,
             says="moves the branch {target}, so its own commits may be lost"),
        values="-b -B --orphan --conflict --pathspec-from-file", reader="git_checkout",
    ),
    "switch": program(
        discard("-f|--force|--discard-changes",
                "throws away all uncommitted changes to tracked files"),
        Fact(REWRITE, "-C|--force-create", on="-C|--force-create", severity=MEDIUM,
             says="moves the branch {target}, so its own commits may be lost"),
        values="-c -C --create --force-create --orphan --conflict",
    ),
    "restore": program(
        discard("!-S|--staged !-p|--patch", "throws away uncommitted changes to {target}",
                on="each"),
        discard("-W|--worktree !-p|--patch -S|--staged",
                "throws away uncommitted changes to {target}", on="each"),
        discard("--pathspec-from-file !-S|--staged",
                "throws away uncommitted changes to the listed files"),
        values="-s --source --conflict --pathspec-from-file", reader="git_restore",
    ),
    "clean": program(
        discard("-f|--force !-x|-X", "deletes untracked files, which git cannot bring back",
                instead=_LOOK),
        destroy("-f|--force -x|-X",
                "deletes untracked and ignored files, beyond git's reach", instead=_LOOK),
        values="-e --exclude", reader="git_clean", harmless=f"-i|--interactive|{_DRY}",
    ),
    "add": program(values="--chmod --pathspec-from-file", reader="git_add",
                   harmless="-n|--dry-run"),
    "stash": program(
        destroy("drop", "throws away the stashed work {target}", on="1",
                instead="Look at it first: `git stash show -p`."),
        destroy("drop|clear", "throws away stashed work",
                instead="List the stashes: `git stash list`."),
        values="-m --message --pathspec-from-file", reader="git_stash",
    ),
    "rm": program(
        discard("-f|--force !--cached", "deletes {target} with all uncommitted changes", on="each",
                instead="Without force git keeps changes: `git rm {target}`."),
        Fact(WRITE, "!--cached", on="each", says="removes {target}, which git still has"),
        values="--pathspec-from-file", reader="git_paths", harmless=_DRY,
    ),
    "mv": program(Fact(WRITE, on="each"), harmless=_DRY),
    "worktree": program(
        destroy("remove -f|--force", "deletes the worktree {target} with uncommitted changes",
                on="1", instead="Without force git checks: `git worktree remove {target}`."),
        Fact(WRITE, "add", on="1"),
        Fact(WRITE, "move", on="each"),
        values="-b -B --reason --expire", harmless=_DRY,
    ),
    "submodule": program(
        discard("deinit -f|--force", "throws away changes in submodules"),
        discard("update -f|--force", "throws away changes in submodules"),
        destroy("add -f|--force", "may overwrite an ignored folder"),
        Fact(FETCH, "add", on="1"),
        Fact(WRITE, "add", on="2"),
        Fact(UNSEEN, "add @ext::*", on="1", says="runs a command as the transport: {target}",
             instead="Add it over https: `git submodule add https://github.com/owner/repo`."),
        values="-b --branch --reference --name --depth -j --jobs -n --summary-limit",
        wraps=(Wrapper(form="words", when="foreach"),),
    ),
    "read-tree": program(
        discard("--reset", "overwrites changed files with another tree"),
        values="--index-output --prefix", reader="git_tree", harmless=_DRY,
    ),
    "checkout-index": program(
        discard("-f|--force", "overwrites changed files from the index"),
        values="--prefix --stage", reader="git_paths",
    ),
    "update-index": program(values="--cacheinfo --chmod --index-version", reader="git_paths"),
    "apply": program(
        Fact(READ, on="each"),
        Fact(WRITE, "--unsafe-paths", severity=MEDIUM, on="cwd"),
        values="-p -C --directory --exclude --include --whitespace --build-fake-ancestor",
        reader="patch",
    ),
    "am": program(
        Fact(READ, on="each"),
        values="-C -p --directory --exclude --include --whitespace --patch-format", reader="patch",
    ),
    # What rewrites or loses history
    "push": program(
        rewrite("-f|--force", "overwrites the remote branch, so others' commits may be lost",
                _LEASE),
        rewrite("@+?*", "overwrites the remote branch, so others' commits may be lost", _LEASE),
        rewrite("--mirror", "overwrites the remote and deletes everything missing here",
                "Push one branch: `git push origin HEAD`."),
        rewrite("--prune", "deletes remote branches missing here",
                "Push one branch: `git push origin HEAD`."),
        rewrite("-d|--delete", "deletes branches or tags on the remote", _LEFT, on="2+"),
        rewrite("@:?*", "deletes a branch or tag on the remote", _LEFT, on="2+"),
        Fact(REWRITE, "--force-with-lease", severity=MEDIUM,
             says="overwrites the remote branch if nobody else has pushed"),
        Fact(SEND, _ADDRESS, on="1"),
        Fact(UNSEEN, "@ext::*", on="1", says="runs a command as the transport: {target}",
             instead="Push to a known remote: `git push origin HEAD`."),
        Fact(PUBLISH, severity=LOW, says="pushes commits"),
        values="-o --push-option --receive-pack --exec --repo --recurse-submodules",
        wraps=(Wrapper(form="shell", options="--receive-pack|--exec"),), harmless=_DRY,
    ),
    "branch": program(
        rewrite("-D", "deletes the branch {target} even if it is merged nowhere",
                "Delete it only if merged: `git branch -d {target}`.", on="each"),
        rewrite("-d|--delete -f|--force",
                "deletes the branch {target} even if it is merged nowhere",
                "Delete it only if merged: `git branch -d {target}`.", on="each"),
        rewrite("-f|--force !-d|--delete|-m|-M|--move|-c|-C|--copy",
                "moves the branch {target}, so its own commits may be lost",
                "Keep the old place: `git branch backup {target}`.", on="1"),
        values="-u --set-upstream-to --sort --format --points-at --contains --no-contains",
    ),
    "tag": program(
        Fact(REWRITE, "-d|--delete", on="each", severity=LOW, says="deletes tag {target}"),
        Fact(REWRITE, "-f|--force", on="1", severity=LOW, says="moves the tag {target}"),
        Fact(READ, "-F|--file", on="-F|--file"),
        values="-m --message -F --file -u --local-user --sort --format --points-at --cleanup",
    ),
    "commit": program(
        Fact(REWRITE, "--amend", severity=LOW, says="replaces the last commit"),
        Fact(READ, "-F|--file", on="-F|--file"),
        Fact(TAMPER, "-n|--no-verify", severity=MEDIUM, says="skips the commit hooks"),
        values="-m --message -F --file -C --reuse-message -c --reedit-message -t --template "
        "--author --date --fixup --squash --trailer --cleanup --pathspec-from-file",
    ),
    "rebase": program(
        Fact(REWRITE, severity=LOW, says="replays commits on another base"),
        values="-x --exec --onto -s --strategy -X --strategy-option --whitespace -C",
        wraps=(Wrapper(form="shell", options="-x|--exec"),),
    ),
    "filter-branch": program(
        rewrite("", "rewrites every commit of the repository",
                "Undo a single commit: `git revert HEAD`."),
        values="--setup --env-filter --tree-filter --index-filter --parent-filter --msg-filter "
        "--commit-filter --tag-name-filter --subdirectory-filter -d --original --state-branch",
        wraps=(Wrapper(form="shell",
                       options="--setup|--env-filter|--tree-filter|--index-filter|"
                       "--parent-filter|--msg-filter|--commit-filter|--tag-name-filter"),),
    ),
    "filter-repo": _FILTER_REPO,
    "lfs": _LFS,
    "reflog": program(
        rewrite("expire|delete", "deletes the record of lost commits", _REFLOG),
        harmless=_DRY,
    ),
    "gc": program(
        rewrite("--prune=now|--prune=all|--prune=*second*|--prune=*minute*|--prune=today",
                "deletes unreachable commits for good",
                "Let git keep its two weeks: `git gc`."),
        reader="git_gc",
    ),
    "prune": program(
        rewrite("", "deletes unreachable commits for good",
                "Look first: `git prune --dry-run`."),
        values="--expire", harmless=_DRY,
    ),
    "update-ref": program(
        rewrite("-d", "deletes the reference {target} without any check",
                "Delete a merged branch: `git branch -d {target}`.", on="1"),
        Fact(REWRITE, "--stdin", severity=MEDIUM, says="changes references from a list"),
        Fact(REWRITE, "!-d|--stdin", on="1", severity=LOW, says="moves {target}"),
        values="-m",
    ),
    "symbolic-ref": program(
        rewrite("-d|--delete", "deletes the reference {target}",
                "Show it: `git symbolic-ref {target}`.", on="1"),
        values="-m",
    ),
    "replace": program(
        Fact(REWRITE, "!-l|--list", severity=LOW, says="swaps one commit for another"),
    ),
    "notes": program(
        Fact(REWRITE, "remove|prune", severity=LOW, says="deletes notes"),
        values="-m -F -C -c --ref",
    ),
    "fast-import": program(
        Fact(REWRITE, "--force", severity=MEDIUM, says="overwrites branches"),
        values="--date-format --max-pack-size --depth --export-marks --import-marks",
    ),
    "obliterate|delete-branch|delete-tag|delete-submodule|delete-squashed-branches": program(
        rewrite("", "deletes part of the history or a branch for good",
                "Show the branches: `git branch -a`."),
    ),
    # What reaches other machines
    "clone": program(
        *_FETCHING,
        Fact(WRITE, on="2"),
        values="-o --origin -b --branch -u --upload-pack --reference --reference-if-able --depth "
        "--separate-git-dir --shallow-since --shallow-exclude -j --jobs -c --config --template "
        "--filter --server-option --bundle-uri --revision --ref-format",
        wraps=(Wrapper(form="shell", options="-u|--upload-pack"),), reader="git_clone",
    ),
    "fetch": program(
        *_FETCHING,
        values="-o --server-option --upload-pack --depth --deepen --shallow-since --filter -j "
        "--jobs --negotiation-tip --refmap",
        wraps=(Wrapper(form="shell", options="--upload-pack"),), harmless="--dry-run",
    ),
    "pull": program(
        *_FETCHING,
        values="-s --strategy -X --strategy-option --upload-pack --depth -o -j --jobs",
        wraps=(Wrapper(form="shell", options="--upload-pack"),), harmless="--dry-run",
    ),
    "ls-remote": program(
        *_FETCHING,
        values="--upload-pack --exec -o --sort",
        wraps=(Wrapper(form="shell", options="--upload-pack|--exec"),),
    ),
    "remote": program(
        Fact(CHANGE, "remove|rm", on="1", severity=MEDIUM, says="forgets the remote {target}"),
        Fact(CHANGE, "set-url", on="2", severity=MEDIUM,
             says="sends later pushes and pulls to {target}"),
        Fact(CHANGE, "add|rename|set-*", severity=LOW),
        Fact(UNSEEN, "add|set-url @ext::*", on="2",
             says="makes later fetches run a command: {target}",
             instead="Use an https address: `git remote -v` shows the present ones."),
        values="-t -m --mirror",
    ),
    "send-email|imap-send": program(
        Fact(SEND, on="--to|--cc", severity=MEDIUM),
        Fact(READ, on="each"),
        values="--to --cc --bcc --from --subject --smtp-server --sendmail-cmd --to-cmd --cc-cmd",
        wraps=(Wrapper(form="shell", options="--sendmail-cmd|--to-cmd|--cc-cmd"),),
        harmless="--dry-run",
    ),
    "daemon|instaweb|http-backend": program(
        Fact(REACH, severity=MEDIUM, says="serves repositories to the network"),
    ),
    # What runs other commands
    "bisect": program(wraps=(Wrapper(when="run"),)),
    "difftool": program(
        values="-x --extcmd -t --tool", wraps=(Wrapper(form="shell", options="-x|--extcmd"),),
    ),
    "grep": program(
        Fact(READ, "-f", on="-f"),
        Fact(READ, "--no-index", on="2+"),
        values="-e -f -m --max-count -A -B -C --max-depth --threads",
        wraps=(Wrapper(form="shell", options="--open-files-in-pager"),),
    ),
    "config": program(
        Fact(WRITE, "-f|--file !--get*|-l|--list", on="-f|--file"),
        Fact(READ, "-f|--file --get|--get-all|--get-regexp|-l|--list", on="-f|--file"),
        values="-f --file --blob --type --default --get-color -z --url --value --comment",
        reader="git_config",
    ),
    "maintenance": program(
        Fact(PERSIST, "start|register", severity=MEDIUM,
             says="makes git maintenance run by itself from now on"),
    ),
    "credential|credential-store|credential-cache|credential-osxkeychain|credential-manager|"
    "credential-libsecret|credential-wincred": program(
        Fact(SECRET, "fill|get", says="prints a stored password or token",
             instead="Let git use it by itself: `git ls-remote origin`."),
        Fact(CHANGE, "reject|erase|exit", severity=MEDIUM, says="forgets stored passwords"),
        values="--file --timeout --socket",
    ),
    # What reads and writes files outside git's own
    "diff|log|show": program(
        Fact(WRITE, "--output", on="--output"),
        Fact(READ, "--no-index", on="each"),
        values="-U --unified -O -S -G -n --max-count --since --until --after --before --author "
        "--committer --grep --format --pretty --output --output-indicator-new --diff-filter "
        "--inter-hunk-context -L --skip --date",
    ),
    "archive": program(
        Fact(WRITE, on="-o|--output"),
        Fact(READ, on="--add-file"),
        values="-o --output --prefix --remote --exec --format --add-file",
        wraps=(Wrapper(form="shell", options="--exec"),),
    ),
    "bundle": program(Fact(WRITE, "create", on="1")),
    "format-patch": program(
        Fact(WRITE, on="-o|--output-directory"),
        values="-o --output-directory -n --start-number --subject-prefix",
    ),
    "hash-object": program(Fact(READ, on="each"), values="-t --path"),
    "init": program(
        Fact(WRITE, on="1"),
        reader="git_init",
        values="-b --initial-branch --template --separate-git-dir --object-format",
    ),
    "svn|p4": program(Fact(PUBLISH, "dcommit|submit|set-tree", severity=MEDIUM)),
}  # fmt: skip

GIT = program(
    values="-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source",
    posix=True, chdir="-C", reader="git",
    subcommands=SUBCOMMANDS,
    harmless="--help|-h|--version|-v|--html-path|--man-path|--info-path",
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    "git": GIT,
    **{f"git-{name}": part for names, part in SUBCOMMANDS.items() for name in names.split("|")},
}

CONFIG_COMMANDS = (
    "alias.*|core.sshcommand|core.pager|core.editor|core.askpass|core.gitproxy|core.fsmonitor|"
    "core.alternaterefscommand|sequence.editor|credential.helper|credential.*.helper|diff.external|"
    "diff.*.command|diff.*.textconv|difftool.*.cmd|mergetool.*.cmd|merge.*.driver|filter.*.clean|"
    "filter.*.smudge|filter.*.process|gpg.program|gpg.*.program|gpg.ssh.defaultkeycommand|pager.*|"
    "interactive.difffilter|uploadpack.packobjectshook|remote.*.uploadpack|remote.*.receivepack|"
    "browser.*.cmd|man.*.cmd|sendemail.*cmd|trailer.*.command|trailer.*.cmd|guitool.*.cmd|"
    "tar.*.command|submodule.*.update|core.hookspath|init.templatedir|include.path|includeif.*.path|"
    "safe.bareRepository"
)
"""Settings whose value is a command, or a file or folder with commands, that git will run."""

CONFIG_PLAIN = "core.editor|core.pager|pager.*|sequence.editor|credential.*|core.fsmonitor"
"""Those among them that people set every day."""
