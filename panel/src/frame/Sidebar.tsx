/** The left column: the pages, then every run that is not over, those that need a person first. */
import { signal } from "@preact/signals";
import type { RunRow } from "../api/types";
import { runs, sections } from "../live/runs";
import { PAGES } from "../pages/table";
import { Icon } from "../parts/Icon";
import { Mark } from "../parts/Mark";
import { memo } from "../parts/memo";
import { place } from "./router";

/** Whether the column is shown on a narrow screen. */
export const menuOpen = signal(false);

/** How many things wait on a page, by its path. */
function waiting(path: string): number {
  const all = [...runs.value.values()];
  if (path === "/approvals") return all.reduce((sum, each) => sum + each.questions, 0);
  if (path === "/incidents") return all.filter((each) => each.incident).length;
  return path === "/" ? sections.value.needs.length : 0;
}

function isHere(path: string): boolean {
  const now = place.value.path;
  return path === "/" ? now === "/" : now === path || now.startsWith(`${path}/`);
}

function PageLinks() {
  return (
    <nav aria-label="Pages">
      <ul class="nav">
        {PAGES.map(({ path, nav }) => {
          if (!nav) return null;
          const count = waiting(path);
          return (
            <li key={path}>
              <a href={path} class="nav-link" aria-current={isHere(path) ? "page" : undefined}>
                <Icon name={nav.icon} />
                {nav.label}
                {count > 0 && (
                  <span class="badge" aria-label={`${count} waiting`}>
                    {count}
                  </span>
                )}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

interface RunLinkProps extends Pick<RunRow, "id" | "name" | "state" | "mark" | "tone" | "goal"> {
  isHere: boolean;
}

const RunLink = memo(function RunLink({ id, name, state, mark, tone, goal, isHere }: RunLinkProps) {
  return (
    <li>
      <a href={pathOf(id)} class="side-run" aria-current={isHere ? "page" : undefined} title={goal}>
        <Mark mark={mark} tone={tone} />
        <span class="side-name">{name}</span>
        <span class="side-state">{state}</span>
      </a>
    </li>
  );
});

function pathOf(run: string): string {
  return `/runs/${encodeURIComponent(run)}`;
}

function RunLinks({ title, items }: { title: string; items: readonly RunRow[] }) {
  if (items.length === 0) return null;
  return (
    <section>
      <h2 class="side-title">
        {title} <span class="dim">{items.length}</span>
      </h2>
      <ul class="side-runs">
        {items.map(({ id, name, state, mark, tone, goal }) => (
          <RunLink key={id} {...{ id, name, state, mark, tone, goal }} isHere={isHere(pathOf(id))} />
        ))}
      </ul>
    </section>
  );
}

export function Sidebar() {
  const { needs, working, paused, done } = sections.value;
  return (
    <aside class={menuOpen.value ? "side side-open" : "side"} aria-label="Navigation">
      <PageLinks />
      <RunLinks title="Needs you" items={needs} />
      <RunLinks title="Working" items={working} />
      <RunLinks title="Paused" items={paused} />
      {done.length > 0 && (
        <a href="/" class="side-more">
          <Mark mark="○" tone="dim" /> {done.length} done
        </a>
      )}
    </aside>
  );
}
