"""Smaller clouds and the places where web applications are deployed."""

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
    RUN,
    SECRET,
    WRITE,
    Fact,
    Program,
    Wrapper,
)

_HELP = "--help|-h|--dry-run"
_COMMON = """
    -a --app -c --config -o --output -p --project --profile -r --region --format --team --org
    --token -t -n --name -z --zone --access-token --context --location -e --env --environment
    -s --service --filter --size --image --label --ssh-key --interactive-timeout
"""
_LOOK = "Look first with the same words and `list` or `show`; leave the deletion to the user."
_DATA = "Look first; make a backup that the user has seen before anything is deleted."


def _provider(
    verbs: str = "delete|destroy|rm|remove|terminate|purge",
    *facts: Fact,
    depths: tuple[int, ...] = (1, 2, 3),
    values: str = "",
    wraps: tuple[Wrapper, ...] = (),
) -> Program:
    """A cloud whose command line is `tool noun… verb`."""
    return Program(
        values=f"{_COMMON} {values}",
        harmless=_HELP,
        wraps=wraps,
        facts=(
            *deep(DESTROY, verbs, depths, on="1", says="deletes {target} from the cloud",
                  instead=_LOOK),
            *deep(KILL, "stop|shutdown|poweroff|power-off|reboot|reset|rebuild|restore|resize|"
                  "detach|disable|disable-protection|rollback|halt|cycle|scale", depths,
                  severity=MEDIUM, says="changes or stops something in the cloud"),
            *facts,
        ),
    )  # fmt: skip


_CALLS = Program(
    values="--region --profile -p -o --output --endpoint --method --version --secretId --secretKey",
    harmless="--help|-h|--dryrun|--DryRun=true|--dry-run",
    facts=(
        Fact(DESTROY, "* Delete*|Terminate*|Release*|Destroy*|Purge*|Isolate*",
             says="deletes something from the cloud that cannot be brought back", instead=_LOOK),
        Fact(DESTROY, "oss|cos rm|rb|delete", on="1", says="deletes {target}", instead=_LOOK),
        Fact(DESTROY, "oss sync|cp --delete", says="deletes what is not in the source",
             instead=_LOOK),
        Fact(KILL, "* Stop*|Reboot*|Reset*|Detach*|Disable*|Revoke*|Remove*", severity=MEDIUM),
        Fact(PRIVILEGE, "ram|cam AttachPolicyTo*|CreateAccessKey|AttachUserPolicy*",
             says="changes who may do what", instead=_LOOK),
        Fact(SECRET, "kms|ssm GetSecretValue|Decrypt", instead=_LOOK),
    ),
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    "doctl": _provider(
        "delete|rm|remove|destroy|d",
        Fact(DESTROY, "compute droplet-action power-off|rebuild|restore|shutdown", severity=MEDIUM),
        Fact(SECRET, "kubernetes|k8s cluster|clusters kubeconfig show", on="cluster keys",
             says="prints the keys of a cluster",
             instead="Save them where `kubectl` finds them: `doctl kubernetes cluster list`."),
        Fact(SECRET, "databases connection|conn|user|pool", severity=MEDIUM, on="database login"),
        Fact(SECRET, "auth token", on="access token", says="prints the access token",
             instead="See who you are: `doctl account get`."),
        Fact(CHANGE, "apps create-deployment|update|create", severity=MEDIUM),
        values="-u --api-url --http-retry-max --ssh-command",
        wraps=(Wrapper(when="compute ssh", options="--ssh-command", where="elsewhere"),),
    ),
    "linode-cli": _provider(
        "delete|*-delete|rebuild|rb|del|rm|*-rebuild",
        Fact(SECRET, "lke kubeconfig-view", on="cluster keys", says="prints the keys of a cluster",
             instead="Look first: `linode-cli lke clusters-list`."),
        Fact(SECRET, "databases *-creds-view|*-credentials-view", on="database login",
             instead="Look first: `linode-cli databases list`."),
    ),
    "hcloud": _provider(
        "delete|rebuild|remove-*",
        Fact(SECRET, "server request-console|reset-password", severity=MEDIUM),
        wraps=(Wrapper(when="server ssh", form="words", where="elsewhere", skip=1),),
    ),
    "vultr-cli": _provider("delete|destroy|reinstall|rm"),
    "scw": _provider("delete|terminate|purge|wipe",
                     Fact(SECRET, "secret version access", on="secret", instead=_LOOK)),
    "upctl": _provider("delete|purge"),
    "exo": _provider("delete|remove|rm|evict"),
    "civo": _provider("delete|rm|remove|destroy"),
    "yc": _provider("delete|remove",
                    Fact(SECRET, "lockbox payload get", on="secret", instead=_LOOK),
                    Fact(SECRET, "iam create-token", on="access token", instead=_LOOK),
                    *deep(PRIVILEGE, "add-access-binding|add-access-bindings", (1, 2, 3),
                          says="gives someone more rights", instead=_LOOK),
                    values="--id --folder-id --cloud-id"),
    "metal": _provider("delete|reinstall"),
    "ovhcloud": _provider("delete|terminate|reinstall"),
    "openstack": _provider("delete|purge|destroy|unset",
                           Fact(SECRET, "secret get --payload|-p", on="secret", instead=_LOOK),
                           Fact(SECRET, "token issue", severity=MEDIUM, on="access token"),
                           Fact(PRIVILEGE, "role add", on="last",
                                says="gives someone the role {target}",
                                instead="Look first: `openstack role assignment list`."),
                           values="--os-cloud --os-project-name --os-username --os-region-name"),
    "oci": _provider("delete|terminate|bulk-delete|bulk-delete-*|purge|schedule-deletion|"
                     "schedule-*-deletion",
                     Fact(SECRET, "secrets secret-bundle get*", on="secret", instead=_LOOK),
                     depths=(1, 2, 3, 4),
                     values="--compartment-id --instance-id --bucket-name --config-file --query "
                     "--namespace-name --object-name --from-json"),
    "ibmcloud": _provider("*-delete|*-rm|delete|rm|cancel|*-cancel|destroy|*-purge",
                          Fact(DESTROY, "*-delete|*-rm", on="1", says="deletes {target}",
                               instead=_LOOK),
                          Fact(SECRET, "iam oauth-tokens|api-key-create|service-api-key-create",
                               severity=MEDIUM)),
    "aliyun": _CALLS,
    "tccli": _CALLS,
    "jdc": _CALLS,
    "hwcloud": _CALLS,
    "cf": Program(
        values="-o -s -b -f -i -k -m -p -u -c --var --vars-file --strategy",
        harmless="--help|-h",
        wraps=(Wrapper(when="ssh", options="-c|--command", where="elsewhere"),),
        facts=(
            Fact(DESTROY, "delete|d|delete-*|purge-*|ds", on="1", says="deletes {target}",
                 instead="Look first: `cf apps`."),
            Fact(SECRET, "oauth-token", on="access token", says="prints the access token",
                 instead="See who you are: `cf target`."),
            Fact(SECRET, "env|service-key", severity=MEDIUM, on="app settings"),
            Fact(CHANGE, "push|stop|sp|restage|unbind-*|unmap-route|set-env|scale|rollback",
                 severity=MEDIUM),
        ),
    ),
    "heroku": Program(
        values="-a --app -r --remote -t --team --confirm -c --command -s --size -p --pipeline "
        "--type -e --env",
        harmless="--help|-h|--version",
        wraps=(
            Wrapper(when="run|run:detached|run:inside", where="elsewhere"),
            Wrapper(when="ps:exec", options="-c|--command", where="elsewhere"),
        ),
        facts=(
            Fact(DESTROY, "*:destroy|*:delete|destroy|*:remove-all|*:clear|pg:reset|redis:reset",
                 says="deletes something on Heroku that cannot be brought back", instead=_DATA),
            Fact(DESTROY, "pg:backups:restore|pg:copy|pg:push", says="overwrites a database",
                 instead="Look first: `heroku pg:info`."),
            Fact(DESTROY, f"pg:psql|psql {sql_loss('-c', '--command')}",
                 says="destroys data with SQL",
                 instead="Read it first with a `SELECT`."),
            Fact(DESTROY, "config:unset|config:remove", on="each",
                 says="removes the setting {target}",
                 instead="Look first: `heroku config:get {target}`."),
            Fact(DESTROY, "ps:scale|scale @*=0", says="stops every copy of a process",
                 instead="Look first: `heroku ps`."),
            Fact(DESTROY, "*:remove|*:transfer|apps:leave|*:revoke", severity=MEDIUM),
            Fact(DESTROY, "domains:remove|certs:remove|apps:transfer",
                 says="takes a part of the app away",
                 instead="Look first: `heroku domains`."),
            Fact(SECRET, "auth:token|authorizations:create", on="access token",
                 says="prints an access token", instead="See who you are: `heroku whoami`."),
            Fact(SECRET, "config|config:get|pg:credentials*", severity=MEDIUM, on="app settings"),
            Fact(KILL, "ps:kill|ps:stop|ps:restart|restart|dyno:*|pg:killall|maintenance:on",
                 severity=MEDIUM),
            Fact(CHANGE, "config:set|pg:promote|pg:upgrade|rollback|releases:rollback|"
                 "container:release|pipelines:promote|access:*", severity=MEDIUM),
        ),
    ),
    "fly": Program(
        values="-a --app -c --config -r --region -t --access-token -C --command -i --image -o "
        "--org "
        "--size -n --name -s --select-dockerfile",
        harmless="--help|-h|--version",
        wraps=(
            Wrapper(when="ssh console", options="-C|--command", where="elsewhere"),
            Wrapper(when="machine|machines exec", where="elsewhere", skip=1, form="words"),
        ),
        facts=(
            *deep(DESTROY, "destroy|delete|remove|rm", (0, 1, 2), on="1",
                  says="deletes {target} from Fly.io", instead="Look first: `fly status`."),
            Fact(DESTROY, "secrets unset", on="each", says="removes the secret {target}",
                 instead="Look first: `fly secrets list`."),
            Fact(DESTROY, "scale count 0", says="stops every copy of the app",
                 instead="Look first: `fly status`."),
            Fact(DESTROY, "ips release", severity=MEDIUM),
            Fact(SECRET, "auth token", on="access token", says="prints the access token",
                 instead="See who you are: `fly auth whoami`."),
            Fact(SECRET, "tokens create", on="access token", says="prints an access token",
                 instead="See which there are: `fly tokens list`."),
            Fact(CHANGE, "deploy|scale|restart|suspend|apps restart|machine stop", severity=MEDIUM),
            Fact(KILL, "machine|machines stop|kill|restart", severity=MEDIUM),
        ),
    ),
    "flyctl": Program(same_as="fly"),
    "vercel": Program(
        values="-t --token -S --scope --cwd -A --local-config -Q --global-config -e --env "
        "-b --build-env -m --meta --name --regions --git-branch --archive --target -T --team",
        harmless="--help|-h|--version|-v",
        facts=(
            Fact(DESTROY, "remove|rm", on="each", says="deletes {target} from Vercel",
                 instead="Look first: `vercel ls`."),
            Fact(DESTROY, "env|project|projects|domains|dns|certs|alias|secrets|teams|integration|"
                 "blob|edge-config|redirects rm|remove|del|delete|purge", on="1",
                 says="deletes {target} from Vercel", instead="Look first: `vercel project ls`."),
            Fact(DESTROY, "blob store remove|rm|delete", says="deletes stored files",
                 instead="Look first: `vercel blob list`."),
            Fact(PUBLISH, "--prod|--target=production", severity=MEDIUM,
                 says="deploys to production"),
            Fact(CHANGE, "promote|rollback|redeploy|alias", severity=MEDIUM),
            Fact(SECRET, "env pull", severity=MEDIUM, on="app settings"),
            Fact(WRITE, "env pull", on="1"),
        ),
    ),
    "vc": Program(same_as="vercel"),
    "now": Program(same_as="vercel"),
    "netlify": Program(
        values="-a --auth -s --site -d --dir -m --message --filter --context --scope --alias "
        "-f --functions --data",
        harmless="--help|-h|--version",
        wraps=(Wrapper(when="dev:exec"),),
        facts=(
            Fact(DESTROY, "*:delete|*:unset|*:remove", on="each",
                 says="deletes {target} from Netlify",
                 instead="Look first: `netlify status`."),
            Fact(DESTROY, "*:delete|*:unset|*:remove", says="deletes something from Netlify",
                 instead="Look first: `netlify status`."),
            Fact(DESTROY, "api delete*|purge*", on="", says="deletes something from Netlify",
                 instead="Look first: `netlify sites:list`."),
            Fact(PUBLISH, "deploy --prod|-p|--prod-if-unlocked|--production", severity=MEDIUM,
                 says="deploys to production"),
            Fact(SECRET, "env:get|env:list|env:clone", severity=MEDIUM, on="app settings"),
            Fact(CHANGE, "unlink|api|env:set", severity=LOW),
        ),
    ),
    "ntl": Program(same_as="netlify"),
    "netlify-cli": Program(same_as="netlify"),
    "wrangler": Program(
        values="-c --config -e --env --name --binding --namespace-id --command --file --message "
        "--cwd --database --project-name --branch --path --jurisdiction -J --preview-id --tag",
        harmless="--help|-h|--version|-v|--dry-run",
        facts=(
            *deep(DESTROY, "delete|purge|remove", (0, 1, 2, 3), "!--local", on="1",
                  says="deletes {target} from Cloudflare",
                  instead="Look first: `wrangler deployments list`."),
            *deep(DESTROY, "delete|purge|remove", (0, 1, 2, 3), "!--local",
                  says="deletes something from Cloudflare",
                  instead="Look first: `wrangler deployments list`."),
            Fact(DESTROY, f"d1 execute !--local {sql_loss('--command')}", on="1",
                 says="destroys data of the database {target}",
                 instead="Try it on the local copy: `wrangler d1 execute {target} --local "
                 "--command SQL`."),
            Fact(DESTROY, "d1 time-travel restore", on="1",
                 says="puts {target} back to an older state",
                 instead="Look first: `wrangler d1 time-travel info {target}`."),
            Fact(CHANGE, "d1 execute|migrations --remote", severity=MEDIUM),
            Fact(PUBLISH, "deploy|publish", severity=MEDIUM, says="deploys to Cloudflare"),
            Fact(PUBLISH, "pages|versions deploy|publish", severity=MEDIUM,
                 says="deploys to Cloudflare"),
            Fact(CHANGE, "rollback|triggers|secret|r2|kv", severity=LOW),
            Fact(CHANGE, "rollback", severity=MEDIUM),
        ),
    ),
    "railway": Program(
        values="-s --service -e --environment -p --project",
        harmless="--help|-h|--version",
        wraps=(
            Wrapper(when="run|local"),
            Wrapper(when="ssh", where="elsewhere"),
        ),
        facts=(
            Fact(DESTROY, "down|delete|unlink-all", says="takes the deployment or the project away",
                 instead="Look first: `railway status`."),
            *deep(DESTROY, "delete|remove|rm|detach|wipe", (1,),
            says="deletes a part of the project",
                  instead="Look first: `railway status`."),
            Fact(SECRET, "variables|variable", severity=MEDIUM, on="app settings"),
            Fact(CHANGE, "up|deploy|redeploy", severity=MEDIUM),
        ),
    ),
    "render": _provider("delete|suspend|cancel",
                        Fact(CHANGE, "deploys create", severity=MEDIUM)),
    "supabase": Program(
        values="--project-ref --workdir --db-url --password -p --schema -s --org-id --region -f "
        "--file",
        harmless="--help|-h|--version|--dry-run",
        facts=(
            Fact(DESTROY, "db reset --linked|--db-url", says="empties the project's database",
                 instead="Reset only the local one: `supabase db reset`."),
            Fact(DESTROY, "db reset !--linked|--db-url", severity=MEDIUM,
                 says="empties the local database"),
            *deep(DESTROY, "delete|unset|remove|rm", (1, 2), on="1",
                  says="deletes {target} from the project",
                  instead="Look first: `supabase projects list`."),
            Fact(SECRET, "projects api-keys", on="project keys", says="prints the project's keys",
                 instead="Look first: `supabase projects list`."),
            Fact(DESTROY, "stop --no-backup", severity=MEDIUM, says="throws the local data away"),
            Fact(CHANGE, "db push|functions deploy|migration repair|migration down|config push",
                 severity=MEDIUM),
            Fact(CHANGE, "functions|secrets|migration|config deploy|set|repair|down|push",
                 severity=MEDIUM),
        ),
    ),
    "modal": Program(
        values="-e --env -m -n --name",
        harmless="--help",
        wraps=(Wrapper(when="container exec", where="elsewhere", skip=1),),
        facts=(
            Fact(DESTROY, "volume|secret|environment|dict|queue|nfs delete|rm|clear", on="1",
                 says="deletes {target} from Modal", instead="Look first: `modal volume list`."),
            Fact(KILL, "app|container stop", severity=MEDIUM),
            Fact(CHANGE, "deploy|app rollback", severity=MEDIUM),
        ),
    ),
    "convex": Program(
        values="--env-file --table --format --path",
        harmless="--help",
        facts=(
            Fact(DESTROY, "import --replace|--replace-all", says="replaces the data of the project",
                 instead="Look first: `convex data`."),
            Fact(DESTROY, "env remove|unset", severity=MEDIUM),
            Fact(CHANGE, "deploy", severity=MEDIUM),
            Fact(RUN, "run --prod", severity=MEDIUM),
            Fact(SECRET, "env list|get", severity=MEDIUM),
        ),
    ),
    "neonctl": _provider("delete|reset|restore", values="--project-id --branch"),
    "neon": Program(same_as="neonctl"),
    "pscale": _provider("delete|reset|demote",
                        Fact(SECRET, "password create|renew", on="database login", instead=_LOOK)),
    "turso": _provider("destroy|delete|wipe|remove|revoke|invalidate",
                       Fact(SECRET, "db|group tokens create", severity=MEDIUM)),
    "upstash": _provider("delete"),
    "atlas": _provider("delete|terminate|remove|abort",
                       Fact(PRIVILEGE, "accessLists|accessList create @0.0.0.0/0*",
                            says="opens the database to the whole internet", instead=_LOOK),
                       Fact(PRIVILEGE, "dbusers create", severity=MEDIUM),
                       values="--projectId --orgId --clusterName --force-type"),
    "cloudflared": Program(
        values="--url --config --credentials-file --hostname --name --token --loglevel",
        harmless="--help|-h|--version",
        facts=(
            Fact(DESTROY, "tunnel delete|cleanup|route", on="1", says="deletes the tunnel {target}",
                 instead="Look first: `cloudflared tunnel list`."),
            Fact(SECRET, "tunnel token", on="tunnel key",
                 instead="Look: `cloudflared tunnel list`."),
            Fact(SECRET, "access token", on="access token", severity=MEDIUM),
            Fact(PUBLISH, "tunnel --url", severity=MEDIUM, on="--url",
                 says="opens {target} of this machine to the internet"),
            Fact(PUBLISH, "tunnel run", severity=MEDIUM),
        ),
    ),
    "surge": Program(
        facts=(
            Fact(DESTROY, "teardown", on="1", says="takes the web site {target} down",
                 instead="Look first: `surge list`."),
            Fact(PUBLISH, "!@list|whoami|login|logout|token|plan|teardown", severity=MEDIUM),
        ),
        harmless="--help|-h|--version",
    ),
    "deployctl": Program(
        facts=(
            Fact(DESTROY, "projects|deployments delete", on="1", says="deletes {target}",
                 instead="Look first: `deployctl projects list`."),
            Fact(PUBLISH, "deploy", severity=MEDIUM),
        ),
        values="--project --org --token --entrypoint",
    ),
    "koyeb": _provider(),
    "northflank": _provider(),
    "qovery": _provider(),
    "porter": _provider(),
    "gigalixir": Program(
        facts=(Fact(DESTROY, "*:destroy|*:delete|pg:destroy", says="deletes it", instead=_LOOK),)
    ),
    "clever": _provider("delete|unlink|rm", depths=(0, 1)),
    "platform": Program(
        values="-p --project -e --environment -A --app",
        harmless="--help|-h",
        facts=(
            Fact(DESTROY, "*:delete|*:deactivate", says="deletes a part of the project",
                 instead=_LOOK),
            Fact(CHANGE, "*:merge|*:push|*:redeploy|*:restore", severity=MEDIUM),
        ),
    ),
    "upsun": Program(same_as="platform"),
    "scalingo": Program(
        values="-a --app --region --addon",
        harmless="--help|-h",
        wraps=(Wrapper(when="run", where="elsewhere"),),
        facts=(
            Fact(DESTROY, "destroy|*-destroy|*-remove|env-unset|*-delete", on="1",
                 says="deletes {target}", instead="Look first: `scalingo apps`."),
            Fact(KILL, "scale @*:0", severity=HIGH, says="stops every copy of a process",
                 instead="Look first: `scalingo ps`."),
        ),
    ),
}  # fmt: skip
