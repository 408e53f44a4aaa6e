/** What other settings would have changed in the stored runs. */
import { useSignal } from "@preact/signals";
import { api } from "../../api/client";
import type { ReplayResult } from "../../api/types";
import { runs } from "../../live/runs";
import { plural } from "../../parts/format";
import { foldersOf, shortFolder } from "../../parts/folders";
import { useSending } from "../../parts/useSending";

const EXAMPLE = "step_reviewer:\n  risk:\n    high_threshold: 0.7\n";
const SPANS = [1, 7, 30];
const USUAL = 7;

export function WhatIf() {
  const settings = useSignal("");
  const days = useSignal(USUAL);
  const folder = useSignal("");
  const { busy, problem, send } = useSending();
  const result = useSignal<ReplayResult | null>(null);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    await send(async () => {
      result.value = null;
      const order = { settings: settings.value, days: days.value, folder: folder.value };
      result.value = await api.post("/replay", {}, order);
    });
  }

  return (
    <section class="record" aria-labelledby="what-if">
      <h2 id="what-if">What would this setting have changed?</h2>
      <form class="what-if" onSubmit={submit}>
        <label class="dialog-field">
          <span>
            Settings <span class="dim">(as in handrail.yaml; they are tried, not saved)</span>
          </span>
          <textarea
            class="mono"
            required
            spellcheck={false}
            placeholder={EXAMPLE}
            value={settings}
            onInput={(event) => (settings.value = event.currentTarget.value)}
          />
        </label>
        <div class="what-if-foot">
          <label>
            <span class="sr-only">Runs of</span>
            <select value={String(days.value)} onChange={(event) => (days.value = Number(event.currentTarget.value))}>
              {SPANS.map((each) => (
                <option key={each} value={each}>
                  {each === 1 ? "Runs of the last day" : `Runs of the last ${each} days`}
                </option>
              ))}
            </select>
          </label>
          <label>
            <span class="sr-only">In the folder</span>
            <select value={folder} onChange={(event) => (folder.value = event.currentTarget.value)}>
              <option value="">in all projects</option>
              {foldersOf(runs.value.values()).map((each) => (
                <option key={each} value={each}>
                  in {shortFolder(each)}
                </option>
              ))}
            </select>
          </label>
          <button type="submit" class="button button-primary" disabled={busy.value}>
            {busy.value ? "Reviewing the runs again …" : "Try it"}
          </button>
        </div>
      </form>
      {problem.value && (
        <p class="note note-red what-if-problem" role="alert">
          <span>{problem.value}</span>
        </p>
      )}
      <p role="status">{result.value && summaryOf(result.value)}</p>
      {result.value && result.value.differences.length > 0 && <Differences result={result.value} />}
    </section>
  );
}

/** Returns what came of a replay in a sentence or two. */
export function summaryOf(result: ReplayResult): string {
  const tried = `Of ${plural(result.actions, "action")} in ${plural(result.runs, "run")}, `;
  const count = result.differences.length;
  const changed = count === 0 ? "all would have been decided the same." : `${count} would have been decided otherwise.`;
  return tried + changed + (result.cut ? " There was more than that: this is the first part." : "");
}

const WORDS: Readonly<Record<string, { says: string; tone: string }>> = {
  allow: { says: "allowed", tone: "green" },
  warn: { says: "warned", tone: "yellow" },
  modify: { says: "changed", tone: "yellow" },
  hold: { says: "held for a person", tone: "yellow" },
  block: { says: "stopped", tone: "red" },
};

function Decision({ decision }: { decision: string }) {
  const word = WORDS[decision];
  return <span class={word && `tone-${word.tone}`}>{word?.says ?? decision}</span>;
}

function Differences({ result }: { result: ReplayResult }) {
  return (
    <div class="wide-table" tabIndex={0} role="region" aria-label="Differences">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Action</th>
            <th scope="col">Was</th>
            <th scope="col">Would be</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {result.differences.map((each) => (
            <tr key={`${each.run} ${each.step}`}>
              <td>
                <a href={`/runs/${encodeURIComponent(each.run)}?step=${each.step}`}>
                  <code>{each.says}</code>
                </a>
                <div class="dim">
                  {each.run_name}, step {each.step}
                </div>
              </td>
              <td>
                <Decision decision={each.before} />
              </td>
              <td>
                <Decision decision={each.after} />
              </td>
              <td>{each.why}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
