"""From commit to customer and back: CI, backups, data pipelines, models, app stores."""

from handrail.shell.tables.deep import deep
from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    ESCAPE,
    HIGH,
    KILL,
    LOW,
    MEDIUM,
    PUBLISH,
    READ,
    RUN,
    SECRET,
    SEND,
    Fact,
    Program,
    Wrapper,
)

_HELP = "--help|-h|--dry-run"
_BACKUPS = "Look first with `list` or `info`; leave the deletion of backups to the user."
_JENKINS = "delete-*|groovy|groovysh|shutdown|safe-shutdown|quiet-down|remove-job-*|clear-queue"
_LOOK_JENKINS = "Look first: `jenkins-cli list-jobs`."
_NO_RELEASE = "Build it without sending it, and let the user release it."
_STORES = "deliver|supply|upload_to_app_store|upload_to_play_store*|appstore"
_RELEASES = "release|production|deploy|publish"

PROGRAMS: dict[str, Program] = {
    # building
    "jenkins-cli": Program(
        values="-s -auth -i -logger",
        single_dash=True,
        harmless="-help|help",
        facts=(
            Fact(DESTROY, f"@{_JENKINS}", says="deletes something in Jenkins, or runs code in it",
                 instead=_LOOK_JENKINS),
            Fact(CHANGE, "@disable-*|cancel-*|stop-*|offline-*|disconnect-*|restart|safe-restart|"
                 "update-*|create-*|install-plugin|build", severity=MEDIUM),
        ),
    ),
    "java": Program(
        single_dash=True,
        posix=True,
        values="-jar",
        facts=(
            Fact(DESTROY, f"-jar=*jenkins-cli*.jar @{_JENKINS}",
                 says="deletes something in Jenkins, or runs code in it", instead=_LOOK_JENKINS),
        ),
    ),
    "circleci": Program(
        values="--host --token --org-id",
        harmless="--help|-h",
        facts=(
            *deep(DESTROY, "delete|remove-secret|remove|rm|delete-*", (1, 2), on="1",
                  says="deletes {target} from CircleCI",
                  instead="Look first: `circleci context list github ORG`."),
            Fact(PUBLISH, "orb publish", severity=MEDIUM, on="last"),
            Fact(SECRET, "context store-secret", severity=MEDIUM),
        ),
    ),
    "drone": Program(
        values="-t --token -s --server --repository --name --data",
        harmless="--help|-h",
        facts=(
            *deep(DESTROY, "rm|disable|delete|purge", (1,), on="1",
            says="removes {target} from the CI",
                  instead="Look first: `drone repo ls`."),
            Fact(CHANGE, "build promote|rollback|stop", severity=MEDIUM),
            Fact(PUBLISH, "build promote", severity=MEDIUM),
        ),
    ),
    "woodpecker-cli": Program(same_as="drone"),
    "travis": Program(
        values="-r --repo -t --token -e --api-endpoint",
        harmless="--help|-h",
        facts=(
            Fact(DESTROY, "env unset|clear", on="each",
                 says="removes the setting {target} from the CI",
                 instead="Look first: `travis env list`."),
            Fact(DESTROY, "disable|cache|settings --delete|-d", severity=MEDIUM),
            Fact(DESTROY, "disable", says="switches the CI off",
                 instead="Look first: `travis status`."),
            Fact(SECRET, "token", on="access token", says="prints the access token",
                 instead="See who you are: `travis whoami`."),
        ),
    ),
    "gitlab-runner": Program(
        values="-n --name -t --token -u --url -c --config -r --registration-token --executor",
        harmless="--help|-h",
        facts=(
            Fact(DESTROY, "unregister", says="takes a build machine away",
                 instead="Look first: `gitlab-runner list`."),
            Fact(CHANGE, "register|stop|uninstall|restart", severity=MEDIUM),
        ),
    ),
    "act": Program(
        values="-W --workflows -j --job -e --eventpath -P --platform -s --secret --secret-file "
        "--env --env-file -C --directory --container-architecture --matrix --input",
        harmless="--help|-h|-l|--list|-n|--dryrun|--version",
        facts=(
            Fact(ESCAPE, "--privileged", says="runs the workflow with full power over this machine",
                 instead="Run it without: `act -n` shows what it would do."),
            Fact(RUN, severity=LOW),
            Fact(READ, on="--secret-file|--env-file"),
        ),
    ),
    "fly": Program(
        facts=(
            Fact(DESTROY, "destroy-pipeline|destroy-team|prune-worker|clear-*",
                 says="deletes a pipeline",
                 instead="Look first: `fly -t TARGET pipelines`."),
            Fact(CHANGE, "set-pipeline|abort-build|pause-pipeline|trigger-job", severity=MEDIUM),
        ),
    ),
    "spin": Program(
        facts=(
            Fact(DESTROY, "application|app|pipeline|pi|canary-config|account delete",
                 says="deletes it",
                 instead="Look first: `spin application list`."),
            Fact(PUBLISH, "deploy", severity=MEDIUM),
        ),
        harmless="--help|-h",
    ),
    "bk": Program(
        facts=(
            Fact(KILL, "build|job|agent cancel|stop", severity=MEDIUM),
            Fact(DESTROY, "pipeline|cluster|secret delete", says="deletes a part of the CI",
                 instead="Look first: `bk pipeline view`."),
        ),
    ),
    # backups
    "pgbackrest": Program(
        values="--stanza --config --repo --set --type --target --pg1-path",
        harmless=_HELP,
        facts=(
            Fact(DESTROY, "stanza-delete|expire|repo-rm", says="deletes backups of the database",
                 instead="Look first: `pgbackrest info`."),
            Fact(DESTROY, "restore", says="overwrites the database with a backup",
                 instead="Look first: `pgbackrest info`."),
            Fact(KILL, "stop", severity=MEDIUM),
        ),
    ),
    "wal-g": Program(
        values="--config",
        harmless="--help|-h",
        facts=(
            Fact(DESTROY, "delete|st", says="deletes backups of the database",
                 instead="Look first: `wal-g backup-list`."),
            Fact(DESTROY, "backup-fetch", severity=MEDIUM),
        ),
    ),
    "barman": Program(
        values="-c --config",
        harmless="--help|-h|-v",
        facts=(
            Fact(DESTROY, "delete", on="each", says="deletes backups of the database",
                 instead="Look first: `barman list-backups SERVER`."),
            Fact(DESTROY, "recover|restore", severity=MEDIUM),
        ),
    ),
    "rdiff-backup": Program(
        values="--remove-older-than --older-than",
        harmless="--help|-h|--version",
        facts=(
            Fact(DESTROY, "--remove-older-than", on="each", says="deletes old backups in {target}",
                 instead="Look first: `rdiff-backup list increments {target}`."),
            Fact(DESTROY, "remove", says="deletes old backups",
                 instead="Look first: `rdiff-backup list increments DIR`."),
        ),
    ),
    "tarsnap": Program(
        values="-f --keyfile --cachedir -C -X -T",
        harmless="--help|--version|--dry-run",
        facts=(
            Fact(DESTROY, "-d", on="-f", says="deletes the backup {target}",
                 instead="Look first: `tarsnap --list-archives`."),
            Fact(DESTROY, "--nuke", says="deletes all backups",
                 instead="Look first: `tarsnap --list-archives`."),
        ),
    ),
    "b2": Program(
        values="--threads --exclude-regex --include-regex --content-type --bucket --profile",
        harmless="--help|-h|--dry-run|--dryRun",
        facts=(
            Fact(DESTROY, "delete-*|rm|cancel-all-*|hide-file", on="last", says="deletes {target}",
                 instead="Look first: `b2 ls`."),
            Fact(DESTROY, "bucket|file|key delete|hide", on="1", says="deletes {target}",
                 instead="Look first: `b2 ls`."),
            Fact(DESTROY, "sync --delete|--replaceNewer", on="last",
                 says="deletes everything in {target} that is not in the source",
                 instead="See what would go: add `--dry-run`."),
            Fact(PUBLISH, "update-bucket|create-bucket @allPublic", severity=HIGH, on="1",
                 says="opens {target} to everyone", instead="Look first: `b2 list-buckets`."),
            Fact(SECRET, "create-key|key", severity=MEDIUM),
            Fact(SEND, "upload-file|file upload|sync", severity=MEDIUM, on="last",
                 says="uploads to {target}"),
        ),
    ),
    "duply": Program(
        facts=(
            Fact(DESTROY, "* purge*|cleanup --force", says="deletes backups", instead=_BACKUPS),
        ),
    ),
    "bconsole": Program(
        facts=(Fact(DESTROY, "@delete*|purge*|prune*", says="deletes backups", instead=_BACKUPS),)
    ),
    # data pipelines and models
    "dbt": Program(
        values="-s --select -m --models --exclude -t --target --profile --profiles-dir --vars "
        "--args "
        "--project-dir --selector --threads",
        harmless="--help|-h|--version",
        facts=(
            Fact(DESTROY, "run-operation @*drop*|*delete*|*truncate*|*purge*|*wipe*", on="1",
                 says="runs {target}, which by its name takes data away",
                 instead="Read the macro first: `dbt ls` shows what the project has."),
            Fact(CHANGE, "run-operation", severity=MEDIUM),
            Fact(CHANGE, "run|build|seed|snapshot --full-refresh|-f", severity=MEDIUM,
                 says="builds tables anew from the start"),
        ),
    ),
    "airflow": Program(
        values="-c --conf -e --exec-date -r --run-id --subdir -S -o --output",
        harmless="--help|-h|--version|--dry-run",
        facts=(
            Fact(DESTROY, "db reset|clean|drop-archived",
                 says="deletes the history of all pipelines",
                 instead="Look first: `airflow db check`."),
            Fact(DESTROY, "resetdb|delete_dag", says="deletes the history of pipelines",
                 instead="Look first: `airflow dags list`."),
            Fact(DESTROY, "dags|pools|variables|connections|users|roles delete", on="1",
                 says="deletes {target}", instead="Look first: `airflow dags list`."),
            Fact(CHANGE, "tasks clear|run", severity=MEDIUM),
            Fact(SECRET, "connections|variables export|get|list", severity=MEDIUM,
                 on="connections"),
        ),
    ),
    "mlflow": Program(
        values="-x --experiment-id --run-id --backend-store-uri --older-than "
        "--artifacts-destination",
        harmless="--help|--version",
        facts=(
            Fact(DESTROY, "experiments|runs|models|artifacts delete",
                 says="deletes experiments or runs",
                 instead="Look first: `mlflow experiments search`."),
            Fact(DESTROY, "gc", says="deletes experiments for good",
                 instead="Look first: `mlflow experiments search`."),
        ),
    ),
    "hf": Program(
        values="--token --repo-type --revision --local-dir --include --exclude --commit-message "
        "--cache-dir",
        harmless="--help|-h|--version",
        facts=(
            Fact(DESTROY, "repo|repos|repo-files|collections|endpoints delete|delete-files", on="1",
                 says="deletes {target} from Hugging Face",
                 instead="Look first: `hf auth whoami`."),
            Fact(DESTROY, "repo|repos branch|tag delete", severity=MEDIUM),
            Fact(PUBLISH, "upload|upload-large-folder", severity=MEDIUM, on="1",
                 says="uploads to {target} on Hugging Face"),
            Fact(SECRET, "auth token", on="access token", says="prints the access token",
                 instead="See who you are: `hf auth whoami`."),
            Fact(CHANGE, "cache delete|rm|prune", severity=LOW),
        ),
    ),
    "huggingface-cli": Program(same_as="hf"),
    "wandb": Program(
        harmless="--help|--version",
        facts=(
            Fact(DESTROY, "sync --clean|--clean-force", severity=MEDIUM),
            Fact(KILL, "sweep --stop|--cancel", severity=MEDIUM),
        ),
    ),
    "kaggle": Program(
        facts=(
            Fact(PUBLISH, "datasets|kernels|models|d|k create|push|version", severity=MEDIUM),
            Fact(SEND, "competitions|c submit", severity=MEDIUM),
            Fact(DESTROY, "datasets|models|kernels delete", on="1", says="deletes {target}",
                 instead="Look first: `kaggle datasets list -m`."),
        ),
    ),
    "prefect": Program(
        values="-p --pool -n --name -q --work-queue --profile",
        harmless="--help|--version",
        facts=(
            *deep(DESTROY, "delete|rm|clear|unset", (1, 2), on="1", says="deletes {target}",
                  instead="Look first: `prefect deployment ls`."),
            Fact(DESTROY, "server database reset|downgrade",
                 says="deletes the history of all flows",
                 instead="Look first: `prefect flow-run ls`."),
            Fact(CHANGE, "deploy", severity=LOW),
        ),
    ),
    "dagster": Program(
        harmless="--help|-h|--version",
        facts=(
            Fact(DESTROY, "run|asset|schedule wipe|delete",
                 says="deletes the history of runs or data",
                 instead="Look first: `dagster run list`."),
        ),
    ),
    "dvc": Program(
        values="-r --remote -j --jobs",
        harmless="--help|-h|--dry|--version",
        facts=(
            Fact(DESTROY, "gc -c|--cloud", says="deletes data from the shared storage",
                 instead="See what would go: `dvc gc -w --dry`."),
            Fact(DESTROY, "gc|destroy", severity=MEDIUM, says="deletes data versions"),
            Fact(PUBLISH, "push", severity=LOW),
        ),
    ),
    "ray": Program(
        harmless="--help|--version",
        wraps=(Wrapper(when="exec", skip=1, form="shell", where="elsewhere"),),
        facts=(
            Fact(DESTROY, "down|teardown", on="1", says="ends the cluster {target}",
                 instead="Look first: `ray status`."),
            Fact(KILL, "stop|kill-random-node", severity=MEDIUM),
        ),
    ),
    "sky": Program(
        harmless="--help|-h",
        wraps=(Wrapper(when="exec", skip=1, form="words", where="elsewhere"),),
        facts=(
            Fact(DESTROY, "down|delete", on="each", says="ends the cluster {target}",
                 instead="Keep it and stop it: `sky stop {target}`."),
            Fact(DESTROY, "storage|volumes|serve delete|down", on="each", says="deletes {target}",
                 instead="Look first: `sky status`."),
        ),
    ),
    "runpodctl": Program(
        facts=(
            Fact(DESTROY, "remove|delete", on="2", says="deletes {target}",
                 instead="Look first: `runpodctl get pod`."),
            Fact(DESTROY, "pod|serverless|volume|template delete|remove", on="1",
                 says="deletes {target}",
                 instead="Look first: `runpodctl get pod`."),
        ),
    ),
    "vastai": Program(
        facts=(
            Fact(DESTROY, "destroy|delete", on="2", says="deletes {target}",
                 instead="Look first: `vastai show instances`."),
        ),
    ),
    "openai": Program(
        facts=(
            Fact(DESTROY, "api *.delete|*.cancel", says="deletes a model or a file",
                 instead="Look first: `openai api models.list`."),
            Fact(SEND, "api", severity=LOW),
        ),
    ),
    # app stores
    "fastlane": Program(
        values="--env --api_key_path --app_identifier --username --team_id --ipa --pkg --aab --apk "
        "--track --package_name --json_key -u -a -i -q --type --git_url --git_branch",
        harmless="--help|-h|--version",
        facts=(
            Fact(PUBLISH, f"{_STORES}|{_RELEASES} !@init|download_*|generate_*",
                 severity=HIGH, says="sends the app to its store", instead=_NO_RELEASE),
            Fact(PUBLISH, f"* {_STORES}|{_RELEASES}", severity=HIGH,
                 says="sends the app to its store", instead=_NO_RELEASE),
            Fact(PUBLISH, "pilot|testflight upload|distribute", severity=HIGH,
                 says="sends the app to its testers", instead=_NO_RELEASE),
            Fact(PUBLISH, "pilot|testflight !@*", severity=HIGH,
                 says="sends the app to its testers", instead=_NO_RELEASE),
            Fact(PUBLISH, "run upload_to_testflight|pilot|testflight|firebase_app_distribution",
                 severity=HIGH, says="sends the app to its testers", instead=_NO_RELEASE),
            Fact(PUBLISH, "upload_to_testflight|firebase_app_distribution", severity=HIGH,
                 says="sends the app to its testers", instead=_NO_RELEASE),
            Fact(PUBLISH, "beta", severity=MEDIUM),
            Fact(PUBLISH, "* beta", severity=MEDIUM),
            Fact(DESTROY, "match nuke", says="revokes all certificates of the team",
                 instead="Look first: `fastlane lanes`."),
            Fact(DESTROY, "match_nuke", says="revokes all certificates of the team",
                 instead="Look first: `fastlane lanes`."),
            Fact(CHANGE, "match !--readonly", severity=MEDIUM),
        ),
    ),
    "eas-cli": Program(same_as="eas"),
    "eas": Program(
        values="-p --platform -e --profile --id --path --branch --message --channel --environment",
        harmless="--help|-h|--version",
        facts=(
            Fact(PUBLISH, "submit", severity=HIGH, says="sends the app to its store",
                 instead="Build it without sending it: `eas build --local`."),
            Fact(PUBLISH, "build --auto-submit|--auto-submit-with-profile", severity=HIGH,
                 says="sends the app to its store",
                 instead="Build it without sending it: `eas build --local`."),
            Fact(PUBLISH, "update|update:*|deploy", severity=MEDIUM,
                 says="sends an update to all users"),
            Fact(DESTROY, "*:delete", says="deletes a part of the project",
                 instead="Look first: `eas build:list`."),
            Fact(SECRET, "env:pull|env:get|credentials", severity=MEDIUM),
        ),
    ),
    "expo": Program(
        harmless="--help|-h|--version",
        facts=(Fact(PUBLISH, "publish|upload:*", severity=MEDIUM,
                    says="sends an update to all users"),),
    ),
    "code-push": Program(
        facts=(
            Fact(PUBLISH, "release|release-react|promote", severity=HIGH,
                 says="sends an update to all users", instead=_NO_RELEASE),
            Fact(DESTROY, "app|deployment rm|remove|clear", says="deletes an app or its history",
                 instead="Look first: `code-push app ls`."),
            Fact(CHANGE, "rollback|patch", severity=MEDIUM),
        ),
    ),
    "xcrun": Program(
        facts=(
            Fact(PUBLISH, "altool --upload-app|--upload-package", severity=HIGH,
                 says="sends the app to its store", instead=_NO_RELEASE),
        ),
    ),
}  # fmt: skip
