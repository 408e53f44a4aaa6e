"""Build tools, compilers, formatters and test runners: where they write, what else they run."""

from handrail.shell.tables.packages import publishes
from handrail.shell.tables.shorthand import (
    CHANGE,
    DELETE,
    HIGH,
    LINK,
    LOW,
    MEDIUM,
    PUBLISH,
    READ,
    REWRITE,
    RUN,
    UNSEEN,
    WRITE,
    Fact,
    Program,
    Wrapper,
    aliases,
    program,
)

_LOOK = "Write the build file into the project, and read it first."


def _from_nowhere(options: str, operands: bool = False) -> Fact:
    """A build file that is typed on the command line or fetched, so that nobody has seen it."""
    names = options.split("|") if options else []
    when = "|".join(f"{name}={place}" for name in names for place in ("/dev/fd/*", "http*://*"))
    if operands:
        when = f"{when} @/dev/fd/*".strip()
    return Fact(UNSEEN, when, says="runs an unread build file", instead=_LOOK)


def _formatter(
    when: str, values: str = "", harmless: str = "--check|--diff|--help|--version"
) -> Program:
    return program(Fact(WRITE, when, on="each"), values=values, harmless=harmless)


_MAKE = program(
    Fact(RUN, severity=LOW),
    Fact(READ, on="-f|--file|--makefile"),
    values="-C --directory -f --file --makefile -I --include-dir -l --load-average -o --old-file "
    "-W --what-if --eval -E",
    chdir="-C|--directory", reader="make",
    harmless="-n|--dry-run|--just-print|--recon|--help|-h|--version|-v|-q|--question",
)  # fmt: skip
_CMAKE = program(
    Fact(DELETE, "-E rm|remove|remove_directory", on="each", recursive=True),
    Fact(READ, "-E copy|copy_directory|copy_if_different|cat|rename|compare_files", on="each"),
    Fact(WRITE, "-E copy|copy_directory|copy_if_different|rename", on="last"),
    Fact(WRITE, "-E make_directory|touch|touch_nocreate", on="each"),
    Fact(LINK, "-E create_symlink|create_hardlink", on="1"),
    Fact(WRITE, "-E create_symlink|create_hardlink", on="2"),
    _from_nowhere("-P|-C|--toolchain"),
    Fact(WRITE, on="--prefix"),
    Fact(READ, on="-P"),
    Fact(RUN, "--build|--install", severity=LOW),
    values="-S -B -G -D -U -P -C -T -A -t --build --install --preset --target --config --parallel "
    "--prefix --toolchain --graphviz --workflow --open --component --log-level",
    reader="cmake", harmless="--help|-h|--version|-N",
)  # fmt: skip
_GRADLE = program(
    publishes("@publish*|*:publish*|uploadArchives|bintrayUpload|closeAndRelease* !@*ToMavenLocal",
              "publishes the build", "gradle publishToMavenLocal"),
    _from_nowhere("-I|--init-script|-b|--build-file|-c|--settings-file"),
    Fact(RUN, severity=LOW),
    values="-p --project-dir -b --build-file -I --init-script -x --exclude-task --console -g "
    "--max-workers --gradle-user-home -c --settings-file --tests --warning-mode --include-build",
    chdir="-p|--project-dir", harmless="-m|--dry-run|--help|-h|--version|-v|--stop|--status",
)  # fmt: skip
_MVN = program(
    publishes("@deploy|site-deploy|*:deploy|*:deploy-file|release:*|*:release|nexus-staging:*|"
              "*release-plugin*", "publishes the build", "mvn install"),
    _from_nowhere("-f|--file|-s|--settings"),
    Fact(RUN, severity=LOW),
    single_dash=True,
    values="-f --file -s --settings -gs -P --activate-profiles -pl --projects -T --threads -l "
    "--log-file -rf --resume-from -t --toolchains -emp -ep -b --builder",
    reader="maven", harmless="-h|--help|-v|--version|-DdryRun",
)  # fmt: skip
_SBT = program(
    publishes("@publish|+publish|publishSigned|+publishSigned|*/publish|*/publishSigned|release*|"
              "sonatype*elease*|ci-release", "publishes the build", "sbt publishLocal"),
    Fact(RUN, severity=LOW),
    harmless="--help|--version",
)  # fmt: skip
_CC = program(
    Fact(UNSEEN, "-fplugin=/tmp/*|-fplugin=/var/tmp/*|-fplugin=/dev/shm/*|-fpass-plugin=/tmp/*|"
         "-specs=/tmp/*|-B/tmp/*|-fplugin=http*", says="loads code into the compiler",
         instead="Compile plainly: `cc -c main.c`."),
    Fact(UNSEEN, "-Xclang=-load", severity=MEDIUM, says="loads code into the compiler"),
    Fact(READ, on="each"),
    Fact(WRITE, on="-o"),
    single_dash=True,
    values="-o -I -L -x -include -isystem -iquote -U -T -MF -MT -MQ -Xlinker -Xclang -Xassembler "
    "-arch -target -framework -wrapper -u -z --param -D -l",
    reader="compiler", harmless="--version|--help|-v",
)  # fmt: skip
_LD = program(
    Fact(UNSEEN, "--plugin=/tmp/*|-plugin=/tmp/*|--plugin=/dev/shm/*|--plugin=/var/tmp/*",
         says="loads code into the linker", instead="Link without `--plugin`."),
    Fact(READ, on="each"),
    Fact(WRITE, on="-o|--output"),
    values="-o --output --plugin -plugin -L -l -T --script -m -e --entry -soname -rpath",
    single_dash=True, harmless="--version|--help|-v",
)  # fmt: skip
_BAZEL = program(
    Fact(WRITE, "clean --expunge", on="cwd", severity=LOW, says="deletes build results"),
    _from_nowhere("--bazelrc"),
    Fact(UNSEEN, "--shell_executable=/tmp/*|--run_under=/tmp/*", instead=_LOOK,
         says="runs everything through a world-writable program"),
    Fact(RUN, "run|test|build|coverage", severity=LOW),
    values="--run_under --config -c --compilation_mode --define --output_base --bazelrc "
    "--test_arg --test_output --test_filter --shell_executable",
    wraps=(Wrapper(form="shell", options="--run_under"),),
)  # fmt: skip
_PYTEST = program(
    Fact(DELETE, on="--basetemp", recursive=True, says="empties {target} before the tests"),
    Fact(WRITE, on="--junitxml|--log-file"),
    Fact(RUN, severity=LOW),
    values="-k -m -n --numprocesses -p -c --rootdir --basetemp --cov --cov-report --junitxml -o "
    "--maxfail --tb -W --ignore --deselect --durations --timeout --confcutdir --log-file",
    harmless="--help|-h|--version|-V|--collect-only|--co|--fixtures|--markers",
)  # fmt: skip
_OUT = program(
    Fact(WRITE, on="-o|--out|--outfile|--outdir|--outDir|--out-dir|--output"),
    values="-o --out --output --outfile --outdir --outDir --out-dir -d -p --project --target -c",
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    "make": _MAKE,
    **aliases("make", "gmake", "bmake", "remake"),
    "cmake": _CMAKE,
    "ninja": program(
        _from_nowhere("-f"),
        Fact(RUN, severity=LOW),
        values="-C -f -j -k -l -d -w", chdir="-C", harmless="-n|-t",
    ),
    "meson": program(
        Fact(WRITE, on="--prefix"),
        Fact(RUN, severity=LOW),
        values="-C -D --prefix --cross-file --native-file", chdir="-C",
    ),
    "scons": program(
        _from_nowhere("-f|--file|--sconstruct"),
        Fact(RUN, severity=LOW),
        values="-f --file --sconstruct -C -j", chdir="-C", harmless="-n|--dry-run|-h",
    ),
    "gradle": _GRADLE,
    "gradlew": program(same_as="gradle"),
    "mvn": _MVN,
    **aliases("mvn", "mvnw", "mvnd"),
    "sbt": _SBT,
    "mill": program(publishes("@*publish*|*.publishAll", "publishes it", "mill show")),
    "lein": program(publishes("deploy|release", "publishes it", "lein install")),
    "ant": program(
        _from_nowhere("-f|-file|-buildfile"),
        Fact(RUN, severity=LOW),
        single_dash=True, values="-f -file -buildfile -lib -l -logfile -D",
    ),
    "phing": program(
        _from_nowhere("-f|-buildfile"),
        Fact(RUN, severity=LOW),
        single_dash=True, values="-f -buildfile -D",
    ),
    "just": program(
        _from_nowhere("-f|--justfile"),
        Fact(RUN, severity=LOW),
        values="--shell --shell-arg -f --justfile -d --working-directory --set --dotenv-path",
        chdir="-d|--working-directory", reader="tasks",
        wraps=(Wrapper(when="--command|-c"),),
        harmless="--list|-l|--dry-run|-n|--show|-s|--summary|--dump|--help|--version",
    ),
    "task": program(
        _from_nowhere("-t|--taskfile"),
        values="-t --taskfile -d --dir", chdir="-d|--dir", harmless="--list|-l|--dry|--help",
    ),
    "invoke": program(Fact(RUN, severity=LOW), values="-c --collection -r --search-root"),
    "bazel": _BAZEL,
    "bazelisk": program(same_as="bazel"),
    "buck2": program(Fact(RUN, "run|test|build", severity=LOW)),
    "earthly": program(
        Fact(PUBLISH, "--push|--ci", severity=MEDIUM, says="may push images"),
        Fact(RUN, severity=LOW),
    ),
    "watchman-make": program(
        values="-p --pattern -t --target --root --settle --run",
        wraps=(Wrapper(form="shell", options="--run"),),
    ),
    "shx": program(posix=True, wraps=(Wrapper(),)),
    # Compilers
    "gcc": _CC,
    "g++": _CC,
    "cc": _CC,
    "c++": _CC,
    "clang": _CC,
    "clang++": _CC,
    "tcc": _CC,
    "ld": _LD,
    "lld": _LD,
    "gold": _LD,
    "mold": program(*_LD.facts, posix=True, wraps=(Wrapper(when="-run|--run"),)),
    "ccache": program(posix=True, wraps=(Wrapper(),), harmless="-s|-C|-c|-z|--show-stats"),
    "distcc": program(posix=True, wraps=(Wrapper(),)),
    "bear": program(posix=True, values="--output -o", wraps=(Wrapper(),)),
    "scan-build": program(posix=True, values="-o", wraps=(Wrapper(),)),
    "rustc": program(
        Fact(UNSEEN, "-C=linker=/tmp/*|--codegen=linker=/tmp/*", instead=_LOOK,
             says="links with a world-writable program"),
        Fact(READ, on="each"),
        Fact(WRITE, on="-o|--out-dir"),
        values="-o --out-dir -C --codegen --crate-type --edition -L --extern --target",
    ),
    "javac": program(
        Fact(READ, on="each"),
        Fact(WRITE, on="-d"),
        single_dash=True, values="-d -cp -classpath -sourcepath -source -target",
    ),
    "java": program(
        Fact(REWRITE, "-jar=*bfg*", severity=HIGH, instead="Undo one: `git revert HEAD`.",
             says="rewrites every commit of the repository"),
        Fact(READ, on="-jar"),
        Fact(RUN, severity=LOW),
        single_dash=True, posix=True,
        values="-jar -cp -classpath --class-path -p --module-path -m --module --add-modules",
        harmless="-version|--version|-help|--help",
    ),
    "tsc": _OUT,
    "swc": _OUT,
    "babel": _OUT,
    "esbuild": _OUT,
    "rollup": _OUT,
    # Tests and environments
    "pytest": _PYTEST,
    "py.test": program(same_as="pytest"),
    "tox": program(
        Fact(RUN, severity=LOW),
        values="-e -c --conf --workdir --root -p -x --override -f -m", reader="tasks",
        wraps=(Wrapper(when="exec|e"),),
    ),
    "coverage": program(Fact(RUN, "run", severity=LOW)),
    # Formatters and linters that write
    "black": _formatter("", "-l --line-length -t --target-version --config --include --exclude -c"),
    "isort": _formatter("", "-l --line-length --profile --sp -s --skip", "-c|--check-only|--diff"),
    "ruff": program(
        Fact(WRITE, "format !--check|--diff", on="each"),
        Fact(WRITE, "check --fix|--fix-only|--add-noqa", on="each"),
        Fact(WRITE, on="-o|--output-file"),
        values="--config --select --ignore --output-format --line-length --target-version "
        "--exclude -o --output-file --extend-select",
    ),
    "autopep8": _formatter("-i|--in-place", "--max-line-length --select --ignore"),
    "yapf": _formatter("-i|--in-place", "--style"),
    "prettier": _formatter("-w|--write", "--config --parser --ignore-path"),
    "eslint": program(
        Fact(WRITE, "--fix", on="each"),
        Fact(WRITE, on="-o|--output-file"),
        Fact(UNSEEN, "--rulesdir=/tmp/*|-c=/tmp/*|--config=/tmp/*", severity=MEDIUM),
        values="-c --config --ext --rule -f --format -o --output-file --plugin --rulesdir",
        harmless="--fix-dry-run|--help|--version",
    ),
    "clang-format": _formatter("-i", "-style --style", "-n|--dry-run|--help|--version"),
    "gofmt": _formatter("-w", "-r", "-h"),
    "rustfmt": _formatter("", "--edition --config-path", "--check|--emit|--help|--version"),
    "stylelint": _formatter("--fix", "--config", "--help|--version"),
    # Documentation
    "sphinx-build": program(
        Fact(WRITE, on="2"),
        Fact(WRITE, on="-d|-w"),
        values="-b -c -D -A -d -j -t -w",
    ),
    "mkdocs": program(
        Fact(REWRITE, "gh-deploy --force", severity=HIGH, instead="Try `mkdocs build`.",
             says="overwrites the published site's branch"),
        Fact(PUBLISH, "gh-deploy", severity=MEDIUM, says="publishes the site"),
        Fact(WRITE, on="-d|--site-dir"),
        values="-f --config-file -d --site-dir -m --message -r --remote-name -b --remote-branch",
    ),
    "gh-pages": program(Fact(PUBLISH, severity=MEDIUM, says="publishes the site")),
    "hugo": program(
        Fact(PUBLISH, "deploy", severity=MEDIUM),
        Fact(WRITE, on="-d|--destination"),
        values="-d --destination -s --source",
    ),
    "husky": program(Fact(CHANGE, severity=LOW, says="installs git hooks")),
}  # fmt: skip
