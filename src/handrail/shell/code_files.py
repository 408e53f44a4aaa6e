"""Files of code that a command is about to run: how programs find them, and their known text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from handrail.config import compile_globs
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.word import Word

if TYPE_CHECKING:
    from handrail.shell.command import Command
    from handrail.shell.environment import Environment
    from handrail.shell.walk import ProgramWalker


class CodeFile(msgspec.Struct, frozen=True):
    """How a program finds the files of code that it runs."""

    options: tuple[str, ...] = ()
    """Options that name it; they win over the operand."""
    also: tuple[str, ...] = ()
    """Options that name files which run before it."""
    operand: bool = False
    """Whether the first operand names it."""
    each: bool = False
    """Whether every operand that ends like code names one."""
    module: str = ""
    """The option that names a module, `package.module`."""
    endings: tuple[str, ...] = ("",)
    """What the program may add to the name."""
    defaults: tuple[str, ...] = ()
    """Names that it looks for in its folder if nothing names a file."""
    found: tuple[str, ...] = ()
    """Names that it looks for in the folders that are its operands, or in those of tests."""
    modules: bool = False
    """Whether operands may also name modules, `package.module.Class`."""
    checks: tuple[str, ...] = ()
    """Options with which it looks at the syntax only."""


_OPERAND = CodeFile(operand=True)
_EACH = CodeFile(each=True)
_PACKAGE = CodeFile(defaults=("package.json",))
_RUN_JAVASCRIPT = (
    "nodemon", "pm2", "forever", "jest", "vitest", "mocha", "esno", "vite-node", "swc-node",
    "babel-node", "electron", "zx", "qjs", "d8",
)  # fmt: skip
_RUN_PYTHON = (
    "accelerate", "torchrun", "scalene", "memray", "pyinstrument", "py-spy", "marimo", "manim",
    "locust", "nose2", "papermill", "streamlit",
)  # fmt: skip
CODE_FILES: dict[str, CodeFile] = {
    "python": CodeFile(operand=True, module="-m", endings=("", "/__main__.py")),
    "node": CodeFile(
        operand=True,
        also=("-r", "--require", "--import", "--loader"),
        endings=("", ".js", ".cjs", ".mjs", "/index.js"),
        checks=("-c", "--check"),
    ),
    "perl": CodeFile(operand=True, checks=("-c",)),
    "ruby": CodeFile(operand=True, also=("-r",), endings=("", ".rb"), checks=("-c",)),
    "lua": _OPERAND,
    "rscript": _OPERAND,
    "osascript": _OPERAND,
    "php": CodeFile(options=("-f", "--file"), operand=True, checks=("-l",)),
    "awk": CodeFile(options=("-f", "--file")),
    "sed": CodeFile(options=("-f", "--file")),
    "make": CodeFile(
        options=("-f", "--file", "--makefile"), defaults=("GNUmakefile", "makefile", "Makefile")
    ),
    "just": CodeFile(options=("-f", "--justfile"), defaults=("justfile", "Justfile", ".justfile")),
    "npm": _PACKAGE,
    "pnpm": _PACKAGE,
    "yarn": _PACKAGE,
    "bun": _PACKAGE,
    "tox": CodeFile(options=("-c", "--conf"), defaults=("tox.ini",)),
    "compose": CodeFile(
        options=("-f", "--file"),
        defaults=("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"),
    ),
    "pytest": CodeFile(each=True, found=("test_*.py", "*_test.py", "conftest.py")),
    "unittest": CodeFile(each=True, found=("test*.py",), modules=True),
    **dict.fromkeys(("coverage", "kernprof", "viztracer", "debugpy"), _EACH),
    **dict.fromkeys(("cProfile", "profile", "pdb", "trace", "runpy", "memory_profiler"), _EACH),
    "go": CodeFile(each=True, defaults=("main.go",)),
    "cargo": CodeFile(each=True, defaults=("src/main.rs", "build.rs")),
    **dict.fromkeys(("rustc", "java", "javac", "kotlinc", "swift", "swiftc", "zig"), _EACH),
    "nox": CodeFile(each=True, defaults=("noxfile.py",)),
    "fab": CodeFile(each=True, defaults=("fabfile.py",)),
    "scons": CodeFile(each=True, defaults=("SConstruct",)),
    "rake": CodeFile(each=True, defaults=("Rakefile", "rakefile")),
    **dict.fromkeys(("inv", "invoke"), CodeFile(each=True, defaults=("tasks.py",))),
    **dict.fromkeys(("pip", "uv", "build"), CodeFile(each=True, defaults=("setup.py",))),
    **dict.fromkeys(_RUN_JAVASCRIPT, _EACH),
    **dict.fromkeys(_RUN_PYTHON, _EACH),
}
"""By program, or by module of Python; shells and files called by their path need no row."""
OPERANDS_RUN = frozenset(name for name, row in CODE_FILES.items() if row.each)
LANGUAGE_OF_ENDING = {
    ".py": "python",
    **dict.fromkeys((".js", ".cjs", ".mjs", ".ts", ".mts", ".cts"), "javascript"),
    ".rb": "ruby",
    **dict.fromkeys((".go", ".rs", ".java", ".kt", ".kts", ".swift", ".zig", ".cs"), "other"),
    "Rakefile": "ruby",
    "rakefile": "ruby",
}
_MODULE_ENDINGS = (".py", "/__init__.py", "/__main__.py")
_TEST_FOLDERS = ("", "tests/", "test/")


def named_files(name: str, call: ParsedArguments) -> Iterator[str]:
    """Names under which a program looks for the files that its arguments mean."""
    row = CODE_FILES.get(name)
    if row is None or (row.checks and call.has(*row.checks)):
        return
    for word in call.values(*row.also):
        yield from (word.text + ending for ending in row.endings)
    modules = call.values(row.module) if row.module else []
    if modules:
        path = modules[0].text.replace(".", "/")
        yield from (path + ending for ending in _MODULE_ENDINGS)
        return
    named = [word.text for word in call.values(*row.options)]
    if not named and row.operand:
        named = [word.text for word in call.operands[:1]]
    for path in named:
        yield from (path + ending for ending in row.endings)
    if not named:
        yield from row.defaults


def operand_files(row: CodeFile, operands: Sequence[str]) -> Iterator[str]:
    """Files of code among the operands of a program, and those that it finds in folders."""
    files = [operand.partition("::")[0] for operand in operands]
    code = [file for file in files if ending_of(file) in LANGUAGE_OF_ENDING]
    yield from code
    yield from row.defaults
    if row.modules:
        names = (file.split(".") for file in files if file not in code and "/" not in file)
        for parts in names:
            yield from ("/".join(parts[:end]) + ".py" for end in range(1, len(parts) + 1))
    folders = [f"{file.rstrip('/')}/" for file in files if file not in code]
    if code:
        folders = [file.rpartition("/")[0] + "/" if "/" in file else "" for file in code]
    for folder in dict.fromkeys(folders or _TEST_FOLDERS):
        yield from (folder + pattern for pattern in row.found if not code or "*" not in pattern)


def ending_of(name: str) -> str:
    """The ending of a file's name, with its dot."""
    last = name.rpartition("/")[2]
    start, dot, end = last.rpartition(".")
    return dot + end if start else last if last in LANGUAGE_OF_ENDING else ""


class CodeTexts:
    """The text of files that a program runs: written by the program itself, or given to it.

    Remembers what it was asked for: whoever sees the disk can give that text and read again.
    """

    def __init__(self, given: Mapping[str, str], commands: "Sequence[Command]") -> None:
        """`commands`: those that were read so far; the last one is the one that asks."""
        self.given = given
        self._commands = commands
        self._asked: dict[str, int] = {}
        self._words: dict[str, int] = {}
        self._copied: dict[str, str] = {}
        self._running: list[str] = []
        self._printing = 0
        self.hooks_folder = ""
        """Where git was told to find its hooks."""
        self.appended: set[str] = set()
        """Files that were there before and of which the program only wrote the end."""

    @property
    def asked(self) -> tuple[tuple[str, int], ...]:
        """Files that the program runs and has not written itself, and the command that does."""
        return tuple(self._asked.items())

    @property
    def asked_words(self) -> tuple[tuple[str, int], ...]:
        """The same for files whose text becomes words or input of commands."""
        return tuple(item for item in self._words.items() if item[0] not in self._asked)

    def copy(self, source: str, target: str) -> None:
        """Note that one file has the text of another."""
        if source != target:
            self._copied[target] = source

    def text(
        self, word: Word, env: "Environment", elsewhere: str = "", *, as_words: bool = False
    ) -> str | None:
        """Return the text of a file that is about to run, or None if it is unknown.

        `as_words`: the file does not run, but what it says becomes a part of commands.
        """
        place = join(env.cwd, word)
        if elsewhere or not place.exact:
            return None
        if place.glob:
            return self._text_matching(place.text)
        path = place.text
        written = env.files.get(path)
        if written is not None and path not in self.appended and path not in self.given:
            return written
        path = self._copied.get(path, path)
        self._ask(path, self._words if as_words else self._asked)
        return env.files.get(path, written)

    def _text_matching(self, pattern: str) -> str | None:
        """Return the text of all files that a pattern means: `sh t*`, `find … -exec sh {}`."""
        self._ask(pattern, self._asked)
        texts = [text for path, text in self.given.items() if _means(pattern, path)]
        return "\n".join(texts) if texts else None

    def _ask(self, path: str, asked: dict[str, int]) -> None:
        asked.setdefault(path, max(0, len(self._commands) - 1))

    def known(
        self, names: Iterable[str], env: "Environment", elsewhere: str = ""
    ) -> Iterator[tuple[str, str]]:
        """Yield those of several files whose text is known, by name; a name may be a pattern."""
        for name in names:
            if "*" not in name:
                if (text := self.text(Word(name), env, elsewhere)) is not None:
                    yield name, text
                continue
            place = join(env.cwd, Word(name))
            if place.exact and not elsewhere:
                self._ask(place.text, self._asked)
                yield from (
                    (path, text) for path, text in self.given.items() if _means(place.text, path)
                )

    @contextmanager
    def printing(self) -> Iterator[None]:
        """Enter commands whose output becomes words, or the input of other commands."""
        self._printing += 1
        try:
            yield
        finally:
            self._printing -= 1

    def printed(self, word: Word, env: "Environment", elsewhere: str = "") -> str | None:
        """Return the text of a file that a command prints, or reads on its input."""
        if self._printing:
            return self.text(word, env, elsewhere, as_words=True)
        return env.files.get(join(env.cwd, word).text)

    @contextmanager
    def running(self, name: str) -> Iterator[bool]:
        """Enter a file that code runs; False if it is running already."""
        is_new = name not in self._running
        self._running.append(name)
        try:
            yield is_new
        finally:
            self._running.pop()


def _means(pattern: str, path: str) -> bool:
    return compile_globs((pattern,)).fullmatch(path) is not None


_PRINTING = frozenset({"", "cat", "head", "tail", "tee", "bat", "tac", "sed", "grep"})


def ask_for_printed(walker: "ProgramWalker", command: "Command", env: "Environment") -> list[str]:
    """Ask for the files that feed a command which runs what it is fed: `eval "$(cat file)"`.

    Return the known text of these files, of which the command may get a part.
    """
    waiting, seen, known = list(command.fed_by), set[int](), list[str | None]()
    while waiting:
        index = waiting.pop()
        feeder = walker.commands[index]
        if index in seen or feeder.name not in _PRINTING:
            continue
        seen.add(index)
        waiting += feeder.fed_by
        names = [item.target for item in feeder.redirects if not item.writes]
        for word in (*feeder.argv[1:], *names):
            if not word.text.startswith("-"):
                known.append(walker.code_texts.text(word, env, command.elsewhere))
    return [text for text in known if text is not None]


def words_on_input(walker: "ProgramWalker", command: "Command", env: "Environment") -> str | None:
    """Return the text of which a command makes words: `read x < file`, `xargs rm < file`."""
    if command.input is None and command.input_file:
        file = Word(command.input_file)
        return walker.code_texts.text(file, env, command.elsewhere, as_words=True)
    return command.input


def input_text(walker: "ProgramWalker", command: "Command", env: "Environment") -> str | None:
    """Return the code on a command's input: `bash < file`, `cat file | sh`, or what is known."""
    printed = ask_for_printed(walker, command, env)
    if command.input is None and command.input_file:
        return walker.code_texts.text(Word(command.input_file), env, command.elsewhere)
    return "\n".join(printed) if command.input is None and printed else command.input
