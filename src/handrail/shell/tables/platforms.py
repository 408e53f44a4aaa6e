"""Services that a product stands on: search, messages, monitoring, DNS, payment, accounts."""

from handrail.shell.tables.deep import deep
from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    HIGH,
    INSTALL,
    KILL,
    LOW,
    MEDIUM,
    PRIVILEGE,
    PUBLISH,
    SECRET,
    SEND,
    TAMPER,
    Fact,
    Program,
    program,
)

_HELP = "--help|-h|--dry-run"
_COMMON = """
    -p --project -o --output -e --environment --env -t --token --api-key --application-id
    --tenant --profile -c --config --zone --id --service-id --name --version --limit -q --query
    --format --org --region --account --access-token --flag --sid --guid -i --ids --page
"""
_LOOK = "Look first with the same words and `list` or `get`; leave the deletion to the user."


def _service(
    verbs: str = "delete|remove|rm|destroy|purge",
    *facts: Fact,
    depths: tuple[int, ...] = (1, 2, 3),
    look: str = _LOOK,
    values: str = "",
) -> Program:
    """A service whose command line is `tool noun… verb`."""
    return program(
        *deep(DESTROY, verbs, depths, on="1",
              says="deletes {target} for all users of the service", instead=look),
        *facts,
        values=f"{_COMMON} {values}", harmless=_HELP,
    )  # fmt: skip


_KAFKA = """
    --bootstrap-server --topic --group --command-config --zookeeper --entity-type --entity-name
    --add-config --delete-config --cluster --partitions --producer --consumer --allow-principal
    --deny-principal --operation --resource-pattern-type -t -c --config --to-offset --to-datetime
    --reassignment-json-file --application-id --input-topics
"""
_LOOK_KAFKA = "Look first: `kafka-topics --list --bootstrap-server HOST`."


def _kafka(*facts: Fact) -> Program:
    return program(*facts, values=_KAFKA, harmless="--help|--version|--dry-run")


_KAFKA_TOOLS = {
    "kafka-consumer-groups": _kafka(
        Fact(DESTROY, "--delete|--delete-offsets", on="--group",
             says="makes Kafka forget how far the group {target} has read",
             instead="Look first: `kafka-consumer-groups --describe --group {target} "
             "--bootstrap-server HOST`."),
        Fact(DESTROY, "--reset-offsets --execute", on="--group",
             says="moves the group {target} to another place in its topics",
             instead="Without `--execute` it only shows a preview."),
    ),
    "kafka-acls": _kafka(
        Fact(PRIVILEGE, "--remove", says="takes access rights away", instead=_LOOK_KAFKA),
        Fact(PRIVILEGE, "--add", severity=MEDIUM, says="gives access rights"),
    ),
    "kafka-configs": _kafka(
        Fact(DESTROY, "--alter --add-config=*retention*|--add-config=*cleanup.policy*",
             says="lets messages be deleted sooner",
             instead="Look first: `kafka-configs --describe "
             "--entity-type topics --entity-name NAME --bootstrap-server HOST`."),
        Fact(CHANGE, "--alter", severity=MEDIUM, says="changes settings of Kafka"),
    ),
    "kafka-storage": _kafka(
        Fact(DESTROY, "format", says="formats the place where messages are stored",
             instead="Look first: `kafka-storage info -c FILE`."),
    ),
    "kafka-streams-application-reset": _kafka(
        Fact(DESTROY, says="resets an application and deletes its internal topics",
             instead="Preview it: add `--dry-run`."),
    ),
    "kafka-server-stop": _kafka(
        Fact(KILL, severity=HIGH, says="stops Kafka", instead=_LOOK_KAFKA),
    ),
    "kafka-reassign-partitions": _kafka(
        Fact(CHANGE, "--execute", severity=MEDIUM, says="moves partitions"),
    ),
}  # fmt: skip

_ZOOKEEPER = program(
    Fact(DESTROY, "@deleteall|rmr|delete", says="deletes nodes of the coordination service",
         instead="Look first: `zkCli.sh -server HOST ls /`."),
    values="-server -timeout", single_dash=True,
)  # fmt: skip

_MAIL_QUEUE = "Look first: `mailq`."
_WEB_SERVER = "Let it read its settings again instead: `nginx -t`, then reload."

PROGRAMS: dict[str, Program] = {
    # search
    "elasticsearch-node": program(
        Fact(DESTROY, "unsafe-bootstrap|detach-cluster|repurpose|remove-*|override-version",
             says="changes a node by force, which loses data",
             instead="Look first: `curl localhost:9200/_cluster/health`."),
        harmless="--help|-h",
    ),
    "elasticsearch-reset-password": program(
        Fact(SECRET, on="search password", says="sets and prints a new password",
             instead="Look first: `curl localhost:9200/_cluster/health`."),
    ),
    "elasticsearch-keystore": program(
        Fact(SECRET, "show", on="1", says="prints the secret {target}",
             instead="List the names only: `elasticsearch-keystore list`."),
        Fact(DESTROY, "remove", on="1", says="deletes the secret {target}",
             instead="List the names only: `elasticsearch-keystore list`."),
    ),
    "elasticsearch-users": program(Fact(PRIVILEGE, "user*|roles", severity=MEDIUM)),
    "curator": program(
        Fact(DESTROY, severity=MEDIUM, says="deletes or closes indices as its file says"),
        values="--config", harmless=_HELP,
    ),
    "curator_cli": program(
        Fact(DESTROY, "delete-*|delete_*|close|shrink", says="deletes or closes indices",
             instead="Preview it: `curator_cli show-indices`."),
        values="--host --port --config --filter_list --hosts", harmless=_HELP,
    ),
    "algolia": _service("delete|clear|remove|rm", look="Look first: `algolia indices list`."),
    "solr": program(
        Fact(DESTROY, "delete", on="-c", says="deletes the collection {target}",
             instead="Look first: `solr status`."),
        Fact(DESTROY, "zk rm", on="1", says="deletes {target} from the coordination service",
             instead="Look first: `solr zk ls /`."),
        Fact(KILL, "stop|restart", severity=MEDIUM),
        values="-c -p -z -url -d -n -s", single_dash=True, harmless="-help|--help",
    ),
    # messages
    **_KAFKA_TOOLS,
    **{f"{name}.sh": program(same_as=name) for name in _KAFKA_TOOLS},
    "kafkactl": program(
        Fact(DESTROY, "delete|reset|clone", on="2", says="deletes or resets {target}",
             instead="Look first: `kafkactl get topics`."),
        values="-C --config-file --context -o --output", harmless=_HELP,
    ),
    "kaf": _service("delete|rm", look="Look first: `kaf topics`."),
    "kcat": program(
        Fact(SEND, "-P", severity=MEDIUM, on="-t", says="sends messages to {target}"),
        values="-b -t -p -o -c -X -F -K -D -f",
    ),
    "kafkacat": program(same_as="kcat"),
    "confluent": _service("delete|undelete", look="Look first: `confluent kafka topic list`.",
                          values="--cluster --context"),
    "zkCli.sh": _ZOOKEEPER,
    "zookeeper-shell": _ZOOKEEPER,
    "zookeeper-shell.sh": program(same_as="zookeeper-shell"),
    "nats": program(
        Fact(DESTROY, "account|auth|context rm|delete|purge", on="1", says="deletes {target}",
             instead="Look first: `nats account info`."),
        Fact(DESTROY, "auth * rm|delete", on="1", says="deletes {target}",
             instead="Look first: `nats account info`."),
        Fact(SEND, "pub|publish", severity=LOW),
    ),
    "pulsar-admin": _service("delete|clear-backlog|truncate|delete-*|unload|skip-all", depths=(1,),
                             look="Look first: `pulsar-admin topics list public/default`."),
    "mosquitto_ctrl": program(
        Fact(DESTROY, "dynsec delete*|remove*|disable*", on="1", says="removes {target}",
             instead="Look first: `mosquitto_ctrl dynsec listClients`."),
        values="-h -p -u -P -o",
    ),
    "rabbitmq-plugins": program(Fact(CHANGE, "disable|enable", severity=MEDIUM)),
    "celery": program(
        Fact(DESTROY, "purge", says="deletes all waiting tasks",
             instead="Look first: `celery -A APP inspect reserved`."),
        Fact(KILL, "control shutdown|pool_shrink|cancel_consumer", severity=MEDIUM),
        values="-A --app -b --broker -Q --queues --workdir -d --destination -l --loglevel",
        harmless="--help|--version",
    ),
    "rq": program(
        Fact(DESTROY, "empty", on="each", says="deletes all waiting tasks of {target}",
             instead="Look first: `rq info`."),
        harmless="--help",
    ),
    "temporal": program(
        Fact(DESTROY, "operator namespace|cluster|search-attribute delete|remove",
             says="deletes a namespace with its workflows",
             instead="Look first: `temporal operator namespace list`."),
        Fact(DESTROY, "workflow|schedule|batch delete|terminate --query",
             says="ends all matching workflows", instead="Look first: `temporal workflow list`."),
        Fact(KILL, "workflow|schedule delete|terminate|cancel|reset", severity=MEDIUM),
        values="-n --namespace --address -w --workflow-id --query --reason", harmless="--help|-h",
    ),
    # monitoring
    "newrelic": _service("delete|deleteByGuid",
                         look="Look first: `newrelic entity search --name NAME`.",
                         values="--applicationId --accountId"),
    "splunk": program(
        Fact(DESTROY, "clean|remove|delete", on="2", says="deletes data or settings ({target})",
             instead="Look first: `splunk list index`."),
        Fact(TAMPER, "disable", severity=HIGH, says="switches a part of the monitoring off",
             instead="Look first: `splunk status`."),
        Fact(KILL, "stop|restart", severity=MEDIUM),
        Fact(PRIVILEGE, "edit|add user", severity=MEDIUM),
        values="-index -auth -uri -app -owner -maxout", single_dash=True, harmless="help|--help",
    ),
    "grafana-cli": program(
        Fact(PRIVILEGE, "admin reset-admin-password",
             says="sets a new password for the administrator",
             instead="Look first: `grafana-cli plugins ls`."),
        Fact(INSTALL, "plugins install|update|update-all", severity=MEDIUM, on="1"),
        Fact(CHANGE, "plugins remove|uninstall", severity=MEDIUM),
        values="--homepath --config --pluginsDir --repo", harmless="--help|-h",
    ),
    "grafana": program(
        Fact(PRIVILEGE, "cli admin reset-admin-password",
             says="sets a new password for the administrator",
             instead="Look first: `grafana cli plugins ls`."),
    ),
    "pd": _service("delete|remove", look="Look first: `pd service list`."),
    "sentry-cli": _service("delete|remove",
                           Fact(CHANGE, "deploys|releases new|finalize", severity=LOW),
                           look="Look first: `sentry-cli releases list`.",
                           values="--auth-token --url"),
    "dog": _service("delete|delete_*", look="Look first: `dog monitor show_all`."),
    "datadog-ci": program(
        Fact(SEND, "* upload|upload-*", severity=MEDIUM, says="uploads results to Datadog"),
        Fact(CHANGE, "lambda|cloud-run|stepfunctions|aas instrument|uninstrument", severity=MEDIUM),
        harmless=_HELP,
    ),
    "amtool": program(
        Fact(TAMPER, "silence add", severity=MEDIUM, says="silences alarms"),
        Fact(CHANGE, "silence expire", severity=LOW),
        values="--alertmanager.url -a --author -c --comment -d --duration", harmless="--help|-h",
    ),
    # names and delivery networks
    "flarectl": _service("delete|purge", look="Look first: `flarectl zone list`."),
    "cfcli": _service("rm|remove|delete|purge", depths=(0, 1), look="Look first: `cfcli ls`."),
    "cli53": _service("delete|rrdelete|rrpurge", depths=(0,), look="Look first: `cli53 list`."),
    "dnscontrol": program(
        Fact(DESTROY, "push", says="makes all DNS records as the file says, and deletes the rest",
             instead="Preview it: `dnscontrol preview`."),
        values="--config --creds --domains --providers", harmless="--help|-h",
    ),
    "octodns-sync": program(
        Fact(DESTROY, "--doit", says="makes all DNS records as the file says, and deletes the rest",
             instead="Without `--doit` it shows a preview: `octodns-sync --config-file "
             "FILE`."),
    ),
    "nsupdate": program(values="-k -y -t -u -r -p", reader="nsupdate", harmless="-h|-V"),
    "rndc": program(
        Fact(KILL, "stop|halt", severity=HIGH, says="stops the name server",
             instead="Look first: `rndc status`."),
        Fact(DESTROY, "delzone", on="1", says="deletes the zone {target}",
             instead="Look first: `rndc zonestatus {target}`."),
        Fact(CHANGE, "freeze|addzone|modzone|tsig-delete|flush", severity=MEDIUM),
        values="-b -c -k -p -s -y", harmless="-h|-V",
    ),
    "pdnsutil": program(
        Fact(DESTROY, "delete-*|unset-*|remove-*|disable-*|clear-zone|wipe-*", on="1",
             says="deletes {target} from the name server",
             instead="Look: `pdnsutil list-all-zones`."),
        Fact(DESTROY, "zone|rrset delete|clear", on="1",
             says="deletes {target} from the name server",
             instead="Look: `pdnsutil list-all-zones`."),
        harmless="--help|-h",
    ),
    "fastly": _service("delete|deactivate|purge-all",
                       Fact(DESTROY, "purge --all", says="empties the whole cache at once",
                            instead="Empty one address: `fastly purge --url URL`."),
                       Fact(PUBLISH, "compute publish|deploy", severity=MEDIUM),
                       Fact(CHANGE, "service-version activate", severity=MEDIUM),
                       look="Look first: `fastly service list`."),
    "bunny": _service(look="Look first with `list`."),
    "certbot": program(
        Fact(DESTROY, "delete|revoke|unregister", on="--cert-name|--cert-path",
             says="deletes or revokes the certificate {target}",
             instead="Look first: `certbot certificates`."),
        values="-d --domains --cert-name -m --email --config-dir --cert-path --reason",
        harmless="--help|-h|--dry-run|--staging|--test-cert",
    ),
    "acme.sh": program(
        Fact(DESTROY, "--remove|--revoke|--deactivate|--uninstall",
             says="deletes or revokes a certificate", instead="Look first: `acme.sh --list`."),
        values="-d --domain -w --webroot --dns --server",
    ),
    # payment
    "stripe": program(
        *deep(DESTROY, "delete|cancel|deactivate|reject|void_invoice|detach", (1, 2), on="1",
              says="deletes or cancels {target} in the payment account",
              instead="Look first: `stripe customers list --limit 3`."),
        Fact(DESTROY, "delete", on="1", says="deletes {target} in the payment account",
             instead="Look first: `stripe get {target}`."),
        Fact(CHANGE, "refunds|payouts|transfers|topups create", severity=HIGH, says="moves money",
             instead="Look first: `stripe balance retrieve`."),
        Fact(CHANGE, "--live !@list|retrieve|search|get|listen|tail", severity=HIGH,
             says="changes the real payment account, not the test one",
             instead="Try it with test data: the same command without `--live`."),
        Fact(CHANGE, "post", severity=MEDIUM),
        values=f"{_COMMON} -d --data --charge --amount --api-version --stripe-account "
        "--device-name "
        "-s --stripe-version -f --forward-to --events",
        harmless=_HELP,
    ),
    # mail
    "postsuper": program(
        Fact(DESTROY, "-d", on="-d", says="deletes mail from the queue ({target})",
             instead=_MAIL_QUEUE),
        Fact(CHANGE, "-h|-r", severity=MEDIUM),
        values="-d -h -H -r -c",
    ),
    "exim": program(
        Fact(DESTROY, "-Mrm|-Mg", says="deletes mail from the queue", instead=_MAIL_QUEUE),
        single_dash=True,
    ),
    "exim4": program(same_as="exim"),
    # flags, telephony, accounts, shops
    "ldcli": _service("delete|remove|reset*",
                      Fact(CHANGE, "flags toggle-on|toggle-off|update|archive", severity=MEDIUM),
                      look="Look first: `ldcli flags list --project PROJECT`."),
    "flipt": program(
        Fact(DESTROY, "delete", on="each", says="deletes {target}",
             instead="Look first: `flipt export`."),
        Fact(DESTROY, "import --drop", says="replaces all flags",
             instead="Look first: `flipt export`."),
        harmless="--help|-h|--version",
    ),
    "twilio": program(
        Fact(DESTROY, "*:remove|*:delete|*:release", says="deletes something from the account",
             instead="Look first: `twilio phone-numbers:list`."),
        Fact(CHANGE, "*:buy*", severity=HIGH, says="buys something",
             instead="Look first: `twilio phone-numbers:list`."),
        Fact(SEND, "*:messages:create|*:calls:create|email:send", severity=MEDIUM, on="--to",
             says="sends a message to {target}"),
        Fact(CHANGE, "*:update|*:create|serverless:*|flex:plugins:deploy", severity=LOW),
        values="-p --profile --sid -o --from --to --body --account-sid",
        harmless="--help|-h|--version",
    ),
    "auth0": _service("delete|rm|remove|block",
                      Fact(DESTROY, "api delete", on="1", says="deletes {target}",
                           instead="Look first: `auth0 api get {target}`."),
                      Fact(CHANGE, "api post|put|patch", severity=MEDIUM),
                      Fact(SECRET, "apps show|create|update --reveal-secrets|-r", on="app secrets",
                           says="prints the secrets of an application",
                           instead="Look without them: `auth0 apps show ID`."),
                      Fact(SECRET, "test token", severity=MEDIUM, on="access token"),
                      look="Look first: `auth0 apps list`."),
    "okta": _service("delete|deactivate", look="Look first: `okta apps`."),
    "kcadm.sh": program(
        Fact(DESTROY, "delete", on="1", says="deletes {target} from the login service",
             instead="Look first: `kcadm.sh get {target}`."),
        Fact(PRIVILEGE, "set-password|add-roles", says="changes who may log in, and as what",
             instead="Look first: `kcadm.sh get users`."),
        Fact(CHANGE, "update|create|remove-roles", severity=MEDIUM),
        values="-r --target-realm -s --set -q --query -f --file --uusername --rolename --server "
        "--realm --user --password --username --new-password --config",
        harmless="--help",
    ),
    "kcadm": program(same_as="kcadm.sh"),
    "ldapdelete": program(
        Fact(DESTROY, on="each", says="deletes {target} from the directory",
             instead="Look first: `ldapsearch -b {target}`."),
        values="-H -D -w -y -b -f -h -p -Y -U", harmless="-n",
    ),
    "ldapmodify": program(
        Fact(PRIVILEGE, severity=MEDIUM, says="changes entries of the directory"),
        values="-H -D -w -y -f -h -p -Y -U", harmless="-n",
    ),
    "shopify": program(
        Fact(DESTROY, "theme|app delete|remove", says="deletes a theme or an app",
             instead="Look first: `shopify theme list`."),
        Fact(PUBLISH, "theme|app|hydrogen publish|deploy|release", severity=MEDIUM),
        Fact(PUBLISH, "theme push -l|--live|--allow-live|-a|--publish", severity=HIGH,
             says="changes the live shop",
             instead="Push to a draft theme: `shopify theme push --unpublished`."),
        values="-s --store -t --theme -e --environment --path --password -d --development",
        harmless=_HELP,
    ),
    "sanity": program(
        Fact(DESTROY, "dataset|documents|backup|hook|cors|schema delete|disable", on="1",
             says="deletes {target}", instead="Look first: `sanity dataset list`."),
        Fact(DESTROY, "undeploy", says="takes the studio down", instead="Look: `sanity debug`."),
        Fact(DESTROY, "dataset import --replace", severity=MEDIUM),
        Fact(PUBLISH, "deploy", severity=MEDIUM),
        harmless="--help|-h",
    ),
    "contentful": _service("delete|remove", look="Look first: `contentful space list`.",
                           values="-s --space-id --environment-id"),
    "sf": program(
        Fact(DESTROY, "org delete", says="deletes an org", instead="Look first: `sf org list`."),
        Fact(DESTROY, "data|project delete", says="deletes data or parts of an org",
             instead="Look first: `sf data query`."),
        Fact(SECRET, "org display --verbose", on="org login", says="prints the login of an org",
             instead="Without `--verbose`: `sf org display`."),
        Fact(CHANGE, "project|apex|package deploy|run|install", severity=MEDIUM),
        values="-o --target-org -v --target-dev-hub -s --sobject -w --where -i --record-id -f "
        "--file -q --query -d --source-dir -x --manifest",
        harmless="--help|-h|--dry-run|--version",
    ),
    "sfdx": program(same_as="sf"),
    "slack": program(
        Fact(DESTROY, "delete|uninstall", says="deletes the app", instead="Look: `slack list`."),
        Fact(DESTROY, "app|datastore|env|external-auth delete|uninstall|remove",
             says="deletes a part of the app", instead="Look first: `slack app list`."),
        Fact(PUBLISH, "deploy|publish", severity=MEDIUM),
        harmless="--help|-h",
    ),
    "zapier": program(
        Fact(DESTROY, "delete:*|users:remove|deprecate", says="deletes a version or an app",
             instead="Look first: `zapier versions`."),
        Fact(PUBLISH, "push|promote|migrate", severity=MEDIUM),
    ),
    # web servers
    "nginx": program(
        Fact(KILL, "-s=stop|-s=quit", severity=HIGH, says="stops the web server",
             instead=_WEB_SERVER),
        values="-s -c -g -p -e", harmless="-t|-T|-v|-V|-h",
    ),
    "caddy": program(
        Fact(KILL, "stop", severity=HIGH, says="stops the web server",
             instead="Let it read its settings again: `caddy reload`."),
        harmless="--help|-h",
    ),
    "kong": program(
        Fact(DESTROY, "migrations reset", says="deletes the whole configuration of the gateway",
             instead="Look first: `kong migrations list`."),
        Fact(KILL, "stop|quit|restart", severity=MEDIUM),
        values="-c --conf -p --prefix", harmless="--help|-h",
    ),
    "deck": program(
        Fact(DESTROY, "reset", says="deletes the whole configuration of the gateway",
             instead="Look first: `deck gateway diff`."),
        Fact(DESTROY, "gateway reset", says="deletes the whole configuration of the gateway",
             instead="Look first: `deck gateway diff`."),
        Fact(CHANGE, "sync|gateway", severity=LOW),
        Fact(CHANGE, "sync", severity=MEDIUM),
        Fact(CHANGE, "gateway sync|apply", severity=MEDIUM),
        values="--kong-addr --headers -s --state -o --output-file --select-tag -w --workspace "
        "--konnect-token --konnect-control-plane-name",
        harmless=_HELP,
    ),
    "apigeecli": _service(look="Look first with `list`.", values="--token"),
    "apigee": _service(look="Look first with `list`."),
    "kumactl": program(
        Fact(DESTROY, "delete|uninstall", on="each", says="deletes {target} from the mesh",
             instead="Look first: `kumactl get meshes`."),
    ),
    "step": program(
        Fact(DESTROY, "ca revoke", on="1", says="revokes the certificate {target}",
             instead="Look first: `step certificate inspect FILE`."),
        Fact(SECRET, "ca token", severity=MEDIUM),
    ),
}  # fmt: skip
