/** Emergency stops: those that wait for a decision first. */
import { useComputed, useSignal } from "@preact/signals";
import { api } from "../../api/client";
import type { IncidentRow } from "../../api/types";
import { useKeys } from "../../frame/keys";
import { navigate } from "../../frame/router";
import { usePages } from "../../live/pages";
import { reloads, runs } from "../../live/runs";
import { Ago } from "../../parts/Ago";
import { Empty } from "../../parts/Empty";
import { Mark } from "../../parts/Mark";
import { Split } from "../../parts/Split";
import { More } from "../../parts/More";
import { neighbour } from "../../parts/neighbour";
import type { PageProps } from "../table";
import { IncidentPanel } from "./IncidentPanel";

const PAGE = 100;

function pathOf(id: string): string {
  return `/incidents/${encodeURIComponent(id)}`;
}

export default function IncidentsPage({ parameters }: PageProps) {
  // The rows of the runs name their open stops: another set of them is a reason to ask again.
  const stops = useComputed(() => [...runs.value.values()].map((run) => run.incident).join());
  const { value, problem, again, more } = usePages(
    (cursor) => api.get("/incidents", { limit: PAGE, cursor }),
    [stops.value, reloads.value],
  );
  const items = value?.items ?? [];
  const open = items.filter((each) => each.open);
  const decided = items.filter((each) => !each.open);
  // Stays the same after the decision: the person reads what it came to.
  const first = useSignal("");
  if (!first.peek() && open[0]) first.value = open[0].id;
  const id = parameters.id ?? first.value;

  function move(by: number): void {
    const next = neighbour([...open, ...decided], id, by);
    if (next) navigate(pathOf(next.id), { replace: Boolean(parameters.id) });
  }
  useKeys(
    {
      title: "Incidents",
      bindings: [
        { key: "j", says: "Next stop", run: () => move(1) },
        { key: "k", says: "Stop before", run: () => move(-1) },
      ],
    },
    [value, id, parameters.id],
  );

  if (problem && !value) return <Empty title="The incidents could not be read.">{problem}</Empty>;
  if (!value) return <p class="loading">Reading the incidents …</p>;
  if (items.length === 0 && !parameters.id) {
    return <Empty title="Handrail has stopped no run.">A run that is stopped in an emergency shows up here.</Empty>;
  }
  return (
    <Split
      label="Incidents"
      back="/incidents"
      chosen={Boolean(parameters.id)}
      list={
        <>
          <h1>Incidents</h1>
          <Rows title="Waiting for a decision" items={open} chosen={id} />
          <Rows title="Decided" items={decided} chosen={id} />
          {value.next && <More onMore={more} />}
        </>
      }
    >
      {id ? <IncidentPanel key={id} id={id} onDecided={again} /> : <Empty title="Every stop is decided." />}
    </Split>
  );
}

function Rows({ title, items, chosen }: { title: string; items: readonly IncidentRow[]; chosen: string }) {
  if (items.length === 0) return null;
  return (
    <>
      <h2>
        {title} <span class="dim">{items.length}</span>
      </h2>
      <ul>
        {items.map((each) => (
          <li key={each.id}>
            <a class="split-row" href={pathOf(each.id)} aria-current={each.id === chosen ? "true" : undefined}>
              <Mark mark={each.open ? "■" : "○"} tone={each.open ? "red" : "dim"} />
              <strong class="cut">{each.run_name}</strong>
              <span class="split-row-side">
                <Ago at={each.at} suffix=" ago" />
              </span>
              <span class="split-row-more">{each.open ? each.says : `${each.cause}; ${each.decided}`}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
