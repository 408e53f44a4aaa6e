"""Read SQL in command lines: statements that destroy, grant or start something."""

import re
from collections.abc import Iterator

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.shell.command import Command
from handrail.shell.paths import join
from handrail.shell.readers.make_effects import effect, path_effect
from handrail.shell.word import OPAQUE, Word

_N, _L, _M, _H, _C = Severity
_MAX_TEXT = 256 * 1024


# Texts into statements


class SqlStatement(msgspec.Struct, frozen=True):
    """One statement in upper case, its strings replaced by `''` and kept aside."""

    text: str
    strings: tuple[str, ...] = ()


_TOKEN = re.compile(
    r"""--[^\n]*|(?<![\w])\#(?!>)[^\n]*|/\*(?!!).*?(?:\*/|$)|/\*!\d*|\*/"""
    r"""|(?P<string>'(?:[^'\\]|''|\\.)*(?:'|$))"""
    r"""|(?P<dollar>\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|$))"""
    r"""|(?P<name>"(?:[^"]|"")*"|`[^`]*`|\[[^\]\n]{0,200}\])"""
    r"""|(?P<end>;|\\g\b|\\gexec\b|\n\s*GO\s*(?=\n|$)|\n/\s*(?=\n|$))""",
    re.DOTALL | re.IGNORECASE,
)


def statements(text: str) -> Iterator[SqlStatement]:
    """Split a text into statements; drop comments, and keep strings apart from the words."""
    pieces: list[str] = []
    strings: list[str] = []
    last = 0
    for match in _TOKEN.finditer(text[:_MAX_TEXT]):
        pieces.append(text[last : match.start()])
        last = match.end()
        if match["end"] is not None:
            if built := _build(pieces, strings):
                yield built
            pieces, strings = [], []
        elif match["string"] is not None:
            strings.append(match.group()[1:-1].replace("''", "'"))
            pieces.append("''")
        elif match["dollar"] is not None:
            strings.append(
                match.group().strip("$").partition("$")[2] if match["tag"] else match.group()[2:-2]
            )
            pieces.append("''")
        elif match["name"] is not None:
            pieces.append(match.group()[1:-1].replace(" ", "_"))
        else:
            pieces.append(" ")
    pieces.append(text[last:_MAX_TEXT])
    if built := _build(pieces, strings):
        yield built


def _build(pieces: list[str], strings: list[str]) -> SqlStatement | None:
    text = re.sub(r"\s+", " ", "".join(pieces)).strip().upper()
    return SqlStatement(text, tuple(strings)) if text else None


# What statements do


class SqlRule(msgspec.Struct, frozen=True):
    """The effect of a piece of a query language, by a regular expression."""

    pattern: re.Pattern[str]
    kind: Kind
    severity: Severity
    says: str
    instead: str = ""


_NAME = r"(?P<name>[\w.$'*\uFFFC-]+)"
_COUNT = "Count the rows first: `{client} 'SELECT count(*) FROM {name}'`."
_LIST = "Look first for its dependents, with a SELECT, and ask before it goes."
_GRANT = "Grant a single right on one table, with GRANT SELECT ON."
_SHELL_INSTEAD = "Run the command in the shell itself, where it can be reviewed."


def rule(pattern: str, kind: Kind, severity: Severity, says: str, instead: str = "") -> SqlRule:
    """Return a rule of a table; case does not count."""
    return SqlRule(re.compile(pattern, re.IGNORECASE | re.DOTALL), kind, severity, says, instead)


_IF = r"(?:IF EXISTS )?"
_RULES = (
    rule(rf"DROP (?:DATABASE|SCHEMA|KEYSPACE|CATALOG|TABLESPACE|CLUSTER) {_IF}{_NAME}",
          Kind.DESTROY, _H,
          "drops the database or schema {name} with everything in it",
          "Make a dump first and ask: `pg_dump` or `mysqldump`."),
    rule(rf"REMOVE (?:DATABASE|NAMESPACE|TABLE) {_IF}{_NAME}", Kind.DESTROY, _H,
          "removes {name} with everything in it", _COUNT),
    rule(rf"DROP TEMP(?:ORARY)? TABLES? {_IF}{_NAME}", Kind.CHANGE, _L,
          "drops the temporary table {name}"),
    rule(rf"DROP (?:EXTERNAL |FOREIGN )?TABLES? {_IF}{_NAME}", Kind.DESTROY, _H,
          "drops the table {name} with all its rows", _COUNT),
    rule(rf"DROP (?:MATERIALIZED VIEW|COLLECTION|STREAM|BUCKET|MEASUREMENT|SERIES) {_IF}{_NAME}",
          Kind.DESTROY, _H, "drops {name} with its data", _COUNT),
    rule(rf"DROP OWNED BY {_NAME}", Kind.DESTROY, _H, "drops everything that {name} owns", _LIST),
    rule(rf"DROP (?:USER|ROLE|LOGIN|ACCOUNT) {_IF}{_NAME}", Kind.DESTROY, _H,
          "removes the account {name}", _LIST),
    rule(r"DROP EXTENSION .*CASCADE", Kind.DESTROY, _H, "drops an extension and all its dependents",
          _LIST),
    rule(rf"DROP (?:\w+ )?{_NAME}", Kind.DESTROY, _M, "drops {name}"),
    rule(rf"TRUNCATE (?:TABLE )?(?:ONLY )?{_IF}{_NAME}", Kind.DESTROY, _H,
          "empties the table {name}", _COUNT),
    rule(rf"ALTER TABLE {_IF}(?:ONLY )?{_NAME} .*\bDROP (?!CONSTRAINT|DEFAULT|NOT NULL|INDEX|KEY|"
          r"FOREIGN|"
          rf"IDENTITY|EXPRESSION|CHECK|PRIMARY)(?:COLUMN |PARTITION )?", Kind.DESTROY, _H,
          "drops columns or partitions of {name} with their data",
          "Add a migration to the project, for a person to review."),
    rule(rf"ALTER TABLE {_NAME} .*\bDELETE WHERE (?:1|TRUE|1 ?= ?1)(?:$| )", Kind.DESTROY, _H,
          "deletes all rows of {name}", _COUNT),
    rule(rf"ALTER TABLE {_NAME} .*\b(?:DELETE|UPDATE) ", Kind.DESTROY, _M,
          "changes rows of {name}"),
    rule(r"(?:ALTER|CREATE) (?:USER|ROLE|LOGIN) .*\b(?:SUPERUSER|BYPASSRLS|SYSADMIN)\b",
          Kind.PRIVILEGE, _H, "makes an account a superuser", _GRANT),
    rule(r"GRANT (?:ALL(?: PRIVILEGES)? (?:ON \*\.\*|TO)|(?:DBA|SUPER|SYSDBA|PG_\w+|\w+ADMIN)\b)",
          Kind.PRIVILEGE, _H, "grants all rights on everything", _GRANT),
    rule(r"GRANT ALL(?: PRIVILEGES)? ON", Kind.PRIVILEGE, _M, "grants all rights on some objects"),
    rule(r"GRANT .* TO '?PUBLIC\b", Kind.PRIVILEGE, _M, "grants a right to everyone"),
    rule(r"REVOKE ALL", Kind.CHANGE, _M, "takes rights away"),
    rule(r"(?:ALTER SERVER ROLE SYSADMIN ADD|EXEC(?:UTE)? SP_ADDSRVROLEMEMBER)", Kind.PRIVILEGE,
          _H,
          "makes an account an administrator of the server", _GRANT),
    rule(r"ALTER (?:USER|ROLE|LOGIN) .*\b(?:PASSWORD|IDENTIFIED)\b|SET PASSWORD", Kind.CHANGE, _M,
          "changes an account's password"),
    rule(r"RESET (?:MASTER|BINARY LOGS)|PURGE (?:BINARY|MASTER) LOGS", Kind.DESTROY, _H,
          "deletes the server's change log", "Look at it: `mysql -e 'SHOW BINARY LOGS'`."),
    rule(r"FLUSH PRIVILEGES|FLUSH ", Kind.CHANGE, _L, "reloads the server's caches"),
    rule(r"SHUTDOWN\b", Kind.KILL, _H, "stops the database server",
          "List its users: `mysqladmin processlist`."),
    rule(r"ALTER SYSTEM (?:SET|RESET) (?:ARCHIVE_COMMAND|RESTORE_COMMAND|SHARED_PRELOAD_LIBRARIES|"
          r"LOCAL_PRELOAD_LIBRARIES|SSL_PASSPHRASE_COMMAND)", Kind.PERSIST, _H,
          "makes the server run a command or load a library by itself", "Read it: `psql -c 'SHOW "
                                                                        "archive_command'`."),
    rule(r"ALTER SYSTEM|SET GLOBAL|SET PERSIST", Kind.CHANGE, _M, "changes the server's settings"),
    rule(r"SET (?:SESSION )?FOREIGN_KEY_CHECKS ?= ?0|PRAGMA WRITABLE_SCHEMA", Kind.CHANGE, _L,
          "switches off a check"),
    rule(r"(?:CREATE|LOAD) .*\b(?:LANGUAGE '?(?:C|PLPYTHON\dU|PLPERLU|PLSH)\b|SONAME)",
          Kind.UNSEEN, _H,
          "adds native code to the database server", _SHELL_INSTEAD),
    rule(r"CREATE OR REPLACE TABLE", Kind.DESTROY, _M, "replaces a table"),
)  # fmt: skip

_NO_FILTER = re.compile(
    r"\bWHERE \(?(?:(\w+|'') ?= ?\1|1|TRUE|NOT FALSE|1 ?<> ?0)\)?(?:$| (?:RETURNING|OR) )"
)
_ROWS = re.compile(
    rf"(?:WITH\b.*?[()] ?)?(?:(?P<delete>DELETE) (?:FROM )?(?:ONLY )?{_NAME}"
    r"|UPDATE (?:ONLY |OR \w+ |LOW_PRIORITY |IGNORE )*(?P<table>[\w.$\uFFFC-]+)\b.*?\bSET\b)"
)
_READ_FILE = re.compile(
    r"(LOAD_FILE|PG_READ_(?:BINARY_)?FILE|PG_LS_DIR|READFILE|READ_TEXT|READ_BLOB|OPENROWSET)\b"
)
_WRITE_FILE = re.compile(
    r"INTO (?:OUTFILE|DUMPFILE)|\bCOPY .*\bTO ''|LO_EXPORT|WRITEFILE|EXPORT DATABASE ''|VACUUM INTO"
)
_RUNS_STRING = re.compile(
    r"EXECUTE(?: IMMEDIATE)? ?\(?N?''|EXEC(?:UTE)? ?\(? ?N?''|SP_EXECUTESQL|PREPARE .* FROM ''|"
    r"EXECUTE FORMAT ?\( ?''"
)


_OPTIONS = {
    "psql": "-c", "duckdb": "-c", "sqlite3": "FILE", "clickhouse-client": "-q", "snowsql": "-q",
    "sqlcmd": "-Q", "trino": "--execute", "bq": "query", "impala-shell": "-q", "usql": "-c",
}  # fmt: skip
"""The option for a query, by client, if it is not `-e`."""


class SqlServer(msgspec.Struct, frozen=True):
    """The database behind a client."""

    file: Word | None = None
    """The file, for databases that are files."""
    throwaway: bool = False
    """In memory or in a temp folder: no loss of value."""


SERVER = SqlServer()
"""Any database that is not a file."""


def read_sql(text: str, command: Command, server: SqlServer = SERVER) -> Iterator[Effect]:
    """Yield the effects of an SQL text."""
    found = list(statements(text))
    rolled_back = bool(found) and found[-1].text.startswith(("ROLLBACK", "ABORT"))
    made: set[str] = set()
    for statement in found:
        for one in _statement(statement, command, server, made, depth=0):
            yield _lowered(one, server, rolled_back=rolled_back)


def _lowered(one: Effect, server: SqlServer, *, rolled_back: bool) -> Effect:
    if one.kind is not Kind.DESTROY:
        return one
    if server.throwaway:
        return msgspec.structs.replace(one, severity=Severity.LOW, undo=Undo.NEEDLESS, instead="")
    if rolled_back and one.severity >= Severity.HIGH:
        return msgspec.structs.replace(one, severity=Severity.MEDIUM, undo=Undo.NEEDLESS)
    return one


def _statement(
    statement: SqlStatement, command: Command, server: SqlServer, made: set[str], depth: int
) -> Iterator[Effect]:
    text = statement.text
    if text.startswith("EXPLAIN") and "ANALYZE" not in text[:40]:
        return
    text = re.sub(r"^EXPLAIN(?: \([^)]*\)| ANALYZE| VERBOSE)* ", "", text)
    if created := re.match(
        rf"CREATE (?:TEMP(?:ORARY)? |UNLOGGED )?TABLE (?:IF NOT EXISTS )?{_NAME}", text
    ):
        made.add(created["name"])
    yield from _files(statement, command)
    yield from _code(statement, command, server, made, depth)
    yield from _rows(text, command)
    for known in _RULES:
        if match := known.pattern.match(text):
            name = (match.groupdict().get("name") or "").lower().replace(OPAQUE, "…")
            severity = known.severity
            if name.upper() in made and known.kind is Kind.DESTROY:
                severity = Severity.LOW
            yield effect(known.kind, name or text[:60].lower(), severity=severity,
                         says=known.says.replace("{name}", name or "it"),
                         instead=_filled(known.instead, name, command))  # fmt: skip
            break
    if "PG_TERMINATE_BACKEND" in text:
        narrow = " WHERE " in text or re.search(r"PG_TERMINATE_BACKEND ?\( ?\d+", text)
        yield effect(Kind.KILL, "connections",
                     severity=Severity.MEDIUM if narrow else Severity.HIGH,
                     says="ends all connections to the database",
                     instead="List the sessions: `psql -c 'TABLE pg_stat_activity'`.")  # fmt: skip


def _filled(instead: str, name: str, command: Command) -> str:
    option = _OPTIONS.get(command.name, "-e")
    client = f"{command.name} {option}".strip()
    return instead.replace("{client}", client).replace("{name}", name or "table")


def _rows(text: str, command: Command) -> Iterator[Effect]:
    """Read DELETE and UPDATE: with a condition some rows, without one all of them."""
    match = _ROWS.match(text)
    if match is None:
        return
    name = (match["name"] or match["table"] or "").lower().replace(OPAQUE, "…")
    narrowed = re.search(r"\b(?:WHERE|LIMIT|USING .* WHERE|JOIN .* ON)\b", text[match.end() :])
    everything = narrowed is None or bool(_NO_FILTER.search(text))
    what = "deletes" if match["delete"] else "overwrites"
    if everything:
        yield effect(Kind.DESTROY, name, severity=Severity.HIGH,
                     says=f"{what} all rows of {name}: it has no condition",
                     instead="Add a WHERE. " + _filled(_COUNT, name, command))  # fmt: skip
    elif match["delete"]:
        yield effect(Kind.DESTROY, name, severity=Severity.MEDIUM, says=f"deletes rows of {name}")
    else:
        yield effect(Kind.CHANGE, name, severity=Severity.LOW, says=f"changes rows of {name}")


def _files(statement: SqlStatement, command: Command) -> Iterator[Effect]:
    """Find files that the server or the client reads and writes."""
    text = statement.text
    path = next(
        (string for string in reversed(statement.strings) if "/" in string or "." in string), None
    )
    if path is None:
        return
    word = Word(path)
    if _WRITE_FILE.search(text):
        first = next(
            (string for string in statement.strings if "/" in string or "." in string), path
        )
        target = Word(first) if "WRITEFILE" in text else word
        yield path_effect(Kind.WRITE, join(command.cwd, target))
    elif _READ_FILE.search(text) or re.search(
        r"\b(?:COPY .* FROM|INFILE|ATTACH(?: DATABASE)?) ''", text
    ):
        yield path_effect(Kind.READ, join(command.cwd, word))
    if "LOAD_EXTENSION" in text:
        yield effect(Kind.UNSEEN, path, severity=Severity.HIGH, says=f"loads the library {path}",
                     instead="Do it without the extension.")  # fmt: skip


def _code(
    statement: SqlStatement, command: Command, server: SqlServer, made: set[str], depth: int
) -> Iterator[Effect]:
    """Read statements that run strings: as SQL, or as commands of the server's shell."""
    text = statement.text
    if "XP_CMDSHELL" in text or "SP_OACREATE" in text or "SYS_EXEC(" in text or "SYS_EVAL(" in text:
        yield effect(
            Kind.UNSEEN, text[:60].lower(), severity=Severity.HIGH,
            says="runs a command on the database server", instead=_SHELL_INSTEAD,
        )  # fmt: skip
    elif "XP_CMDSHELL" in " ".join(statement.strings).upper() and "SP_CONFIGURE" in text:
        yield effect(
            Kind.PRIVILEGE, "xp_cmdshell", severity=Severity.HIGH,
            says="lets the database server run commands", instead=_SHELL_INSTEAD,
        )  # fmt: skip
    if depth > 2:
        return
    if text.startswith(("DO ''", "DO LANGUAGE")) or _RUNS_STRING.search(text):
        for string in statement.strings:
            body = re.sub(
                r"^\s*(?:DECLARE.*?)?BEGIN\b", "", string, flags=re.IGNORECASE | re.DOTALL
            )
            for inner in statements(
                re.sub(r"\b(?:THEN|LOOP|ELSE)\b", ";", body, flags=re.IGNORECASE)
            ):
                yield from _statement(inner, command, server, made, depth + 1)
