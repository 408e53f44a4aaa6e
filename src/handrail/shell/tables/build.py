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
)

_LOOK = "Write the build file into the project, so that it can be read first."


def _from_nowhere(options: str, operands: bool = False) -> Fact:
    """A build file that is typed on the command line or fetched, so that nobody has seen it."""
    names = options.split("|") if options else []
    when = "|".join(f"{name}={place}" for name in names for place in ("/dev/fd/*", "http*://*"))
    if operands:
        when = f"{when} @/dev/fd/*".strip()
    return Fact(UNSEEN, when, says="runs a build file that nobody has seen", instead=_LOOK)


def _formatter(
    when: str, values: str = "", harmless: str = "--check|--diff|--help|--version"
) -> Program:
    return Program(values=values, facts=(Fact(WRITE, when, on="each"),), harmless=harmless)


_MAKE = Program(
    values="-C --directory -f --file --makefile -I --include-dir -l --load-average -o --old-file "
    "-W --what-if --eval -E",
    chdir="-C|--directory",
    reader="make",
    facts=(Fact(RUN, severity=LOW), Fact(READ, on="-f|--file|--makefile")),
    harmless="-n|--dry-run|--just-print|--recon|--help|-h|--version|-v|-q|--question",
)
_CMAKE = Program(
    values="-S -B -G -D -U -P -C -T -A -t --build --install --preset --target --config --parallel "
    "--prefix --toolchain --graphviz --workflow --open --component --log-level",
    reader="cmake",
    facts=(
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
    ),
    harmless="--help|-h|--version|-N",
)  # fmt: skip
_GRADLE = Program(
    values="-p --project-dir -b --build-file -I --init-script -x --exclude-task --console -g "
    "--max-workers --gradle-user-home -c --settings-file --tests --warning-mode --include-build",
    chdir="-p|--project-dir",
    facts=(
        publishes("@publish*|*:publish*|uploadArchives|bintrayUpload|closeAndRelease* "
                  "!@*ToMavenLocal", "publishes what was built", "gradle publishToMavenLocal"),
        _from_nowhere("-I|--init-script|-b|--build-file|-c|--settings-file"),
        Fact(RUN, severity=LOW),
    ),
    harmless="-m|--dry-run|--help|-h|--version|-v|--stop|--status",
)  # fmt: skip
_MVN = Program(
    single_dash=True,
    values="-f --file -s --settings -gs -P --activate-profiles -pl --projects -T --threads -l "
    "--log-file -rf --resume-from -t --toolchains -emp -ep -b --builder",
    reader="maven",
    facts=(
        publishes("@deploy|site-deploy|*:deploy|*:deploy-file|release:*|*:release|nexus-staging:*|"
                  "*release-plugin*", "publishes what was built", "mvn install"),
        _from_nowhere("-f|--file|-s|--settings"),
        Fact(RUN, severity=LOW),
    ),
    harmless="-h|--help|-v|--version|-DdryRun",
)  # fmt: skip
_SBT = Program(
    facts=(
        publishes("@publish|+publish|publishSigned|+publishSigned|*/publish|*/publishSigned|release*|"
                  "sonatype*elease*|ci-release", "publishes what was built", "sbt publishLocal"),
        Fact(RUN, severity=LOW),
    ),
    harmless="--help|--version",
)  # fmt: skip
_CC = Program(
    single_dash=True,
    values="-o -I -L -x -include -isystem -iquote -U -T -MF -MT -MQ -Xlinker -Xclang -Xassembler "
    "-arch -target -framework -wrapper -u -z --param -D -l",
    reader="compiler",
    facts=(
        Fact(UNSEEN, "-fplugin=/tmp/*|-fplugin=/var/tmp/*|-fplugin=/dev/shm/*|-fpass-plugin=/tmp/*|"
             "-specs=/tmp/*|-B/tmp/*|-fplugin=http*", says="loads code into the compiler",
             instead="Compile plainly: `cc -c main.c`."),
        Fact(UNSEEN, "-Xclang=-load", severity=MEDIUM, says="loads code into the compiler"),
        Fact(READ, on="each"),
        Fact(WRITE, on="-o"),
    ),
    harmless="--version|--help|-v",
)  # fmt: skip
_LD = Program(
    values="-o --output --plugin -plugin -L -l -T --script -m -e --entry -soname -rpath",
    single_dash=True,
    facts=(
        Fact(UNSEEN, "--plugin=/tmp/*|-plugin=/tmp/*|--plugin=/dev/shm/*|--plugin=/var/tmp/*",
             says="loads code into the linker", instead="Link without `--plugin`."),
        Fact(READ, on="each"),
        Fact(WRITE, on="-o|--output"),
    ),
    harmless="--version|--help|-v",
)  # fmt: skip
_BAZEL = Program(
    values="--run_under --config -c --compilation_mode --define --output_base --bazelrc --test_arg "
    "--test_output --test_filter --shell_executable",
    facts=(
        Fact(WRITE, "clean --expunge", on="cwd", severity=LOW, says="deletes what was built"),
        _from_nowhere("--bazelrc"),
        Fact(UNSEEN, "--shell_executable=/tmp/*|--run_under=/tmp/*", instead=_LOOK,
             says="runs everything through a program that anyone can write"),
        Fact(RUN, "run|test|build|coverage", severity=LOW),
    ),
    wraps=(Wrapper(form="shell", options="--run_under"),),
)  # fmt: skip
_PYTEST = Program(
    values="-k -m -n --numprocesses -p -c --rootdir --basetemp --cov --cov-report --junitxml -o "
    "--maxfail --tb -W --ignore --deselect --durations --timeout --confcutdir --log-file",
    facts=(
        Fact(DELETE, on="--basetemp", recursive=True, says="empties {target} before the tests"),
        Fact(WRITE, on="--junitxml|--log-file"),
        Fact(RUN, severity=LOW),
    ),
    harmless="--help|-h|--version|-V|--collect-only|--co|--fixtures|--markers",
)
_OUT = Program(
    values="-o --out --output --outfile --outdir --outDir --out-dir -d -p --project --target -c",
    facts=(Fact(WRITE, on="-o|--out|--outfile|--outdir|--outDir|--out-dir|--output"),),
)

PROGRAMS: dict[str, Program] = {
    "make": _MAKE,
    "gmake": Program(same_as="make"),
    "bmake": Program(same_as="make"),
    "remake": Program(same_as="make"),
    "cmake": _CMAKE,
    "ninja": Program(values="-C -f -j -k -l -d -w", chdir="-C",
                     facts=(_from_nowhere("-f"), Fact(RUN, severity=LOW)), harmless="-n|-t"),
    "meson": Program(values="-C -D --prefix --cross-file --native-file", chdir="-C",
                     facts=(Fact(WRITE, on="--prefix"), Fact(RUN, severity=LOW))),
    "scons": Program(values="-f --file --sconstruct -C -j", chdir="-C",
                     facts=(_from_nowhere("-f|--file|--sconstruct"), Fact(RUN, severity=LOW)),
                     harmless="-n|--dry-run|-h"),
    "gradle": _GRADLE,
    "gradlew": Program(same_as="gradle"),
    "mvn": _MVN,
    "mvnw": Program(same_as="mvn"),
    "mvnd": Program(same_as="mvn"),
    "sbt": _SBT,
    "mill": Program(facts=(publishes("@*publish*|*.publishAll", "publishes it", "mill show"),)),
    "lein": Program(facts=(publishes("deploy|release", "publishes it", "lein install"),)),
    "ant": Program(single_dash=True, values="-f -file -buildfile -lib -l -logfile -D",
                   facts=(_from_nowhere("-f|-file|-buildfile"), Fact(RUN, severity=LOW))),
    "phing": Program(single_dash=True, values="-f -buildfile -D",
                     facts=(_from_nowhere("-f|-buildfile"), Fact(RUN, severity=LOW))),
    "just": Program(
        values="--shell --shell-arg -f --justfile -d --working-directory --set --dotenv-path",
        chdir="-d|--working-directory",
        facts=(_from_nowhere("-f|--justfile"), Fact(RUN, severity=LOW)),
        wraps=(Wrapper(when="--command|-c"),),
        harmless="--list|-l|--dry-run|-n|--show|-s|--summary|--dump|--help|--version"),
    "task": Program(values="-t --taskfile -d --dir", chdir="-d|--dir",
                    facts=(_from_nowhere("-t|--taskfile"),), harmless="--list|-l|--dry|--help"),
    "invoke": Program(values="-c --collection -r --search-root", facts=(Fact(RUN, severity=LOW),)),
    "bazel": _BAZEL,
    "bazelisk": Program(same_as="bazel"),
    "buck2": Program(facts=(Fact(RUN, "run|test|build", severity=LOW),)),
    "earthly": Program(facts=(Fact(PUBLISH, "--push|--ci", severity=MEDIUM, says="may push images"),
                              Fact(RUN, severity=LOW))),
    "watchman-make": Program(values="-p --pattern -t --target --root --settle --run",
                             wraps=(Wrapper(form="shell", options="--run"),)),
    "shx": Program(posix=True, wraps=(Wrapper(),)),
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
    "mold": Program(posix=True, facts=_LD.facts, wraps=(Wrapper(when="-run|--run"),)),
    "ccache": Program(posix=True, wraps=(Wrapper(),), harmless="-s|-C|-c|-z|--show-stats"),
    "distcc": Program(posix=True, wraps=(Wrapper(),)),
    "bear": Program(posix=True, values="--output -o", wraps=(Wrapper(),)),
    "scan-build": Program(posix=True, values="-o", wraps=(Wrapper(),)),
    "rustc": Program(values="-o --out-dir -C --codegen --crate-type --edition -L --extern --target",
                     facts=(Fact(UNSEEN, "-C=linker=/tmp/*|--codegen=linker=/tmp/*", instead=_LOOK,
                                 says="links with a program that anyone can write"),
                            Fact(READ, on="each"), Fact(WRITE, on="-o|--out-dir"))),
    "javac": Program(single_dash=True, values="-d -cp -classpath -sourcepath -source -target",
                     facts=(Fact(READ, on="each"), Fact(WRITE, on="-d"))),
    "java": Program(
        single_dash=True,
        posix=True,
        values="-jar -cp -classpath --class-path -p --module-path -m --module --add-modules",
        facts=(Fact(REWRITE, "-jar=*bfg*", severity=HIGH, instead="Undo one: `git revert HEAD`.",
                    says="rewrites every commit of the repository"),
               Fact(READ, on="-jar"), Fact(RUN, severity=LOW)),
        harmless="-version|--version|-help|--help"),
    "tsc": _OUT,
    "swc": _OUT,
    "babel": _OUT,
    "esbuild": _OUT,
    "rollup": _OUT,
    # Tests and environments
    "pytest": _PYTEST,
    "py.test": Program(same_as="pytest"),
    "tox": Program(values="-e -c --conf --workdir --root -p -x --override -f -m",
                   wraps=(Wrapper(when="exec|e"),), facts=(Fact(RUN, severity=LOW),)),
    "coverage": Program(facts=(Fact(RUN, "run", severity=LOW),)),
    # Formatters and linters that write
    "black": _formatter("", "-l --line-length -t --target-version --config --include --exclude -c"),
    "isort": _formatter("", "-l --line-length --profile --sp -s --skip", "-c|--check-only|--diff"),
    "ruff": Program(
        values="--config --select --ignore --output-format --line-length --target-version "
        "--exclude -o --output-file --extend-select",
        facts=(Fact(WRITE, "format !--check|--diff", on="each"),
               Fact(WRITE, "check --fix|--fix-only|--add-noqa", on="each"),
               Fact(WRITE, on="-o|--output-file"))),
    "autopep8": _formatter("-i|--in-place", "--max-line-length --select --ignore"),
    "yapf": _formatter("-i|--in-place", "--style"),
    "prettier": _formatter("-w|--write", "--config --parser --ignore-path"),
    "eslint": Program(
        values="-c --config --ext --rule -f --format -o --output-file --plugin --rulesdir",
        facts=(Fact(WRITE, "--fix", on="each"), Fact(WRITE, on="-o|--output-file"),
               Fact(UNSEEN, "--rulesdir=/tmp/*|-c=/tmp/*|--config=/tmp/*", severity=MEDIUM)),
        harmless="--fix-dry-run|--help|--version"),
    "clang-format": _formatter("-i", "-style --style", "-n|--dry-run|--help|--version"),
    "gofmt": _formatter("-w", "-r", "-h"),
    "rustfmt": _formatter("", "--edition --config-path", "--check|--emit|--help|--version"),
    "stylelint": _formatter("--fix", "--config", "--help|--version"),
    # Documentation
    "sphinx-build": Program(values="-b -c -D -A -d -j -t -w", facts=(Fact(WRITE, on="2"),
                                                                     Fact(WRITE, on="-d|-w"))),
    "mkdocs": Program(
        values="-f --config-file -d --site-dir -m --message -r --remote-name -b --remote-branch",
        facts=(Fact(REWRITE, "gh-deploy --force", severity=HIGH, instead="Try `mkdocs build`.",
                    says="overwrites the published site's branch"),
               Fact(PUBLISH, "gh-deploy", severity=MEDIUM, says="publishes the site"),
               Fact(WRITE, on="-d|--site-dir"))),
    "gh-pages": Program(facts=(Fact(PUBLISH, severity=MEDIUM, says="publishes the site"),)),
    "hugo": Program(values="-d --destination -s --source", facts=(
        Fact(PUBLISH, "deploy", severity=MEDIUM), Fact(WRITE, on="-d|--destination"))),
    "husky": Program(facts=(Fact(CHANGE, severity=LOW, says="installs git hooks"),)),
}  # fmt: skip
