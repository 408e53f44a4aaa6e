"""Amazon Web Services: the `aws` command and the tools around it."""

from handrail.shell.tables.deep import sql_loss
from handrail.shell.tables.shorthand import (
    CHANGE,
    CRITICAL,
    DESTROY,
    HIGH,
    KILL,
    LOW,
    MEDIUM,
    PRIVILEGE,
    PUBLISH,
    RUN,
    SECRET,
    SEND,
    TAMPER,
    WRITE,
    Fact,
    Program,
    Wrapper,
    aliases,
    program,
)

_VALUES = """
    --profile --region --output --endpoint-url --query --color --cli-read-timeout
    --cli-connect-timeout --ca-bundle --cli-binary-format --cli-input-json --cli-input-yaml
    --page-size --max-items --starting-token --debug-level
    --exclude --include --acl --storage-class --content-type --sse --sse-kms-key-id --metadata
    --metadata-directive --cache-control --grants --expires --website-redirect --source-region
    --content-encoding --content-disposition --content-language --expected-size --request-payer
    --bucket --key --policy --policy-document --policy-name --policy-arn --prefix
    --versioning-configuration --public-access-block-configuration --body
    --cidr --ip-permissions --protocol --port --group-id --group-name --instance-ids --volume-id
    --user-name --role-name --assume-role-policy-document --password
    --desired-capacity --min-size --max-size --desired-count --cluster --service --task
    --db-instance-identifier --snapshot-id --image-id --attribute --launch-permission
    --create-volume-permission --group-names --user-ids --operation-type --values-to-add
    --principal --action --statement-id --function-name --auth-type --document-name --parameters
    --targets --name --names --path --secret-id --with-decryption-key --ciphertext-blob
    --change-batch --hosted-zone-id --statement --sql --query-string --message --topic-arn
    --to --stack-name --template-body --template-file --detector-id --status --http-tokens
    --command --container
"""
_HARMLESS = (
    "--dry-run|--dryrun|--help|--generate-cli-skeleton|--endpoint-url=*localhost*"
    "|--endpoint-url=*127.0.0.1*|--endpoint-url=*localstack* !--no-dry-run"
)

_LOOK = "Look first with the matching `aws SERVICE describe-…` or `list-…`; leave it to the user."
_LOOK_S3 = "Preview it: `aws s3 rm s3://BUCKET/PREFIX --recursive --dryrun`."
_LOOK_IAM = "Look first: `aws iam get-account-summary`; let the user change permissions."
_NO_VALUE = "Check the name only: `aws secretsmanager describe-secret --secret-id ID`."
_KEEP_WATCH = "List the records: `aws cloudtrail describe-trails`."
_NARROW = "Open it for one address only; look first: `aws ec2 describe-security-groups`."

_LOST = (
    Fact(DESTROY,
         "* delete-*|batch-delete-*|terminate-*|purge-*|deregister-*|destroy-*|release-address|"
         "release-hosts|admin-delete-* !@help",
         says="deletes something in AWS for good", instead=_LOOK),
    Fact(DESTROY, "kms schedule-key-deletion|disable-key",
         says="makes everything encrypted with the key unreadable",
         instead="Look first: `aws kms describe-key --key-id ID`."),
    Fact(DESTROY, "organizations|account leave-organization|close-account|remove-account-*",
         says="takes an account out of the organization, or closes it",
         instead="Look first: `aws organizations describe-organization`."),
    Fact(DESTROY, "autoscaling update-auto-scaling-group|set-desired-capacity --desired-capacity=0",
         says="takes every machine of the group away",
         instead="Look first: `aws autoscaling describe-auto-scaling-groups`."),
    Fact(DESTROY, "autoscaling update-auto-scaling-group --max-size=0",
         says="takes every machine of the group away",
         instead="Look first: `aws autoscaling describe-auto-scaling-groups`."),
    Fact(DESTROY, "ecs update-service --desired-count=0", says="stops every copy of the service",
         instead="Look first: `aws ecs describe-services --cluster C --services S`."),
    Fact(DESTROY, "route53 change-resource-record-sets --change-batch=*DELETE*",
         says="deletes DNS records", instead="Look first: `aws route53 list-resource-record-sets "
         "--hosted-zone-id ID`."),
    Fact(DESTROY, f"* execute-statement|batch-execute-statement|start-query-execution "
         f"{sql_loss('--statement', '--sql', '--query-string')}",
         says="destroys data with SQL", instead="Read it first with a `SELECT`."),
    Fact(DESTROY, "rds modify-db-* --no-deletion-protection",
         says="takes the protection from deletion away",
         instead="Look first: `aws rds describe-db-instances`."),
    Fact(DESTROY, "ec2 modify-instance-attribute --no-disable-api-termination",
         says="takes the protection from deletion away",
         instead="Look first: `aws ec2 describe-instances`."),
    Fact(DESTROY, "cloudformation update-termination-protection --no-enable-termination-protection",
         says="takes the protection from deletion away",
         instead="Look first: `aws cloudformation describe-stacks`."),
    Fact(KILL, "* stop-*|reboot-*|cancel-*|reset-*|detach-*|disassociate-*|remove-*|revoke-*|"
         "reject-*|disable-*|failover-*|restore-*|abort-* !@help", severity=MEDIUM,
         says="stops, cuts off or resets something in AWS"),
)  # fmt: skip

_S3 = (
    Fact(DESTROY, "s3 rm !@help", on="1", says="deletes {target}", instead=_LOOK_S3),
    Fact(DESTROY, "s3 rb !@help", on="1", says="deletes the bucket {target}",
         instead="Look first: `aws s3 ls {target}`."),
    Fact(DESTROY, "s3 sync --delete", on="2",
         says="deletes everything in {target} missing from the source",
         instead="Preview it: add `--dryrun`."),
    Fact(CHANGE, "s3 mv", severity=MEDIUM, on="1", says="moves {target} away"),
    Fact(PUBLISH, "s3 cp|sync|mv --acl=public*", severity=MEDIUM, on="2",
         says="makes the copies readable for everyone"),
    Fact(PUBLISH, "s3api put-bucket-acl|put-object-acl --acl=public*|--acl=authenticated*",
         severity=HIGH, on="--bucket", says="opens the bucket {target} to everyone",
         instead="Look first: `aws s3api get-bucket-acl --bucket {target}`."),
    Fact(PUBLISH, "s3api put-bucket-policy --policy=*Principal*[*]*", severity=HIGH, on="--bucket",
         says="opens the bucket {target} to everyone",
         instead="Look first: `aws s3api get-bucket-policy --bucket {target}`."),
    Fact(PUBLISH, "s3api|s3control put-public-access-block "
         "--public-access-block-configuration=*false*", severity=HIGH,
         says="lets buckets be opened to everyone",
         instead="Look first: `aws s3api get-public-access-block --bucket NAME`."),
    Fact(DESTROY, "s3api put-bucket-versioning --versioning-configuration=*Suspended*",
         on="--bucket", says="stops keeping old versions in {target}",
         instead="Look first: `aws s3api get-bucket-versioning --bucket {target}`."),
    Fact(CHANGE, "s3api put-bucket-lifecycle*|put-bucket-policy|put-bucket-replication",
         severity=MEDIUM, says="changes what happens to the data of a bucket"),
)  # fmt: skip

_RIGHTS = (
    Fact(PRIVILEGE,
         "iam create-access-key|create-login-profile|update-login-profile|attach-*-policy|"
         "put-*-policy|add-user-to-group|update-assume-role-policy|create-policy-version|"
         "set-default-policy-version|deactivate-mfa-device|update-access-key|"
         "create-service-specific-credential|put-*-permissions-boundary|upload-ssh-public-key",
         says="changes permissions in the AWS account", instead=_LOOK_IAM),
    Fact(PRIVILEGE, "iam create-user|create-role|create-policy|create-group|"
         "add-role-to-instance-profile|update-*|pass-role", severity=MEDIUM),
    Fact(PRIVILEGE, "sts assume-role*", says="takes on another identity and prints its keys",
         instead="Check the login: `aws sts get-caller-identity`."),
    Fact(PRIVILEGE, "* add-permission --principal=[*]", says="lets everyone use it",
         instead="Name a single account: `--principal ACCOUNT`; look: `aws lambda get-policy "
         "--function-name NAME`."),
    Fact(PRIVILEGE, "* add-permission", severity=MEDIUM),
    Fact(PRIVILEGE, "ec2-instance-connect send-*ssh-public-key",
         says="puts a login key on a machine",
         instead="Look first: `aws ec2 describe-instances`."),
    Fact(PRIVILEGE, "ec2 authorize-security-group-ingress "
         "--cidr=0.0.0.0/0|--ip-permissions=*0.0.0.0/0*|--ip-permissions=*::/0*",
         says="opens a port to the whole internet", instead=_NARROW),
    Fact(PRIVILEGE, "ec2 authorize-security-group-*|modify-*|create-route|replace-route*",
         severity=MEDIUM, says="changes the network or a machine"),
    Fact(PUBLISH, "ec2 modify-image-attribute|modify-snapshot-attribute "
         "--launch-permission=*all*|--create-volume-permission=*all*|--group-names=all",
         severity=HIGH, says="gives a disk or an image to everyone",
         instead="Look first: `aws ec2 describe-images --owners self`."),
    Fact(PUBLISH, "rds modify-db-*snapshot-attribute --values-to-add=all", severity=HIGH,
         says="gives a database to everyone",
         instead="Look first: `aws rds describe-db-snapshots`."),
    Fact(PUBLISH, "rds modify-db-*|create-db-* --publicly-accessible", severity=HIGH,
         says="opens a database to the internet",
         instead="Look first: `aws rds describe-db-instances`."),
    Fact(TAMPER, "cloudtrail stop-logging|delete-trail|delete-event-data-store|stop-event-*",
         says="stops the audit log of the account", instead=_KEEP_WATCH),
    Fact(TAMPER, "cloudtrail put-event-selectors|update-trail", severity=MEDIUM),
    Fact(TAMPER, "config stop-configuration-recorder|delete-configuration-recorder|"
         "delete-delivery-channel", says="stops the record of changes in the account",
         instead=_KEEP_WATCH),
    Fact(TAMPER, "guardduty delete-detector|disassociate-*|stop-monitoring-members",
         says="stops the watch over the account", instead=_KEEP_WATCH),
    Fact(TAMPER, "guardduty update-detector --no-enable", says="stops the watch over the account",
         instead=_KEEP_WATCH),
    Fact(TAMPER, "securityhub|macie2|inspector2|detective|access-analyzer|accessanalyzer "
         "disable*|delete-graph|delete-analyzer", says="stops the watch over the account",
         instead=_KEEP_WATCH),
    Fact(TAMPER, "ec2 delete-flow-logs", says="stops the record of network traffic",
         instead="Look first: `aws ec2 describe-flow-logs`."),
    Fact(TAMPER, "cloudwatch disable-alarm-actions|delete-alarms", severity=HIGH,
         says="switches alarms off", instead="Look first: `aws cloudwatch describe-alarms`."),
    Fact(TAMPER, "bedrock delete-model-invocation-logging-configuration",
         says="stops the record of requests to models",
         instead="Look: `aws bedrock get-model-invocation-logging-configuration`."),
)  # fmt: skip

_SECRETS = (
    Fact(SECRET, "secretsmanager get-secret-value|batch-get-secret-value|get-random-password",
         on="--secret-id", says="prints the secret {target}", instead=_NO_VALUE),
    Fact(SECRET, "secretsmanager batch-get-secret-value", says="prints secrets", instead=_NO_VALUE),
    Fact(SECRET, "ssm get-parameter*  --with-decryption", says="prints a secret parameter",
         instead="Without `--with-decryption`: `aws ssm describe-parameters`."),
    Fact(SECRET, "kms decrypt|re-encrypt", says="opens something encrypted",
         instead="Look at the key: `aws kms describe-key --key-id ID`."),
    Fact(SECRET, "ec2 get-password-data|get-launch-template-data", says="prints a password",
         instead="Look first: `aws ec2 describe-instances`."),
    Fact(SECRET, "redshift|redshift-serverless get-*credentials*", says="prints a database login",
         instead="Look first: `aws redshift describe-clusters`."),
    Fact(SECRET, "acm export-certificate", says="writes out a private key",
         instead="Look first: `aws acm list-certificates`."),
    Fact(SECRET, "lightsail download-default-key-pair|get-instance-access-details",
         says="prints a login key", instead="Look first: `aws lightsail get-instances`."),
    Fact(SECRET, "sso|sso-oidc get-role-credentials|create-token", says="prints login keys",
         instead="Check the login: `aws sts get-caller-identity`."),
    Fact(SECRET, "apigateway get-api-key* --include-value|--include-values", says="prints API keys",
         instead="Without the values: `aws apigateway get-api-keys`."),
    Fact(SECRET, "configure export-credentials", says="prints the account's keys",
         instead="Check the login: `aws sts get-caller-identity`."),
    Fact(SECRET, "configure get @*secret*|*token*", says="prints the account's keys",
         instead="See the settings, masked: `aws configure list`."),
    Fact(SECRET, "sts get-session-token|get-federation-token", severity=MEDIUM, on="session keys"),
    Fact(SECRET, "ecr|ecr-public|codeartifact get-login*|get-authorization-token", severity=LOW,
         on="registry login"),
    Fact(SECRET, "eks|rds|dsql get-token|generate-db-*", severity=MEDIUM, on="login token"),
)  # fmt: skip

_REST = (
    Fact(RUN, "ssm send-command|start-automation-execution", severity=HIGH,
         says="runs commands on servers, as root",
         instead="Look at the servers first: `aws ssm describe-instance-information`."),
    Fact(RUN, "ssm start-session", severity=MEDIUM, says="opens a shell on a server"),
    Fact(RUN, "lambda invoke", severity=LOW),
    Fact(WRITE, "lambda invoke", on="last"),
    Fact(SEND, "sns|ses|sesv2|pinpoint publish*|send-*", severity=MEDIUM, says="sends a message"),
    Fact(CHANGE,
         "cloudformation deploy|create-stack|update-stack|execute-change-set|rollback-stack",
         severity=MEDIUM, says="changes what runs in AWS"),
    Fact(CHANGE, "ec2 run-instances|request-spot-*|purchase-*", severity=MEDIUM,
         says="starts machines that cost money"),
    Fact(CHANGE, "* purchase-*", severity=HIGH, says="buys something",
         instead="Look at the offers: `aws ec2 describe-reserved-instances-offerings`."),
    Fact(CHANGE, "configure set", severity=MEDIUM, says="changes the AWS settings of this machine"),
    Fact(CHANGE, "route53 change-resource-record-sets", severity=MEDIUM,
         says="changes DNS records"),
)  # fmt: skip

_CONFIRMED = "Look first with `list` or `describe`; leave the end of an application to the user."

PROGRAMS: dict[str, Program] = {
    "aws": program(
        *_LOST,
        *_S3,
        *_RIGHTS,
        *_SECRETS,
        *_REST,
        values=_VALUES, harmless=_HARMLESS, reader="aws",
        wraps=(Wrapper(when="ecs execute-command", options="--command", where="elsewhere"),),
    ),
    "s3cmd": program(
        Fact(DESTROY, "del|rm|rb", on="each", says="deletes {target}",
             instead="Preview it: add `--dry-run`."),
        Fact(DESTROY, "sync --delete-removed|--delete-after", on="last",
             says="deletes everything in {target} missing from the source",
             instead="Preview it: add `--dry-run`."),
        Fact(PUBLISH, "setacl|put|sync -P|--acl-public", severity=MEDIUM, on="last"),
        Fact(DESTROY, "expire|setlifecycle|dellifecycle|delpolicy", severity=MEDIUM),
        values="-c --config --access_key --secret_key --host --host-bucket --region --exclude "
        "--include --rexclude --rinclude --acl-grant --acl-revoke -m --mime-type",
        harmless="--help|-h|--dry-run|-n|--version", reader="object_copy",
    ),
    "s5cmd": program(
        Fact(DESTROY, "rm|rb", on="each", says="deletes {target}",
             instead="Preview it: add `--dry-run`."),
        Fact(DESTROY, "sync --delete", on="last",
             says="deletes everything in {target} missing from the source",
             instead="Preview it: add `--dry-run`."),
        values="--endpoint-url --profile --credentials-file -r --retry-count --numworkers "
        "--exclude",
        harmless="--help|-h|--dry-run|-n|--version", reader="object_copy",
    ),
    "mc": program(
        Fact(DESTROY, "rm|rb", on="each", says="deletes {target}",
             instead="Look first: `mc ls {target}`."),
        Fact(DESTROY, "mirror --remove", on="2",
             says="deletes everything in {target} missing from the source",
             instead="Preview it: add `--dry-run`."),
        Fact(PUBLISH, "anonymous|policy set @public|download|upload", severity=HIGH,
             says="opens a bucket to everyone", instead="Look first: `mc anonymous list NAME`."),
        Fact(DESTROY, "admin user|policy|group|bucket|replicate remove|rm", says="removes {target}",
             on="each", instead="Look first: `mc admin user list NAME`."),
        Fact(KILL, "admin service stop|restart", severity=MEDIUM),
        Fact(DESTROY, "ilm|version|replicate rm|remove|suspend", severity=MEDIUM),
        values="-C --config-dir --older-than --newer-than --attr --exclude --encrypt-key",
        harmless="--help|-h|--dry-run|--fake|--version", reader="object_copy",
    ),
    "aws-nuke": program(
        Fact(DESTROY, "--no-dry-run", severity=CRITICAL,
             says="deletes everything in the AWS account",
             instead="Without `--no-dry-run` it only lists: `aws-nuke run -c FILE`."),
        harmless="--help|-h",
    ),
    "cloud-nuke": program(
        Fact(DESTROY, "aws|defaults-aws", severity=CRITICAL,
             says="deletes everything in the AWS account",
             instead="List it first: `cloud-nuke inspect-aws`."),
        harmless="--help|-h|--dry-run",
    ),
    "sam": program(
        Fact(DESTROY, "delete", says="deletes the application from AWS", instead=_CONFIRMED),
        Fact(CHANGE, "deploy|sync", severity=MEDIUM, says="deploys to AWS"),
        values="--stack-name --region --profile -t --template --s3-bucket --parameter-overrides",
        harmless="--help|-h",
    ),
    "copilot": program(
        Fact(DESTROY, "app|svc|env|job|pipeline|task|storage|secret delete",
             says="deletes a part of the application from AWS", instead=_CONFIRMED),
        Fact(CHANGE, "deploy|init", severity=MEDIUM),
        Fact(CHANGE, "svc|env|job|app deploy|upgrade|pause", severity=MEDIUM),
        values="-a --app -n --name -e --env -c --command", harmless="--help|-h",
        wraps=(Wrapper(when="svc|task exec", options="-c|--command", where="elsewhere"),),
    ),
    "eb": program(
        Fact(DESTROY, "terminate", on="1", says="ends the environment {target}",
             instead="Look first: `eb status {target}`."),
        Fact(DESTROY, "scale 0", says="takes every machine away", instead="Look: `eb status`."),
        Fact(CHANGE, "deploy|swap|scale|restore|abort|upgrade|setenv|config", severity=MEDIUM),
        Fact(SECRET, "printenv", severity=MEDIUM),
        values="-r --region --profile -c --command -e --environment", harmless="--help|-h",
        wraps=(Wrapper(when="ssh", options="-c|--command", where="elsewhere"),),
    ),
    "ecs-cli": program(
        Fact(DESTROY, "down", says="deletes the cluster", instead="Look first: `ecs-cli ps`."),
        Fact(DESTROY, "compose down|rm|delete", severity=MEDIUM),
        Fact(DESTROY, "compose service rm|delete|down", says="deletes the service",
             instead="Look first: `ecs-cli ps`."),
        harmless="--help|-h",
    ),
    "chalice": program(
        Fact(DESTROY, "delete", says="deletes the application from AWS", instead=_CONFIRMED),
        Fact(CHANGE, "deploy", severity=MEDIUM),
        harmless="--help",
    ),
    "zappa": program(
        Fact(DESTROY, "undeploy", says="deletes the application from AWS", instead=_CONFIRMED),
        Fact(CHANGE, "deploy|update|rollback", severity=MEDIUM),
        Fact(RUN, "invoke|manage", severity=MEDIUM),
        harmless="--help",
    ),
    "amplify": program(
        Fact(DESTROY, "delete", says="deletes the whole project from AWS", instead=_CONFIRMED),
        Fact(DESTROY, "env remove", says="deletes an environment", instead=_CONFIRMED),
        Fact(CHANGE, "push|publish|remove", severity=MEDIUM),
        harmless="--help|-h",
    ),
    "serverless": program(
        Fact(DESTROY, "remove", says="deletes the service from the cloud", instead=_CONFIRMED),
        Fact(CHANGE, "deploy|rollback", severity=MEDIUM, says="deploys to the cloud"),
        values="-s --stage -r --region -c --config --aws-profile --param -f --function -p "
        "--package",
        harmless="--help|-h",
    ),
    **aliases("serverless", "sls", "osls"),
}  # fmt: skip
