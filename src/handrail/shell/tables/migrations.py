"""Frameworks and migration tools that can empty or drop the database they look after."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    HIGH,
    MEDIUM,
    PUBLISH,
    Fact,
    Program,
    aliases,
    program,
)


def _loses(when: str, says: str, instead: str) -> Fact:
    return Fact(DESTROY, when, severity=HIGH, says=says, instead=instead)


def _undoes(when: str) -> Fact:
    return Fact(CHANGE, when, severity=MEDIUM, says="undoes migrations")


def _tool(
    instead: str,
    *whens: str,
    undoes: tuple[str, ...] = (),
    values: str = "",
    reader: str = "",
    single_dash: bool = False,
) -> Program:
    """A tool that loses the database's content when called in one of these ways."""
    says = "drops or empties the database"
    return program(
        *(_loses(when, says, instead) for when in whens),
        *map(_undoes, undoes),
        values=values, reader=reader, single_dash=single_dash,
        harmless="--help|-h|--version|--dry-run",
    )  # fmt: skip


_DJANGO = "List the open ones: `python manage.py showmigrations`."

PROGRAMS: dict[str, Program] = {
    "manage.py": program(
        _loses("flush|reset_db|reset_schema|drop_test_database|sqldsn_reset|sqlclear_all",
               "empties or drops the whole database", _DJANGO),
        _loses("migrate * zero", "undoes every migration of an app and drops its tables", _DJANGO),
        _loses("delete_squashed_migrations|destroy_db|drop_db", "drops database objects", _DJANGO),
        Fact(CHANGE, "remove_stale_contenttypes|clearsessions|deleteorphanedmedia", severity=MEDIUM,
             says="deletes old rows"),
        reader="manage", values="--settings --pythonpath -c --command --database -v --verbosity",
        harmless="--help|-h|--version|--plan",
    ),
    **aliases("manage.py", "django-admin", "django-admin.py", "django"),
    "rails": program(reader="rails", harmless="--help|-h|--version|-v|-T|--tasks"),
    "rake": program(
        Fact(PUBLISH, "@release|release:*|*:release|publish|*:publish|gem:push", severity=HIGH,
             says="publishes the build", instead="List the tasks: `rake -T`."),
        reader="rails",
        values="-f --rakefile -I --libdir -R --rakelibdir -r --require -E -e --execute -p "
        "--execute-print --execute-continue",
        harmless="--help|-h|--version|-V|-T|--tasks|-P|--prereqs|-n|--dry-run|-W|-D|--describe",
    ),
    "alembic": program(
        _loses("downgrade base !--sql", "undoes every migration and drops their tables",
               "Look where it stands: `alembic current`."),
        _undoes("downgrade !--sql"),
        Fact(CHANGE, "stamp --purge", severity=MEDIUM,
             says="forgets which migrations were applied"),
        values="-c --config -n --name -x", harmless="--help|-h|--version",
    ),
    "flask": program(
        _loses("db downgrade base !--sql", "undoes every migration and drops their tables",
               "Look where it stands: `flask db current`."),
        _loses("drop-db|drop_db|reset-db|reset_db|dropdb|resetdb", "drops the database",
               "Look where it stands: `flask db current`."),
        _undoes("db downgrade !--sql"),
        values="-A --app -e --env-file --host -p --port -d --directory",
    ),
    "prisma": _tool("Apply the new ones instead: `npx prisma migrate dev`.", "migrate reset",
                    "db push --force-reset|--accept-data-loss", "db drop", "migrate drop",
                    "platform * delete",
                    values="--schema --name -n --from-url --to-url --script --url --applied "
                    "--rolled-back"),
    "drizzle-kit": _tool("Look at the difference: `npx drizzle-kit check`.", "drop", "push --force",
                         values="--config --dialect --schema --out --url"),
    "sequelize": _tool("Look where it stands: `npx sequelize db:migrate:status`.", "db:drop",
                       "db:migrate:undo:all", "db:seed:undo:all",
                       undoes=("db:migrate:undo", "db:seed:undo"),
                       values="--env --config --url --name --to"),
    "sequelize-cli": program(same_as="sequelize"),
    "typeorm": _tool("Look where it stands: `npx typeorm migration:show`.", "schema:drop",
                     undoes=("migration:revert", "schema:sync"),
                     values="-d --dataSource -t --transaction -c", reader="sql"),
    **aliases("typeorm", "typeorm-ts-node-commonjs", "typeorm-ts-node-esm"),
    "mikro-orm": _tool("Look where it stands: `npx mikro-orm migration:list`.",
                       "schema:drop -r|--run|--drop-db", "schema:fresh -r|--run", "migration:fresh",
                       "database:drop", undoes=("migration:down",)),
    "knex": _tool("Look where it stands: `npx knex migrate:status`.", "migrate:rollback --all",
                  undoes=("migrate:rollback|migrate:down",), values="--knexfile --env --cwd"),
    "node-pg-migrate": _tool("Look where it stands: `npx node-pg-migrate up --dry-run`.", "reset",
                             undoes=("down|redo",)),
    "db-migrate": _tool("Look where it stands: `npx db-migrate check`.", "reset", "db:drop",
                        undoes=("down",)),
    "artisan": program(
        _loses("migrate:fresh|migrate:reset|migrate:refresh|db:wipe !--pretend",
               "drops all tables of the database",
               "Look where it stands: `php artisan migrate:status`."),
        _undoes("migrate:rollback"),
        Fact(CHANGE, "schema:dump --prune", severity=MEDIUM,
             says="deletes the migrations it has merged"),
        _loses("queue:flush|queue:clear|cache:forget_all|telescope:clear|model:prune",
               "deletes waiting jobs or old rows", "Look first: `php artisan queue:failed`."),
        values="--database --path --env --class --step --execute",
        harmless="--help|-h|--version|-V",
    ),
    "console": program(
        _loses("doctrine:database:drop|d:d:d !--dry-run", "drops the database",
               "Look where it stands: `php bin/console doctrine:migrations:status`."),
        _loses("doctrine:schema:drop|doctrine:mongodb:schema:drop|d:s:d --force|-f",
               "drops all tables of the database",
               "See the SQL: `php bin/console doctrine:schema:drop --dump-sql`."),
        _loses("doctrine:migrations:migrate|d:m:m @first|0", "undoes every migration",
               "Look where it stands: `php bin/console doctrine:migrations:status`."),
        Fact(CHANGE, "doctrine:schema:update --force|-f", severity=MEDIUM,
             says="changes the tables at once"),
        Fact(DESTROY, "doctrine:fixtures:load !--append", severity=MEDIUM,
             says="empties the database and fills it with examples"),
        reader="sql", values="-e --env --em --connection",
        harmless="--help|-h|--version|-V|--dump-sql",
    ),
    "doctrine": _tool("See the SQL: `doctrine orm:schema-tool:drop --dump-sql`.",
                      "orm:schema-tool:drop --force|-f|--full-database"),
    "phinx": _tool("Look where it stands: `phinx status`.", "rollback -t=0|--target=0",
                   undoes=("rollback",), values="-t --target -e --environment -c --configuration"),
    "drush": _tool("Look first: `drush status`.",
                   "sql:drop|sql-drop|site:install|si|sql-sync|sql:sync|entity:delete",
                   values="-l --uri -r --root", reader="sql"),
    "wp": _tool("Look first: `wp db size`.", "db reset|drop|clean", "site empty|delete",
                "search-replace !--dry-run @*_never", values="--path --url --user", reader="sql"),
    "flyway": _tool("Look where it stands: `flyway info`.", "@clean", undoes=("@undo",), values="",
                    single_dash=True),
    "liquibase": _tool("Look where it stands: `liquibase status`.", "@drop-all|dropAll|dropall",
                       undoes=("@rollback*",),
                       values="--changelog-file --url --username --password --defaults-file",
                       reader="sql"),
    "dbmate": _tool("Look where it stands: `dbmate status`.", "drop", undoes=("rollback|down",),
                    values="-u --url -e --env -d --migrations-dir -s"),
    "goose": _tool("Look where it stands: `goose status`.", "@reset", "@down-to @0",
                   undoes=("@down|down-to|redo",), values="-dir -table -env -certfile -ssl-cert",
                   single_dash=True),
    "migrate": _tool("Look where it stands: `migrate -path m version`.", "drop", "down -all",
                     undoes=("down",), values="-database -path -source -lock-timeout -prefetch",
                     single_dash=True),
    "sqlx": _tool("Look where it stands: `sqlx migrate info`.", "database|db drop|reset",
                  undoes=("migrate revert",), values="-D --database-url --source"),
    "diesel": _tool("Look where it stands: `diesel migration list`.", "database drop|reset",
                    undoes=("migration revert|redo",),
                    values="--database-url --config-file --migration-dir"),
    "sea-orm-cli": _tool("Look where it stands: `sea-orm-cli migrate status`.",
                         "migrate fresh|refresh|reset", undoes=("migrate down",),
                         values="-u --database-url -d --migration-dir -s"),
    "refinery": _tool("Look first: `ls migrations`.", "drop"),
    "tern": _tool("Look where it stands: `tern status`.", "migrate -d=0|--destination=0",
                  values="-d --destination -m --migrations -c --config"),
    "skeema": _tool("Look at the difference: `skeema diff`.", "push --allow-unsafe"),
    "atlas": _tool("Look at the difference: `atlas schema diff`.", "schema clean",
                   "schema apply --auto-approve", "migrate rm",
                   values="-u --url --dev-url --to --dir --env -c --config --var --from --format "
                   "--projectId --latest"),
    "hasura": _tool("Look where it stands: `hasura migrate status`.", "metadata clear",
                    "migrate delete", undoes=("migrate apply --down",),
                    values="--project --endpoint --admin-secret --database-name"),
    "turso": program(reader="sql"),
    "redwood": _tool("Apply the new ones instead: `yarn rw prisma migrate dev`.",
                     "prisma migrate reset"),
}  # fmt: skip
