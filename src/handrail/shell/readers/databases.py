"""Find the SQL in calls of database clients, and read the clients with other languages."""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.paths import join
from handrail.shell.readers.make_effects import effect, path_effect
from handrail.shell.readers.sql import SERVER, SqlServer, read_sql, rule
from handrail.shell.word import Word

TEXT_OPTIONS = (
    "-c", "--command", "-e", "--execute", "-q", "--query", "-Q", "--sql", "--execute-sql",
    "--statement", "-cmd", "--init-command",
)  # fmt: skip
FILE_OPTIONS = ("-f", "--file", "--queries-file", "-init", "--init-file")
_TEMP = ("/tmp/", "/var/tmp/", "/dev/shm/")
_FILE_CLIENTS = frozenset({"sqlite3", "sqlite", "duckdb", "litecli", "sqlcipher", "spatialite"})
_SHELL_INSTEAD = "Run the command in the shell itself, where it can be reviewed."


# SQL


def _server(command: Command, call: ParsedArguments) -> SqlServer:
    if command.name not in _FILE_CLIENTS:
        return SERVER
    file = call.operands[0] if call.operands else Word(":memory:")
    if not file.text or file.text.startswith((":memory:", "file::memory:")):
        return SqlServer(None, throwaway=True)
    path = join(command.cwd, file)
    return SqlServer(file, throwaway=path.text.startswith(_TEMP))


def _texts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Yield every SQL text in a call of a client: options, operands, standard input."""
    for word in call.values(*TEXT_OPTIONS):
        yield word.text
    if command.name in _FILE_CLIENTS:
        yield from (word.text for word in call.operands[1:])
    else:
        yield from (word.text for word in call.operands if re.search(r"\s", word.text))
    if command.input is not None:
        yield command.input


def _sql(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    server = _server(command, call)
    if server.file is not None:
        yield path_effect(Kind.READ, join(command.cwd, server.file))
    for word in call.values(*FILE_OPTIONS):
        if word.text not in {"-", "/dev/stdin"} and not word.text.isdecimal():
            yield path_effect(Kind.READ, join(command.cwd, word))
    for word in call.values("-o", "--output", "-L", "--log-file", "--tee"):
        yield path_effect(Kind.WRITE, join(command.cwd, word))
    for text in _texts(command, call):
        yield from _client_lines(text, command)
        yield from read_sql(_without_client_lines(text), command, server)


# The clients' own commands

_CLIENT = re.compile(
    r"^\s*(?:\\[a-zA-Z!.?]|\.[a-z]+\b|!|:!!|@|(?:system|source|tee|pager|host|spool)\s)",
    re.IGNORECASE,
)
_RUNS = re.compile(
    r"^\s*(?:\\!|\.(?:shell|system)|:?!!|!|system\s|host\s|pager\s|\\P\s)\s*(?P<run>.+)$",
    re.IGNORECASE,
)
_PIPES = re.compile(
    r"^\s*(?:\\(?:o|g|gx|w)\s*|\.(?:once|output|read|import|open)(?:\s+-\w+)*\s+)"
    r"(?P<quote>['\"]?)\|\s*(?P<run>.+?)(?P=quote)\s*$",
    re.IGNORECASE,
)
_PROGRAM = re.compile(
    r"\b(?:TO|FROM)\s+PROGRAM\s+(?:E?'((?:[^']|'')*)'|\$\$(.*?)\$\$)", re.IGNORECASE | re.DOTALL
)
_WRITES = re.compile(
    r"^\s*(?:\\o|\\w|\.output|\.once|\.backup|\.save|\.clone|\.log|\.trace|tee|spool|\\T)"
    r"\s+(?:-\w+\s+)*(?:main\s+)?['\"]?([^\s'\"|;]+)",
    re.IGNORECASE,
)
_COPIES = re.compile(r"^\s*\\copy\s.*?\b(to|from)\s+'([^']+)'", re.IGNORECASE)
_READS = re.compile(
    r"^\s*(?:\\ir?\s|\.read\s|source\s|\\\.|@{1,2}|\.import\s|\.restore\s)\s*['\"]?([^\s'\"|;]+)",
    re.IGNORECASE,
)


def _without_client_lines(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not _CLIENT.match(line))


def _client_lines(text: str, command: Command) -> Iterator[Effect]:
    """Find files that a client's own commands read and write."""
    for line in text.split("\n"):
        if not _CLIENT.match(line):
            continue
        if (match := _WRITES.match(line)) and match[1] not in {"stdout", "off", "on"}:
            yield path_effect(Kind.WRITE, join(command.cwd, Word(match[1])))
        elif match := _COPIES.match(line):
            kind = Kind.WRITE if match[1].lower() == "to" else Kind.READ
            yield path_effect(kind, join(command.cwd, Word(match[2])))
        elif match := _READS.match(line):
            yield path_effect(Kind.READ, join(command.cwd, Word(match[1])))
        if re.match(r"\s*\.load\s", line):
            yield effect(
                Kind.UNSEEN, line.strip(), severity=Severity.HIGH,
                says="loads a library into the database client",
                instead="Do it without the extension.",
            )  # fmt: skip


def _sql_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find command lines that SQL or a client's own commands run."""
    for text in _texts(command, call):
        for line in re.split(r"\n|;\s*(?=\\!|system\s)", text):
            if (match := _RUNS.match(line)) or (match := _PIPES.match(line)):
                yield match["run"].strip()
        for program in _PROGRAM.finditer(text):
            yield (program[1] or program[2] or "").replace("''", "'")


# MongoDB

_MONGO_COUNT = "Count first: `mongosh --eval 'db.collection.countDocuments({})'`."
_MONGO = (
    rule(r"\.dropDatabase\s*\(|\bdropDatabase\s*['\"]?\s*:", Kind.DESTROY, Severity.HIGH,
         "drops the whole database", _MONGO_COUNT),
    rule(r"\.drop\s*\(|\[\s*['\"]drop['\"]\s*\]|\.dropCollection\s*\(|[{,]\s*['\"]?drop['\"]?\s*:",
         Kind.DESTROY, Severity.HIGH, "drops a collection with all its documents", _MONGO_COUNT),
    rule(r"\.(?:deleteMany|remove)\s*\(\s*(?:\{\s*\}\s*)?[,)]", Kind.DESTROY, Severity.HIGH,
         "deletes all documents of a collection", _MONGO_COUNT),
    rule(r"\.updateMany\s*\(\s*\{\s*\}\s*,", Kind.DESTROY, Severity.HIGH,
         "overwrites all documents", _MONGO_COUNT),
    rule(r"\.(?:deleteMany|deleteOne|remove|findOneAndDelete)\s*\(", Kind.DESTROY, Severity.MEDIUM,
         "deletes documents"),
    rule(r"\bshutdown\s*['\"]?\s*:|\.shutdownServer\s*\(", Kind.KILL, Severity.HIGH,
         "stops the server", "Ask it how it is: `mongosh --eval 'db.stats()'`."),
    rule(r"\.(?:dropUser|dropAllUsers\w*|dropRole|dropAllRoles\w*)\s*\(", Kind.DESTROY,
         Severity.HIGH, "removes accounts", "List them: `mongosh --eval 'db.getUsers()'`."),
    rule(r"\.(?:dropIndex|dropIndexes)\s*\(", Kind.DESTROY, Severity.MEDIUM, "drops indexes"),
    rule(r"\.(?:createUser|grantRolesToUser)\s*\(.*\b(?:root|dbOwner|\w*AnyDatabase|clusterAdmin)\b",
         Kind.PRIVILEGE, Severity.HIGH, "makes an account an administrator",
         "List them: `mongosh --eval 'db.getUsers()'`."),
    rule(r"\.renameCollection\s*\([^)]*true", Kind.DESTROY, Severity.HIGH,
         "replaces a collection", _MONGO_COUNT),
)  # fmt: skip


def _mongo(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read JavaScript for the mongo shell, by the methods that lose data."""
    codes = [word.text for word in call.values("--eval")]
    if command.input is not None and not codes:
        codes.append(command.input)
    for word in (*call.values("-f", "--file"), *call.operands):
        if word.text.endswith(".js"):
            yield path_effect(Kind.READ, join(command.cwd, word))
    for code in codes:
        for known in _MONGO:
            if known.pattern.search(code):
                yield effect(known.kind, code.strip()[:60], severity=known.severity,
                             says=known.says, instead=known.instead)  # fmt: skip


def _mongo_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    for word in call.values("--eval"):
        yield f"node -e {shlex.quote(word.text)}"


# Cypher


def _cypher(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    texts = [word.text for word in call.operands if " " in word.text]
    if command.input is not None:
        texts.append(command.input)
    for text in texts:
        plain = re.sub(r"'[^']*'|\"[^\"]*\"|//[^\n]*", "''", text)
        if re.search(
            r"\bDELETE\b|\bDROP (?:DATABASE|CONSTRAINT|INDEX|USER|ROLE)\b", plain, re.IGNORECASE
        ):
            narrow = re.search(
                r"\bWHERE\b|\{[^}]*:|\bLIMIT\b|DROP (?:CONSTRAINT|INDEX)", plain, re.IGNORECASE
            )
            yield effect(
                Kind.DESTROY, text.strip()[:60],
                severity=Severity.MEDIUM if narrow else Severity.HIGH,
                says="deletes nodes" if narrow else "deletes all nodes or a whole database",
                instead="Count first: `cypher-shell 'MATCH (n) RETURN count(n)'`.",
            )  # fmt: skip


# Frameworks

_RAILS_LOSES = re.compile(
    r"db:(?:drop|reset|purge|truncate_all|schema:load|structure:load|migrate:reset|setup|"
    r"seed:replant|mongoid:(?:drop|purge))(?::(?!test)\w+)*"
)
_RUBY_LOSES = re.compile(r"\.(?:delete_all|destroy_all|truncate!?|drop_table|drop_database)\b")


def _rails(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read tasks of rails and rake, and the code of `rails runner`."""
    settings = {name: value.text for name, value in command.assignments}
    for word in call.operands:
        name, equals, value = word.text.partition("=")
        if equals:
            settings[name] = value
    testing = settings.get("RAILS_ENV") == "test" or settings.get("RACK_ENV") == "test"
    for word in call.operands:
        if _RAILS_LOSES.fullmatch(word.text):
            mild = testing or word.text == "db:setup"
            yield effect(
                Kind.DESTROY, word.text, severity=Severity.MEDIUM if mild else Severity.HIGH,
                says="replaces the database and loses its content",
                instead="Apply the new ones instead: `rails db:migrate`.",
            )  # fmt: skip
        elif word.text.startswith(("db:rollback", "db:migrate:down", "db:migrate:redo")):
            yield effect(Kind.CHANGE, word.text, severity=Severity.MEDIUM, says="undoes migrations")
    if call.operands and call.operands[0].text in {"runner", "r"}:
        for word in call.operands[1:]:
            if _RUBY_LOSES.search(word.text):
                yield effect(Kind.DESTROY, word.shown[:60], severity=Severity.HIGH,
                             says="deletes rows of the database",
                             instead="Count first: `rails runner 'puts User.count'`.")  # fmt: skip


def _rails_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    if call.operands and call.operands[0].text in {"runner", "r"}:
        for word in call.operands[1:2]:
            yield f"ruby -e {shlex.quote(word.text)}"
    for word in call.values("-e", "--execute", "-p", "--execute-print", "-E", "--execute-continue"):
        code = re.sub(r"\bsh\b", "system", word.text)  # rake's own name for it
        yield f"ruby -e {shlex.quote(code)}"


_DJANGO_LOSES = re.compile(
    r"\.objects(?:\.all\(\))?\.(?:all\(\)\.)?delete\(\)|DROP TABLE|TRUNCATE ", re.IGNORECASE
)


def _manage(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `manage.py shell -c CODE` and `manage.py dbshell -- -c SQL`."""
    verb = call.operands[0].text if call.operands else ""
    if verb == "dbshell":
        for text in _texts(command, call):
            yield from read_sql(_without_client_lines(text), command)
    elif verb in {"shell", "shell_plus"}:
        codes = [word.text for word in call.values("-c", "--command")]
        if command.input is not None:
            codes.append(command.input)
        for code in codes:
            if _DJANGO_LOSES.search(code):
                yield effect(Kind.DESTROY, code[:60], severity=Severity.HIGH,
                             says="deletes all rows of a table",
                             instead="Count first: `Model.objects.count()`.")  # fmt: skip


def _manage_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    if call.operands and call.operands[0].text in {"shell", "shell_plus"}:
        for word in call.values("-c", "--command"):
            yield f"python -c {shlex.quote(word.text)}"


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "sql": _sql,
    "mongo": _mongo,
    "cypher": _cypher,
    "rails": _rails,
    "manage": _manage,
}

SCRIPTS: dict[str, Callable[[Command, ParsedArguments], Iterable[str]]] = {
    "sql": _sql_scripts,
    "mongo": _mongo_scripts,
    "rails": _rails_scripts,
    "manage": _manage_scripts,
}
