/** Every fleet: who works on what, what it costs, and what a person may do with all of it. */
import { useSignal } from "@preact/signals";
import type { FleetRow, RestoreOrder, SlotRow } from "../../api/types";
import { ALL_RUNS, AllRunsDialog } from "../../frame/AllRunsDialog";
import { useKeys } from "../../frame/keys";
import { useFleets } from "../../live/fleets";
import { READ_ONLY, readOnly } from "../../live/rights";
import { Empty } from "../../parts/Empty";
import { dollars, plural } from "../../parts/format";
import { Mark } from "../../parts/Mark";
import { RestoreDialog } from "../../parts/RestoreDialog";
import { SaveDialog } from "../checkpoints/SaveDialog";
import { addressOfTask, addressOfTasks } from "../tasks/addresses";
import { RollbackDialog } from "./RollbackDialog";
import { freeSlots, shareOf, signOf } from "./summary";
import "./fleet.css";

type Asked =
  | { what: "all"; command: (typeof ALL_RUNS)[number] }
  | { what: "save" | "rollback"; fleet: FleetRow }
  | { what: "restore"; title: string; order: RestoreOrder };

export default function FleetPage() {
  const { value: fleets, problem, again } = useFleets();
  const asked = useSignal<Asked | null>(null);
  const whyNot = readOnly.value ? READ_ONLY : "";
  const first = fleets?.[0];
  const whyNotFirst = whyNot || (first ? "" : "There is no fleet.");
  useKeys(
    {
      title: "Fleet",
      bindings: [
        {
          key: "C",
          says: "Save the whole fleet",
          run: () => first && (asked.value = { what: "save", fleet: first }),
          whyNot: whyNotFirst,
        },
        {
          key: "B",
          says: "Roll the whole fleet back",
          run: () => first && (asked.value = { what: "rollback", fleet: first }),
          whyNot: whyNotFirst,
        },
      ],
    },
    [first, whyNotFirst],
  );
  const close = () => (asked.value = null);
  const now = asked.value;
  return (
    <div class="page">
      <header class="page-head">
        <h1>Fleet</h1>
        <div class="buttons" role="group" aria-label="All runs and fleets">
          {ALL_RUNS.map((each) => (
            <button
              key={each.command}
              type="button"
              class={each.danger ? "button button-danger" : "button"}
              aria-disabled={whyNot ? "true" : undefined}
              title={whyNot || `${each.will} (${each.key})`}
              onClick={() => !whyNot && (asked.value = { what: "all", command: each })}
            >
              {each.label} …
            </button>
          ))}
        </div>
      </header>
      {problem && (
        <p class="note note-red" role="alert">
          <span>{problem}</span>
        </p>
      )}
      {!fleets && !problem && <p class="loading">Reading the fleets …</p>}
      {fleets?.length === 0 && (
        <Empty title="There is no fleet yet.">
          <p>
            A fleet works on many tasks at once: <code>handrail run tasks.yaml</code>
          </p>
        </Empty>
      )}
      <div class="fleets">
        {fleets?.map((fleet) => (
          <FleetCard
            key={fleet.id}
            fleet={fleet}
            whyNot={whyNot}
            onSave={() => (asked.value = { what: "save", fleet })}
            onRollback={() => (asked.value = { what: "rollback", fleet })}
          />
        ))}
      </div>
      {now?.what === "all" && <AllRunsDialog command={now.command} onClose={close} />}
      {now?.what === "save" && (
        <SaveDialog
          folder={now.fleet.folder}
          onClose={close}
          onDone={() => {
            close();
            again();
          }}
        />
      )}
      {now?.what === "rollback" && (
        <RollbackDialog
          folder={now.fleet.folder}
          onClose={close}
          onChosen={(title, order) => (asked.value = { what: "restore", title, order })}
        />
      )}
      {now?.what === "restore" && (
        <RestoreDialog title={now.title} order={now.order} onClose={close} onDone={again} />
      )}
    </div>
  );
}

interface FleetCardProps {
  fleet: FleetRow;
  whyNot: string;
  onSave: () => void;
  onRollback: () => void;
}

function FleetCard({ fleet, whyNot, onSave, onRollback }: FleetCardProps) {
  const share = shareOf(fleet.cost_usd, fleet.budget_usd);
  const noFolder = fleet.folder ? whyNot : "Nobody knows its folder.";
  const free = freeSlots(fleet);
  return (
    <article class="fleet-card card" aria-label={fleet.name}>
      <header class="fleet-head">
        <h2>
          <a href={addressOfTasks(fleet.id)}>{fleet.name}</a>
        </h2>
        <div class="buttons">
          <a class="button button-primary" href={addressOfTasks(fleet.id)}>
            Tasks
          </a>
          {fleet.run && (
            <a class="button" href={`/runs/${encodeURIComponent(fleet.run)}`}>
              Its run
            </a>
          )}
          <button
            type="button"
            class="button"
            aria-disabled={noFolder ? "true" : undefined}
            title={noFolder || "Save every task, the main tree and all workspaces"}
            onClick={() => !noFolder && onSave()}
          >
            Save the fleet …
          </button>
          <button
            type="button"
            class="button button-danger"
            aria-disabled={noFolder ? "true" : undefined}
            title={noFolder || "Take tasks, files and merges back"}
            onClick={() => !noFolder && onRollback()}
          >
            Roll back …
          </button>
        </div>
      </header>
      {fleet.paused && (
        <p class="note note-yellow">
          <span>‖ {fleet.paused}</span>
        </p>
      )}
      {fleet.recovered.length > 0 && (
        <details class="note note-yellow">
          <summary>Its state was lost and recovered</summary>
          <ul class="lines">
            {fleet.recovered.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </details>
      )}
      <ul class="fleet-counts" aria-label="Tasks by state">
        {Object.entries(fleet.counts).map(([state, count]) => {
          const sign = signOf(state);
          return (
            <li key={state} class={`tone-${sign.tone || "plain"}`}>
              <Mark mark={sign.mark} tone={sign.tone} />
              <strong>{count.toLocaleString("en-US")}</strong> {state}
            </li>
          );
        })}
        <li class="fleet-cost">
          {dollars(fleet.cost_usd)}
          {fleet.budget_usd > 0 && <span class="dim"> of {dollars(fleet.budget_usd)}</span>}
          {share !== null && (
            <svg class="meter" width="96" height="6" viewBox="0 0 96 6" aria-hidden="true">
              <rect class="meter-ground" width="96" height="6" rx="3" />
              <rect class={share >= 0.9 ? "meter-high" : "meter-low"} width={96 * Math.min(1, share)} height="6" rx="3" />
            </svg>
          )}
        </li>
      </ul>
      {fleet.slots.length > 0 && <Slots fleet={fleet} />}
      {free > 0 && <p class="dim fleet-free">{plural(free, "slot")} free</p>}
      <p class="dim fleet-folder">
        <code>{fleet.folder}</code>
      </p>
    </article>
  );
}

function Slots({ fleet }: { fleet: FleetRow }) {
  return (
    <div class="fleet-slots">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Slot</th>
            <th scope="col">Task</th>
            <th scope="col">Now</th>
            <th scope="col">Agent</th>
            <th scope="col">Workspace</th>
            <th scope="col" class="number">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {fleet.slots.map((slot) => (
            <Slot key={`${slot.slot} ${slot.task}`} fleet={fleet.id} slot={slot} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Slot({ fleet, slot }: { fleet: string; slot: SlotRow }) {
  return (
    <tr>
      <td data-label="Slot">{slot.slot}</td>
      <td data-label="Task">
        <a href={addressOfTask({ fleet, id: slot.task })}>{slot.task}</a>
        <div class="dim">
          attempt {slot.attempt}
          {slot.iteration > 0 && `, iteration ${slot.iteration}`}
        </div>
      </td>
      <td data-label="Now">
        {slot.run ? <a href={`/runs/${encodeURIComponent(slot.run)}`}>{slot.says || "Show its run"}</a> : slot.says}
      </td>
      <td data-label="Agent">{slot.agent}</td>
      <td data-label="Workspace">
        {slot.branch && <code>{slot.branch}</code>}
        <div class="dim fleet-path" title={slot.workspace}>
          <code>{slot.workspace}</code>
        </div>
      </td>
      <td data-label="Cost" class="number">
        {dollars(slot.cost_usd)}
      </td>
    </tr>
  );
}
