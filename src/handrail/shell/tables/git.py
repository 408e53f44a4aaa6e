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
)

_STASH = "Keep the changes first: `git stash push --include-untracked`."
_LOOK = "Look first what would go: `git clean -nd`."
_DRY = "-n|--dry-run !--no-dry-run"
_LEASE = "Push so that nobody's commits are lost: `git push --force-with-lease`."
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
_FILTER_REPO = Program(
    facts=(
        rewrite("", "rewrites every commit of the repository",
                 "Measure first: `git filter-repo --analyze`, and leave the rewrite to a person."),
    ),
    harmless="--analyze|--dry-run|--help|-h|--version",
)  # fmt: skip
_LFS = Program(
    values="-I --include -X --exclude --include-ref --exclude-ref --above --object-map --remote",
    facts=(
        rewrite("migrate import|export", "rewrites every commit to move files into or out of LFS",
                 "Look at what it would move: `git lfs migrate info`."),
        rewrite("prune --force|-f", "deletes large files that may exist nowhere else",
                 "See what would go: `git lfs prune --dry-run`."),
        Fact(REWRITE, "prune !--force|-f", severity=LOW, says="deletes local copies of old files"),
        Fact(FETCH, "fetch|pull|clone", severity=LOW),
        Fact(PUBLISH, "push", severity=LOW),
    ),
    harmless="--dry-run|-d|--help",
)  # fmt: skip

SUBCOMMANDS: dict[str, Program] = {
    # What throws uncommitted work away
    "reset": Program(
        values="--pathspec-from-file -U --unified --inter-hunk-context",
        facts=(
            discard("--hard", "throws away all uncommitted changes to tracked files"),
            discard("--merge", "throws away staged changes and those of a merge"),
        ),
    ),
    "checkout": Program(
        values="-b -B --orphan --conflict --pathspec-from-file",
        reader="git_checkout",
        facts=(
            discard("-f|--force", "throws away all uncommitted changes to tracked files"),
            discard("--pathspec-from-file", "throws away uncommitted changes to the listed files"),
            Fact(REWRITE, "-B", on="-B", severity=MEDIUM,
                 says="moves the branch {target}, so its own commits may be lost"),
        ),
    ),
    "switch": Program(
        values="-c -C --create --force-create --orphan --conflict",
        facts=(
            discard("-f|--force|--discard-changes",
                     "throws away all uncommitted changes to tracked files"),
            Fact(REWRITE, "-C|--force-create", on="-C|--force-create", severity=MEDIUM,
                 says="moves the branch {target}, so its own commits may be lost"),
        ),
    ),
    "restore": Program(
        values="-s --source --conflict --pathspec-from-file",
        reader="git_restore",
        facts=(
            discard("!-S|--staged !-p|--patch", "throws away uncommitted changes to {target}",
                     on="each"),
            discard("-W|--worktree !-p|--patch -S|--staged",
                     "throws away uncommitted changes to {target}", on="each"),
            discard("--pathspec-from-file !-S|--staged",
                     "throws away uncommitted changes to the listed files"),
        ),
    ),
    "clean": Program(
        values="-e --exclude",
        reader="git_clean",
        facts=(
            discard("-f|--force !-x|-X", "deletes untracked files that git cannot bring back",
                     instead=_LOOK),
            destroy("-f|--force -x|-X",
                    "deletes untracked and ignored files that git cannot bring back",
                    instead=_LOOK),
        ),
        harmless=f"-i|--interactive|{_DRY}",
    ),
    "stash": Program(
        values="-m --message --pathspec-from-file",
        reader="git_stash",
        facts=(
            destroy("drop", "throws away the stashed work {target}", on="1",
                    instead="Look at it first: `git stash show -p`."),
            destroy("drop|clear", "throws away stashed work",
                    instead="Look at what is stashed: `git stash list`."),
        ),
    ),
    "rm": Program(
        values="--pathspec-from-file",
        reader="git_paths",
        facts=(
            discard("-f|--force !--cached", "deletes {target} with all uncommitted changes",
                     on="each", instead="Without force git keeps changes: `git rm {target}`."),
            Fact(WRITE, "!--cached", on="each", says="removes {target}, which git still has"),
        ),
        harmless=_DRY,
    ),
    "mv": Program(facts=(Fact(WRITE, on="each"),), harmless=_DRY),
    "worktree": Program(
        values="-b -B --reason --expire",
        facts=(
            destroy("remove -f|--force", "deletes the worktree {target} with uncommitted changes",
                    on="1", instead="Without force git checks: `git worktree remove {target}`."),
            Fact(WRITE, "add", on="1"),
            Fact(WRITE, "move", on="each"),
        ),
        harmless=_DRY,
    ),
    "submodule": Program(
        values="-b --branch --reference --name --depth -j --jobs -n --summary-limit",
        facts=(
            discard("deinit -f|--force", "throws away changes in submodules"),
            discard("update -f|--force", "throws away changes in submodules"),
            destroy("add -f|--force", "may overwrite a folder that git ignores"),
            Fact(FETCH, "add", on="1"),
            Fact(WRITE, "add", on="2"),
            Fact(UNSEEN, "add @ext::*", on="1", says="runs a command as the transport: {target}",
                 instead="Add it over https: `git submodule add https://github.com/owner/repo`."),
        ),
        wraps=(Wrapper(form="words", when="foreach"),),
    ),
    "read-tree": Program(
        values="--index-output --prefix",
        reader="git_tree",
        facts=(discard("--reset", "overwrites changed files with another tree"),),
        harmless=_DRY,
    ),
    "checkout-index": Program(
        values="--prefix --stage",
        reader="git_paths",
        facts=(discard("-f|--force", "overwrites changed files from the index"),),
    ),
    "update-index": Program(values="--cacheinfo --chmod --index-version", reader="git_paths"),
    "apply": Program(
        values="-p -C --directory --exclude --include --whitespace --build-fake-ancestor",
        reader="patch",
        facts=(Fact(READ, on="each"),
               Fact(WRITE, "--unsafe-paths", severity=MEDIUM, on="cwd")),
    ),
    "am": Program(values="-C -p --directory --exclude --include --whitespace --patch-format",
                  reader="patch", facts=(Fact(READ, on="each"),)),
    # What rewrites or loses history
    "push": Program(
        values="-o --push-option --receive-pack --exec --repo --recurse-submodules",
        facts=(
            rewrite("-f|--force", "overwrites the remote branch, so others' commits may be lost",
                     _LEASE),
            rewrite("@+?*", "overwrites the remote branch, so others' commits may be lost", _LEASE),
            rewrite("--mirror", "overwrites and deletes everything on the remote that is not here",
                     "Push one branch: `git push origin HEAD`."),
            rewrite("--prune", "deletes remote branches that do not exist here",
                     "Push one branch: `git push origin HEAD`."),
            rewrite("-d|--delete", "deletes branches or tags on the remote",
                     "Look at them: `git ls-remote origin`, and leave the deletion to a person."),
            rewrite("@:?*", "deletes a branch or tag on the remote",
                     "Look at them: `git ls-remote origin`, and leave the deletion to a person."),
            Fact(REWRITE, "--force-with-lease", severity=MEDIUM,
                 says="overwrites the remote branch if nobody else has pushed"),
            Fact(SEND, _ADDRESS, on="1"),
            Fact(UNSEEN, "@ext::*", on="1", says="runs a command as the transport: {target}",
                 instead="Push to a known remote: `git push origin HEAD`."),
            Fact(PUBLISH, severity=LOW, says="pushes commits"),
        ),
        wraps=(Wrapper(form="shell", options="--receive-pack|--exec"),),
        harmless=_DRY,
    ),
    "branch": Program(
        values="-u --set-upstream-to --sort --format --points-at --contains --no-contains",
        facts=(
            rewrite("-D", "deletes the branch {target} even if it is merged nowhere",
                     "Delete it only if merged: `git branch -d {target}`.", on="each"),
            rewrite("-d|--delete -f|--force",
                     "deletes the branch {target} even if it is merged nowhere",
                     "Delete it only if merged: `git branch -d {target}`.", on="each"),
            rewrite("-f|--force !-d|--delete|-m|-M|--move|-c|-C|--copy",
                     "moves the branch {target}, so its own commits may be lost",
                     "Keep the old place: `git branch backup {target}`.", on="1"),
        ),
    ),
    "tag": Program(
        values="-m --message -F --file -u --local-user --sort --format --points-at --cleanup",
        facts=(Fact(REWRITE, "-d|--delete", on="each", severity=LOW, says="deletes tag {target}"),
               Fact(REWRITE, "-f|--force", on="1", severity=LOW, says="moves the tag {target}"),
               Fact(READ, "-F|--file", on="-F|--file")),
    ),
    "commit": Program(
        values="-m --message -F --file -C --reuse-message -c --reedit-message -t --template "
        "--author --date --fixup --squash --trailer --cleanup --pathspec-from-file",
        facts=(Fact(REWRITE, "--amend", severity=LOW, says="replaces the last commit"),
               Fact(READ, "-F|--file", on="-F|--file"),
               Fact(TAMPER, "-n|--no-verify", severity=MEDIUM, says="skips the commit hooks")),
    ),
    "rebase": Program(
        values="-x --exec --onto -s --strategy -X --strategy-option --whitespace -C",
        facts=(Fact(REWRITE, severity=LOW, says="replays commits on another base"),),
        wraps=(Wrapper(form="shell", options="-x|--exec"),),
    ),
    "filter-branch": Program(
        values="--setup --env-filter --tree-filter --index-filter --parent-filter --msg-filter "
        "--commit-filter --tag-name-filter --subdirectory-filter -d --original --state-branch",
        facts=(rewrite("", "rewrites every commit of the repository",
                        "Undo a single commit: `git revert HEAD`."),),
        wraps=(Wrapper(form="shell", options="--setup|--env-filter|--tree-filter|--index-filter|"
                       "--parent-filter|--msg-filter|--commit-filter|--tag-name-filter"),),
    ),
    "filter-repo": _FILTER_REPO,
    "lfs": _LFS,
    "reflog": Program(
        facts=(rewrite("expire|delete", "deletes the record that lost commits are found by",
                        _REFLOG),),
        harmless=_DRY,
    ),
    "gc": Program(
        facts=(
            rewrite("--prune=now|--prune=all|--prune=*second*|--prune=*minute*|--prune=today",
                     "deletes commits that nothing points to, for good",
                     "Let git keep its two weeks: `git gc`."),
        ),
        reader="git_gc",
    ),
    "prune": Program(
        values="--expire",
        facts=(rewrite("", "deletes commits that nothing points to, for good",
                        "Look first: `git prune --dry-run`."),),
        harmless=_DRY,
    ),
    "update-ref": Program(
        values="-m",
        facts=(
            rewrite("-d", "deletes the reference {target} without any check",
                     "Delete a merged branch: `git branch -d {target}`.", on="1"),
            Fact(REWRITE, "--stdin", severity=MEDIUM, says="changes references from a list"),
            Fact(REWRITE, "!-d|--stdin", on="1", severity=LOW, says="moves {target}"),
        ),
    ),
    "symbolic-ref": Program(
        values="-m",
        facts=(rewrite("-d|--delete", "deletes the reference {target}",
                        "Show it: `git symbolic-ref {target}`.", on="1"),),
    ),
    "replace": Program(
        facts=(Fact(REWRITE, "!-l|--list", severity=LOW, says="swaps one commit for another"),),
    ),
    "notes": Program(values="-m -F -C -c --ref",
                     facts=(Fact(REWRITE, "remove|prune", severity=LOW, says="deletes notes"),)),
    "fast-import": Program(
        values="--date-format --max-pack-size --depth --export-marks --import-marks",
        facts=(Fact(REWRITE, "--force", severity=MEDIUM, says="overwrites branches"),),
    ),
    "obliterate|delete-branch|delete-tag|delete-submodule|delete-squashed-branches": Program(
        facts=(rewrite("", "deletes part of the history or a branch for good",
                        "Show the branches: `git branch -a`."),),
    ),
    # What reaches other machines
    "clone": Program(
        values="-o --origin -b --branch -u --upload-pack --reference --reference-if-able --depth "
        "--separate-git-dir --shallow-since --shallow-exclude -j --jobs -c --config --template "
        "--filter --server-option --bundle-uri --revision --ref-format",
        facts=(*_FETCHING, Fact(WRITE, on="2")),
        wraps=(Wrapper(form="shell", options="-u|--upload-pack"),),
        reader="git_clone",
    ),
    "fetch": Program(
        values="-o --server-option --upload-pack --depth --deepen --shallow-since --filter -j "
        "--jobs --negotiation-tip --refmap",
        facts=_FETCHING,
        wraps=(Wrapper(form="shell", options="--upload-pack"),),
        harmless="--dry-run",
    ),
    "pull": Program(
        values="-s --strategy -X --strategy-option --upload-pack --depth -o -j --jobs",
        facts=_FETCHING,
        wraps=(Wrapper(form="shell", options="--upload-pack"),),
        harmless="--dry-run",
    ),
    "ls-remote": Program(
        values="--upload-pack --exec -o --sort",
        facts=_FETCHING,
        wraps=(Wrapper(form="shell", options="--upload-pack|--exec"),),
    ),
    "remote": Program(
        values="-t -m --mirror",
        facts=(
            Fact(CHANGE, "remove|rm", on="1", severity=MEDIUM, says="forgets the remote {target}"),
            Fact(CHANGE, "set-url", on="2", severity=MEDIUM,
                 says="sends later pushes and pulls to {target}"),
            Fact(CHANGE, "add|rename|set-*", severity=LOW),
            Fact(UNSEEN, "add|set-url @ext::*", on="2",
                 says="makes later fetches run a command: {target}",
                 instead="Use an https address: `git remote -v` shows the present ones."),
        ),
    ),
    "send-email|imap-send": Program(
        values="--to --cc --bcc --from --subject --smtp-server --sendmail-cmd --to-cmd --cc-cmd",
        facts=(Fact(SEND, on="--to|--cc", severity=MEDIUM), Fact(READ, on="each")),
        wraps=(Wrapper(form="shell", options="--sendmail-cmd|--to-cmd|--cc-cmd"),),
        harmless="--dry-run",
    ),
    "daemon|instaweb|http-backend": Program(
        facts=(Fact(REACH, severity=MEDIUM, says="serves repositories to the network"),),
    ),
    # What runs other commands
    "bisect": Program(wraps=(Wrapper(when="run"),)),
    "difftool": Program(
        values="-x --extcmd -t --tool",
        wraps=(Wrapper(form="shell", options="-x|--extcmd"),),
    ),
    "grep": Program(
        values="-e -f -m --max-count -A -B -C --max-depth --threads",
        facts=(Fact(READ, "-f", on="-f"), Fact(READ, "--no-index", on="2+")),
        wraps=(Wrapper(form="shell", options="--open-files-in-pager"),),
    ),
    "config": Program(
        values="-f --file --blob --type --default --get-color -z --url --value --comment",
        reader="git_config",
        facts=(
            Fact(WRITE, "-f|--file !--get*|-l|--list", on="-f|--file"),
            Fact(READ, "-f|--file --get|--get-all|--get-regexp|-l|--list", on="-f|--file"),
        ),
    ),
    "maintenance": Program(
        facts=(Fact(PERSIST, "start|register", severity=MEDIUM,
                    says="makes git maintenance run by itself from now on"),),
    ),
    "credential|credential-store|credential-cache|credential-osxkeychain|credential-manager|"
    "credential-libsecret|credential-wincred": Program(
        values="--file --timeout --socket",
        facts=(Fact(SECRET, "fill|get", says="prints a stored password or token",
                    instead="Let git use it by itself: `git ls-remote origin`."),
               Fact(CHANGE, "reject|erase|exit", severity=MEDIUM, says="forgets stored passwords")),
    ),
    # What reads and writes files outside git's own
    "diff|log|show": Program(
        values="-U --unified -O -S -G -n --max-count --since --until --after --before --author "
        "--committer --grep --format --pretty --output --output-indicator-new --diff-filter "
        "--inter-hunk-context -L --skip --date",
        facts=(Fact(WRITE, "--output", on="--output"), Fact(READ, "--no-index", on="each")),
    ),
    "archive": Program(
        values="-o --output --prefix --remote --exec --format --add-file",
        facts=(Fact(WRITE, on="-o|--output"), Fact(READ, on="--add-file")),
        wraps=(Wrapper(form="shell", options="--exec"),),
    ),
    "bundle": Program(facts=(Fact(WRITE, "create", on="1"),)),
    "format-patch": Program(values="-o --output-directory -n --start-number --subject-prefix",
                            facts=(Fact(WRITE, on="-o|--output-directory"),)),
    "hash-object": Program(values="-t --path", facts=(Fact(READ, on="each"),)),
    "init": Program(
        reader="git_init",
        values="-b --initial-branch --template --separate-git-dir --object-format",
        facts=(Fact(WRITE, on="1"),),
    ),
    "svn|p4": Program(facts=(Fact(PUBLISH, "dcommit|submit|set-tree", severity=MEDIUM),)),
}  # fmt: skip

GIT = Program(
    values="-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source",
    posix=True,
    chdir="-C",
    reader="git",
    subcommands=SUBCOMMANDS,
    harmless="--help|-h|--version|-v|--html-path|--man-path|--info-path",
)

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
