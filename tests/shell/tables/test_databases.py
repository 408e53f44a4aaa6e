"""Databases: clients, servers, stores and migration tools, in both directions."""

from collections.abc import Callable

import pytest

from handrail.model.effect import PATH_KINDS, Effect
from handrail.model.ordinal import Severity

Effects = Callable[[str], tuple[Effect, ...]]

DANGEROUS = [
    ("psql -tAc 'DROP TABLE users'", "destroy high"),
    ("psql --command='DROP ROLE admin'", "destroy high"),
    ("psql <<< 'TRUNCATE users;'", "destroy high"),
    ("echo 'DROP DATABASE app;' | psql", "destroy high"),
    ("mysql -u root -psecret -e 'DROP TABLE a; DROP TABLE b'", "destroy high"),
    ("mysql < <(echo 'DROP DATABASE app')", "destroy high"),
    ("sqlite3 app.db 'DELETE FROM t'", "destroy high"),
    ("duckdb app.db -c 'DROP TABLE t'", "destroy high"),
    ("clickhouse client -q 'DROP TABLE t'", "destroy high"),
    ("bq query --use_legacy_sql=false 'DROP TABLE ds.t'", "destroy high"),
    ("docker exec -it db psql -U postgres -c 'DROP DATABASE app'", "destroy high"),
    ("sudo -u postgres dropdb app", "destroy high"),
    ("pg_restore --clean -d app dump.bin", "destroy high"),
    ("mysqladmin -u root drop app -f", "destroy high"),
    ("mysqladmin shutdown", "kill high"),
    ("createuser -s bob", "privilege high"),
    ("mongosh app --eval 'db.users.drop()'", "destroy high"),
    ("mongosh --eval 'db.users.deleteMany( {} )'", "destroy high"),
    ("mongorestore --drop dump/", "destroy high"),
    ("redis-cli -h prod -a pw FLUSHALL ASYNC", "destroy high"),
    ("echo flushdb | redis-cli", "destroy high"),
    ("redis-cli EVAL \"return redis.call('FLUSHALL')\" 0", "destroy high"),
    ("redis-cli keys 'a*' | xargs redis-cli del", "destroy high"),
    ("redis-cli CONFIG SET dir /root/.ssh", "persist high"),
    ("cypher-shell 'MATCH (n) DETACH DELETE n'", "destroy high"),
    ("python manage.py flush --no-input", "destroy high"),
    ("./manage.py migrate app zero", "destroy high"),
    ("python manage.py shell -c \"import os; os.system('rm -rf /etc')\"", "delete high"),
    ("python -m alembic downgrade base", "destroy high"),
    ("php artisan migrate:fresh --force", "destroy high"),
    ("php bin/console doctrine:database:drop --force", "destroy high"),
    ("bin/rails db:drop:all", "destroy high"),
    ("rails runner 'User.delete_all'", "destroy high"),
    ("prisma db push --accept-data-loss", "destroy high"),
    ("migrate -database x -path m drop -f", "destroy high"),
    ("psql -c '\\! rm -rf /etc'", "delete high"),
    ("psql -c \"COPY t TO PROGRAM 'rm -rf /etc'\"", "delete high"),
    ("psql -c '\\o |sh -c \"rm -rf /etc\"'", "delete high"),
    ("mysql -e 'SELECT 1; system rm -rf /etc'", "delete high"),
    ("sqlite3 :memory: '.shell rm -rf /etc'", "delete high"),
]

EVERYDAY = [
    "psql -c 'SELECT 1'",
    "psql -c '\\dt'",
    "psql -d app -f schema.sql",
    "psql -c \"SELECT * FROM audit WHERE action = 'DROP TABLE'\"",
    "pg_dump app",
    "pg_restore -l backup.dump",
    "createdb app_test",
    "mysql app -e 'SELECT * FROM users'",
    "mysqladmin ping",
    "sqlite3 app.db .tables",
    "sqlite3 :memory: 'CREATE TABLE t(a); DROP TABLE t'",
    "sqlite3 /tmp/t.db 'DELETE FROM t'",
    "redis-cli GET key",
    "redis-cli CONFIG GET dir",
    "redis-cli EVAL \"return redis.call('GET','x')\" 0",
    "mongosh --eval 'db.users.find()'",
    "cypher-shell 'MATCH (n) RETURN count(n)'",
    "python manage.py migrate",
    "python manage.py test",
    "rails db:migrate",
    "php artisan migrate",
    "npx prisma migrate dev --name init",
    "flyway info",
    "alembic upgrade head",
    "dropdb --help",
]


@pytest.mark.parametrize(("command", "expected"), DANGEROUS)
def test_danger_is_seen(effects: Effects, command: str, expected: str) -> None:
    assert expected in {f"{effect.kind} {effect.severity}" for effect in effects(command)}


@pytest.mark.parametrize("command", EVERYDAY)
def test_everyday_work_is_left_alone(effects: Effects, command: str) -> None:
    found = [effect for effect in effects(command) if effect.kind not in PATH_KINDS]
    assert not [effect.text for effect in found if effect.severity > Severity.LOW]


def test_a_reset_of_the_test_database_is_only_warned_about(effects: Effects) -> None:
    (effect,) = effects("RAILS_ENV=test rails db:reset")
    assert effect.severity is Severity.MEDIUM


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("psql -c \"\\copy t to '/etc/x'\"", "write /etc/x"),
        ("sqlite3 a.db '.backup b.db'", "write /w/b.db"),
        ("sqlite3 ~/.mozilla/x/key4.db 'SELECT 1'", "read /home/me/.mozilla/x/key4.db"),
        ("pg_dump -f /etc/x app", "write /etc/x"),
        ("mongodump -o /tmp/d", "write /tmp/d"),
        ("mysql -e \"SELECT LOAD_FILE('/etc/shadow')\"", "read /etc/shadow"),
    ],
)
def test_files(touched: Callable[[str], list[str]], command: str, expected: str) -> None:
    assert expected in touched(command)
