/** What was stopped, changed and found, what helped, what it cost, and how often it was right. */
import { api } from "../../api/client";
import type { MetricsSummary, RateRow, Statistics, StatisticsRow } from "../../api/types";
import { place, setQuery } from "../../frame/router";
import { useLoaded } from "../../live/loaded";
import { reloads } from "../../live/runs";
import { Empty } from "../../parts/Empty";
import { dollars, plural, short, span } from "../../parts/format";
import { Bars, DayBars } from "./Bars";
import { dailyCosts, percent, totalsOf } from "./sums";
import { WhatIf } from "./WhatIf";
import "./statistics.css";

const SPANS = [1, 7, 30, 90, 365];
const USUAL = 30;

export default function StatisticsPage() {
  const days = Number(place.value.query.get("days")) || USUAL;
  const { value, problem } = useLoaded(() => api.get("/statistics", { days }), [days, reloads.value]);
  const rates = useLoaded(() => api.get("/feedback"), [reloads.value]);
  const metrics = useLoaded(() => api.get("/metrics"), [reloads.value]);
  return (
    <div class="page record">
      <header class="page-head statistics-head">
        <h1>Statistics</h1>
        <label>
          <span class="sr-only">Time</span>
          <select value={String(days)} onChange={(event) => setQuery("days", event.currentTarget.value)}>
            {SPANS.map((each) => (
              <option key={each} value={each}>
                {each === 1 ? "The last day" : `The last ${each} days`}
              </option>
            ))}
          </select>
        </label>
      </header>
      {problem && (
        <p class="note note-red" role="alert">
          <span>{problem}</span>
        </p>
      )}
      {!value && !problem && <p class="loading">Counting …</p>}
      {value && value.rows.length === 0 && <Empty title="Nothing ran in this time." />}
      {value && value.rows.length > 0 && <Numbers statistics={value} />}
      <section class="record" aria-labelledby="rates">
        <h2 id="rates">How often it was right</h2>
        <p class="dim">As people said it, on the page of a run: “Was this right?”</p>
        {rates.problem && <p class="field-problem">{rates.problem}</p>}
        {rates.value && (
          <Rates rows={[...rates.value.verdicts, ...rates.value.findings].filter((each) => each.right + each.wrong > 0)} />
        )}
      </section>
      <WhatIf />
      {metrics.value && <Daemon metrics={metrics.value} />}
    </div>
  );
}

function Numbers({ statistics }: { statistics: Statistics }) {
  const total = totalsOf(statistics.rows);
  const cards: [string, string, string][] = [
    ["Actions", total.actions.toLocaleString("en-US"), plural(total.runs, "run")],
    ["Stopped", total.stopped.toLocaleString("en-US"), percent(total.stopped, total.actions)],
    ["Changed", total.changed.toLocaleString("en-US"), percent(total.changed, total.actions)],
    ["Found", total.findings.toLocaleString("en-US"), plural(total.interventions, "intervention")],
    ["Helped", total.helped.toLocaleString("en-US"), `${percent(total.helped, total.interventions)} of them`],
    ["Cost", dollars(total.cost_usd), `${short(total.tokens)} tokens`],
  ];
  return (
    <>
      <dl class="number-cards">
        {cards.map(([name, number, more]) => (
          <div key={name} class="card number-card">
            <dt>{name}</dt>
            <dd>
              <strong>{number}</strong>
              <span class="dim">{more}</span>
            </dd>
          </div>
        ))}
      </dl>
      <div class="chart-grid">
        <Bars title="What was stopped" rows={statistics.stopped_by} tone="red" none="Nothing was stopped." />
        <Bars title="What was found" rows={statistics.findings_by} tone="yellow" none="Nothing was found." />
        <Bars title="What was done about it" rows={statistics.interventions_by} tone="accent" none="Nothing was needed." />
        <DayBars title="Cost by day" days={dailyCosts(statistics.cost_by_day)} />
      </div>
      <section class="record" aria-labelledby="projects">
        <h2 id="projects">By project and host</h2>
        <Projects rows={statistics.rows} />
      </section>
    </>
  );
}

const COLUMNS: readonly { title: string; of: (row: StatisticsRow) => string }[] = [
  { title: "Runs", of: (row) => row.runs.toLocaleString("en-US") },
  { title: "Actions", of: (row) => row.actions.toLocaleString("en-US") },
  { title: "Stopped", of: (row) => row.stopped.toLocaleString("en-US") },
  { title: "Changed", of: (row) => row.changed.toLocaleString("en-US") },
  { title: "Found", of: (row) => row.findings.toLocaleString("en-US") },
  { title: "Helped", of: (row) => (row.interventions ? `${row.helped} of ${row.interventions}` : "–") },
  { title: "Tokens", of: (row) => short(row.tokens) },
  { title: "Cost", of: (row) => dollars(row.cost_usd) },
];

function Projects({ rows }: { rows: readonly StatisticsRow[] }) {
  return (
    <div class="wide-table" tabIndex={0} role="region" aria-label="Numbers by project and host">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Project</th>
            <th scope="col">Host</th>
            {COLUMNS.map((each) => (
              <th key={each.title} scope="col" class="number">
                {each.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.project} ${row.host}`}>
              <th scope="row">{row.project}</th>
              <td>{row.host}</td>
              {COLUMNS.map((each) => (
                <td key={each.title} class="number">
                  {each.of(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Rates({ rows }: { rows: readonly RateRow[] }) {
  if (rows.length === 0) return <p>Nobody has said anything about a verdict or a finding yet.</p>;
  return (
    <table class="table rates">
      <thead>
        <tr>
          <th scope="col">About</th>
          <th scope="col" class="number">
            ✓ Right
          </th>
          <th scope="col" class="number">
            ✗ Wrong
          </th>
          <th scope="col" class="number">
            Rate
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((each) => (
          <tr key={each.name}>
            <th scope="row">{each.label}</th>
            <td class="number">{each.right}</td>
            <td class="number">{each.wrong}</td>
            <td class="number">{percent(each.right, each.right + each.wrong)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Daemon({ metrics }: { metrics: MetricsSummary }) {
  const milliseconds = (value: number | null) => (value === null ? "–" : `${value.toPrecision(2)} ms`);
  return (
    <section class="record" aria-labelledby="daemon">
      <h2 id="daemon">The daemon</h2>
      <p>
        Up {span(metrics.uptime_seconds)} · {metrics.memory_mb.toFixed(0)} MB ·{" "}
        {metrics.review_p50_ms === null
          ? "no review yet"
          : `a review takes ${milliseconds(metrics.review_p50_ms)} (median), ${milliseconds(metrics.review_p99_ms)} at most in 99 of 100`}
      </p>
      <details>
        <summary>All its counters ({metrics.items.length})</summary>
        <div class="wide-table" tabIndex={0} role="region" aria-label="Counters">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Counter</th>
                <th scope="col">Of</th>
                <th scope="col" class="number">
                  Value
                </th>
              </tr>
            </thead>
            <tbody>
              {metrics.items.map((each, index) => (
                <tr key={index}>
                  <th scope="row">
                    <code>{each.name}</code>
                  </th>
                  <td class="dim">
                    {Object.entries(each.labels)
                      .map(([name, value]) => `${name} ${value}`)
                      .join(", ")}
                  </td>
                  <td class="number">{Number(each.value.toPrecision(6)).toLocaleString("en-US")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}
