"""Command-line tools of forges: GitHub, GitLab and others."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    FETCH,
    HIGH,
    INSTALL,
    LOW,
    MEDIUM,
    PERSIST,
    PRIVILEGE,
    PUBLISH,
    READ,
    REWRITE,
    SECRET,
    SEND,
    TAMPER,
    WRITE,
    Fact,
    Program,
    Wrapper,
    program,
)

_API = program(
    values="-X --method -f --raw-field -F --field -H --header -q --jq -t --template --input "
    "--hostname --cache -p --preview",
    reader="forge_api",
)  # fmt: skip
_TOKEN = "Check the login: `gh auth status`."
_ASK = "Leave it to a person with access to the repository's settings."


def _gone(when: str, what: str, look: str, on: str = "1") -> Fact:
    return Fact(DESTROY, when, on=on, says=f"deletes {what}", instead=f"Look at it: `{look}`.")


_GH = program(
    _gone("repo delete", "the repository {target} with its issues", "gh repo view {target}"),
    Fact(DESTROY, "repo delete", says="deletes a repository with all its issues",
         instead="Look at it: `gh repo view`."),
    Fact(CHANGE, "repo archive", severity=HIGH, says="makes the repository read-only",
         instead="Look at it: `gh repo view`."),
    Fact(CHANGE, "repo edit --visibility", severity=HIGH, on="--visibility",
         says="makes the repository {target}; forks, stars and secrecy may be lost",
         instead="Look at it: `gh repo view`."),
    Fact(CHANGE, "repo rename|transfer", severity=MEDIUM),
    Fact(REWRITE, "repo sync --force", says="overwrites a branch with the one upstream",
         instead="Sync without force: `gh repo sync`."),
    Fact(PUBLISH, "repo create --public", severity=MEDIUM, says="creates a public repository"),
    Fact(FETCH, "repo clone", on="1", severity=LOW),
    _gone("repo deploy-key delete", "the deploy key {target}", "gh repo deploy-key list"),
    Fact(PERSIST, "repo deploy-key add", on="1",
         says="gives the owner of the key {target} access to the repository",
         instead="Look at the keys: `gh repo deploy-key list`."),
    _gone("release delete", "the release {target}", "gh release view {target}"),
    _gone("release delete-asset", "files of the release {target}", "gh release view {target}"),
    Fact(PUBLISH, "release create|upload|edit", on="1", severity=MEDIUM,
         says="publishes the release {target}"),
    Fact(READ, "release create|upload", on="2+"),
    Fact(READ, "* * --body-file|--notes-file", on="--body-file|--notes-file"),
    Fact(WRITE, "release|run download", on="-D|--dir|-O|--output"),
    _gone("issue delete", "the issue {target}", "gh issue view {target}"),
    Fact(PUBLISH, "pr merge", on="1", severity=MEDIUM, says="merges the pull request {target}"),
    Fact(TAMPER, "pr merge --admin", severity=HIGH, on="1",
         says="merges {target} past the required checks and reviews",
         instead="Merge when the checks pass: `gh pr merge --auto {target}`."),
    Fact(REWRITE, "pr close --delete-branch|-d", on="1",
         says="closes the pull request {target} and deletes its branch",
         instead="Close it and keep the branch: `gh pr close {target}`."),
    _gone("gist delete", "the gist {target}", "gh gist view {target}"),
    Fact(READ, "gist create|edit", on="each"),
    Fact(SEND, "gist create", on="https://gist.github.com", severity=MEDIUM,
         says="puts files where others can read them"),
    Fact(DESTROY, "secret|variable delete|remove", on="1",
         says="deletes {target}, which nobody can read back", instead="See: `gh secret list`."),
    Fact(CHANGE, "secret set", on="1", severity=HIGH,
         says="overwrites the secret {target}, which nobody can read back", instead=_ASK),
    Fact(CHANGE, "variable set", on="1", severity=MEDIUM),
    _gone("label delete", "the label {target} everywhere", "gh label list"),
    _gone("run delete", "the run {target} with its logs", "gh run view {target}"),
    Fact(DESTROY, "cache delete", severity=LOW, says="deletes build caches"),
    _gone("project delete|*-delete", "{target} of a project", "gh project list"),
    _gone("codespace|cs delete", "a codespace with unpushed work", "gh codespace list", on=""),
    Fact(PERSIST, "ssh-key|gpg-key add", on="1",
         says="gives the owner of the key {target} access to the account",
         instead="Look at the keys: `gh ssh-key list`."),
    _gone("ssh-key|gpg-key delete", "the key {target} of the account", "gh ssh-key list"),
    Fact(SECRET, "auth token", says="prints the access token", instead=_TOKEN),
    Fact(SECRET, "auth status --show-token|-t", says="prints the access token", instead=_TOKEN),
    Fact(CHANGE, "auth logout", severity=MEDIUM, says="logs out of the forge"),
    Fact(PRIVILEGE, "auth refresh|login --scopes|-s", severity=HIGH, on="--scopes|-s",
         says="asks for wider access: {target}", instead=_TOKEN),
    Fact(TAMPER, "workflow disable", severity=HIGH, on="1",
         says="switches the workflow {target} off", instead="Look at it: `gh workflow view`."),
    Fact(CHANGE, "workflow run", on="1", severity=MEDIUM, says="starts the workflow {target}"),
    Fact(INSTALL, "extension install", on="1", severity=MEDIUM),
    values="-R --repo -L --limit --json --jq -q --template -b --body -t --title -F --body-file -B "
    "--base -H --head -l --label -a --assignee -m --milestone -r --reviewer -e --env -o --org -n "
    "--notes --notes-file --target --owner -d --description -D --dir -p --pattern -O --output -w "
    "--workflow --hostname -s --scopes -u --user --visibility -f --filename -c --comment --reason "
    "--state -S --search -A --author --method -X -C --clone-dir --event --status -i --key",
    subcommands={"api": _API},
    wraps=(Wrapper(form="words", when="codespace|cs ssh", where="elsewhere"),),
    reader="forge_alias", harmless="--help|--dry-run",
)  # fmt: skip

_GLAB = program(
    _gone("repo|project delete", "the project {target} with all its issues",
          "glab repo view {target}"),
    Fact(CHANGE, "repo|project archive|transfer", severity=HIGH, on="1",
         says="takes the project {target} away from its users",
         instead="Look at it: `glab repo view {target}`."),
    Fact(REWRITE, "repo|project mirror", severity=MEDIUM),
    Fact(DESTROY, "release|mr|issue|incident|snippet|label|milestone|schedule|ci|pipeline|pipe|job|"
         "iteration|securefile|token|deploy-key|ssh-key|gpg-key|cluster|runner delete|revoke|"
         "remove|rotate", on="1", says="deletes {target} on the forge",
         instead="Look at it first: `glab repo view`."),
    Fact(DESTROY, "variable delete|remove", on="1", says="deletes the variable {target}",
         instead="List them: `glab variable list`."),
    Fact(CHANGE, "variable set|update", on="1", severity=MEDIUM),
    Fact(PERSIST, "ssh-key|gpg-key|deploy-key add", on="1",
         says="gives the owner of the key {target} access",
         instead="Look at the keys: `glab ssh-key list`."),
    Fact(PERSIST, "token create", says="creates an access token",
         instead="List them: `glab token list`."),
    Fact(SECRET, "auth status --show-token|-t", says="prints the access token",
         instead="Check the login: `glab auth status`."),
    Fact(SECRET, "config get @token", says="prints the access token",
         instead="Check the login: `glab auth status`."),
    Fact(PUBLISH, "mr merge|accept", on="1", severity=MEDIUM),
    Fact(PUBLISH, "release create|upload", on="1", severity=MEDIUM),
    Fact(READ, "release create|upload", on="2+"),
    Fact(READ, "snippet create", on="each"),
    Fact(CHANGE, "ci|pipeline run|trigger|cancel", severity=LOW),
    values="-R --repo -g --group -P --per-page -p --page -t --title -d --description -l --label "
    "-a --assignee -m --message -b --branch -s --source-branch -X -F -H --hostname -f --output",
    subcommands={"api": _API},
    reader="forge_alias", harmless="--help|--dry-run",
)  # fmt: skip

_OTHER = program(
    Fact(DESTROY, "repo|repos|repository|org|organization|release|releases delete|rm|remove",
         says="deletes it on the forge", instead="Leave the deletion to a person."),
    Fact(SECRET, "auth token|print-token", says="prints the access token",
         instead="Leave the token where it is."),
    harmless="--help",
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    "gh": _GH,
    "glab": _GLAB,
    "tea": _OTHER,
    "bb": _OTHER,
    "fj": _OTHER,
    "berg": _OTHER,
    "gitlab-rails": program(
        Fact(DESTROY, "runner|r @*destroy*|*delete*|*drop*|*truncate*",
             says="deletes records of the forge",
             instead="Read them: `gitlab-rails runner 'puts Project.count'`."),
        Fact(CHANGE, "runner|r|console|c|dbconsole", severity=MEDIUM),
    ),
    "gitlab-rake": program(
        Fact(DESTROY, "gitlab:backup:restore|gitlab:setup|gitlab:cleanup:*|db:drop*|db:reset|"
             "db:schema:load|gitlab:db:drop_tables|gitlab:db:reset*",
             says="replaces or deletes the forge's data",
             instead="Check it: `gitlab-rake gitlab:check`."),
    ),
    "gitlab-ctl": program(
        Fact(DESTROY, "cleanse|remove-accounts|uninstall", says="deletes the forge's data",
             instead="Look at it: `gitlab-ctl status`."),
        Fact(CHANGE, "stop|kill|restart|reconfigure", severity=MEDIUM),
    ),
}  # fmt: skip
