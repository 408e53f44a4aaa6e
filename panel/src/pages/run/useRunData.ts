/** Loads what a run page shows besides its timeline, and loads it again when it has changed. */
import { effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { api, ApiError } from "../../api/client";
import type { FindingRow, RunDetail, RunSeries, TimelineRow } from "../../api/types";
import { notifyError } from "../../frame/notices";
import { watchRuns } from "../../live/connection";
import { allPages } from "../../live/pages";
import { reloads, runs } from "../../live/runs";
import { soon } from "../../live/soon";
import { frames } from "../../live/store";
import { newsOf, openTimeline } from "../../live/timelines";

const DETAIL_AFTER_MS = 150;
const SERIES_EVERY_MS = 3000;
const PAGE = 500;

export interface RunData {
  detail: ReadonlySignal<RunDetail | null>;
  findings: ReadonlySignal<readonly FindingRow[]>;
  series: ReadonlySignal<RunSeries | null>;
  /** There is no such run. */
  missing: ReadonlySignal<boolean>;
  /** Loads the findings again, such as after a feedback. */
  refreshFindings: () => void;
}

/** Everything in a row by which the run's controls can change. */
function standing(id: string): string {
  const row = runs.value.get(id);
  return row ? [row.state, row.by, row.since, row.active, row.held.length, row.under_way.join()].join("|") : "";
}

function isAboutFindings(row: TimelineRow): boolean {
  return row.kind === "finding" || row.kind === "intervention";
}

/** Returns a function that loads a value. A late answer never replaces a newer one. */
function loader<T>(into: Signal<T>, request: () => Promise<T>, missing: Signal<boolean>): () => Promise<void> {
  let asked = 0;
  return async () => {
    const mine = ++asked;
    try {
      const answer = await request();
      if (mine !== asked) return;
      into.value = answer;
      missing.value = false;
    } catch (error) {
      if (mine !== asked) return;
      if (error instanceof ApiError && error.problem.status === 404) missing.value = true;
      else notifyError(error);
    }
  };
}

export function useRunData(id: string): RunData {
  const data = useMemo(() => {
    const detail = signal<RunDetail | null>(null);
    const findings = signal<readonly FindingRow[]>([]);
    const series = signal<RunSeries | null>(null);
    const missing = signal(false);
    const loadDetail = loader<RunDetail | null>(detail, () => api.get("/runs/{run}", { run: id }), missing);
    const loadFindings = loader(
      findings,
      () => allPages((cursor) => api.get("/runs/{run}/findings", { run: id, limit: PAGE, cursor })),
      missing,
    );
    const loadSeries = loader<RunSeries | null>(series, () => api.get("/runs/{run}/series", { run: id }), missing);
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
