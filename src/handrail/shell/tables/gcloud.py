"""Google Cloud: gcloud, gsutil, bq and firebase."""

import msgspec

from handrail.shell.tables.deep import deep, sql_loss
from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    HIGH,
    KILL,
    LOW,
    MEDIUM,
    PRIVILEGE,
    PUBLISH,
    READ,
    SECRET,
    SEND,
    TAMPER,
    WRITE,
    Fact,
    Program,
    Wrapper,
    program,
)

_VALUES = """
    --project --account --configuration --format --filter --flags-file --billing-project
    --impersonate-service-account --access-token-file --verbosity --trace-token --zone --region
    --location --limit --sort-by --page-size --flatten --member --role --iam-account --secret
    --instance --database --key --keyring --source-ranges --allow --rules --command --ssh-flag
    --strategy-host-key-checking --ssh-key-file --image --machine-type --num-nodes --size
    --cluster --namespace --metadata --metadata-from-file --sql --ddl --ddl-file --service
    --topic --subscription --version --versions --source --entry-point --runtime --container
    --keys --ciphertext-file --plaintext-file --out --output-file --member-type --priority
    --target-tags --network --direction --action --freshness --order --log-filter -D -t
"""
_LOOK = "Look first with the same words and `list` or `describe`; leave it to the user."
_LOOK_IAM = "Look first: `gcloud projects get-iam-policy PROJECT`; let the user give rights."
_LOOK_GS = "Look first: `gcloud storage ls`; let the user delete it."
_OWN = "Check the login: `gcloud auth list`."

_DEPTHS = (1, 2, 3, 4)

_ANY = (
    *deep(DESTROY, "delete|destroy|bulk-delete|purge|delete-*|wipeout", _DEPTHS, on="1",
          says="deletes {target} from Google Cloud", instead=_LOOK),
    *deep(PRIVILEGE, "add-iam-policy-binding|set-iam-policy|add-iam-policy-*", _DEPTHS, on="1",
          says="changes permissions for {target}", instead=_LOOK_IAM),
    *deep(PRIVILEGE, "remove-iam-policy-binding", _DEPTHS, severity=MEDIUM, on="1"),
    *deep(KILL, "stop|reset|suspend|disable|remove|detach|failover|cancel|rollback|restore|"
          "restore-backup|resize|update|patch|deploy|set-traffic|update-traffic|abandon|drain",
          _DEPTHS, severity=MEDIUM, says="changes or stops something in Google Cloud"),
)  # fmt: skip
_NAMED = (
    Fact(DESTROY, "container clusters resize --num-nodes=0|--size=0",
         says="takes every node of the cluster away", instead=_LOOK),
    Fact(DESTROY, "billing projects unlink", on="1", says="cuts {target} off from its billing, "
         "which stops everything in it", instead="Look first: `gcloud billing accounts list`."),
    Fact(DESTROY, "services disable --force", on="1",
         says="switches {target} off with its dependents",
         instead="Look first: `gcloud services list --enabled`."),
    Fact(DESTROY, "sql backups restore", says="overwrites a database with an older state",
         instead="Look first: `gcloud sql backups list --instance NAME`."),
    Fact(DESTROY, f"spanner databases ddl|execute-sql {sql_loss('--ddl', '--sql')}",
         says="destroys data with SQL", instead="Read it first with a `SELECT`."),
    Fact(DESTROY, f"spanner databases ddl update {sql_loss('--ddl')}",
         says="destroys data with SQL", instead="Read it first with a `SELECT`."),
    Fact(DESTROY, "dns record-sets transaction remove", severity=MEDIUM),
    Fact(DESTROY, "storage rm", on="each", says="deletes {target}", instead=_LOOK_GS),
    Fact(DESTROY, "storage rsync --delete-unmatched-destination-objects", on="2",
         says="deletes everything in {target} missing from the source",
         instead="Preview it: add `--dry-run`."),
    Fact(PRIVILEGE, "compute firewall-rules create|update "
         "--source-ranges=0.0.0.0/0|--source-ranges=*::/0", on="1",
         says="opens a port to the whole internet ({target})",
         instead="Open it for one address: `--source-ranges=YOUR.IP/32`; look: "
         "`gcloud compute firewall-rules list`."),
    Fact(PRIVILEGE, "compute instances|project-info add-metadata "
         "--metadata=*ssh-keys*|--metadata=*startup-script*|--metadata-from-file=*ssh-keys*|"
         "--metadata-from-file=*startup-script*",
         says="puts login keys or a start script on machines",
         instead="Look first: `gcloud compute instances describe NAME`."),
    Fact(PRIVILEGE, "org-policies|resource-manager reset|disable-enforce",
         says="takes a rule of the organization away", instead=_LOOK),
    Fact(TAMPER, "logging sinks|buckets|logs|views|exclusions delete", on="1", severity=HIGH,
         says="deletes audit records ({target})",
         instead="Look first: `gcloud logging sinks list`."),
    Fact(TAMPER, "logging sinks update --disabled", on="1", severity=HIGH,
         says="stops the record {target}", instead="Look first: `gcloud logging sinks list`."),
    Fact(SECRET, "secrets versions access", on="--secret", says="prints the secret {target}",
         instead="Check the name only: `gcloud secrets describe {target}`."),
    Fact(SECRET, "kms decrypt|asymmetric-decrypt|raw-decrypt", says="opens something encrypted",
         instead="Look at the key: `gcloud kms keys list --keyring R --location L`."),
    Fact(SECRET, "iam service-accounts keys create", on="1",
         says="writes a login key of a service account to {target}",
         instead="Act as it without a key: `--impersonate-service-account`; look: "
         "`gcloud iam service-accounts list`."),
    Fact(WRITE, "iam service-accounts keys create", on="1"),
    Fact(SECRET, "auth print-access-token|print-refresh-token", on="access token",
         says="prints the access token", instead=_OWN),
    Fact(SECRET, "auth application-default print-access-token", on="access token",
         says="prints the access token", instead=_OWN),
    Fact(SECRET, "auth print-identity-token", severity=MEDIUM, on="identity token"),
    Fact(SECRET, "config config-helper", on="access token", says="prints the access token",
         instead=_OWN),
    Fact(SECRET, "compute reset-windows-password", on="1",
         says="sets and prints a password of {target}",
         instead="Look first: `gcloud compute instances describe {target}`."),
    Fact(SECRET, "sql users set-password", severity=MEDIUM),
    Fact(CHANGE, "app|run|functions deploy", severity=MEDIUM, says="deploys to Google Cloud"),
    Fact(READ, "kms encrypt|decrypt", on="--plaintext-file|--ciphertext-file"),
    Fact(CHANGE, "auth revoke", severity=MEDIUM),
)  # fmt: skip

_PREVIEWS = tuple(
    msgspec.structs.replace(fact, when=f"alpha|beta|preview {fact.when}") for fact in _NAMED
)

PROGRAMS: dict[str, Program] = {
    "gcloud": program(
        *_ANY + _NAMED + _PREVIEWS,
        values=_VALUES, harmless="--help|-h|--dry-run|--validate-only|--version",
        reader="gcloud_storage",
        wraps=(Wrapper(when="compute ssh --command", options="--command", where="elsewhere"),
               Wrapper(when="compute ssh !--command", form="words", where="elsewhere", skip=1),
               Wrapper(when="alpha|beta compute ssh --command", options="--command",
                       where="elsewhere")),
    ),
    "gsutil": program(
        Fact(DESTROY, "rm", on="each", says="deletes {target}", instead=_LOOK_GS),
        Fact(DESTROY, "rb", on="each", says="deletes the bucket {target}", instead=_LOOK_GS),
        Fact(DESTROY, "rsync -d !-n", on="last",
             says="deletes everything in {target} missing from the source",
             instead="Preview it: `gsutil rsync -n -d SOURCE TARGET`."),
        Fact(PRIVILEGE, "iam ch @allUsers*|allAuthenticatedUsers*",
             says="opens a bucket to everyone", instead="Look first: `gsutil iam get gs://NAME`."),
        Fact(PRIVILEGE, "acl|defacl ch|set @public-*|AllUsers*|*AllUsers*",
             says="opens files to everyone", instead="Look first: `gsutil acl get gs://NAME`."),
        Fact(PRIVILEGE, "acl|defacl ch -u=AllUsers*|-u=allUsers*|-u=AllAuth*",
             says="opens files to everyone", instead="Look first: `gsutil acl get gs://NAME`."),
        Fact(PRIVILEGE, "iam|acl|defacl ch|set", severity=MEDIUM),
        Fact(DESTROY, "versioning set off", on="each",
             says="stops keeping old versions in {target}",
             instead="Look first: `gsutil versioning get gs://NAME`."),
        Fact(DESTROY, "lifecycle|retention set|clear", severity=MEDIUM),
        Fact(SECRET, "hmac create", on="storage key", says="prints a login key",
             instead="Look first: `gsutil hmac list`."),
        Fact(CHANGE, "mv", severity=MEDIUM),
        values="-o -h -u -x -a -I", harmless="--help|--version", reader="object_copy",
    ),
    "bq": program(
        Fact(DESTROY, "rm", on="last", says="deletes {target} with its data",
             instead="Look first: `bq show {target}`."),
        Fact(DESTROY, "query|q @*drop?[!i]*|*delete?from*|*truncate?table*|*delete???from*",
             says="destroys data with SQL", instead="Count first: `bq query 'SELECT COUNT(*) …'`."),
        Fact(DESTROY, "load|cp --replace|-f|--force", on="last", severity=MEDIUM,
             says="replaces the data of {target}"),
        Fact(CHANGE, "update|cancel|undelete", severity=MEDIUM),
        values="--project_id --dataset_id --location --format -n --max_results --job_id "
        "--destination_table --schema --expiration --source --api --bigqueryrc",
        harmless="--help|--dry_run|--version",
    ),
    "firebase-tools": program(same_as="firebase"),
    "firebase": program(
        Fact(DESTROY, "*:delete|*:remove|*:destroy|*:disable|*:uninstall|*:prune",
             says="deletes or switches off a part of the project",
             instead="Look first: `firebase projects:list`; leave it to the user."),
        Fact(DESTROY, "database:set", on="1", says="replaces everything below {target}",
             instead="Look first: `firebase database:get {target}`."),
        Fact(SECRET, "functions:secrets:access|apphosting:secrets:access", on="1",
             says="prints the secret {target}",
             instead="Check the name only: `firebase functions:secrets:get {target}`."),
        Fact(SECRET, "auth:export", on="1", says="writes out all users with their password hashes",
             instead="Look in the emulator instead: `firebase emulators:start`."),
        Fact(SECRET, "login:ci", severity=MEDIUM, on="login token"),
        Fact(WRITE, "auth:export", on="1"),
        Fact(SEND, "auth:import", severity=MEDIUM),
        Fact(CHANGE, "database:update|database:push|remoteconfig:rollback|firestore:*",
             severity=MEDIUM),
        Fact(PUBLISH, "deploy|hosting:clone|hosting:channel:deploy|appdistribution:distribute",
             severity=MEDIUM, says="deploys to Firebase"),
        Fact(CHANGE, "use|target:*", severity=LOW),
        values="-P --project --account --token -c --config --only --except -m --message "
        "--instance --database -i --site -e --expires",
        harmless="--help|-h|--version|-V|--dry-run",
        wraps=(Wrapper(when="emulators:exec", form="shell"),),
    ),
}  # fmt: skip
