"""Databases: clients (their SQL is read by readers/databases.py), servers, stores and queues."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    HIGH,
    KILL,
    LOW,
    MEDIUM,
    PRIVILEGE,
    READ,
    WRITE,
    Fact,
    Program,
)

_DUMP = "Make a dump first and ask a person: `pg_dump {target} > backup.sql`."
_STATUS = "See how the server is: `pg_ctl status`."
_HELP = "--help|--version|-V|-?"


def _loses(when: str, says: str, instead: str, on: str = "") -> Fact:
    return Fact(DESTROY, when, on=on, severity=HIGH, says=says, instead=instead)


PROGRAMS: dict[str, Program] = {
    # Clients that speak SQL
    "psql": Program(
        reader="sql",
        values="-c --command -d --dbname -f --file -h --host -p --port -U --username -v --set "
               "--variable -o "
        "--output -L --log-file -P --pset -F --field-separator -R --record-separator -T "
        "--table-attr",
        harmless=_HELP,
    ),
    "pgcli": Program(reader="sql", values="-h -p -u -U -d -D --pgclirc --prompt --list-dsn -f",
                     harmless="--help|--version"),
    "mysql": Program(
        reader="sql",
        values="-e --execute -h --host -P --port -u --user -D --database -S --socket "
               "--defaults-file "
        "--defaults-extra-file --default-character-set --delimiter --init-command --tee --pager "
        "--protocol "
        "--ssl-ca --ssl-cert --ssl-key --connect-timeout",
        harmless="--help|--version|-V|-?",
    ),
    "mariadb": Program(same_as="mysql"),
    "mysqlsh": Program(
        reader="sql",
        values="-e --execute -f --file -h --host -P --port -u --user -D --schema --uri -i",
        harmless="--help|--version",
    ),
    "mycli": Program(reader="sql",
                     values="-e --execute -h --host -P --port -u --user -D --database -S -d --dsn"),
    "sqlite3": Program(
        reader="sql",
        single_dash=True,
        values="-cmd -init -separator -nullvalue -newline -mmap -lookaside -pagecache -maxsize "
               "-vfs -A",
        harmless="-version|--version|-help|--help",
    ),
    "sqlite": Program(same_as="sqlite3"),
    "sqlcipher": Program(same_as="sqlite3"),
    "litecli": Program(reader="sql", values="-e --execute -D --database -t --table-format"),
    "duckdb": Program(
        reader="sql",
        single_dash=True,
        values="-c -cmd -init -separator -nullvalue -newline -s -f -storage-version",
        harmless="-version|--version|-help|--help",
    ),
    "sqlcmd": Program(
        reader="sql",
        values="-S -U -P -d -Q -q -i -o -v -s -w -h -H -a -l -t -m -K -R -r --server --query "
               "--input-file",
        harmless="-?|--help|--version",
    ),
    "mssql-cli": Program(same_as="sqlcmd"),
    "usql": Program(reader="sql", values="-c --command -f --file -o --out -v --set"),
    "isql": Program(reader="sql"),
    "bcp": Program(
        values="-S -U -P -d -f -F -L -b -t -r -e -i -o",
        facts=(Fact(WRITE, "* out|queryout", on="1"), Fact(READ, "* in", on="1")),
    ),
    "sqlplus": Program(reader="sql", values="-C -M -R", harmless="-V|-H|-help|-version"),
    "sqlcl": Program(same_as="sqlplus"),
    "clickhouse-client": Program(
        reader="sql",
        values="-q --query -h --host --port -u --user --password -d --database --queries-file -C "
               "--config-file "
        "--format -f --log-level",
        harmless="--help|--version|-V",
    ),
    "clickhouse-local": Program(same_as="clickhouse-client"),
    "clickhouse": Program(same_as="clickhouse-client"),
    "chc": Program(same_as="clickhouse-client"),
    "cqlsh": Program(reader="sql",
                     values="-e --execute -f --file -u --username -p --password -k --keyspace "
                            "--cqlshrc --encoding", harmless="--help|--version"),
    "cockroach": Program(
        reader="sql",
        values="-e --execute -d --database -f --file --host --port --url --certs-dir -u --user "
               "--set --format",
        facts=(
            _loses("node decommission|drain", "takes a node out of the cluster",
                   "Look first: `cockroach node status`."),
            _loses("debug reset-quorum|unsafe-remove-dead-replicas",
                   "repairs the cluster by losing data", "Look first: `cockroach node status`."),
            Fact(KILL, "quit", severity=HIGH, says="stops the node",
                 instead="Look first: `cockroach node status`."),
        ),
        harmless="--help|--version",
    ),
    "trino": Program(reader="sql",
                     values="--execute --file -f --server --catalog --schema --user --session "
                            "--output-format", harmless="--help|--version"),
    "presto": Program(same_as="trino"),
    "snowsql": Program(reader="sql",
                       values="-q --query -f --filename -c --connection -a -u -d -s -w -r -o "
                              "--option -D --variable -P", harmless="--help|--version|-v"),
    "snow": Program(
        reader="sql",
        values="-q --query -f --filename -c --connection --database --schema --role --warehouse "
               "--account --user",
        facts=(
            _loses("object|stage|streamlit|service|spcs|app|connection drop|remove|teardown|purge",
                   "drops the object {target}", "List them: `snow object list table`.", on="each"),
        ),
    ),
    "hive": Program(reader="sql", values="-e -f -i -d --define --database --hiveconf --hivevar"),
    "beeline": Program(reader="sql", values="-e -f -u -n -p -d -i --hiveconf --hivevar"),
    "impala-shell": Program(reader="sql",
                            values="-q --query -f --query_file -i --impalad -d --database -o -u"),
    "spark-sql": Program(reader="sql",
                         values="-e -f -i --master --conf --jars --packages --database"),
    "dolt": Program(
        reader="sql",
        values="-q --query -f --file -r --result-format --data-dir --host --port --user --password",
        facts=(
            Fact(DESTROY, "reset --hard", severity=HIGH,
                 says="discards all changes since the last commit",
                 instead="Look at them: `dolt diff`."),
            _loses("table rm", "drops the table {target}",
                   "Look at it: `dolt table export {target}`.", on="each"),
            _loses("branch -D", "deletes the branch {target} even if it is not merged",
                   "Look at it: `dolt log {target}`.", on="each"),
        ),
    ),
    "surreal": Program(reader="sql",
                       values="-e --endpoint -u --user -p --pass --ns --db --conn --auth-level"),
    "bq": Program(
        reader="sql",
        values="--destination_table --max_rows --parameter --time_partitioning_field "
               "--source_format",
        facts=(
            _loses("query --replace", "replaces the table that the result is written to",
                   "Write to a new table: `bq query --destination_table ds.new 'SELECT 1'`."),
        ),
    ),
    # Servers and their tools
    "dropdb": Program(
        values="-h --host -p --port -U --username --maintenance-db",
        facts=(_loses("", "drops the database {target} with everything in it", _DUMP, on="each"),),
        harmless=_HELP,
    ),
    "dropuser": Program(
        values="-h --host -p --port -U --username",
        facts=(_loses("", "removes the database account {target}",
                      "See what it owns: `psql -c '\\du'`.", on="each"),),
        harmless=_HELP,
    ),
    "createdb": Program(values="-h -p -U -O -E -T -l -D", facts=(Fact(CHANGE, severity=LOW),),
                        harmless=_HELP),
    "createuser": Program(
        values="-h -p -U -c -g -m -v",
        facts=(
            Fact(PRIVILEGE, "-s|--superuser", severity=HIGH,
                 says="makes a database account with all rights",
                 instead="Make an ordinary account: `createuser app`."),
            Fact(CHANGE, severity=LOW),
        ),
        harmless=_HELP,
    ),
    "pg_dump": Program(
        values="-h --host -p --port -U --username -d --dbname -f --file -F --format -j --jobs -n "
               "--schema -N -t --table "
        "-T -Z --compress -E --encoding --role -e --extension",
        facts=(Fact(WRITE, on="-f|--file"),),
        harmless=_HELP,
    ),
    "pg_dumpall": Program(same_as="pg_dump"),
    "pg_basebackup": Program(values="-D --pgdata -h -p -U -F -X -d -c -l", facts=(Fact(WRITE,
        on="-D|--pgdata"),), harmless=_HELP),
    "pg_restore": Program(
        values="-d --dbname -f --file -F --format -h --host -p --port -U --username -j --jobs -n "
               "--schema -t --table "
        "-I -L --use-list -P -S -T -N --role --section",
        facts=(
            Fact(READ, on="each"),
            Fact(WRITE, on="-f|--file"),
            Fact(DESTROY, "-c|--clean -d|--dbname !-l|--list", on="-d|--dbname", severity=HIGH,
                 says="drops what is in {target} before it restores the dump",
                 instead="Restore into a new database: `createdb restored` and `pg_restore -d "
                         "restored FILE`."),
        ),
        harmless=_HELP,
    ),
    "pg_ctl": Program(
        values="-D --pgdata -l --log -m --mode -o --options -p -t --timeout -U -P -N",
        facts=(
            Fact(KILL, "stop|restart -m=immediate|-m=i|--mode=immediate", severity=HIGH,
                 says="stops the server without letting it finish", instead=_STATUS),
            Fact(KILL, "stop|restart|kill", severity=MEDIUM, says="stops the database server"),
            Fact(CHANGE, "promote", severity=MEDIUM, says="makes a copy the main server"),
        ),
        harmless=_HELP,
    ),
    "pg_ctlcluster": Program(
        values="-m",
        facts=(
            Fact(KILL, "* * stop -m=immediate", severity=HIGH,
                 says="stops the server without letting it finish",
                 instead="List them: `pg_lsclusters`."),
            Fact(KILL, "* * stop|restart", severity=MEDIUM, says="stops a database server"),
        ),
    ),
    "pg_dropcluster": Program(facts=(_loses("", "deletes a database cluster",
                                            "List them: `pg_lsclusters`."),), harmless=_HELP),
    "pg_resetwal": Program(
        values="-D --pgdata",
        facts=(_loses("!-n|--dry-run", "throws away the database's transaction log",
                      "Look first: `pg_controldata {target}`.", on="last"),),
        harmless="-V|--version|-?|--help",
    ),
    "pg_rewind": Program(same_as="pg_resetwal"),
    "pg_archivecleanup": Program(values="-x", facts=(_loses("!-n", "deletes archived logs",
        "List them: `pg_archivecleanup -n FOLDER FILE`."),), harmless=_HELP),
    "initdb": Program(values="-D --pgdata -E -A -U -X --locale", facts=(Fact(WRITE,
        on="-D|--pgdata"), Fact(WRITE, on="each")), harmless=_HELP),
    "mysqladmin": Program(
        values="-h --host -P --port -u --user -S --socket -i --sleep -c --count -w --wait "
               "--defaults-file",
        facts=(
            _loses("@drop", "drops a database with everything in it",
                   "List them: `mysqladmin status`."),
            Fact(KILL, "@shutdown|stop-slave|stop-replica", severity=HIGH,
                 says="stops the database server",
                 instead="See who uses it: `mysqladmin processlist`."),
            Fact(CHANGE, "@kill|password|flush-privileges|reload|refresh", severity=MEDIUM,
                 says="changes the running server"),
        ),
        harmless="--help|--version|-V",
    ),
    "mariadb-admin": Program(same_as="mysqladmin"),
    "mysqldump": Program(
        values="-h --host -P --port -u --user -r --result-file -w --where -T --tab --ignore-table "
               "--defaults-file",
        facts=(
            Fact(WRITE, on="-r|--result-file|-T|--tab"),
            _loses("--delete-master-logs|--delete-source-logs", "deletes the server's change log",
                   "Leave that option out: `mysqldump app > app.sql`."),
        ),
        harmless="--help|--version|-V",
    ),
    "mariadb-dump": Program(same_as="mysqldump"),
    "mysqlimport": Program(
        values="-h -P -u -c --columns --fields-terminated-by",
        facts=(
            Fact(READ, on="2+"),
            _loses("-d|--delete|-D", "empties the tables before it fills them",
                   "Load without `--delete`."),
        ),
    ),
    "mysqld": Program(
        facts=(
            Fact(PRIVILEGE, "--skip-grant-tables", severity=HIGH,
                 says="starts the server without any access control",
                 instead="Start it with its accounts: `mysqld --user=mysql`."),
        ),
        values="--datadir --port --socket --user --defaults-file",
    ),
    "mysqld_safe": Program(same_as="mysqld"),
    "sqlite_web": Program(facts=(Fact(READ, on="1"),)),
    # Document, key-value, graph and time-series stores
    "mongosh": Program(reader="mongo",
                       values="--eval --host --port -u --username -p --password "
                              "--authenticationDatabase -f --file --tlsCAFile",
                              harmless="--help|--version|-h"),
    "mongo": Program(same_as="mongosh"),
    "mongorestore": Program(
        values="-h --host --port -u -p -d --db -c --collection --uri --archive --nsInclude "
               "--nsExclude --dir",
        facts=(
            Fact(READ, on="each"),
            _loses("--drop !--dryRun", "drops each collection before it restores it",
                   "Restore beside it: `mongorestore --nsFrom 'a.*' --nsTo 'restored.*' dump/`."),
        ),
    ),
    "mongoimport": Program(
        values="-h --host --port -u -p -d --db -c --collection --uri --file --type --fields --mode",
        facts=(
            Fact(READ, on="--file"),
            _loses("--drop", "drops the collection before it imports",
                   "Import beside it: `mongoimport -c restored --file FILE`."),
        ),
    ),
    "mongodump": Program(values="-h --host --port -u -p -d --db -c --collection --uri -o --out "
                                "--archive -q --query", facts=(Fact(WRITE,
                                    on="-o|--out|--archive"),)),
    "mongoexport": Program(values="-h --host --port -u -p -d --db -c --collection --uri -o --out "
                                  "-q --query -f --fields --type", facts=(Fact(WRITE,
                                      on="-o|--out"),)),
    "mongod": Program(values="--dbpath --port --bind_ip -f --config --logpath", facts=(Fact(KILL,
        "--shutdown", severity=HIGH, says="stops the server",
        instead="Ask it how it is: `mongosh --eval 'db.stats()'`."),)),
    "redis-cli": Program(
        reader="redis",
        posix=True,
        values="-h -p -s -a -u -n -r -i -d -D -X -t --user --pass --pattern --quoted-pattern "
        "--count --cursor --eval --rdb --functions-rdb --show-pushes --pipe-timeout "
        "--memkeys-samples --keystats-samples --top --lru-test --intrinsic-latency --vset-recall "
        "--sni --cacert --cacertdir --cert --key "
        "--tls-ciphers --tls-ciphersuites --cluster --cluster-replicas --cluster-master-id "
        "--cluster-primary-id --cluster-weight --cluster-from --cluster-to --cluster-from-user "
        "--cluster-from-pass --cluster-slots --cluster-timeout --cluster-pipeline "
        "--cluster-threshold --dsn --iredisrc --url --username --password",
        facts=(Fact(WRITE, on="--rdb|--functions-rdb"), Fact(READ, on="--eval")),
        harmless="--help|--version|-v",
    ),
    "memflush": Program(values="--servers --expire", facts=(_loses("", "empties the cache",
        "Look first: `memstat --servers=HOST`."),)),
    "memcached-tool": Program(facts=(_loses("* flush_all", "empties the cache",
        "Look first: `memcached-tool HOST stats`."),)),
    "valkey-cli": Program(same_as="redis-cli"),
    "keydb-cli": Program(same_as="redis-cli"),
    "dragonfly-cli": Program(same_as="redis-cli"),
    "iredis": Program(same_as="redis-cli"),
    "nodetool": Program(
        values="-h --host -p --port -u --username -pw --password",
        facts=(
            _loses("decommission|removenode|assassinate|clearsnapshot|truncatehints",
                   "takes a node out of the cluster or deletes its data",
                   "Look first: `nodetool status`."),
            Fact(KILL, "drain|stopdaemon|disablebinary|disablegossip", severity=HIGH,
                 says="stops the node", instead="Look first: `nodetool status`."),
        ),
    ),
    "couchbase-cli": Program(
        values="-c --cluster -u --username -p --password --bucket",
        facts=(
            _loses("bucket-delete|bucket-flush|collection-manage|failover|server-remove|user-manage",
                   "deletes a bucket or takes a server out",
                   "List them: `couchbase-cli bucket-list -c HOST`."),
        ),
    ),
    "cbdelete": Program(facts=(_loses("", "deletes documents", "Look first: `cbq`."),)),
    "influx": Program(
        values="-b --bucket -o --org -t --token --host --start --stop -p --predicate -n --name -i "
               "--id --org-id",
        facts=(
            _loses("delete", "deletes measurements", "Look first: `influx query`."),
            _loses("bucket|org|dbrp|user|task|dashboards|auth|backup delete|rm",
                   "deletes it with all its data", "List them: `influx bucket list`."),
            _loses("restore --full", "replaces everything by a backup",
                   "Look first: `influx bucket list`."),
        ),
    ),
    "influxd": Program(facts=(_loses("inspect delete-tsm", "deletes measurements",
                                     "Look first: `influx bucket list`."),)),
    "cypher-shell": Program(reader="cypher",
                            values="-a --address -u --username -p --password -d --database -f "
                                   "--file -P --param --format"),
    "neo4j-admin": Program(
        values="--from-path --to-path",
        facts=(
            _loses("database|dbms delete|drop", "deletes the database {target}",
                   "Make a dump first: `neo4j-admin database dump {target}`.", on="each"),
            _loses("database load|restore --overwrite-destination|--force",
                   "replaces the database {target}",
                   "Make a dump first: `neo4j-admin database dump {target}`.", on="each"),
        ),
    ),
    # Queues
    "kafka-topics": Program(
        values="--bootstrap-server --topic --zookeeper --command-config --partitions "
               "--replication-factor --config",
        facts=(_loses("--delete", "deletes topics with all their messages",
                      "List them: `kafka-topics --list --bootstrap-server HOST`."),),
    ),
    "kafka-topics.sh": Program(same_as="kafka-topics"),
    "kafka-delete-records": Program(values="--bootstrap-server --offset-json-file",
                                    facts=(_loses("", "deletes messages",
                                        "List topics: `kafka-topics --list --bootstrap-server "
                                        "HOST`."),)),
    "kafka-delete-records.sh": Program(same_as="kafka-delete-records"),
    "rpk": Program(values="--brokers -X", facts=(_loses("topic delete|trim-prefix",
        "deletes topics with all their messages", "List them: `rpk topic list`."),
        _loses("group delete", "deletes a group", "List them: `rpk group list`."))),
    "rabbitmqctl": Program(
        values="-n --node -p --vhost -t --timeout",
        facts=(
            _loses("delete_queue|purge_queue|delete_vhost|delete_user|reset|force_reset|forget_cluster_node|clear_permissions",
                   "deletes queues, accounts or the whole node's state",
                   "List them: `rabbitmqctl list_queues`."),
            Fact(KILL, "stop|stop_app|shutdown|close_all_connections", severity=HIGH,
                 says="stops the server", instead="Look first: `rabbitmqctl status`."),
            Fact(PRIVILEGE, "set_user_tags * administrator", severity=HIGH,
                 says="makes an account an administrator",
                 instead="List them: `rabbitmqctl list_users`."),
        ),
    ),
    "rabbitmqadmin": Program(values="-H --host -P --port -u --username -p --password -V --vhost -c",
                             facts=(_loses("delete|purge *", "deletes {target}",
                                           "List them: `rabbitmqadmin list queues`.", on="each"),)),
    "nats": Program(
        values="-s --server --context --creds --nkey --user --password --timeout",
        facts=(
            _loses("stream|str|kv|object|obj|consumer|con rm|delete|del|purge",
                   "deletes {target} with its messages", "List them: `nats stream ls`.",
                   on="each"),
        ),
        harmless="--help|--version",
    ),
    # Data lakes
    "hdfs": Program(
        single_dash=True,
        facts=(
            _loses("dfs -rm -r|-R", "deletes {target} in the cluster",
                   "List it: `hdfs dfs -ls {target}`.", on="each"),
            _loses("dfs -rmr|-rmdir|-expunge", "deletes {target} in the cluster",
                   "List it: `hdfs dfs -ls {target}`.", on="each"),
            _loses("dfs -rm -skipTrash", "deletes {target} for good",
                   "List it: `hdfs dfs -ls {target}`.", on="each"),
            _loses("namenode -format", "formats the whole file system of the cluster",
                   "Look first: `hdfs dfsadmin -report`."),
        ),
    ),
    "hadoop": Program(
        single_dash=True,
        facts=(
            _loses("fs -rm -r|-R", "deletes {target} in the cluster",
                   "List it: `hadoop fs -ls {target}`.", on="each"),
            _loses("fs -rmr", "deletes {target} in the cluster",
                   "List it: `hadoop fs -ls {target}`.", on="each"),
            _loses("namenode -format", "formats the whole file system of the cluster",
                   "Look first: `hdfs dfsadmin -report`."),
        ),
    ),
}  # fmt: skip
