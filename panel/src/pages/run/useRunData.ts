/** Loads what a run page shows besides its timeline, and loads it again when it has changed. */
import { effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { api, ApiError } from "../../api/client";
import type { FindingRow, RunDetail, RunSeries, TimelineRow } from "../../api/types";
import { notifyError } from "../../frame/notices";
import { watchRuns } from "../../live/connection";
import { reloads, runs } from "../../live/runs";
import { frames } from "../../live/store";
import { newsOf, openTimeline } from "../../live/timelines";

const DETAIL_AFTER_MS = 150;
const SERIES_EVERY_MS = 3000;

export interface RunData {
  detail: ReadonlySignal<RunDetail | null>;
  findings: ReadonlySignal<readonly FindingRow[]>;
  series: ReadonlySignal<RunSeries | null>;
  /** There is no such run. */
  missing: ReadonlySignal<boolean>;
  /** Loads the findings again, such as after a feedback. */
  refreshFindings: () => void;
}

/** Calls a function after a while, however often it is asked for meanwhile. */
function soon(ms: number, then: () => Promise<void>): { ask: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    ask: () => {
      timer ??= setTimeout(async () => {
        await then();
        timer = undefined;
      }, ms);
    },
    stop: () => clearTimeout(timer),
  };
}

/** Everything in a row by which the run's controls can change. */
function standing(id: string): string {
  const row = runs.value.get(id);
  return row ? [row.state, row.by, row.since, row.active, row.held.length, row.under_way.join()].join("|") : "";
}

function isAboutFindings(row: TimelineRow): boolean {
  return row.kind === "finding" || row.kind === "intervention";
}

async function load<T>(into: Signal<T>, asked: Promise<T>, missing: Signal<boolean>): Promise<void> {
  try {
    into.value = await asked;
    missing.value = false;
  } catch (error) {
    if (error instanceof ApiError && error.problem.status === 404) missing.value = true;
    else notifyError(error);
  }
}

export function useRunData(id: string): RunData {
  const data = useMemo(() => {
    const detail = signal<RunDetail | null>(null);
    const findings = signal<readonly FindingRow[]>([]);
    const series = signal<RunSeries | null>(null);
    const missing = signal(false);
    const loadDetail = () => load(detail, api.get("/runs/{run}", { run: id }), missing);
    const loadFindings = () =>
      load(findings, api.get("/runs/{run}/findings", { run: id }).then((list) => list.items), missing);
    const loadSeries = () => load(series, api.get("/runs/{run}/series", { run: id }), missing);
    return { detail, findings, series, missing, loadDetail, loadFindings, loadSeries };
  }, [id]);

  useEffect(() => {
    const detailSoon = soon(DETAIL_AFTER_MS, data.loadDetail);
    const findingsSoon = soon(DETAIL_AFTER_MS, data.loadFindings);
    const seriesSoon = soon(SERIES_EVERY_MS, data.loadSeries);
    const stops = [
      effect(() => {
        if (reloads.value >= 0) {
          void data.loadDetail();
          void data.loadFindings();
          void data.loadSeries();
        }
      }),
      effect(() => {
        if (standing(id)) detailSoon.ask();
      }),
      effect(() => {
        const news = newsOf(id, frames.value);
        if (news.length) seriesSoon.ask();
        if (news.some(isAboutFindings)) findingsSoon.ask();
      }),
    ];
    watchRuns([id]);
    void openTimeline(id);
    return () => {
      for (const stop of [...stops, detailSoon.stop, findingsSoon.stop, seriesSoon.stop]) stop();
      watchRuns([]);
    };
  }, [data]);

  return { ...data, refreshFindings: () => void data.loadFindings() };
}
