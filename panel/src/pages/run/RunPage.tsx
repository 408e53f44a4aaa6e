/** One run: its controls, its charts, its timeline, and the chosen action. */
import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { RunSeries, TimelineRow } from "../../api/types";
import { useKeys } from "../../frame/keys";
import { navigate, place, setQuery } from "../../frame/router";
import { runs } from "../../live/runs";
import { timeline } from "../../live/timelines";
import { Empty } from "../../parts/Empty";
import type { PageProps } from "../table";
import { ActionPanel } from "./ActionPanel";
import { CheckDialog } from "./CheckDialog";
import { firstTrouble } from "./firstTrouble";
import { RunHead } from "./RunHead";
import { RunSummary } from "./RunSummary";
import { isCheck, neighbourCheck } from "./screenshots";
import { ScreenStrip } from "./ScreenStrip";
import { TimelineList } from "./TimelineList";
import { Trouble } from "./Trouble";
import { useRunData } from "./useRunData";
import "./run.css";
import "./screens.css";

type ChartsType = ComponentType<{ series: RunSeries; onStep: (step: number) => void }>;

export default function RunPage({ parameters }: PageProps) {
  const id = parameters.id ?? "";
  const { detail, findings, series, missing, refreshFindings } = useRunData(id);
  const run = runs.value.get(id) ?? detail.value?.row ?? null;
  const chosen = Number(place.value.query.get("step")) || 0;
  const look = Number(place.value.query.get("look")) || 0;
  const { rows, first, loaded } = timeline.value;
  const Charts = useCharts();

  const evidence = useMemo(() => new Set(findings.value.flatMap((each) => each.evidence)), [findings.value]);
  const trouble = useMemo(() => firstTrouble(findings.value, rows), [findings.value, rows]);
  const steps = useMemo(() => rows.filter((row) => row.kind === "action").map((row) => row.step), [rows]);

  const show = (step: number) => setQuery("step", step ? String(step) : "");
  const open = (seq: number) => setQuery("look", seq ? String(seq) : "");
  const choose = (row: TimelineRow) =>
    isCheck(row) ? open(row.seq) : show(row.kind === "action" ? row.step : Math.min(...row.about));

  function move(by: number): void {
    const at = steps.indexOf(chosen);
    const next = at < 0 ? steps.at(by > 0 ? 0 : -1) : steps[Math.max(0, Math.min(steps.length - 1, at + by))];
    if (next) show(next);
  }

  useKeys(
    {
      title: "Timeline",
      bindings: [
        { key: "j", also: "ArrowDown", says: "Next action", run: () => move(1) },
        { key: "k", also: "ArrowUp", says: "Action before", run: () => move(-1) },
        { key: "G", says: "The newest action", run: () => show(steps.at(-1) ?? 0) },
        { key: "w", says: "Where it went wrong", run: () => show(trouble?.step ?? 0) },
        { key: "Escape", says: "Close the action, or go back", run: () => (chosen ? show(0) : navigate("/")) },
      ],
    },
    [steps, chosen, trouble],
  );

  useEffect(() => {
    if (run) document.title = `${run.mark} ${run.name} · Handrail`;
  }, [run?.name, run?.mark]);

  if (!run) {
    if (missing.value) {
      return (
        <Empty page title={`There is no run “${id}”.`}>
          <a href="/">Show all runs</a>
        </Empty>
      );
    }
    return <p class="loading">Reading the run …</p>;
  }
  const check = look ? rows.find((each) => each.seq === look) : undefined;
  const row = chosen ? rows.findLast((each) => each.kind === "action" && each.step === chosen) : undefined;
  return (
    <div class={chosen ? "run-page has-action" : "run-page"}>
      <div class="run-main">
        <RunHead run={run} detail={detail.value} />
        <ScreenStrip run={id} rows={rows} onOpen={open} />
        {trouble && <Trouble point={trouble} onStep={show} />}
        {Charts && series.value && <Charts series={series.value} onStep={show} />}
        {loaded ? (
          <TimelineList rows={rows} first={first} chosen={chosen} evidence={evidence} onChoose={choose} />
        ) : (
          <p class="loading">Reading the timeline …</p>
        )}
        {check && isCheck(check) && (
          <CheckDialog
            run={id}
            row={check}
            earlier={neighbourCheck(rows, look, -1)}
            later={neighbourCheck(rows, look, 1)}
            onOpen={open}
            onClose={() => open(0)}
          />
        )}
      </div>
      <div class="run-aside" tabIndex={-1}>
        {chosen ? (
          <ActionPanel
            run={id}
            folder={run.cwd}
            step={chosen}
            version={row ? `${row.status} ${row.over}` : ""}
            onClose={() => show(0)}
          />
        ) : (
          <RunSummary
            run={run}
            detail={detail.value}
            findings={findings.value}
            onStep={show}
            onFeedback={refreshFindings}
          />
        )}
      </div>
    </div>
  );
}

/** The chart library comes after the first paint: the timeline does not wait for it. */
function useCharts(): ChartsType | null {
  const charts = useSignal<{ component: ChartsType } | null>(null);
  useEffect(() => {
    void import("./Charts").then((module) => (charts.value = { component: module.default }));
  }, []);
  return charts.value?.component ?? null;
}
