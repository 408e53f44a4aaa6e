"""The tables of the log by version, and the steps from an older version to today's.

Never edit a released step: files that it made are in use. A change is a new step at the end, and
`tests/store/data/` gets a file of that version. Readers do not migrate: the second step has to
decide how a reader treats a file of the first.
"""

import sqlite3
from collections.abc import Sequence

from handrail.store.errors import DamagedError, NewerSchemaError

APPLICATION_ID = int.from_bytes(b"hrlg")
"""The id in the file's header, so that no other database passes for a log."""

Step = Sequence[str]

STEPS: Sequence[Step] = (
    (
        f"PRAGMA application_id = {APPLICATION_ID}",
        """
        CREATE TABLE topics (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            seq INTEGER NOT NULL,       -- of its last entry
            position INTEGER NOT NULL,  -- of its last entry
            began REAL NOT NULL,
            changed REAL NOT NULL
        )
        """,
        # AUTOINCREMENT: no entry gets the position of a forgotten one, or a reader that goes on
        # from there would miss it.
        """
        CREATE TABLE entries (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            topic INTEGER NOT NULL,     -- topics.id
            seq INTEGER NOT NULL,
            at REAL NOT NULL,
            body BLOB NOT NULL,
            UNIQUE (topic, seq)
        )
        """,
        """
        CREATE TABLE snapshots (
            topic TEXT PRIMARY KEY NOT NULL,
            seq INTEGER NOT NULL,
            body BLOB NOT NULL
        )
        """,
        # For people with the sqlite3 tool; Handrail itself does not use it.
        """
        CREATE VIEW log AS
        SELECT e.position, t.name AS topic, e.seq, datetime(e.at, 'unixepoch') AS at,
               CAST(e.body AS TEXT) AS body
        FROM entries AS e JOIN topics AS t ON t.id = e.topic
        ORDER BY e.position
        """,
    ),
)


def version_of(connection: sqlite3.Connection, path: str, known: int = len(STEPS)) -> int:
    """Return the schema version of an open file, 0 for an empty one; refuse any other file."""
    application = _number(connection, "PRAGMA application_id")
    version = _number(connection, "PRAGMA user_version")
    if application == APPLICATION_ID and version > known:
        raise NewerSchemaError(path, version, known)
    if application == APPLICATION_ID and version > 0:
        return version
    if application or version or _number(connection, "SELECT count(*) FROM sqlite_master"):
        raise DamagedError(path, "another program's database")
    return 0


def migrate(connection: sqlite3.Connection, path: str, steps: Sequence[Step] = STEPS) -> None:
    """Bring an open file to the newest version in one transaction; close it if that fails.

    A file that may not be written to fails here, whatever its version.
    """
    connection.execute("BEGIN IMMEDIATE")
    missing = steps[version_of(connection, path, len(steps)) :]
    for step in missing:
        for statement in step:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(steps)}")
    connection.execute("COMMIT" if missing else "ROLLBACK")


def _number(connection: sqlite3.Connection, statement: str) -> int:
    return int(connection.execute(statement).fetchone()[0])
