"""Forges: deleting, publishing secrets and widening access are stopped, reading is not."""

from collections.abc import Callable

import pytest

from handrail.model.effect import PATH_KINDS, Effect, Kind
from handrail.model.ordinal import Severity

Effects = Callable[[str], tuple[Effect, ...]]

STOPPED = {
    Kind.DESTROY: [
        "gh repo delete owner/app --yes",
        "gh repo delete",
        "gh release delete v1.0.0 -y",
        "gh issue delete 42",
        "gh secret delete KEY",
        "gh run delete 1",
        "gh project item-delete 3",
        "gh api -X DELETE repos/o/r",
        "gh api -XDELETE repos/o/r/releases/1",
        "gh api repos/o/r/hooks/3 --method=DELETE",
        "gh api graphql -f query='mutation { deleteRef(input:{}) { id } }'",
        "glab repo delete g/app",
        "glab api --method DELETE projects/1",
        "glab variable delete X",
        "hub delete -y owner/app",
        "tea repos delete owner/app",
        "svn delete https://svn.example.com/trunk -m x",
        "gitlab-rake gitlab:backup:restore force=yes",
    ],
    Kind.CHANGE: [
        "gh repo archive o/r -y",
        "gh repo edit --visibility=public",
        "gh secret set KEY -b x",
        "gh api -X PATCH repos/o/r -f visibility=public",
        "gh api -X PUT repos/o/r/collaborators/bob",
        "gh api repos/o/r/keys -f key=x",
    ],
    Kind.SECRET: [
        "gh auth token",
        "gh auth status --show-token",
    ],
    Kind.PERSIST: [
        "gh ssh-key add key.pub",
        "gh repo deploy-key add key.pub",
    ],
    Kind.TAMPER: [
        "gh pr merge 5 --admin",
        "gh workflow disable ci.yml",
    ],
    Kind.REWRITE: [
        "gh repo sync --force",
        "gh pr close 5 --delete-branch",
        "hub push --force",
        "bfg --strip-blobs-bigger-than 1M",
        "java -jar bfg.jar --delete-files x",
        "hg strip -r 10",
        "hg push -f",
        "jj op abandon",
        "jj git push --deleted",
    ],
    Kind.DISCARD: [
        "hg update --clean default",
        "hg purge --all",
        "svn revert -R .",
        "svn cleanup --remove-unversioned",
    ],
    Kind.DELETE: [
        "gh alias set boom '!rm -rf /etc'",
    ],
}
ROWS = [(kind, command) for kind, commands in STOPPED.items() for command in commands]


@pytest.mark.parametrize(("kind", "command"), ROWS)
def test_what_others_would_lose(effects: Effects, kind: Kind, command: str) -> None:
    severe = [effect for effect in effects(command) if effect.severity >= Severity.HIGH]
    assert kind in {effect.kind for effect in severe}


@pytest.mark.parametrize(("kind", "command"), ROWS)
def test_what_to_do_instead(effects: Effects, kind: Kind, command: str) -> None:
    severe = [effect for effect in effects(command) if effect.severity >= Severity.HIGH]
    assert all(effect.instead for effect in severe if effect.kind not in PATH_KINDS)


CALM = [
    "gh pr list",
    "gh pr merge 5 --squash",
    "gh pr close 5",
    "gh api repos/o/r",
    "gh api -X GET search/issues -f q=x",
    "gh api repos/o/r/issues -f title=x",
    "gh api graphql -f query='query { viewer { login } }'",
    "gh api graphql -f query='mutation { addComment(input:{}) { id } }'",
    "gh release create v1 --generate-notes",
    "gh issue create -t 'delete me' -b x",
    "gh auth status",
    "gh secret list",
    "gh cache delete 1",
    "gh workflow run ci.yml",
    "gh alias set co 'pr checkout'",
    "gh repo delete --help",
    "glab mr list",
    "glab api -X GET projects/1",
    "glab ci run",
    "svn commit -m x",
    "svn diff",
    "hg update default",
    "hg push",
    "hg purge --print",
    "jj abandon",
    "jj git push",
]


@pytest.mark.parametrize("command", CALM)
def test_reading_and_ordinary_work(effects: Effects, command: str) -> None:
    assert all(effect.severity < Severity.HIGH for effect in effects(command))


def test_what_a_gist_would_show(effects: Effects) -> None:
    read = [
        effect for effect in effects("gh gist create ~/.ssh/id_rsa") if effect.kind is Kind.READ
    ]
    assert [effect.target for effect in read] == ["/home/me/.ssh/id_rsa"]
