"""Package managers of other languages, and tools that switch between versions of them."""

from handrail.shell.tables.packages import from_plain_http, publishes, redirected
from handrail.shell.tables.shorthand import (
    DESTROY,
    INSTALL,
    LOW,
    MEDIUM,
    READ,
    RUN,
    UNSEEN,
    WRITE,
    Fact,
    Program,
    Wrapper,
    program,
)
from handrail.shell.word import OPAQUE

_OVER_HTTP = "installs and runs code over an insecure connection"
_GEMS = "Install from the usual registry: `gem install` without `--source`."

_CARGO = program(
    publishes("publish", "publishes the crate for everyone", "cargo publish --dry-run"),
    publishes("yank|unyank", "takes a version away from everyone", "cargo search"),
    publishes("owner --add|-a|--remove|-r", "changes who may publish", "cargo owner --list"),
    publishes("release --execute|-x", "publishes a release", "cargo release"),
    publishes("workspaces|ws publish", "publishes crates", "cargo package --list"),
    publishes("login|logout", "changes the account at the registry", "cargo search"),
    *from_plain_http("install|add", "--git|--index|--registry"),
    Fact(INSTALL, "install|add|update|fetch|uninstall|remove|rm", severity=LOW),
    Fact(WRITE, "clean", on="target", says="deletes build results; a build makes them again"),
    Fact(RUN, "run|r|test|t|bench|build|b|check|nextest|xtask", severity=LOW),
    values="--manifest-path -p --package --features -F --target --target-dir --config -Z --color "
    "-j --jobs --version --vers --git --branch --tag --rev --path --registry --index --root "
    "--token --bin --example --test --bench --profile --message-format -C --add -a --remove "
    "--lockfile-path --exclude -i --invert --edges -e --depth",
    chdir="-C", reader="cargo", harmless="--dry-run|-n|--help|-h|--list|-V",
)  # fmt: skip
_GO = program(
    redirected("env -w @GOPROXY=http://*|GOFLAGS=*insecure*|GOFLAGS=*toolexec*|GOINSECURE=*|"
               "GONOSUMDB=*|GONOSUMCHECK=*|GOSUMDB=off|GOPROXY=*//*", "go env"),
    Fact(UNSEEN, "get|install|run -insecure", says=_OVER_HTTP, instead="Leave it out."),
    Fact(UNSEEN, "run|test|build @/dev/fd/*", says="runs an unread program",
         instead="Write it into the project, and read it first."),
    Fact(INSTALL, "get|install|mod", severity=LOW),
    Fact(RUN, "run|test|generate|build|tool", severity=LOW),
    Fact(WRITE, "build|test|tool", on="-o|-coverprofile|-cpuprofile|-memprofile|-trace"),
    Fact(WRITE, "clean -modcache|-cache", severity=LOW, on="cwd", says="deletes caches"),
    Fact(UNSEEN, "-toolexec=/tmp/*|-exec=/tmp/*|-vettool=/tmp/*|-overlay=/tmp/*",
         says="runs a program from a world-writable folder",
         instead="Run the build plainly: `go build ./...`."),
    single_dash=True,
    values="-o -C -exec -toolexec -ldflags -gcflags -tags -run -bench -count -timeout -p -mod "
    "-modfile -overlay -pkgdir -asmflags -buildmode -compiler -cpu -coverprofile -cpuprofile "
    "-memprofile -trace -outputdir -fuzz -benchtime -parallel -list -skip -vet -vettool -f",
    chdir="-C", wraps=(Wrapper(form="shell", options="-toolexec|-exec|-vettool"),),
)  # fmt: skip
_GEM = program(
    publishes("push", "publishes the gem for everyone", "gem build"),
    publishes("yank", "takes a version away from everyone", "gem list -r"),
    publishes("owner --add|-a|--remove|-r", "changes who may publish", "gem list"),
    redirected("sources|source --add=http://*|-a=http://*", "gem sources --list"),
    redirected("sources|source --clear-all|-c", "gem sources --list"),
    *from_plain_http("install|i|update", "-s|--source", _GEMS),
    Fact(UNSEEN, "open -e=*sh|-e=*sh?-c*|--editor=*sh|--editor=*sh?-c*",
         says="starts a shell as the editor", instead="Read the gem: `gem contents`."),
    Fact(INSTALL, "install|i|update|uninstall|cleanup", severity=LOW),
    Fact(DESTROY, f"uninstall @*{OPAQUE}*", says="removes every gem of a list at once",
         instead="List the installed ones: `gem list`."),
    Fact(INSTALL, "uninstall --all|-a !@*", severity=MEDIUM, says="removes all gems"),
    values="-v --version -s --source -i --install-dir -n --bindir -P --trust-policy -p "
    "--http-proxy -e --editor -a --add -r --remove -k --key --host --otp -o --output",
    wraps=(Wrapper(form="shell", options="-e|--editor", when="open"), Wrapper(when="exec")),
    harmless="--help|-h",
)  # fmt: skip
_BUNDLE = program(
    redirected("config @mirror.*|*ssl_verify*|*disable_checksum*", "bundle config list"),
    Fact(INSTALL, "install|update|add|remove|clean|lock|cache", severity=LOW),
    publishes("plugin install", "installs code that runs with every bundle", "bundle list"),
    values="--gemfile --path -j --jobs --without --with --editor --jobs --retry -g --group",
    wraps=(Wrapper(when="exec|e"), Wrapper(form="shell", options="--editor", when="open")),
    harmless="--dry-run|--help",
)  # fmt: skip
_COMPOSER = program(
    redirected("config @secure-http|disable-tls|repositories.*", "composer config --list"),
    Fact(UNSEEN, "--repository=http://*|--repository-url=http://*", says=_OVER_HTTP,
         instead="Install from the usual registry: `composer install`."),
    Fact(INSTALL, "install|require|update|remove|global|create-project", severity=LOW),
    Fact(RUN, "run-script|run|test", severity=LOW),
    values="-d --working-dir --repository --repository-url -f --format --stability -w --profile",
    chdir="-d|--working-dir", wraps=(Wrapper(when="exec"),),
    harmless="--dry-run|--help|-h|--version|-V",
)  # fmt: skip
_DOTNET = program(
    publishes("nuget push", "publishes the package for everyone", "dotnet pack"),
    publishes("nuget delete", "takes a version away from everyone", "dotnet list package"),
    redirected("nuget add|update source @http://*", "dotnet nuget list source"),
    *from_plain_http("add|restore|tool", "-s|--source"),
    Fact(DESTROY, "ef database drop", says="drops the database",
         instead="Look at it: `dotnet ef migrations list`."),
    Fact(DESTROY, "ef migrations remove", severity=LOW),
    Fact(INSTALL, "add|restore|tool|workload|new|remove", severity=LOW),
    Fact(WRITE, "publish|build|pack", on="-o|--output"),
    Fact(RUN, "run|test|watch|exec|build", severity=LOW),
    values="-c --configuration -o --output -f --framework -r --runtime -p --project -s --source "
    "-k --api-key -v --verbosity -n --name --version --filter -l --logger --property",
    harmless="--help|-h|--dry-run",
)  # fmt: skip
_DART = program(
    publishes("pub publish", "publishes the package", "dart pub publish --dry-run"),
    publishes("pub uploader|token add|remove", "changes who may publish", "dart pub deps"),
    Fact(INSTALL, "pub get|add|upgrade|remove|global|downgrade", severity=LOW),
    values="-C --directory -d --device-id --target -t", chdir="-C|--directory",
    harmless="--dry-run|-n|--help|-h",
)  # fmt: skip
_MIX = program(
    publishes("hex.publish", "publishes the package for everyone", "mix hex.build"),
    publishes("hex.retire|hex.owner|hex.user|hex.organization", "changes it at the registry",
              "mix hex.info"),
    Fact(DESTROY, "ecto.drop|ecto.reset", says="drops the database",
         instead="Look at it: `mix ecto.migrations`."),
    *from_plain_http("archive.install|escript.install|local.hex", ""),
    Fact(INSTALL, "deps.get|deps.update|local.*|archive.install", severity=LOW),
    Fact(RUN, "test|run|compile|phx.server", severity=LOW),
    harmless="--dry-run|--help",
)  # fmt: skip
_EXEC = program(posix=False, wraps=(Wrapper(when="exec|x|run"),))

PROGRAMS: dict[str, Program] = {
    "cargo": _CARGO,
    "go": _GO,
    "gem": _GEM,
    "bundle": _BUNDLE,
    "bundler": program(same_as="bundle"),
    "composer": _COMPOSER,
    "dotnet": _DOTNET,
    "nuget": program(
        publishes("push", "publishes the package", "nuget pack"),
        publishes("delete", "takes a version away from everyone", "nuget list"),
        redirected("sources add|update|Add @http://*", "nuget sources list"),
    ),
    "mix": _MIX,
    "rebar3": program(publishes("hex publish|retire|owner", "publishes", "rebar3 tree")),
    "dart": _DART,
    "flutter": _DART,
    "pod": program(
        publishes("trunk push|delete|deprecate|add-owner|remove-owner",
                  "changes the pod for everyone", "pod lib lint"),
        publishes("repo push|remove", "changes a spec repository", "pod repo list"),
        Fact(INSTALL, "install|update", severity=LOW),
    ),
    "luarocks": program(
        publishes("upload", "publishes the rock for everyone", "luarocks pack"),
        *from_plain_http("install", "--server"),
        Fact(INSTALL, "install|make|remove", severity=LOW),
        values="--server --tree --local-tree",
    ),
    "cabal": program(
        publishes("upload --publish", "publishes the package", "cabal check"),
        publishes("upload", "uploads the package", "cabal check"),
    ),
    "stack": program(
        publishes("upload", "publishes the package", "stack sdist"),
        wraps=(Wrapper(when="exec"),),
    ),
    "opam": program(
        publishes("publish", "publishes the package", "opam lint"),
        Fact(DESTROY, "switch remove", severity=MEDIUM, says="deletes an environment"),
        wraps=(Wrapper(when="exec"),),
    ),
    "dune-release": program(
        publishes("", "publishes a release", "dune build"),
        harmless="--dry-run",
    ),
    "snapcraft": program(
        publishes("upload|push|release|promote|close|register", "publishes the snap",
                  "snapcraft pack"),
    ),
    "goreleaser": program(
        publishes("release|publish|announce", "publishes a release",
                  "goreleaser release --snapshot --clean"),
        harmless="--snapshot|--help|--skip=*publish*",
    ),
    "rustup": program(
        Fact(DESTROY, "self uninstall", severity=MEDIUM, says="removes all of Rust"),
        Fact(INSTALL, "install|update|toolchain|target|component|override", severity=LOW),
        wraps=(Wrapper(when="run", skip=1),),
    ),
    "mise": _EXEC,
    "rtx": _EXEC,
    "asdf": _EXEC,
    "pyenv": _EXEC,
    "rbenv": _EXEC,
    "nodenv": _EXEC,
    "volta": _EXEC,
    "fnm": program(values="--using", wraps=(Wrapper(when="exec"),)),
    "nvm": program(
        Fact(INSTALL, "install|uninstall|use", severity=LOW),
        wraps=(Wrapper(when="exec|run", skip=1),),
    ),
    "direnv": program(
        Fact(RUN, "allow|permit|grant", severity=MEDIUM, says="lets .envrc run by itself"),
        Fact(READ, "allow|permit|grant", on="each"),
        wraps=(Wrapper(when="exec", skip=1),),
    ),
}  # fmt: skip
