"""Package managers of programming languages: installing, running, publishing."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    FETCH,
    HIGH,
    INSTALL,
    LOW,
    MEDIUM,
    NONE,
    PUBLISH,
    READ,
    RUN,
    SECRET,
    TAMPER,
    UNSEEN,
    WRITE,
    Fact,
    Program,
    Wrapper,
    program,
)

_NOT_HERE = "!@http://localhost*|http://127.*|http://[::1]*"
_UNSAFE = "@http://*|*git+http://*|git://*|ftp://*|*@http://*|*@?http://*"
_REGISTRY = "Install from the usual registry: leave the address out."
_OWN = "removes or replaces this agent's guard"
_HANDRAIL = "@handrail|handrail[<=>@~[]*"
_PERSON = "Ask a person to decide; an agent does not change its own supervision."
_EMPTIED = "empties the environment {target}"
_DRY = "--dry-run|--help|-h|--version|-V"


def from_plain_http(verbs: str, options: str, instead: str = _REGISTRY) -> tuple[Fact, ...]:
    """Installing over a connection that anyone on the way can change."""
    names = options.split("|")
    plain = "|".join(f"{name}={how}http://*" for name in names for how in ("", "git+"))
    local = "|".join(f"{name}=http://{host}*" for name in names for host in ("localhost", "127."))
    says = "installs and runs code over an insecure connection"
    facts = [Fact(UNSEEN, f"{verbs} {_UNSAFE} {_NOT_HERE}", says=says, instead=instead)]
    if options:
        facts.append(Fact(UNSEEN, f"{verbs} {plain} !{local}", says=says, instead=instead))
    return tuple(facts)


def publishes(when: str, what: str, look: str) -> Fact:
    """Something that others get at once and that cannot be taken back."""
    return Fact(PUBLISH, when, severity=HIGH, says=what, instead=f"Try it first: `{look}`.")


def redirected(when: str, look: str) -> Fact:
    """A setting that makes every later install come from elsewhere."""
    return Fact(TAMPER, when, severity=HIGH, says="makes later installs come from elsewhere",
                instead=f"Look at the settings: `{look}`.")  # fmt: skip


_TOKENS = "@*token*|*password*|*_auth*"

# JavaScript

_NPM_VALUES = (
    "--registry --prefix --workspace -w --tag --access --otp --userconfig --globalconfig --cache "
    "--loglevel --script-shell --node-options -c --call --package --omit --include --save-prefix "
    "--depth --filter -F -C --dir --cwd --reporter --color --shell --arch --os --cpu --libc"
)
_RUN_IN_PACKAGE = (
    "@rimraf|shx|del|del-cli|cross-env|trash|lerna|changeset|semantic-release|np|release-it|nx|"
    "concurrently|nodemon|onchange|chokidar|prisma|sequelize|knex|typeorm|wrangler|vercel"
)
_NPM_FACTS = (
    publishes("publish", "publishes the package for everyone", "npm publish --dry-run"),
    publishes("unpublish", "takes a package away from all its users", "npm view"),
    publishes("deprecate|undeprecate", "marks a package for everyone", "npm view"),
    publishes("owner|author add|rm|remove", "changes who may publish the package", "npm owner ls"),
    publishes("access set|grant|revoke|public|restricted|edit|2fa-*",
              "changes who may use or publish the package", "npm access get status"),
    publishes("team create|destroy|add|rm|remove", "changes a team of the registry", "npm team ls"),
    publishes("org|ogr set|add|rm", "changes the members of an organisation", "npm org ls"),
    publishes("dist-tag|dist-tags|tag add|a|rm|r|del|d|remove|set|s",
              "changes which version everyone gets", "npm dist-tag ls"),
    publishes("token create|add|revoke|delete|remove|rm", "creates or revokes access tokens",
              "npm token list"),
    publishes("profile|hook set|add|rm|update|enable-2fa|disable-2fa",
              "changes the account at the registry", "npm profile get"),
    Fact(SECRET, f"config get {_TOKENS}", says="prints a registry token",
         instead="Check the login: `npm whoami`."),
    redirected("config set @registry*|*:registry*|npmregistry*|*proxy*|//*", "npm config list"),
    redirected("set|c @registry*|*:registry*|//*", "npm config list"),
    redirected("config set @*strict-ssl*|script-shell*|node-options*|cafile*", "npm config list"),
    Fact(UNSEEN, "--script-shell=/tmp/*|--script-shell=/var/tmp/*|--script-shell=/dev/shm/*",
         says="runs every script with an unread program",
         instead="Leave `--script-shell` out."),
    *from_plain_http("install|i|add|in|ins|ci|isntall", "--registry"),
    Fact(CHANGE, "login|adduser|logout|add-user", severity=MEDIUM),
    Fact(INSTALL, "install|i|add|ci|update|up|upgrade|link|rebuild|dedupe", severity=LOW),
    Fact(INSTALL, "uninstall|remove|rm|un|r|prune", severity=LOW, says="removes packages"),
    Fact(TAMPER, f"install|i|add|uninstall|remove|rm|un -g|--global|--location=global {_HANDRAIL}",
         says=_OWN, instead=_PERSON),
    Fact(RUN, "run|run-script|start|test|t|stop|restart|rum|task", severity=LOW),
    Fact(WRITE, "pkg set|delete", on="package.json"),
)  # fmt: skip
_NPM = program(
    *_NPM_FACTS,
    values=_NPM_VALUES, chdir="--prefix|-C|--dir|--cwd", reader="npm",
    wraps=(Wrapper(form="shell", options="-c|--call", when="exec|x"),
           Wrapper(when="exec|x|dlx !-c|--call"),
           Wrapper(when=f"!@exec|x|dlx|run|add|install|i {_RUN_IN_PACKAGE}")),
    harmless="--dry-run|--help|-h|--version|-v",
)  # fmt: skip
_NPX = program(
    Fact(UNSEEN, "--registry=http://*|-p=http://*|--package=http://*",
         says="runs code over an insecure connection", instead=_REGISTRY),
    *from_plain_http("", ""),
    Fact(RUN, severity=LOW),
    values="-p --package -c --call --node-options --registry --cache --userconfig", posix=True,
    wraps=(Wrapper(form="shell", options="-c|--call"), Wrapper(when="!-c|--call")),
)  # fmt: skip
_YARN = program(
    *_NPM_FACTS,
    publishes("npm publish|tag", "publishes the package for everyone", "yarn pack --dry-run"),
    publishes("workspaces foreach npm publish", "publishes packages", "yarn workspaces list"),
    publishes("workspace * npm publish", "publishes a package", "yarn workspaces list"),
    values=_NPM_VALUES, chdir="--cwd", reader="npm",
    wraps=(Wrapper(when="exec|dlx|node"),
           Wrapper(when=f"!@exec|dlx|run|add|global {_RUN_IN_PACKAGE}")),
    harmless="--dry-run|--help|-h|--version|-v",
)  # fmt: skip
_BUN = program(
    *_NPM_FACTS,
    values=f"{_NPM_VALUES} -e --eval -p --print --preload --env-file --config --port --target "
    "--outdir --outfile",
    chdir="--cwd", reader="deno", wraps=(Wrapper(when="x"),),
    harmless="--dry-run|--help|-h|--version|-v",
)  # fmt: skip
_DENO = program(
    publishes("publish", "publishes the package for everyone", "deno publish --dry-run"),
    Fact(UNSEEN, "run|serve|test|install|compile|x @http*://* !@https://deno.land/*|"
         "https://jsr.io/*|https://esm.sh/*|http://localhost*",
         says="runs code from an unchecked address",
         instead="Fetch and read it first: `deno info`."),
    publishes("deploy|deployctl", "puts the program online", "deno check main.ts"),
    Fact(RUN, "run|task|test|bench", severity=LOW),
    Fact(INSTALL, "install|add|cache|upgrade", severity=LOW),
    values="-e --eval -p --print -c --config --import-map -o --output --lock --cert -L "
    "--log-level --location --env-file --ext -n --name --root --token",
    reader="deno", harmless="--dry-run|--help|-h|--version|-V",
)  # fmt: skip


def _release_tool(
    what: str, when: str = "", harmless: str = "--dry-run|--help|--version|-h"
) -> Program:
    facts = (Fact(PUBLISH, when, severity=HIGH, says=what, instead="Try it with `--dry-run`."),)
    return program(*facts, harmless=harmless)


_EVERYONE = "publishes packages for everyone"
_JAVASCRIPT: dict[str, Program] = {
    "npm": _NPM,
    "pnpm": _NPM,
    "cnpm": program(same_as="npm"),
    "yarn": _YARN,
    "yarnpkg": program(same_as="yarn"),
    "bun": _BUN,
    "deno": _DENO,
    "npx": _NPX,
    "bunx": _NPX,
    "pnpx": _NPX,
    "corepack": program(posix=True, wraps=(Wrapper(when="@npm|pnpm|yarn"),)),
    "lerna": _release_tool(_EVERYONE, "publish"),
    "changeset": _release_tool(_EVERYONE, "publish"),
    "changesets": program(same_as="changeset"),
    "semantic-release": _release_tool(_EVERYONE, harmless="--dry-run|-d|--help|-h|--version"),
    "release-it": _release_tool(_EVERYONE),
    "np": _release_tool(_EVERYONE, harmless="--preview|--help|--version"),
    "auto": _release_tool(_EVERYONE, "shipit|release|canary|next", "--dry-run|-d|--help"),
    "jsr": _release_tool(_EVERYONE, "publish"),
    "nx": program(
        publishes("release publish", _EVERYONE, "nx release --dry-run"),
        publishes("release !--skip-publish", _EVERYONE, "nx release --dry-run"),
        harmless="--dry-run|-d|--help",
    ),
    "vsce": _release_tool("publishes the extension", "publish|unpublish|delete-publisher"),
    "ovsx": _release_tool("publishes the extension", "publish|create-namespace"),
    "web-ext": _release_tool("publishes the extension", "sign"),
}  # fmt: skip

# Python

_KNOWN_INDEXES = (
    "*pypi*", "*.pytorch.org",
    "*.pkg.dev", "*.jfrog.io", "*.azure.com",
    "*.amazonaws.com", "localhost*", "127.*", "10.*", "192.168.*",
)  # fmt: skip


def _foreign(names: str) -> str:
    """One of these options with an address that is not a well-known index."""
    known = "|".join(
        f"{name}=http*://{user}{host}{rest}"
        for name in names.split("|")
        for host in _KNOWN_INDEXES
        for user in ("", "*@")
        for rest in ("", "/*", ":*")
    )
    return f"{names} !{known}"


_OTHER_INDEX = _foreign("-i|--index-url")
_MORE_INDEX = _foreign("--extra-index-url")
_PIP = program(
    *from_plain_http("install|download|wheel|sync|lock", "-i|--index-url|--extra-index-url|-f|"
                     "--find-links|-r|--requirement|-e|--index|--default-index|--editable"),
    Fact(UNSEEN, "install|download|sync --trusted-host !--trusted-host=*pypi*|"
         "--trusted-host=*pythonhosted*|--trusted-host=localhost*|--trusted-host=127.*",
         says="installs without checking who sends the code", instead=_REGISTRY),
    Fact(INSTALL, f"install|download|wheel {_OTHER_INDEX}", severity=MEDIUM, on="-i|--index-url",
         says="takes the packages from {target} instead of PyPI"),
    Fact(INSTALL, f"install|download|wheel {_MORE_INDEX}", severity=MEDIUM, on="--extra-index-url",
         says="takes packages from {target} as well, where anyone may have put the same name"),
    Fact(INSTALL, "install @*git+https://*|https://*", severity=MEDIUM),
    redirected("config set @*index-url*|*trusted-host*|*find-links*|*proxy*|*cert*",
               "pip config list"),
    Fact(INSTALL, "install|sync", severity=LOW),
    Fact(INSTALL, "uninstall", severity=LOW, says="removes packages"),
    Fact(TAMPER, f"install|uninstall {_HANDRAIL}", says=_OWN, instead=_PERSON),
    Fact(DESTROY, "uninstall @pip|setuptools", says="removes the installer itself",
         instead="Upgrade it: `pip install --upgrade pip`."),
    Fact(READ, on="-r|--requirement|-c|--constraint"),
    Fact(WRITE, on="-t|--target|-d|--dest|-w|--wheel-dir|-o|--output-file|--log"),
    Fact(FETCH, "download", severity=LOW),
    values="-r --requirement -c --constraint -e --editable -i --index-url --extra-index-url -f "
    "--find-links -t --target --prefix --root --src -d --dest -w --wheel-dir --trusted-host "
    "--proxy --cert --client-cert --cache-dir --log --python --platform --python-version --abi "
    "--implementation --no-binary --only-binary --upgrade-strategy -C --config-settings "
    "--global-option --format --exclude --path --report --progress-bar --timeout --retries "
    "--exists-action --group -o --output-file -p --index --default-index",
    reader="pip", harmless="--dry-run|--help|-h|--version|-V",
)  # fmt: skip
_UV_VALUES = (
    f"{_PIP.values} --project --directory --with --with-requirements --with-editable --extra "
    "--only-group --no-group --package --env-file --config-file --index-strategy --color "
    "--keyring-provider --resolution --prerelease --allow-insecure-host --from --bin --token "
    "--publish-url --username --password --refresh-package --link-mode --exclude-newer"
)
_UV = program(
    publishes("publish", "publishes the package for everyone", "uv build"),
    *from_plain_http("add|pip|sync|lock|tool|run", "-i|--index-url|--extra-index-url|--index|"
                     "--default-index|-f|--find-links|--with|--from"),
    Fact(UNSEEN, "--allow-insecure-host", says="installs without checking who sends the code",
         instead=_REGISTRY),
    Fact(UNSEEN, "run @http://*|https://*", says="runs a script straight from the network",
         instead="Download and read it first: `curl -O`."),
    Fact(INSTALL, "add|sync|pip|tool|python install|sync|upgrade", severity=LOW),
    Fact(INSTALL, "remove|pip uninstall", severity=LOW, says="removes packages"),
    Fact(TAMPER, f"pip|tool install|uninstall|upgrade {_HANDRAIL}", says=_OWN, instead=_PERSON),
    Fact(TAMPER, "remove @handrail", says=_OWN, instead=_PERSON),
    Fact(TAMPER, "tool uninstall|upgrade --all", says="removes or replaces all tools of uv, "
         "perhaps this agent's guard too", instead="Name the tools that should go."),
    Fact(WRITE, "venv --clear|-c", on="each", severity=NONE, recursive=True, says=_EMPTIED),
    Fact(SECRET, "auth token", says="prints an access token", instead="Leave it where it is."),
    Fact(WRITE, on="-o|--output-file"),
    Fact(READ, "run", on="--env-file"),
    values=_UV_VALUES, reader="pip", chdir="--directory|--project",
    wraps=(Wrapper(when="run"), Wrapper(when="tool run")), harmless="--dry-run",
)  # fmt: skip
_UVX = program(
    Fact(UNSEEN, "--from=http://*|--from=git+http://*|--index-url=http://*",
         says="runs code over an insecure connection", instead=_REGISTRY),
    Fact(RUN, severity=LOW),
    values=_UV_VALUES, posix=True, wraps=(Wrapper(),),
)  # fmt: skip
_POETRY = program(
    publishes("publish|upload", "publishes the package for everyone", "poetry build"),
    Fact(SECRET, f"config {_TOKENS}|http-basic*", says="reads or sets a publishing token",
         instead="Look at the other settings: `poetry config --list`."),
    redirected("config @repositories.*", "poetry config --list"),
    redirected("source add @http://*", "poetry source show"),
    *from_plain_http("add|install", "--source"),
    Fact(INSTALL, "install|add|update|lock|sync|remove|self", severity=LOW),
    Fact(WRITE, "export", on="-o|--output"),
    values="-C --directory -P --project -G --group -E --extras -r --repository -u --username -p "
    "--password --source --with --without --only --python --format -f -o --output",
    chdir="-C|--directory|-P|--project", wraps=(Wrapper(when="run"),),
    harmless="--dry-run|--help|-h|--version|-V",
)  # fmt: skip
_CONDA = program(
    Fact(TAMPER, f"remove|uninstall|update|upgrade|install {_HANDRAIL}", says=_OWN,
         instead=_PERSON),
    Fact(DESTROY, "env remove", severity=MEDIUM, says="deletes an environment"),
    Fact(DESTROY, "remove|uninstall --all|-a", severity=MEDIUM, says="deletes an environment"),
    Fact(DESTROY, "remove|uninstall|env -n=base|--name=base",
         says="removes from the base environment, which conda itself needs",
         instead="Look first: `conda list -n base`."),
    redirected("config @http://*", "conda config --show"),
    redirected("config --set @ssl_verify", "conda config --show"),
    *from_plain_http("install|create", "-c|--channel"),
    Fact(INSTALL, "install|create|update|env|upgrade", severity=LOW),
    publishes("upload", "publishes a package", "conda list"),
    Fact(READ, on="-f|--file"),
    values="-n --name -p --prefix -c --channel -f --file --override-channels --solver --cwd",
    wraps=(Wrapper(when="run"),), harmless=_DRY + "|-d",
)  # fmt: skip
_PYTHON: dict[str, Program] = {
    "pip": _PIP,
    "pip3": program(same_as="pip"),
    "easy_install": program(
        *from_plain_http("", "-i|--index-url|-f|--find-links"),
        Fact(INSTALL, severity=LOW),
        values="-i --index-url -f --find-links -d --install-dir",
    ),
    "uv": _UV,
    "uvx": _UVX,
    "poetry": _POETRY,
    "pdm": program(
        publishes("publish", "publishes the package for everyone", "pdm build"),
        redirected("config @pypi.url|*.url|*verify_ssl", "pdm config"),
        Fact(INSTALL, "install|add|update|sync|remove", severity=LOW),
        values="-p --project -G --group -r --repository -u --username -P --password",
        chdir="-p|--project", wraps=(Wrapper(when="run"),), harmless="--dry-run|--help|-h",
    ),
    "pipx": program(
        *from_plain_http("run|install", "--spec|--index-url|-i"),
        Fact(TAMPER, f"install|uninstall|upgrade|reinstall|inject {_HANDRAIL}", says=_OWN,
             instead=_PERSON),
        Fact(TAMPER, "runpip handrail !list|show|freeze|check|inspect", says=_OWN,
             instead="Look at it: `pipx runpip handrail list`."),
        Fact(TAMPER, "uninject|pin|unpin handrail", says=_OWN, instead=_PERSON),
        Fact(TAMPER, "uninstall-all|reinstall-all", says="removes all programs of pipx, perhaps "
             "this agent's guard too", instead="Name the programs that should go."),
        Fact(INSTALL, "install|inject|upgrade|uninstall", severity=LOW),
        values="--spec --python --index-url -i --pip-args --suffix --backend",
        wraps=(Wrapper(when="run"),),
    ),
    "venv": program(
        Fact(WRITE, "--clear", on="each", severity=NONE, recursive=True, says=_EMPTIED),
        values="--prompt",
    ),
    "virtualenv": program(
        Fact(WRITE, "--clear", on="each", severity=NONE, recursive=True, says=_EMPTIED),
        values="-p --python --prompt --app-data --seeder --pip --setuptools --creator",
    ),
    "pipenv": program(
        *from_plain_http("install", "-i|--index|--pypi-mirror"),
        Fact(INSTALL, "install|sync|update|uninstall", severity=LOW),
        values="--python -i --index --pypi-mirror -r --requirements", wraps=(Wrapper(when="run"),),
    ),
    "conda": _CONDA,
    "mamba": _CONDA,
    "micromamba": _CONDA,
    "pixi": program(
        publishes("upload|publish", "publishes a package", "pixi list"),
        Fact(INSTALL, "install|add|remove|update", severity=LOW),
        values="--manifest-path -e --environment -c --channel -p --platform -f --feature",
        wraps=(Wrapper(when="run"), Wrapper(when="exec|x")),
    ),
    "rye": program(
        publishes("publish", "publishes the package for everyone", "rye build"),
        wraps=(Wrapper(when="run"),),
    ),
    "hatch": program(
        publishes("publish", "publishes the package for everyone", "hatch build"),
        values="-e --env -p --project -d --data-dir", reader="hatch",
        harmless="--help|-h|--version",
    ),
    "flit": program(publishes("publish", "publishes the package", "flit build")),
    "maturin": program(publishes("publish|upload", "publishes it", "maturin build")),
    "twine": program(
        publishes("upload|register", "publishes the package for everyone", "twine check"),
        Fact(READ, "upload|check", on="each"),
        values="-r --repository --repository-url -u --username -p --password -c --comment",
        harmless="--help|-h|--version",
    ),
    "anaconda": program(
        publishes("upload|remove|copy|move|auth", "changes a channel", "conda list"),
    ),
    "setup.py": program(
        publishes("upload|register", "publishes the package", "python -m build"),
        publishes("* upload|register", "publishes the package", "python -m build"),
        Fact(INSTALL, "install|develop", severity=LOW),
    ),
}  # fmt: skip

PROGRAMS: dict[str, Program] = {**_JAVASCRIPT, **_PYTHON}
