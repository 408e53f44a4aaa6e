/** One checkpoint: what changed since, and the way back. */
import { api } from "../../api/client";
import type { CheckpointRow } from "../../api/types";
import { useLoaded } from "../../live/loaded";
import { READ_ONLY, readOnly } from "../../live/rights";
import { reloads } from "../../live/runs";
import { DiffView } from "../../parts/DiffView";
import { Fact, Facts } from "../../parts/Facts";
import { changedFiles, clock } from "../../parts/format";
import { PathChanges } from "../../parts/PathChanges";

interface CheckpointPanelProps {
  folder: string;
  checkpoint: CheckpointRow;
  onRollBack: () => void;
}

export function CheckpointPanel({ folder, checkpoint, onRollBack }: CheckpointPanelProps) {
  const { value, problem, again } = useLoaded(
    () => api.get("/checkpoints/{checkpoint}/diff", { checkpoint: checkpoint.id, folder }),
    [checkpoint.id, folder, reloads.value],
  );
  const whyNot = readOnly.value ? READ_ONLY : "";
  return (
    <article class="record">
      <header class="checkpoint-head">
        <h1>{checkpoint.name || checkpoint.id}</h1>
        <div class="buttons">
          <button type="button" class="button" onClick={again}>
            Compare again
          </button>
          <button
            type="button"
            class="button button-primary"
            aria-disabled={whyNot ? "true" : undefined}
            title={whyNot || "(b)"}
            onClick={() => !whyNot && onRollBack()}
          >
            Roll back to this …
          </button>
        </div>
      </header>
      <Facts>
        <Fact name="Saved">
          {clock(checkpoint.at)} · {checkpoint.why}
        </Fact>
        <Fact name="By run">
          {checkpoint.run && (
            <a href={`/runs/${encodeURIComponent(checkpoint.run)}?step=${checkpoint.step}`}>
              {checkpoint.run_name}
              {checkpoint.step > 0 && `, step ${checkpoint.step}`}
            </a>
          )}
        </Fact>
        <Fact name="Since the last one">
          {changedFiles(checkpoint.files)}
          {checkpoint.partial && <span class="tone-yellow"> ! not all files of the folder are in it</span>}
        </Fact>
        <Fact name="Branch at">{checkpoint.commit && <code>{checkpoint.commit.slice(0, 12)}</code>}</Fact>
        <Fact name="Folder">
          <code>{folder}</code>
        </Fact>
      </Facts>
      <section class="record">
        <h2>Changed since</h2>
        {problem && (
          <p class="note note-red">
            <span>{problem}</span>
          </p>
        )}
        {!value && !problem && <p class="dim">Comparing the files …</p>}
        {value && value.changes.length === 0 && <p>The files are as they were then.</p>}
        {value && value.changes.length > 0 && (
          <>
            <div>
              <PathChanges changes={value.changes} />
            </div>
            {value.diff && <DiffView diff={value.diff} />}
            {value.cut && <p class="dim">The difference is longer than shown.</p>}
          </>
        )}
      </section>
    </article>
  );
}
