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
    aliases,
    program,
)

_DUMP = "Make a dump first and ask a person: `pg_dump {target} > backup.sql`."
_STATUS = "See how the server is: `pg_ctl status`."
_HELP = "--help|--version|-V|-?"


def _loses(when: str, says: str, instead: str, on: str = "") -> Fact:
    return Fact(DESTROY, when, on=on, severity=HIGH, says=says, instead=instead)


PROGRAMS: dict[str, Program] = {
    # Clients that speak SQL
    "psql": program(
        reader="sql",
        values="-c --command -d --dbname -f --file -h --host -p --port -U --username -v --set "
        "--variable -o --output -L --log-file -P --pset -F --field-separator -R "
        "--record-separator -T --table-attr",
        harmless=_HELP,
    ),
    "pgcli": program(
        reader="sql", values="-h -p -u -U -d -D --pgclirc --prompt --list-dsn -f",
        harmless="--help|--version",
    ),
    "mysql": program(
        reader="sql",
        values="-e --execute -h --host -P --port -u --user -D --database -S --socket "
        "--defaults-file --defaults-extra-file --default-character-set --delimiter --init-command "
        "--tee --pager --protocol --ssl-ca --ssl-cert --ssl-key --connect-timeout",
        harmless="--help|--version|-V|-?",
    ),
    "mariadb": program(same_as="mysql"),
    "mysqlsh": program(
        reader="sql",
        values="-e --execute -f --file -h --host -P --port -u --user -D --schema --uri -i",
        harmless="--help|--version",
    ),
    "mycli": program(
        reader="sql", values="-e --execute -h --host -P --port -u --user -D --database -S -d --dsn",
    ),
    "sqlite3": program(
        reader="sql", single_dash=True,
        values="-cmd -init -separator -nullvalue -newline -mmap -lookaside -pagecache -maxsize "
        "-vfs -A",
        harmless="-version|--version|-help|--help",
    ),
    **aliases("sqlite3", "sqlite", "sqlcipher"),
    "litecli": program(reader="sql", values="-e --execute -D --database -t --table-format"),
    "duckdb": program(
        reader="sql", single_dash=True,
        values="-c -cmd -init -separator -nullvalue -newline -s -f -storage-version",
        harmless="-version|--version|-help|--help",
    ),
    "sqlcmd": program(
        reader="sql",
        values="-S -U -P -d -Q -q -i -o -v -s -w -h -H -a -l -t -m -K -R -r --server --query "
        "--input-file",
        harmless="-?|--help|--version",
    ),
    "mssql-cli": program(same_as="sqlcmd"),
    "usql": program(reader="sql", values="-c --command -f --file -o --out -v --set"),
    "isql": program(reader="sql"),
    "bcp": program(
        Fact(WRITE, "* out|queryout", on="1"),
        Fact(READ, "* in", on="1"),
        values="-S -U -P -d -f -F -L -b -t -r -e -i -o",
    ),
    "sqlplus": program(reader="sql", values="-C -M -R", harmless="-V|-H|-help|-version"),
    "sqlcl": program(same_as="sqlplus"),
    "clickhouse-client": program(
        reader="sql",
        values="-q --query -h --host --port -u --user --password -d --database --queries-file -C "
        "--config-file --format -f --log-level",
        harmless="--help|--version|-V",
    ),
    **aliases("clickhouse-client", "clickhouse-local", "clickhouse", "chc"),
    "cqlsh": program(
        reader="sql",
        values="-e --execute -f --file -u --username -p --password -k --keyspace --cqlshrc "
        "--encoding",
        harmless="--help|--version",
    ),
    "cockroach": program(
        _loses("node decommission|drain", "takes a node out of the cluster",
               "Look first: `cockroach node status`."),
        _loses("debug reset-quorum|unsafe-remove-dead-replicas",
               "repairs the cluster by losing data", "Look first: `cockroach node status`."),
        Fact(KILL, "quit", severity=HIGH, says="stops the node",
             instead="Look first: `cockroach node status`."),
        reader="sql",
        values="-e --execute -d --database -f --file --host --port --url --certs-dir -u --user "
        "--set --format",
        harmless="--help|--version",
    ),
    "trino": program(
        reader="sql",
        values="--execute --file -f --server --catalog --schema --user --session --output-format",
        harmless="--help|--version",
    ),
    "presto": program(same_as="trino"),
    "snowsql": program(
        reader="sql",
        values="-q --query -f --filename -c --connection -a -u -d -s -w -r -o --option -D "
        "--variable -P",
        harmless="--help|--version|-v",
    ),
    "snow": program(
        _loses("object|stage|streamlit|service|spcs|app|connection drop|remove|teardown|purge",
               "drops the object {target}", "List them: `snow object list table`.", on="each"),
        reader="sql",
        values="-q --query -f --filename -c --connection --database --schema --role --warehouse "
        "--account --user",
    ),
    "hive": program(reader="sql", values="-e -f -i -d --define --database --hiveconf --hivevar"),
    "beeline": program(reader="sql", values="-e -f -u -n -p -d -i --hiveconf --hivevar"),
    "impala-shell": program(
        reader="sql", values="-q --query -f --query_file -i --impalad -d --database -o -u",
    ),
    "spark-sql": program(
        reader="sql", values="-e -f -i --master --conf --jars --packages --database",
    ),
    "dolt": program(
        Fact(DESTROY, "reset --hard", severity=HIGH,
             says="discards all changes since the last commit",
             instead="Look at them: `dolt diff`."),
        _loses("table rm", "drops the table {target}", "Look at it: `dolt table export {target}`.",
               on="each"),
        _loses("branch -D", "deletes the branch {target} even if it is not merged",
               "Look at it: `dolt log {target}`.", on="each"),
        reader="sql",
        values="-q --query -f --file -r --result-format --data-dir --host --port --user --password",
    ),
    "surreal": program(
        reader="sql", values="-e --endpoint -u --user -p --pass --ns --db --conn --auth-level",
    ),
    "bq": program(
        _loses("query --replace", "replaces the target table of the result",
               "Write to a new table: `bq query --destination_table ds.new 'SELECT 1'`."),
        reader="sql",
        values="--destination_table --max_rows --parameter --time_partitioning_field "
        "--source_format",
    ),
    # Servers and their tools
    "dropdb": program(
        _loses("", "drops the database {target} with everything in it", _DUMP, on="each"),
        values="-h --host -p --port -U --username --maintenance-db", harmless=_HELP,
    ),
    "dropuser": program(
        _loses("", "removes the database account {target}", "See its objects: `psql -c '\\du'`.",
               on="each"),
        values="-h --host -p --port -U --username", harmless=_HELP,
    ),
    "createdb": program(
        Fact(CHANGE, severity=LOW),
        values="-h -p -U -O -E -T -l -D", harmless=_HELP,
    ),
    "createuser": program(
        Fact(PRIVILEGE, "-s|--superuser", severity=HIGH,
             says="makes a database account with all rights",
             instead="Make an ordinary account: `createuser app`."),
        Fact(CHANGE, severity=LOW),
        values="-h -p -U -c -g -m -v", harmless=_HELP,
    ),
    "pg_dump": program(
        Fact(WRITE, on="-f|--file"),
        values="-h --host -p --port -U --username -d --dbname -f --file -F --format -j --jobs -n "
        "--schema -N -t --table -T -Z --compress -E --encoding --role -e --extension",
        harmless=_HELP,
    ),
    "pg_dumpall": program(same_as="pg_dump"),
    "pg_basebackup": program(
        Fact(WRITE, on="-D|--pgdata"),
        values="-D --pgdata -h -p -U -F -X -d -c -l", harmless=_HELP,
    ),
    "pg_restore": program(
        Fact(READ, on="each"),
        Fact(WRITE, on="-f|--file"),
        Fact(DESTROY, "-c|--clean -d|--dbname !-l|--list", on="-d|--dbname", severity=HIGH,
             says="empties {target} before it restores the dump",
             instead="Restore into a new database: `createdb restored` and `pg_restore -d "
             "restored FILE`."),
        values="-d --dbname -f --file -F --format -h --host -p --port -U --username -j --jobs -n "
        "--schema -t --table -I -L --use-list -P -S -T -N --role --section",
        harmless=_HELP,
    ),
    "pg_ctl": program(
        Fact(KILL, "stop|restart -m=immediate|-m=i|--mode=immediate", severity=HIGH,
             says="stops the server without letting it finish", instead=_STATUS),
        Fact(KILL, "stop|restart|kill", severity=MEDIUM, says="stops the database server"),
        Fact(CHANGE, "promote", severity=MEDIUM, says="makes a copy the main server"),
        values="-D --pgdata -l --log -m --mode -o --options -p -t --timeout -U -P -N",
        harmless=_HELP,
    ),
    "pg_ctlcluster": program(
        Fact(KILL, "* * stop -m=immediate", severity=HIGH,
             says="stops the server without letting it finish",
             instead="List them: `pg_lsclusters`."),
        Fact(KILL, "* * stop|restart", severity=MEDIUM, says="stops a database server"),
        values="-m",
    ),
    "pg_dropcluster": program(
        _loses("", "deletes a database cluster", "List them: `pg_lsclusters`."),
        harmless=_HELP,
    ),
    "pg_resetwal": program(
        _loses("!-n|--dry-run", "throws away the database's transaction log",
               "Look first: `pg_controldata {target}`.", on="last"),
        values="-D --pgdata", harmless="-V|--version|-?|--help",
    ),
    "pg_rewind": program(same_as="pg_resetwal"),
    "pg_archivecleanup": program(
        _loses("!-n", "deletes archived logs", "List them: `pg_archivecleanup -n FOLDER FILE`."),
        values="-x", harmless=_HELP,
    ),
    "initdb": program(
        Fact(WRITE, on="-D|--pgdata"),
        Fact(WRITE, on="each"),
        values="-D --pgdata -E -A -U -X --locale", harmless=_HELP,
    ),
    "mysqladmin": program(
        _loses("@drop", "drops a database with everything in it",
               "List them: `mysqladmin status`."),
        Fact(KILL, "@shutdown|stop-slave|stop-replica", severity=HIGH,
             says="stops the database server",
             instead="List its users: `mysqladmin processlist`."),
        Fact(CHANGE, "@kill|password|flush-privileges|reload|refresh", severity=MEDIUM,
             says="changes the running server"),
        values="-h --host -P --port -u --user -S --socket -i --sleep -c --count -w --wait "
        "--defaults-file",
        harmless="--help|--version|-V",
    ),
    "mariadb-admin": program(same_as="mysqladmin"),
    "mysqldump": program(
        Fact(WRITE, on="-r|--result-file|-T|--tab"),
        _loses("--delete-master-logs|--delete-source-logs", "deletes the server's change log",
               "Leave this option out: `mysqldump app > app.sql`."),
        values="-h --host -P --port -u --user -r --result-file -w --where -T --tab --ignore-table "
        "--defaults-file",
        harmless="--help|--version|-V",
    ),
    "mariadb-dump": program(same_as="mysqldump"),
    "mysqlimport": program(
        Fact(READ, on="2+"),
        _loses("-d|--delete|-D", "empties the tables before it fills them",
               "Load without `--delete`."),
        values="-h -P -u -c --columns --fields-terminated-by",
    ),
    "mysqld": program(
        Fact(PRIVILEGE, "--skip-grant-tables", severity=HIGH,
             says="starts the server without any access control",
             instead="Start it with its accounts: `mysqld --user=mysql`."),
        values="--datadir --port --socket --user --defaults-file",
    ),
    "mysqld_safe": program(same_as="mysqld"),
    "sqlite_web": program(Fact(READ, on="1")),
    # Document, key-value, graph and time-series stores
    "mongosh": program(
        reader="mongo",
        values="--eval --host --port -u --username -p --password --authenticationDatabase -f "
        "--file --tlsCAFile",
        harmless="--help|--version|-h",
    ),
    "mongo": program(same_as="mongosh"),
    "mongorestore": program(
        Fact(READ, on="each"),
        _loses("--drop !--dryRun", "drops each collection before it restores it",
               "Restore beside it: `mongorestore --nsFrom 'a.*' --nsTo 'restored.*' dump/`."),
        values="-h --host --port -u -p -d --db -c --collection --uri --archive --nsInclude "
        "--nsExclude --dir",
    ),
    "mongoimport": program(
        Fact(READ, on="--file"),
        _loses("--drop", "drops the collection before it imports",
               "Import beside it: `mongoimport -c restored --file FILE`."),
        values="-h --host --port -u -p -d --db -c --collection --uri --file --type --fields --mode",
    ),
    "mongodump": program(
        Fact(WRITE, on="-o|--out|--archive"),
        values="-h --host --port -u -p -d --db -c --collection --uri -o --out --archive -q --query",
    ),
    "mongoexport": program(
        Fact(WRITE, on="-o|--out"),
        values="-h --host --port -u -p -d --db -c --collection --uri -o --out -q --query -f "
        "--fields --type",
    ),
    "mongod": program(
        Fact(KILL, "--shutdown", severity=HIGH, says="stops the server",
             instead="Ask it how it is: `mongosh --eval 'db.stats()'`."),
        values="--dbpath --port --bind_ip -f --config --logpath",
    ),
    "redis-cli": program(
        Fact(WRITE, on="--rdb|--functions-rdb"),
        Fact(READ, on="--eval"),
        reader="redis", posix=True,
        values="-h -p -s -a -u -n -r -i -d -D -X -t --user --pass --pattern --quoted-pattern "
        "--count --cursor --eval --rdb --functions-rdb --show-pushes --pipe-timeout "
        "--memkeys-samples --keystats-samples --top --lru-test --intrinsic-latency --vset-recall "
        "--sni --cacert --cacertdir --cert --key --tls-ciphers --tls-ciphersuites --cluster "
        "--cluster-replicas --cluster-master-id --cluster-primary-id --cluster-weight "
        "--cluster-from --cluster-to --cluster-from-user --cluster-from-pass --cluster-slots "
        "--cluster-timeout --cluster-pipeline --cluster-threshold --dsn --iredisrc --url "
        "--username --password",
        harmless="--help|--version|-v",
    ),
    "memflush": program(
        _loses("", "empties the cache", "Look first: `memstat --servers=HOST`."),
        values="--servers --expire",
    ),
    "memcached-tool": program(
        _loses("* flush_all", "empties the cache", "Look first: `memcached-tool HOST stats`."),
    ),
    **aliases("redis-cli", "valkey-cli", "keydb-cli", "dragonfly-cli", "iredis"),
    "nodetool": program(
        _loses("decommission|removenode|assassinate|clearsnapshot|truncatehints",
               "takes a node out of the cluster or deletes its data",
               "Look first: `nodetool status`."),
        Fact(KILL, "drain|stopdaemon|disablebinary|disablegossip", severity=HIGH,
             says="stops the node", instead="Look first: `nodetool status`."),
        values="-h --host -p --port -u --username -pw --password",
    ),
    "couchbase-cli": program(
        _loses("bucket-delete|bucket-flush|collection-manage|failover|server-remove|user-manage",
               "deletes a bucket or takes a server out",
               "List them: `couchbase-cli bucket-list -c HOST`."),
        values="-c --cluster -u --username -p --password --bucket",
    ),
    "cbdelete": program(_loses("", "deletes documents", "Look first: `cbq`.")),
    "influx": program(
        _loses("delete", "deletes measurements", "Look first: `influx query`."),
        _loses("bucket|org|dbrp|user|task|dashboards|auth|backup delete|rm",
               "deletes it with all its data", "List them: `influx bucket list`."),
        _loses("restore --full", "replaces everything by a backup",
               "Look first: `influx bucket list`."),
        values="-b --bucket -o --org -t --token --host --start --stop -p --predicate -n --name -i "
        "--id --org-id",
    ),
    "influxd": program(
        _loses("inspect delete-tsm", "deletes measurements", "Look first: `influx bucket list`."),
    ),
    "cypher-shell": program(
        reader="cypher",
        values="-a --address -u --username -p --password -d --database -f --file -P --param "
        "--format",
    ),
    "neo4j-admin": program(
        _loses("database|dbms delete|drop", "deletes the database {target}",
               "Make a dump first: `neo4j-admin database dump {target}`.", on="each"),
        _loses("database load|restore --overwrite-destination|--force",
               "replaces the database {target}",
               "Make a dump first: `neo4j-admin database dump {target}`.", on="each"),
        values="--from-path --to-path",
    ),
    # Queues
    "kafka-topics": program(
        _loses("--delete", "deletes topics with all their messages",
               "List them: `kafka-topics --list --bootstrap-server HOST`."),
        values="--bootstrap-server --topic --zookeeper --command-config --partitions "
        "--replication-factor --config",
    ),
    "kafka-topics.sh": program(same_as="kafka-topics"),
    "kafka-delete-records": program(
        _loses("", "deletes messages",
               "List topics: `kafka-topics --list --bootstrap-server HOST`."),
        values="--bootstrap-server --offset-json-file",
    ),
    "kafka-delete-records.sh": program(same_as="kafka-delete-records"),
    "rpk": program(
        _loses("topic delete|trim-prefix", "deletes topics with all their messages",
               "List them: `rpk topic list`."),
        _loses("group delete", "deletes a group", "List them: `rpk group list`."),
        values="--brokers -X",
    ),
    "rabbitmqctl": program(
        _loses("delete_queue|purge_queue|delete_vhost|delete_user|reset|force_reset|"
               "forget_cluster_node|clear_permissions",
               "deletes queues, accounts or the whole node's state",
               "List them: `rabbitmqctl list_queues`."),
        Fact(KILL, "stop|stop_app|shutdown|close_all_connections", severity=HIGH,
             says="stops the server", instead="Look first: `rabbitmqctl status`."),
        Fact(PRIVILEGE, "set_user_tags * administrator", severity=HIGH,
             says="makes an account an administrator",
             instead="List them: `rabbitmqctl list_users`."),
        values="-n --node -p --vhost -t --timeout",
    ),
    "rabbitmqadmin": program(
        _loses("delete|purge *", "deletes {target}", "List them: `rabbitmqadmin list queues`.",
               on="each"),
        values="-H --host -P --port -u --username -p --password -V --vhost -c",
    ),
    "nats": program(
        _loses("stream|str|kv|object|obj|consumer|con rm|delete|del|purge",
               "deletes {target} with its messages", "List them: `nats stream ls`.", on="each"),
        values="-s --server --context --creds --nkey --user --password --timeout",
        harmless="--help|--version",
    ),
    # Data lakes
    "hdfs": program(
        _loses("dfs -rm -r|-R", "deletes {target} in the cluster",
               "List it: `hdfs dfs -ls {target}`.", on="each"),
        _loses("dfs -rmr|-rmdir|-expunge", "deletes {target} in the cluster",
               "List it: `hdfs dfs -ls {target}`.", on="each"),
        _loses("dfs -rm -skipTrash", "deletes {target} for good",
               "List it: `hdfs dfs -ls {target}`.", on="each"),
        _loses("namenode -format", "formats the whole file system of the cluster",
               "Look first: `hdfs dfsadmin -report`."),
        single_dash=True,
    ),
    "hadoop": program(
        _loses("fs -rm -r|-R", "deletes {target} in the cluster",
               "List it: `hadoop fs -ls {target}`.", on="each"),
        _loses("fs -rmr", "deletes {target} in the cluster", "List it: `hadoop fs -ls {target}`.",
               on="each"),
        _loses("namenode -format", "formats the whole file system of the cluster",
               "Look first: `hdfs dfsadmin -report`."),
        single_dash=True,
    ),
}  # fmt: skip
