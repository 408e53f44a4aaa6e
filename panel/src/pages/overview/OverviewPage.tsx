/** Every run, by what it needs: those that wait for a person first. */
import { useSignal } from "@preact/signals";
import { useCallback, useRef } from "preact/hooks";
import { useKeys } from "../../frame/keys";
import { navigate } from "../../frame/router";
import { loadMoreRuns, moreRuns, overview, runs, runsLoaded } from "../../live/runs";
import { SECTIONS, bySection } from "../../live/sections";
import { Empty } from "../../parts/Empty";
import { RunItem, matchesSearch } from "./RunItem";
import "./overview.css";

const DONE_SHOWN = 8;

export default function OverviewPage() {
  const search = useSignal("");
  const chosen = useSignal("");
  const allDone = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  const choose = useCallback((run: string) => (chosen.value = run), []);

  const sections = bySection([...runs.value.values()].filter((run) => matchesSearch(run, search.value)));
  const hidden = allDone.value || search.value ? 0 : Math.max(0, sections.done.length - DONE_SHOWN);
  if (hidden) sections.done.length = DONE_SHOWN;
  const order = SECTIONS.flatMap(({ name }) => sections[name]);

  function move(by: number): void {
    const at = order.findIndex((run) => run.id === chosen.peek());
    const next = order[Math.max(0, Math.min(order.length - 1, at + by))];
    if (!next) return;
    chosen.value = next.id;
    document.getElementById(`run-${next.id}`)?.focus();
  }

  useKeys(
    {
      title: "Runs",
      bindings: [
        { key: "j", also: "ArrowDown", says: "Next run", run: () => move(1) },
        { key: "k", also: "ArrowUp", says: "Run before", run: () => move(-1) },
        {
          key: "Enter",
          says: "Open the run",
          run: () => chosen.peek() && navigate(`/runs/${encodeURIComponent(chosen.peek())}`),
        },
        { key: "/", says: "Search", run: () => field.current?.focus() },
      ],
    },
    [order.map((run) => run.id).join(" ")],
  );

  return (
    <div class="page">
      <header class="page-head">
        <h1>Runs</h1>
        <input
          ref={field}
          type="search"
          placeholder="Search name, goal, project …"
          aria-label="Search runs"
          value={search}
          onInput={(event) => (search.value = event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        />
      </header>
      <Notes />
      {!runsLoaded.value && <p class="loading">Reading the runs …</p>}
      {runsLoaded.value && order.length === 0 && <NoRuns searched={search.value !== ""} />}
      {SECTIONS.map(
        ({ name, title }) =>
          sections[name].length > 0 && (
            <section key={name} class="run-section" aria-labelledby={`section-${name}`}>
              <h2 id={`section-${name}`} class={name === "needs" ? "run-heading tone-red" : "run-heading"}>
                {title}
                <span class="dim">{sections[name].length + (name === "done" ? hidden : 0)}</span>
              </h2>
              <ul class="card run-list">
                {sections[name].map((run) => (
                  <RunItem key={run.id} run={run} onFocus={choose} />
                ))}
              </ul>
            </section>
          ),
      )}
      <div class="buttons">
        {hidden > 0 && (
          <button type="button" class="button" onClick={() => (allDone.value = true)}>
            Show {hidden} more
          </button>
        )}
        {hidden === 0 && moreRuns.value && (
          <button type="button" class="button" onClick={loadMoreRuns}>
            Load older runs
          </button>
        )}
      </div>
    </div>
  );
}

function Notes() {
  const notes = overview.value?.notices ?? [];
  if (notes.length === 0) return null;
  return (
    <ul class="card run-notes">
      {notes.map((each) => (
        <li key={each}>
          <span class="tone-yellow">!</span> {each}
        </li>
      ))}
    </ul>
  );
}

function NoRuns({ searched }: { searched: boolean }) {
  if (searched) return <Empty title="No run has these words." />;
  return (
    <Empty title="No runs yet.">
      <p>
        Supervise your own sessions: <code>handrail install claude</code>
      </p>
      <p>
        Or see a story: <code>handrail demo --panel</code>
      </p>
    </Empty>
  );
}
