"""All operations of the API. Handlers, document, clients and docs are made from this table."""

from handrail.api.messages import (
    approvals,
    control,
    files,
    fleets,
    incidents,
    runs,
    session,
    statistics,
    timeline,
)
from handrail.api.operation import Operation, QueryParameter

JSON_DOCUMENT, EVENT_STREAM, HTML = "application/json", "text/event-stream", "text/html"
JPEG = "image/jpeg"

_LIMIT = QueryParameter("limit", "How many at most.", "integer", 1, 500, 100)
_CURSOR = QueryParameter("cursor", "`next` of the page before.")
_FOLDER = QueryParameter("folder", "The folder of the project.")
_WAIT = QueryParameter("wait", "Seconds to wait for the result.", "integer", 0, 60)

OPERATIONS: tuple[Operation, ...] = (
    # who asks
    Operation(
        "get_session", "GET", "/session", "Tell the caller's rights, and which daemon answers.",
        session.ApiSession,
    ),
    Operation(
        "log_in", "POST", "/session", "Exchange a one-time code or a token for a cookie.",
        session.ApiSession, session.LoginRequest, right=None,
    ),
    Operation("log_out", "DELETE", "/session", "End the session of the cookie.", statistics.Done),
    Operation(
        "get_openapi", "GET", "/openapi.json", "Return this document.", JSON_DOCUMENT, right=None
    ),
    Operation(
        "stream", "GET", "/events",
        "Stream what happens as server-sent events, each a StreamFrame. The id of an event is its "
        "position in the log; `Last-Event-ID` or `after` goes on from there.",
        EVENT_STREAM,
        query=(
            QueryParameter("after", "The last position that was seen.", "integer"),
            QueryParameter("run", "The run whose timeline is wanted; several with commas."),
        ),
    ),
    # runs
    Operation("get_overview", "GET", "/overview", "The first look.", runs.Overview),
    Operation(
        "list_runs", "GET", "/runs", "The runs: those that need a person first.", runs.RunPage,
        query=(
            QueryParameter("state", "Only runs in this state."),
            QueryParameter("project", "Only runs in this project."),
            QueryParameter("search", "Only runs with these words in name or goal."),
            _LIMIT, _CURSOR,
        ),
    ),
    Operation("get_run", "GET", "/runs/{run}", "One run, with its controls.", runs.RunDetail),
    Operation(
        "get_timeline", "GET", "/runs/{run}/timeline", "A part of a run's timeline.",
        timeline.TimelinePage,
        query=(
            QueryParameter("after", "Entries after this seq.", "integer"),
            QueryParameter("before", "The last entries before this seq.", "integer"),
            _LIMIT,
        ),
    ),
    Operation(
        "get_action", "GET", "/runs/{run}/actions/{step}", "One action in full.",
        timeline.ActionDetail,
    ),
    Operation(
        "get_findings", "GET", "/runs/{run}/findings",
        "The findings of a run, with evidence, interventions and their measured effect.",
        timeline.FindingList, query=(_LIMIT, _CURSOR),
    ),
    Operation(
        "get_series", "GET", "/runs/{run}/series",
        "Risk, tokens, cost and memory of a run over time.", runs.RunSeries,
    ),
    Operation(
        "get_screenshot", "GET", "/runs/{run}/screenshots/{name}",
        "A picture that a check of a desktop run names. Nobody can take secrets out of it, so "
        "reading is not enough.",
        JPEG, right="control",
    ),
    Operation(
        "export_run", "GET", "/runs/{run}/export",
        "The whole run as one self-contained page, without secrets.", HTML,
    ),
    Operation(
        "give_feedback", "POST", "/runs/{run}/feedback",
        "Say whether a verdict or a finding was right.",
        statistics.Done, statistics.FeedbackRequest, right="control",
    ),
    # control
    Operation(
        "send_command", "POST", "/runs/{run}/commands", "Send a command to a run.",
        control.RequestProgress, control.CommandRequest, (_WAIT,), "control", 202,
    ),
    Operation(
        "get_request", "GET", "/requests/{request}", "How a request stands.",
        control.RequestProgress, query=(_WAIT,),
    ),
    Operation(
        "command_all", "POST", "/commands", "Send a command to all runs and fleets.",
        control.RequestList, control.FleetCommandRequest, right="control", status=202,
    ),
    # approvals
    Operation(
        "list_approvals", "GET", "/approvals", "The actions that wait for a person.",
        approvals.ApprovalList, query=(_LIMIT, _CURSOR),
    ),
    Operation(
        "get_approval", "GET", "/approvals/{approval}", "One question.", approvals.ApprovalRow
    ),
    Operation(
        "review_edit", "POST", "/approvals/{approval}/review",
        "Tell the verdict on another input, before anybody approves it.",
        approvals.EditVerdict, approvals.EditOrder,
    ),
    Operation(
        "decide_approval", "POST", "/approvals/{approval}",
        "Approve, edit or deny exactly this action.",
        approvals.ApprovalResult, approvals.ApprovalDecision, right="control",
    ),
    # files
    Operation(
        "list_checkpoints", "GET", "/checkpoints", "The checkpoints of a folder.",
        files.CheckpointList,
        query=(_FOLDER, QueryParameter("run", "Only those of this run."), _LIMIT, _CURSOR),
    ),
    Operation(
        "save_checkpoint", "POST", "/checkpoints", "Save the files of a folder now.",
        files.CheckpointRow, files.CheckpointOrder, right="control",
    ),
    Operation(
        "diff_checkpoint", "GET", "/checkpoints/{checkpoint}/diff",
        "The difference between a checkpoint and the files now.", files.DiffReply,
        query=(_FOLDER, QueryParameter("path", "Only this file.")),
    ),
    Operation(
        "preview_restore", "POST", "/restores/preview",
        "What an undo, a rollback or a redo would do, and what would be lost.",
        files.PreviewAnswer, files.RestoreOrder,
    ),
    Operation(
        "restore", "POST", "/restores", "Undo, roll back or redo, as the preview showed.",
        files.RestoreOutcome, files.RestoreOrder, right="control",
    ),
    # incidents
    Operation(
        "list_incidents", "GET", "/incidents", "The emergency stops.", incidents.IncidentList,
        query=(_LIMIT, _CURSOR),
    ),
    Operation(
        "get_incident", "GET", "/incidents/{incident}", "The report of a stop, and the ways on.",
        incidents.IncidentDetail,
    ),
    Operation(
        "recover", "POST", "/incidents/{incident}", "Decide how a stopped run goes on.",
        incidents.RecoveryAnswer, incidents.RecoveryOrder, right="control",
    ),
    # fleets
    Operation(
        "list_fleets", "GET", "/fleets", "The fleets, with their slots.", fleets.FleetList,
        query=(_LIMIT, _CURSOR),
    ),
    Operation(
        "list_tasks", "GET", "/fleets/{fleet}/tasks", "The tasks of a fleet.", fleets.TaskPage,
        query=(_LIMIT, _CURSOR),
    ),
    Operation(
        "add_task", "POST", "/fleets/{fleet}/tasks", "Add a task.",
        fleets.TaskRow, fleets.TaskDraft, right="control", status=201,
    ),
    Operation(
        "get_task", "GET", "/fleets/{fleet}/tasks/{task}", "One task, with its history.",
        fleets.TaskDetail,
    ),
    Operation(
        "edit_task", "PUT", "/fleets/{fleet}/tasks/{task}", "Change a task that nobody works on.",
        fleets.TaskRow, fleets.TaskDraft, right="control",
    ),
    Operation(
        "command_task", "POST", "/fleets/{fleet}/tasks/{task}",
        "Retry, block, cancel, prefer, merge or redirect a task.",
        fleets.TaskCommandResult, fleets.TaskCommandRequest, right="control",
    ),
    Operation(
        "answer_question", "POST", "/fleets/{fleet}/tasks/{task}/answer",
        "Answer a question of a task's agent.",
        fleets.TaskCommandResult, fleets.TaskAnswer, right="control",
    ),
    Operation(
        "list_pipelines", "GET", "/pipelines", "The pipelines, the latest first.",
        fleets.PipelineList, query=(_LIMIT, _CURSOR),
    ),
    # numbers
    Operation(
        "get_feedback_rates", "GET", "/feedback", "How often verdicts and findings were right.",
        statistics.FeedbackRates,
    ),
    Operation(
        "get_statistics", "GET", "/statistics",
        "What was stopped, changed and found, what helped, and what it cost.",
        statistics.Statistics,
        query=(QueryParameter("days", "How many days back.", "integer", 1, 365, 30),),
    ),
    Operation(
        "replay", "POST", "/replay", "What would other settings have changed in stored runs?",
        statistics.ReplayResult, statistics.ReplayRequest,
    ),
    Operation(
        "get_settings", "GET", "/config", "The settings in force in a folder, without secrets.",
        statistics.SettingList, query=(_FOLDER,),
    ),
    Operation(
        "get_metrics", "GET", "/metrics", "The daemon in numbers.", statistics.MetricsSummary
    ),
)  # fmt: skip

BY_NAME = {operation.name: operation for operation in OPERATIONS}
