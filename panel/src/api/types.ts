/** The messages of the API under short names. */
import type { components } from "./schema";

type Schemas = components["schemas"];

/** A message of the daemon: fields with a default are written out too. */
export type Complete<T> = T extends readonly (infer E)[]
  ? Complete<E>[]
  : T extends object
    ? { [K in keyof T]-?: Complete<Exclude<T[K], undefined>> }
    : T;

export type ActionDetail = Complete<Schemas["ActionDetail"]>;
export type ApiSession = Complete<Schemas["ApiSession"]>;
export type ApprovalDecision = Schemas["ApprovalDecision"];
export type ApprovalRow = Complete<Schemas["ApprovalRow"]>;
export type AuditRow = Complete<Schemas["AuditRow"]>;
export type CheckpointRow = Complete<Schemas["CheckpointRow"]>;
export type CommandPart = Complete<Schemas["CommandPart"]>;
export type CommandRequest = Schemas["CommandRequest"];
export type CommandState = Complete<Schemas["CommandState"]>;
export type CountRow = Complete<Schemas["CountRow"]>;
export type DesktopCheckRow = Complete<Schemas["DesktopCheckRow"]>;
export type DiffReply = Complete<Schemas["DiffReply"]>;
export type EditVerdict = Complete<Schemas["EditVerdict"]>;
export type EffectRow = Complete<Schemas["EffectRow"]>;
export type FactorRow = Complete<Schemas["FactorRow"]>;
export type FeedbackRates = Complete<Schemas["FeedbackRates"]>;
export type FindingRow = Complete<Schemas["FindingRow"]>;
export type FleetCommandRequest = Schemas["FleetCommandRequest"];
export type FleetRow = Complete<Schemas["FleetRow"]>;
export type IncidentDetail = Complete<Schemas["IncidentDetail"]>;
export type IncidentRow = Complete<Schemas["IncidentRow"]>;
export type InterventionRow = Complete<Schemas["InterventionRow"]>;
export type MetricsSummary = Complete<Schemas["MetricsSummary"]>;
export type Overview = Complete<Schemas["Overview"]>;
export type PathChange = Complete<Schemas["PathChange"]>;
export type PipelineRow = Complete<Schemas["PipelineRow"]>;
export type PipelineStepRow = Complete<Schemas["PipelineStepRow"]>;
export type PreviewAnswer = Complete<Schemas["PreviewAnswer"]>;
export type Problem = Schemas["Problem"];
export type QuestionRow = Complete<Schemas["QuestionRow"]>;
export type RateRow = Complete<Schemas["RateRow"]>;
export type RecoveryRow = Complete<Schemas["RecoveryRow"]>;
export type ReplayResult = Complete<Schemas["ReplayResult"]>;
export type RequestList = Complete<Schemas["RequestList"]>;
export type RequestProgress = Complete<Schemas["RequestProgress"]>;
export type RestoreOrder = Schemas["RestoreOrder"];
export type RestoreOutcome = Complete<Schemas["RestoreOutcome"]>;
export type RunDetail = Complete<Schemas["RunDetail"]>;
export type RunRow = Complete<Schemas["RunRow"]>;
export type RunSeries = Complete<Schemas["RunSeries"]>;
export type SeriesMark = Complete<Schemas["SeriesMark"]>;
export type SettingRow = Complete<Schemas["SettingRow"]>;
export type SlotRow = Complete<Schemas["SlotRow"]>;
export type Statistics = Complete<Schemas["Statistics"]>;
export type StatisticsRow = Complete<Schemas["StatisticsRow"]>;
/** Frames leave out what is empty. */
export type StreamFrame = Pick<Schemas["StreamFrame"], "position"> & Partial<Complete<Schemas["StreamFrame"]>>;
export type TaskCommandRequest = Schemas["TaskCommandRequest"];
export type TaskDetail = Complete<Schemas["TaskDetail"]>;
export type TaskDraft = Schemas["TaskDraft"];
export type TaskRow = Complete<Schemas["TaskRow"]>;
export type TimelinePage = Complete<Schemas["TimelinePage"]>;
export type TimelineRow = Complete<Schemas["TimelineRow"]>;
export type Tone = RunRow["tone"];
