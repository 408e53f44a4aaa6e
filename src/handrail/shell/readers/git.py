"""Read git calls whose options alone do not tell the effect: checkout, config, forges' APIs."""

import re
from collections.abc import Callable, Iterable, Iterator

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.program_lookup import compile_glob
from handrail.shell.readers.git_files import cleaned, replaced, work_tree
from handrail.shell.readers.make_effects import effect, http_method, path_effect, takes_over
from handrail.shell.tables.git import CONFIG_COMMANDS, CONFIG_PLAIN
from handrail.shell.word import Word

_STASH = "Keep the changes first: `git stash push --include-untracked`."
_SHOWN = "Show the settings: `git config --list --show-origin`."
_PATH_STARTS = ("./", "../", "/", ":/", ":(", ":!", "~")
_FILE_NAME = re.compile(
    r"(?<![\d.])\.(?:py[iwx]?|ipynb|[cm]?[jt]sx?|json[5cl]?|ya?ml|toml|md|mdx|rst|adoc|txt|html?|s?css|"
    r"less|sass|go|mod|sum|rs|java|kts?|gradle|groovy|scala|clj[sc]?|[ch]|cc|cpp|cxx|hpp|hh|cs|csproj|"
    r"sln|fs|vb|rb|erb|gemspec|php|pl|pm|sh|bash|zsh|fish|ps1|bat|sql|xml|svg|png|jpe?g|gif|ico|pdf|"
    r"lock|cfg|ini|conf|env|properties|swift|mm?|lua|r|jl|proto|tf|tfvars|hcl|vue|svelte|astro|dart|"
    r"exs?|erl|hs|ml|elm|nim|zig|csv|tsv|log|diff|patch|bak|tmpl|tpl|j2|ejs|hbs|graphql|gql|mk|cmake|"
    r"tex|bib|nix|service|plist|ron|wasm|zip|gz)$"
    r"|(?:^|/)(?:Makefile|GNUmakefile|Dockerfile|Containerfile|Jenkinsfile|Vagrantfile|Procfile|"
    r"Gemfile|Rakefile|Podfile|Pipfile|Justfile|justfile|LICENSE|README|CHANGELOG|CODEOWNERS)$"
    r"|^\.\w",
    re.IGNORECASE,
)
_BRANCH = re.compile(
    r"(?:origin|upstream|remotes|refs|heads|tags)/|"
    r"(?:fix|bug|bugfix|hotfix|feature|feat|chore|release|refactor|revert|wip|issue|backport|"
    r"dependabot|renovate|codex|claude|copilot|cursor)/",
    re.IGNORECASE,
)
"""The form of branch names; `fix/node.js` is one, not a file."""
_TEMPORARY = re.compile(r"(?:^|[\s'\"=!])(?:/tmp|/var/tmp|/dev/shm|/private/tmp)(?:/|$)")
_ADDRESS = re.compile(r"https?://")
_OFF = frozenset({"false", "0", "no", "off", ""})


def _checkout(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `git checkout`: with a branch it switches, with paths it overwrites files."""
    if call.has("-p", "--patch"):
        return
    paths = _checked_out_paths(command, call)
    yield from replaced(command, paths, other=len(call.operands) > len(paths))
    for path in paths:
        yield effect(
            Kind.DISCARD,
            path.shown,
            severity=Severity.HIGH,
            undo=Undo.UNKNOWN,
            says=f"throws away uncommitted changes to {path.shown}",
            instead=_STASH,
        )


def _checked_out_paths(command: Command, call: ParsedArguments) -> tuple[Word, ...]:
    dashes = next((i for i, word in enumerate(command.argv) if word.text == "--"), None)
    if dashes is not None:
        return command.argv[dashes + 1 :]
    if call.has("-b", "-B", "--orphan", "-t", "--track", "--detach"):
        return ()
    operands = call.operands
    if len(operands) > 1:
        return operands if _is_path(operands[0]) else operands[1:]
    return tuple(word for word in operands if _is_path(word))


def _is_path(word: Word) -> bool:
    text = word.text
    return (
        text in {".", "..", "*"}
        or text.startswith(_PATH_STARTS)
        or text.endswith("/")
        or word.glob
        or (_FILE_NAME.search(text) is not None and not _BRANCH.match(text))
    )


def _clean(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `git clean`: with `-c clean.requireForce=false` it needs no `--force`."""
    yield from cleaned(command, call)
    if not call.has("-f", "--force") and _setting(command, "clean.requireforce") in _OFF - {""}:
        yield effect(
            Kind.DISCARD,
            "untracked files",
            severity=Severity.HIGH,
            undo=Undo.IMPOSSIBLE if call.has("-x", "-X") else Undo.UNKNOWN,
            says="deletes untracked files, which git cannot bring back",
            instead="Preview it: `git clean -nd`.",
        )


def _gc(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `git gc`: with `-c gc.pruneExpire=now` it is `git gc --prune=now`."""
    if not call.has("--prune") and _setting(command, "gc.pruneexpire") in {"now", "all", "0"}:
        yield effect(
            Kind.REWRITE,
            "unreachable commits",
            says="deletes unreachable commits for good",
            instead="Let git keep its two weeks: `git gc`.",
        )


def _setting(command: Command, name: str) -> str | None:
    """Return the value of `-c name=value`."""
    for word in command.argv:
        key, _, value = word.text.removeprefix("-c").partition("=")
        if key.lower() == name:
            return value.lower()
    return None


def _git(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read the options before the subcommand: `-c key=value`, `--exec-path=folder`."""
    yield from _settings(call.values("-c"))
    yield from work_tree(command, call)
    for word in call.values("--config-env"):
        key, _, variable = word.text.partition("=")
        if _runs_command(key) and not compile_glob(CONFIG_PLAIN).match(key):
            yield _unseen(key, f"${variable}")
    for word in call.values("--exec-path"):
        if word.text:
            yield effect(
                Kind.UNSEEN,
                word.shown,
                says=f"takes git's own programs from {word.shown}",
                instead="Leave `--exec-path` out.",
            )


def _clone(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    yield from _settings(call.values("-c", "--config"))
    yield from _init(command, call)


def _init(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `--template`: its hooks become those of the new repository."""
    for word in call.values("--template"):
        yield path_effect(Kind.READ, join(command.cwd, word))
        if _TEMPORARY.search(join(command.cwd, word).text):
            yield effect(
                Kind.UNSEEN,
                word.shown,
                says=f"takes hooks that git will run from {word.shown}, which anyone can write",
                instead="Leave `--template` out.",
            )


def _settings(words: Iterable[Word]) -> Iterator[Effect]:
    for word in words:
        key, _, value = word.text.partition("=")
        yield from _setting_effects(key, value, lasting=False)


def set_values(call: ParsedArguments) -> tuple[str, Word] | None:
    """Return the key and the value that a `git config` call sets, if any."""
    operands = call.operands
    if operands and operands[0].text == "set":
        operands = operands[1:]
    elif call.has(
        "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--unset", "-l", "--list"
    ) or (operands and operands[0].text in {"get", "list", "unset", "edit", "rename-section"}):
        return None
    return (operands[0].text, operands[1]) if len(operands) > 1 else None


def _config(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    pair = set_values(call)
    if pair is not None:
        yield from _setting_effects(pair[0], pair[1].text, lasting=True)
        if pair[0].lower() == "core.worktree":
            yield takes_over(join(command.cwd, pair[1]), "makes git work in {target}")


def _setting_effects(key: str, value: str, *, lasting: bool) -> Iterator[Effect]:
    name = key.lower()
    if _runs_command(name):
        if _TEMPORARY.search(value) or (name == "core.hookspath" and _ADDRESS.match(value)):
            yield _unseen(key, value)
        elif lasting and name == "core.hookspath" and value in {"", "/dev/null"}:
            yield effect(
                Kind.TAMPER,
                key,
                severity=Severity.HIGH,
                says="switches off all hooks of git",
                instead="Leave the hooks on; name the failing hook and the reason.",
            )
        elif lasting and not compile_glob(CONFIG_PLAIN).match(name):
            yield effect(
                Kind.PERSIST,
                key,
                severity=Severity.MEDIUM,
                says=f"makes git run {value or 'nothing'} from now on, by {key}",
                instead=_SHOWN,
            )
    elif name == "clean.requireforce" and value.lower() in _OFF:
        yield effect(
            Kind.TAMPER,
            key,
            severity=Severity.HIGH if lasting else Severity.MEDIUM,
            says="lets git clean delete files without being forced",
            instead="Preview it: `git clean -nd`.",
        )
    elif re.fullmatch(r"http\.(?:.*\.)?sslverify", name) and value.lower() in _OFF:
        yield effect(
            Kind.TAMPER,
            key,
            severity=Severity.HIGH if lasting else Severity.MEDIUM,
            says="switches off the check of server certificates",
            instead="Name the certificate: `git config http.sslCAInfo ca.pem`.",
        )
    elif lasting and re.fullmatch(r"(?:https?\.(?:.*\.)?|remote\..*\.)proxy", name):
        if value and not re.match(r"(?:\w+://)?(?:localhost|127\.|\[::1\])", value):
            yield effect(
                Kind.TAMPER,
                key,
                severity=Severity.HIGH,
                says=f"sends everything that git fetches and pushes through {value}",
                instead=_SHOWN,
            )
    elif lasting and re.fullmatch(r"url\..*\.(?:push)?insteadof", name):
        plain = key[4:].startswith("http://")
        yield effect(
            Kind.CHANGE,
            key,
            severity=Severity.HIGH if plain else Severity.MEDIUM,
            says=f"sends every address that begins with {value} elsewhere",
            instead=_SHOWN,
        )


def _runs_command(key: str) -> bool:
    return compile_glob(CONFIG_COMMANDS).match(key) is not None


def _unseen(key: str, value: str) -> Effect:
    return effect(
        Kind.UNSEEN,
        f"{key}={value}",
        says=f"makes git run {value}, which nobody has seen, by {key}",
        instead=_SHOWN,
    )


_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_DELETING = re.compile(
    r"\b(?:delete|remove|archive|close|disable|revoke|destroy|transfer|unlink)[A-Z]\w*\s*\("
)
_OPENING = re.compile(r"/(?:keys|hooks|collaborators/[^/]+|deploy_keys|memberships/[^/]+)/?$")
_SECRETS = re.compile(r"/(?:secrets|variables)/[^/]+/?$")
_LOOK = "Read it: `gh api {path}`."


def _api(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `gh api`, `glab api`, `hub api` by method and address."""
    operands = [word for word in call.operands if word.text != "api"]
    path = operands[0].shown if operands else ""
    fields = call.values("-f", "-F", "--field", "--raw-field")
    yield from _field_files(command, call, fields)
    if path == "graphql":
        yield from _graphql(fields)
        return
    posts = "POST" if fields or call.has("--input") else "GET"
    method = http_method(call, "-X", "--method") or posts
    if method in _READING:
        return
    severity, says = _weight(method, path, fields)
    yield effect(
        Kind.DESTROY if method == "DELETE" else Kind.CHANGE,
        path,
        severity=severity,
        says=f"{says} {path}",
        instead=_LOOK.format(path=path),
    )


def _weight(method: str, path: str, fields: Iterable[Word]) -> tuple[Severity, str]:
    given = {word.text.lower() for word in fields}
    if method == "DELETE":
        return Severity.HIGH, "deletes"
    if given & {"force=true"} and "/refs/" in path:
        return Severity.HIGH, "overwrites the branch at"
    if given & {"private=false", "visibility=public", "private=true", "archived=true"}:
        return Severity.HIGH, "changes who can see or use"
    if _OPENING.search(path) or _SECRETS.search(path):
        return Severity.HIGH, "gives access through"
    return (Severity.LOW if method == "POST" else Severity.MEDIUM), "changes"


def _graphql(fields: Iterable[Word]) -> Iterator[Effect]:
    query = " ".join(word.text for word in fields)
    if "mutation" not in query:
        return
    severe = _DELETING.search(query) is not None
    yield effect(
        Kind.DESTROY if severe else Kind.CHANGE,
        "graphql",
        severity=Severity.HIGH if severe else Severity.LOW,
        says="changes or deletes through a GraphQL mutation",
        instead="Read first with a query: `gh api graphql -f query='query { viewer { login } }'`.",
    )


def _field_files(
    command: Command, call: ParsedArguments, fields: Iterable[Word]
) -> Iterator[Effect]:
    for word in fields:
        _, at, name = word.text.partition("=@")
        if at and name != "-":
            yield path_effect(Kind.READ, join(command.cwd, Word(name)))
    for word in call.values("--input"):
        if word.text != "-":
            yield path_effect(Kind.READ, join(command.cwd, word))


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "git": _git,
    "git_checkout": _checkout,
    "git_clean": _clean,
    "git_clone": _clone,
    "git_config": _config,
    "git_gc": _gc,
    "git_init": _init,
    "forge_api": _api,
}
