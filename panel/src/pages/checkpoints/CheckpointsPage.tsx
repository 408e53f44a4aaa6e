/** The saved points of a folder or run: compare, save, roll back, redo. */
import { useSignal } from "@preact/signals";
import { api } from "../../api/client";
import type { CheckpointRow, RestoreOrder } from "../../api/types";
import { useKeys } from "../../frame/keys";
import { notifyError } from "../../frame/notices";
import { place, setQuery } from "../../frame/router";
import { useLoaded } from "../../live/loaded";
import { READ_ONLY, readOnly } from "../../live/rights";
import { reloads, runs, runsLoaded } from "../../live/runs";
import { Ago } from "../../parts/Ago";
import { Empty } from "../../parts/Empty";
import { changedFiles } from "../../parts/format";
import { Mark } from "../../parts/Mark";
import { More } from "../../parts/More";
import { neighbour } from "../../parts/neighbour";
import { RestoreDialog } from "../../parts/RestoreDialog";
import { Split } from "../../parts/Split";
import { CheckpointPanel } from "./CheckpointPanel";
import { foldersOf, shortFolder } from "../../parts/folders";
import { SaveDialog } from "./SaveDialog";
import { useCheckpointNews } from "./useCheckpointNews";
import "./checkpoints.css";

const PAGE = 100;

/** The folder of the address: its own, or that of its run; else where something happened last. */
function chosenFolder(): string {
  const { query } = place.value;
  const ofRun = runs.value.get(query.get("run") ?? "")?.cwd;
  return query.get("folder") || ofRun || foldersOf(runs.value.values())[0] || "";
}

export default function CheckpointsPage() {
  const folder = chosenFolder();
  if (!folder) {
    if (!runsLoaded.value) return <p class="loading">Reading the runs …</p>;
    return <Empty title="No checkpoints yet.">Handrail saves the files of a run before it changes them.</Empty>;
  }
  return <FolderCheckpoints key={folder} folder={folder} />;
}

function FolderCheckpoints({ folder }: { folder: string }) {
  const { query } = place.value;
  const run = query.get("run") ?? "";
  const { value, problem, again } = useLoaded(
    () => api.get("/checkpoints", { folder, run, limit: PAGE }),
    [folder, run, reloads.value],
  );
  const older = useSignal<{ items: CheckpointRow[]; next: string } | null>(null);
  const saving = useSignal(false);
  const restoring = useSignal<{ title: string; order: RestoreOrder } | null>(null);

  const items = distinct([...(value?.items ?? []), ...(older.value?.items ?? [])]);
  const next = older.value?.next ?? value?.next ?? "";
  // Stays the same while the person looks at it, even when a newer one comes.
  const first = useSignal("");
  if (!items.some((each) => each.id === first.peek())) first.value = items[0]?.id ?? "";
  const id = query.get("checkpoint") || first.value;
  const chosen = items.find((each) => each.id === id);

  async function loadOlder(): Promise<void> {
    try {
      const page = await api.get("/checkpoints", { folder, run, limit: PAGE, cursor: next });
      older.value = { items: [...(older.peek()?.items ?? []), ...page.items], next: page.next };
    } catch (error) {
      notifyError(error);
    }
  }

  function reload(): void {
    older.value = null;
    again();
  }

  useCheckpointNews(folder, () => {
    const shown = older.peek();
    // The newest page moves on: what leaves it at its end stays in sight.
    if (shown && value) older.value = { ...shown, items: distinct([...value.items, ...shown.items]) };
    again();
  });

  function move(by: number): void {
    const to = neighbour(items, id, by);
    if (to) setQuery("checkpoint", to.id);
  }

  const whyNot = readOnly.value ? READ_ONLY : "";
  const save = () => (saving.value = true);
  const redo = () => (restoring.value = { title: "Redo", order: { folder, level: "redo" } });
  const rollBack = () => {
    if (id) restoring.value = { title: `Roll back to ${id}`, order: { folder, level: "checkpoint", checkpoint: id } };
  };
  useKeys(
    {
      title: "Checkpoints",
      bindings: [
        { key: "j", says: "Next checkpoint", run: () => move(1) },
        { key: "k", says: "Checkpoint before", run: () => move(-1) },
        { key: "c", says: "Save the files now", run: save, whyNot },
        { key: "b", says: "Roll back to the chosen one", run: rollBack, whyNot: id ? "" : "There is none." },
        { key: "Z", says: "Redo what the last undo took back", run: redo },
      ],
    },
    [value, older.value, id, whyNot],
  );

  return (
    <Split
      label="Checkpoints"
      back={`/checkpoints?folder=${encodeURIComponent(folder)}${run ? `&run=${encodeURIComponent(run)}` : ""}`}
      chosen={query.has("checkpoint")}
      list={
        <>
          <h1>Checkpoints</h1>
          <Filters folder={folder} run={run} />
          <div class="buttons checkpoint-tools">
            <button type="button" class="button" aria-disabled={whyNot ? "true" : undefined} title={whyNot || "(c)"} onClick={() => !whyNot && save()}>
              Save now …
            </button>
            <button type="button" class="button" title="(Z)" onClick={redo}>
              Redo …
            </button>
          </div>
          {problem && (
            <p class="note note-red">
              <span>{problem}</span>
            </p>
          )}
          {!value && !problem && <p class="loading">Reading the checkpoints …</p>}
          {value && items.length === 0 && <Empty title="Nothing is saved here yet." />}
          <Rows items={items} chosen={id} />
          {next && <More onMore={loadOlder} />}
        </>
      }
    >
      {chosen && <CheckpointPanel key={chosen.id} folder={folder} checkpoint={chosen} onRollBack={rollBack} />}
      {saving.value && (
        <SaveDialog
          folder={folder}
          onClose={() => (saving.value = false)}
          onDone={(saved) => {
            saving.value = false;
            setQuery("checkpoint", saved.id);
            reload();
          }}
        />
      )}
      {restoring.value && (
        <RestoreDialog {...restoring.value} onClose={() => (restoring.value = null)} onDone={reload} />
      )}
    </Split>
  );
}

function distinct(rows: readonly CheckpointRow[]): CheckpointRow[] {
  const seen = new Set<string>();
  return rows.filter((each) => !seen.has(each.id) && seen.add(each.id));
}

function Filters({ folder, run }: { folder: string; run: string }) {
  const folders = foldersOf(runs.value.values());
  const known = folders.includes(folder) ? folders : [folder, ...folders];
  const here = [...runs.value.values()].filter((each) => each.cwd === folder).sort((a, b) => b.changed - a.changed);
  return (
    <div class="checkpoint-filters">
      <select
        aria-label="Folder"
        title={folder}
        value={folder}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          setQuery("run", "");
          setQuery("checkpoint", "");
          setQuery("folder", chosen);
        }}
      >
        {known.map((each) => (
          <option key={each} value={each}>
            {shortFolder(each)}
          </option>
        ))}
      </select>
      <select
        aria-label="Run"
        value={run}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          setQuery("folder", folder);
          setQuery("checkpoint", "");
          setQuery("run", chosen);
        }}
      >
        <option value="">All runs</option>
        {here.map((each) => (
          <option key={each.id} value={each.id}>
            {each.name}
          </option>
        ))}
      </select>
    </div>
  );
}

function addressOfRow(id: string): string {
  const query = new URLSearchParams(place.value.query);
  query.set("checkpoint", id);
  return `/checkpoints?${query}`;
}

function Rows({ items, chosen }: { items: readonly CheckpointRow[]; chosen: string }) {
  return (
    <ul>
      {items.map((each) => (
        <li key={each.id}>
          <a class="split-row" href={addressOfRow(each.id)} aria-current={each.id === chosen ? "true" : undefined}>
            <Mark mark={each.name ? "★" : "·"} tone={each.name ? "yellow" : "dim"} />
            <span class="cut">
              <strong>{each.name || each.id}</strong> {each.name && <span class="dim">{each.id}</span>}
            </span>
            <span class="split-row-side">
              <Ago at={each.at} suffix=" ago" />
            </span>
            <span class="split-row-more">
              {[each.why, each.run_name && `${each.run_name}${each.step ? `, step ${each.step}` : ""}`, changedFiles(each.files)]
                .filter(Boolean)
                .join(" · ")}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
