"""SQL: which statements lose data, whatever the comments and strings around them say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.model.effect import Kind
from handrail.model.ordinal import Severity
from handrail.shell.command import Command
from handrail.shell.readers.sql import SqlServer, read_sql, statements
from handrail.shell.word import Word

_COMMAND = Command((Word("psql"),), Word("/w"))


def _worst(text: str, server: SqlServer | None = None) -> Severity:
    found = read_sql(text, _COMMAND, server or SqlServer())
    return max((effect.severity for effect in found), default=Severity.NONE)


@pytest.mark.parametrize(
    "text",
    [
        "DROP DATABASE app", "drop schema public cascade; create schema public",
        "DROP TABLE IF EXISTS users; CREATE TABLE users (id int)", 'drop table "My Users"',
        "TRUNCATE a, b CASCADE", "DELETE FROM users", "delete from users where 1=1",
        "DELETE FROM users WHERE true RETURNING *", "UPDATE users SET admin = true",
        "UPDATE a.b AS x SET c = 1", "ALTER TABLE t DROP COLUMN c", "ALTER TABLE t DROP c",
        "/*!50000 DROP TABLE t */", "/* nothing */ DROP -- really\nTABLE t", "DROP ROLE admin",
        "ALTER USER x WITH SUPERUSER", "GRANT ALL PRIVILEGES ON *.* TO x", "RESET MASTER",
        "WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", "EXPLAIN ANALYZE DELETE FROM t",
        "DO $$ BEGIN EXECUTE 'DROP TABLE x'; END $$", "EXEC xp_cmdshell 'dir'",
        "EXECUTE IMMEDIATE 'DROP USER x CASCADE'", "BEGIN; DELETE FROM t; COMMIT",
        "ALTER SYSTEM SET archive_command = 'x'", "DELETE users",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity",
    ],
)  # fmt: skip
def test_loses_data_or_gives_power(text: str) -> None:
    assert _worst(text) >= Severity.HIGH


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1", "SELECT 'DROP TABLE x'", "-- DROP TABLE x\nSELECT 1",
        "/* DROP TABLE x */ SELECT 1",
        "SELECT * FROM t WHERE a = 'it''s; DROP TABLE x'",
        "INSERT INTO drops VALUES ('DELETE FROM t')",
        "INSERT INTO a VALUES (1) ON CONFLICT (id) DO UPDATE SET x = 1", "CREATE INDEX i ON t (a)",
        "EXPLAIN DELETE FROM t", "UPDATE t SET a = 1 WHERE id = 3", "SELECT * FROM t FOR UPDATE",
        "ALTER TABLE t ADD COLUMN c int", "ALTER TABLE t DROP CONSTRAINT c",
        "GRANT SELECT ON t TO r",
        "CREATE TEMP TABLE x (a int); DROP TABLE x", "DROP TEMPORARY TABLE x", "VACUUM",
        "SHOW TABLES",
        "CREATE FUNCTION f() RETURNS void AS $$ DELETE FROM t; $$ LANGUAGE sql",
        "COMMENT ON TABLE t IS 'delete from t'",
    ],
)  # fmt: skip
def test_is_everyday_work(text: str) -> None:
    assert _worst(text) <= Severity.LOW


@pytest.mark.parametrize(
    "text",
    ["DELETE FROM t WHERE id = 5", "DROP VIEW v", "DROP INDEX i", "BEGIN; DELETE FROM t; ROLLBACK"],
)
def test_is_worth_a_warning(text: str) -> None:
    assert _worst(text) is Severity.MEDIUM


def test_a_throwaway_database_loses_nothing() -> None:
    assert _worst("DROP TABLE t", SqlServer(throwaway=True)) <= Severity.LOW


@pytest.mark.parametrize(
    ("text", "kind", "path"),
    [
        ("SELECT * FROM t INTO OUTFILE '/var/www/x.php'", Kind.WRITE, "/var/www/x.php"),
        ("COPY t TO '/etc/x'", Kind.WRITE, "/etc/x"),
        ("COPY t FROM '/etc/passwd'", Kind.READ, "/etc/passwd"),
        ("SELECT LOAD_FILE('/etc/shadow')", Kind.READ, "/etc/shadow"),
        ("ATTACH 'other.db' AS o", Kind.READ, "/w/other.db"),
    ],
)
def test_files(text: str, kind: Kind, path: str) -> None:
    assert (kind, path) in {(effect.kind, effect.target) for effect in read_sql(text, _COMMAND)}


@given(st.text(alphabet="'\"`;-/*$#[]\\ \nabDROPTABLE(){}=1"))
def test_any_text_can_be_split(text: str) -> None:
    for statement in statements(text):
        assert statement.text == statement.text.strip()
    list(read_sql(text, _COMMAND))
