/** Everything that the palette offers: what the keys of this page do, and all runs. */
import { sections } from "../live/runs";
import type { RunRow } from "../api/types";
import { keyGroups } from "./keys";
import type { PaletteItem } from "./paletteMatch";
import { navigate } from "./router";

/** Moving about is for keys only. */
const ONLY_KEYS = /^(Next|.* before$|All commands)/;

function itemsOfKeys(): PaletteItem[] {
  // The page's own keys first: the latest group is the nearest.
  return keyGroups.value.toReversed().flatMap((group) =>
    group.bindings
      .filter((each) => !ONLY_KEYS.test(each.says))
      .map((each) => ({
        id: `${group.title} ${each.says}`,
        group: group.title,
        label: each.says,
        detail: "",
        key: each.key,
        whyNot: each.whyNot ?? "",
        run: each.run,
      })),
  );
}

function itemOfRun(run: RunRow): PaletteItem {
  return {
    id: `run ${run.id}`,
    group: "Runs",
    label: run.name,
    detail: [run.state, run.goal, run.project, run.task].filter(Boolean).join(" · "),
    key: "",
    whyNot: "",
    run: () => navigate(`/runs/${encodeURIComponent(run.id)}`),
  };
}

function answerOf(run: RunRow): PaletteItem[] {
  const to = run.approval
    ? `/approvals/${encodeURIComponent(run.approval)}`
    : run.incident && `/incidents/${encodeURIComponent(run.incident)}`;
  if (!to) return [];
  const label = `${run.approval ? "Answer" : "Decide about"} ${run.name}`;
  return [
    { id: `answer ${run.id}`, group: "Needs you", label, detail: run.needs_you, key: "", whyNot: "", run: () => navigate(to) },
  ];
}

/** Returns all items, what needs a person first. */
export function paletteItems(): PaletteItem[] {
  const { needs, working, paused, done } = sections.value;
  const seen = new Set<string>();
  return [
    ...needs.flatMap(answerOf),
    ...itemsOfKeys(),
    ...[...needs, ...working, ...paused, ...done].map(itemOfRun),
  ].filter((each) => !seen.has(each.id) && seen.add(each.id));
}
