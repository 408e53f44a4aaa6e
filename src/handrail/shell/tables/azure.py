"""Microsoft Azure: az, azd, azcopy and their kin."""

from handrail.shell.tables.deep import deep
from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    HIGH,
    KILL,
    MEDIUM,
    PRIVILEGE,
    PUBLISH,
    RUN,
    SECRET,
    SEND,
    TAMPER,
    Fact,
    Program,
    Wrapper,
    program,
)

_VALUES = """
    -n --name -g --resource-group -l --location -o --output --query --subscription -s -c -a -d
    -u -p -f -i -t -e --account-name --account-key --sas-token --connection-string
    --vault-name --id --ids --scope --scopes --role --assignee --assignee-object-id --mode
    --template-file --template-uri --parameters --command-id --scripts --source --destination
    --nsg-name --access --source-address-prefixes --source-address-prefix --source-port-ranges
    --destination-port-ranges --destination-address-prefixes --protocol --priority --direction
    --start-ip-address --end-ip-address --public-access --container-name --server --file
    --method --uri --url --body --headers --resource --exec-command --command --node-count
    --default-action --allow-blob-public-access --delete-destination --project --org
    --organization --group-id --repository --image --expiry --permissions --pattern --tag --tags
    --min-replicas --max-replicas --value
"""
_LOOK = "Look first with the same words and `list` or `show`; leave it to the user."
_NO_KEYS = "Look at it without its keys: the same words with `show` or `list`."
_OWN = "Check the login: `az account show`."
_DEPTHS = (1, 2, 3, 4)
_ANYWHERE = "|".join(
    f"{option}={prefix}"
    for option in ("--source-address-prefixes", "--source-address-prefix")
    for prefix in ("[*]", "Internet", "0.0.0.0/0", "Any")
)

_AZ = (
    *deep(DESTROY, "delete|purge|delete-*|destroy|remove-all", _DEPTHS, on="-n|--name|--ids",
          says="deletes {target} from Azure", instead=_LOOK),
    *deep(DESTROY, "delete|purge|delete-*|destroy|remove-all", _DEPTHS, "!-n|--name|--ids",
          says="deletes something from Azure", instead=_LOOK),
    *deep(KILL, "stop|deallocate|restart|redeploy|reimage|power-off|disable|remove|revoke|failover|"
          "regenerate|regenerate-keys|renew|reset|restore|swap|scale|update|set|detach|rollback",
          _DEPTHS, severity=MEDIUM, says="changes or stops something in Azure"),
    Fact(KILL, "vm|vmss|aks stop|deallocate --ids", severity=HIGH,
         says="stops all machines of a list", instead="Look first: `az vm list -d -o table`."),
    Fact(DESTROY, "deployment * create --mode=Complete",
         says="deletes everything in the group missing from the template",
         instead="Preview it: `az deployment group what-if -g GROUP --template-file "
         "FILE`."),
    Fact(CHANGE, "deployment * create", severity=MEDIUM, says="changes what runs in Azure"),
    Fact(DESTROY, "backup protection disable --delete-backup-data", says="deletes backups",
         instead="Look first: `az backup item list`."),
    Fact(DESTROY, "storage blob|copy sync --delete-destination=true",
         says="deletes everything missing from the source",
         instead="Look first: `az storage blob list -c NAME --account-name NAME`."),
    Fact(DESTROY, "aks nodepool scale --node-count=0|-c=0",
         says="takes every node of the pool away",
         instead="Look first: `az aks nodepool list`."),
    Fact(DESTROY, "rest --method=delete|-m=delete", on="--uri|--url|-u", says="deletes {target}",
         instead="Look first: `az rest --method get --uri {target}`."),
    Fact(CHANGE, "rest --method=p*|-m=p*", severity=MEDIUM),
    Fact(TAMPER, "lock delete", severity=HIGH, says="removes a lock against deletion",
         instead="Look first: `az lock list`."),
    Fact(TAMPER, "monitor diagnostic-settings|activity-log|log-profiles delete", severity=HIGH,
         says="stops the audit log",
         instead="Look first: `az monitor diagnostic-settings list --resource ID`."),
    Fact(PRIVILEGE, "role assignment create", on="--role", says="gives someone the role {target}",
         instead="Look first: `az role assignment list`; let the user give rights."),
    Fact(PRIVILEGE, "role definition create|update", severity=MEDIUM),
    Fact(PRIVILEGE, "ad group|app|sp member|permission|owner add|grant|admin-consent",
         says="gives someone more rights",
         instead="Look first: `az ad group member list -g NAME`."),
    Fact(PRIVILEGE, "ad user|app|sp create|update", severity=MEDIUM),
    Fact(PRIVILEGE, "keyvault set-policy", severity=MEDIUM),
    Fact(PRIVILEGE, f"network nsg rule create|update {_ANYWHERE} !--access=Deny",
         says="opens a port to the whole internet",
         instead="Open it for one address: `--source-address-prefixes YOUR.IP`; look: "
         "`az network nsg list`."),
    Fact(PRIVILEGE, "vm open-port", severity=MEDIUM, says="opens a port to the whole internet"),
    Fact(PRIVILEGE, "* server firewall-rule create|update --end-ip-address=255.255.255.255",
         says="opens a database to the whole internet",
         instead="Open it for one address; look: `az sql server firewall-rule list`."),
    Fact(PUBLISH,
         "storage account update|create --allow-blob-public-access=true|--default-action=Allow",
         severity=HIGH, on="-n|--name", says="lets files of {target} be opened to everyone",
         instead="Look first: `az storage account show -n {target}`."),
    Fact(PUBLISH, "storage container create|set-permission "
         "--public-access=blob|--public-access=container", severity=HIGH, on="-n|--name",
         says="opens {target} to everyone",
         instead="Look first: `az storage container show-permission -n {target}`."),
    Fact(SECRET, "keyvault secret show|download|backup", on="-n|--name|--id",
         says="prints the secret {target}",
         instead="List the names only: `az keyvault secret list --vault-name NAME`."),
    Fact(SECRET, "keyvault key|certificate decrypt|backup", on="-n|--name", instead=_NO_KEYS),
    Fact(SECRET, "account get-access-token", on="access token", says="prints the access token",
         instead=_OWN),
    Fact(SECRET, "ad sp create-for-rbac", on="service login",
         says="creates a login with rights and prints its password", instead=_OWN),
    Fact(SECRET, "ad app|sp credential reset", on="service login",
         says="makes and prints a new password", instead=_OWN),
    *deep(SECRET, "list-keys|list-publishing-*|list-account-keys|list-connection-strings", (1, 2,
    3),
          says="prints access keys", instead=_NO_KEYS),
    *deep(SECRET, "keys|key|admin-key|query-key|credential list|show", (1, 2, 3, 4),
          says="prints access keys", instead=_NO_KEYS),
    *deep(SECRET, "show-connection-string|generate-sas|get-credentials", (1, 2, 3), severity=MEDIUM,
          on="access keys"),
    Fact(SECRET, "webapp|functionapp config appsettings list", severity=MEDIUM, on="app settings"),
    Fact(RUN, "vm|vmss run-command invoke|create", severity=HIGH,
         says="runs commands on a server, as root",
         instead="Look at it first: `az vm get-instance-view -g GROUP -n NAME`."),
    Fact(SEND, "storage blob|file|fs upload*", severity=MEDIUM, says="uploads files to Azure"),
    Fact(PUBLISH, "webapp|functionapp|containerapp|staticwebapp|spring up|deploy|create",
         severity=MEDIUM,
         says="deploys to Azure"),
    Fact(SECRET, "login -p|--password", severity=MEDIUM, on="account password"),
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    "az": program(
        *_AZ,
        values=_VALUES, harmless="--help|-h|--dry-run|--dryrun|--version",
        wraps=(Wrapper(when="vm|vmss run-command invoke", options="--scripts", where="elsewhere"),
               Wrapper(when="aks command invoke", options="--command|-c", where="elsewhere"),
               Wrapper(when="container|containerapp exec", options="--exec-command|--command",
                       where="elsewhere")),
    ),
    "azd": program(
        Fact(DESTROY, "down", says="deletes everything of the project in Azure",
             instead="List it first: `azd show`."),
        Fact(DESTROY, "env delete|remove", severity=MEDIUM),
        Fact(CHANGE, "up|deploy|provision", severity=MEDIUM, says="changes what runs in Azure"),
        Fact(SECRET, "env get-values|get-value", severity=MEDIUM, on="environment values"),
        Fact(SECRET, "auth token", on="access token", says="prints the access token",
             instead="Check the login: `azd auth login --check-status`."),
        values="-e --environment -C --cwd", harmless="--help|-h|--preview",
    ),
    "azcopy": program(
        Fact(DESTROY, "remove|rm", on="1", says="deletes {target}",
             instead="Preview it: `azcopy remove {target} --dry-run`."),
        Fact(DESTROY, "sync --delete-destination=true|--delete-destination=prompt", on="2",
             says="deletes everything in {target} missing from the source",
             instead="Preview it: add `--dry-run`."),
        values="--from-to --include-pattern --exclude-pattern --include-path --exclude-path "
        "--log-level --overwrite --block-size-mb",
        harmless="--help|-h|--dry-run", reader="object_copy",
    ),
    "func": program(
        Fact(PUBLISH, "azure functionapp publish", severity=MEDIUM, on="1",
             says="deploys the function app {target}"),
        Fact(SECRET, "settings decrypt", on="function settings", says="decrypts the settings",
             instead="See their names: `func settings list`."),
        Fact(DESTROY, "kubernetes|durable delete|remove|purge-history|delete-task-hub",
             says="deletes functions or their history", instead="Look: `func settings list`."),
        harmless="--help|-h",
    ),
    "swa": program(
        Fact(PUBLISH, "deploy", severity=MEDIUM, says="deploys a web site"),
        harmless="--help|-h|--dry-run",
    ),
}  # fmt: skip
