"""git: what throws work away, rewrites history or runs commands is stopped, daily work is not."""

from collections.abc import Callable

import pytest

from handrail.model.effect import PATH_KINDS, Effect, Kind
from handrail.model.ordinal import Severity

Effects = Callable[[str], tuple[Effect, ...]]

STOPPED = {
    Kind.DISCARD: [
        "bzr revert",
        "fossil revert",
        "p4 revert //depot/...",
        "git reset --hard",
        "git reset -q --hard HEAD~2",
        "git reset --har",
        "git reset --merge",
        "git -C sub --no-pager reset --hard",
        "git checkout -f main",
        "git checkout -qf",
        "git checkout .",
        "git checkout -- src/app.py",
        "git checkout HEAD~3 -- README.md",
        "git checkout main README.md",
        "git checkout README.md",
        "git checkout src/",
        "git checkout .gitignore",
        "git checkout src/fix/node.js",
        "git checkout ./fix/node.js",
        "git checkout -- fix/node.js",
        "git checkout --pathspec-from-file=list.txt",
        "git restore src/app.py",
        "git restore -SW .",
        "git restore -s HEAD~2 -- lib/",
        "git restore --source=HEAD~1 src/",
        "git switch -f main",
        "git switch --discard-changes -c topic",
        "git clean -xdf",
        "git clean --forc",
        "git clean -e '*.log' -f",
        "git -c clean.requireForce=false clean -d",
        "git stash drop",
        "git stash clear",
        "git rm -rf .",
        "git worktree remove --force ../wt",
        "git submodule deinit -f --all",
        "git submodule update --force",
        "git submodule foreach 'git reset --hard'",
        "git read-tree -u --reset HEAD",
        "git checkout-index -fa",
        "git -c alias.z='reset --hard' z",
        "git config alias.z 'reset --hard' && git z",
        "git-reset --hard",
    ],
    Kind.REWRITE: [
        "git push -f",
        "git push -fu origin feature",
        "git push origin +main",
        "git push --force --force-with-lease",
        "git push --mirror",
        "git push --prune origin",
        "git push origin --delete feature",
        "git push origin :feature",
        "git -c push.default=current push --force",
        "git branch -D topic",
        "git branch -df topic",
        "git branch -f main HEAD~5",
        "git filter-branch --force --index-filter 'git rm --cached x' HEAD",
        "git filter-repo --path secrets --invert-paths",
        "git reflog expire --expire=now --all",
        "git reflog delete HEAD@{0}",
        "git gc --prune=now",
        "git -c gc.pruneExpire=now gc",
        "git prune",
        "git update-ref -d refs/heads/main",
        "git symbolic-ref --delete HEAD",
        "git lfs migrate import --everything",
        "git lfs prune --force",
    ],
    Kind.UNSEEN: [
        "git init --template=/tmp/t",
        "git -c core.sshCommand=/tmp/x fetch",
        "git config core.hooksPath /tmp/hooks",
        "git --exec-path=/tmp/x status",
        "git clone 'ext::sh -c id'",
        "git --config-env core.sshCommand=CMD fetch",
    ],
    Kind.DELETE: [
        "git -c alias.x='!rm -rf /etc' x",
        "git -c core.pager='rm -rf /etc' log",
        "git config alias.x '!rm -rf /etc'",
        "git clone -c core.fsmonitor='rm -rf /etc' https://x/y",
        "git clone 'ext::sh -c \"rm -rf /etc\"'",
        "git clone --upload-pack='rm -rf /etc' host:repo",
        "git rebase -x 'rm -rf /etc' main",
        "git bisect run rm -rf /etc",
        "git difftool -x 'rm -rf /etc'",
        "git grep --open-files-in-pager='rm -rf /etc' x",
        "GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='rm -rf /etc' git log",
    ],
    Kind.TAMPER: [
        "git config --global http.sslVerify false",
        "git config --global http.proxy http://203.0.113.9:8080",
        "git config clean.requireForce false",
    ],
    Kind.SECRET: [
        "git credential fill",
    ],
}
ROWS = [(kind, command) for kind, commands in STOPPED.items() for command in commands]


@pytest.mark.parametrize(("kind", "command"), ROWS)
def test_what_git_cannot_bring_back(effects: Effects, kind: Kind, command: str) -> None:
    severe = [effect for effect in effects(command) if effect.severity >= Severity.HIGH]
    assert kind in {effect.kind for effect in severe}


@pytest.mark.parametrize(("kind", "command"), ROWS)
def test_what_to_do_instead(effects: Effects, kind: Kind, command: str) -> None:
    severe = [effect for effect in effects(command) if effect.severity >= Severity.HIGH]
    assert all(effect.instead for effect in severe if effect.kind not in PATH_KINDS)


CALM = [
    "p4 revert -n //depot/...",
    "git init --template=.git-template",
    "git checkout fix/node.js",
    "git checkout feat/add-index.ts",
    "git checkout origin/vue.js",
    "git checkout dependabot/npm_and_yarn/next.js",
    "git status -sb",
    "git reset HEAD~1",
    "git reset --keep HEAD~1",
    "git reset --soft origin/main",
    "git checkout main",
    "git checkout -",
    "git checkout v1.2.0",
    "git checkout release/1.x",
    "git checkout feature/foo.bar",
    "git checkout -b fix/x origin/main",
    "git checkout --track origin/dev",
    "git checkout $BRANCH",
    "git checkout -p",
    "git restore --staged .",
    "git restore -S app.py",
    "git switch -c topic",
    "git clean -nfd",
    "git clean --dry-run -f",
    "git stash",
    "git stash pop",
    "git rm --cached -r -f x",
    "git worktree remove ../wt",
    "git push",
    "git push -u origin HEAD",
    "git push --force-with-lease",
    "git push --dry-run --force",
    "git push origin main:main",
    "git branch -d merged",
    "git branch -M main",
    "git tag -d v1",
    "git gc",
    "git gc --prune=2.weeks.ago",
    "git remote prune origin",
    "git commit --amend --no-edit",
    "git commit -m 'never git reset --hard'",
    "git rebase --onto main a b",
    "git rebase --exec 'make test' main",
    "git -c alias.st=status st",
    "git -c core.pager=cat log",
    "git config core.editor vim",
    "git config core.hooksPath .githooks",
    "git config --get alias.x",
    "git config --global alias.co checkout",
    "git submodule foreach 'git status'",
    "git submodule update --init --recursive",
    "git bisect run pytest",
    "git filter-repo --analyze",
    "git lfs migrate info",
    "git clone https://github.com/psf/requests",
    "git reset --hard --help",
]


@pytest.mark.parametrize("command", CALM)
def test_daily_work(effects: Effects, command: str) -> None:
    assert all(effect.severity < Severity.HIGH for effect in effects(command))


def test_the_folder_of_git_counts(effects: Effects) -> None:
    targets = {effect.target for effect in effects("git -C sub archive -o out.zip HEAD")}
    assert "/w/sub/out.zip" in targets
