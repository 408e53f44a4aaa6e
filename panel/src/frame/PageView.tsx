/** Shows the page of the address; its code is loaded when it is first needed. */
import { computed, effect, signal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { PAGES, type PageProps, type PageSpec } from "../pages/table";
import { Empty } from "../parts/Empty";
import { matchPath } from "./match";
import { place } from "./router";

interface Current {
  spec: PageSpec;
  parameters: Record<string, string>;
}

/** The page of the address; null: there is none. */
export const currentPage = computed<Current | null>(() => {
  const { path } = place.value;
  for (const spec of PAGES) {
    const parameters = matchPath(spec.path, path) ?? (spec.hasItems ? matchPath(`${spec.path}/:id`, path) : null);
    if (parameters) return { spec, parameters };
  }
  return null;
});

const loaded = signal<ReadonlyMap<PageSpec, ComponentType<PageProps>>>(new Map());
const failed = signal<PageSpec | null>(null);

async function load(spec: PageSpec): Promise<void> {
  if (loaded.peek().has(spec)) return;
  try {
    const module = await spec.load();
    loaded.value = new Map(loaded.peek()).set(spec, module.default);
    failed.value = null;
  } catch {
    failed.value = spec;
  }
}

/** Loads the code of the page that is asked for, now and later: it is on its way while the rest is drawn. */
export function startPages(): void {
  effect(() => {
    const spec = currentPage.value?.spec;
    if (spec) void load(spec);
  });
}

/** A page that breaks must not take the others with it. */
function Guarded({ children }: { children: ComponentChildren }) {
  const [error, again] = useErrorBoundary((reason: unknown) => console.error(reason));
  if (!error) return <>{children}</>;
  return (
    <Empty page title="This page broke.">
      <p class="dim">{error instanceof Error ? error.message : String(error)}</p>
      <button type="button" class="button" onClick={again}>
        Try again
      </button>
    </Empty>
  );
}

export function PageView() {
  const page = currentPage.value;
  const spec = page?.spec;
  useEffect(() => {
    if (!spec) return;
    document.title = `${spec.title} · Handrail`;
  }, [spec]);
  const Page = spec && loaded.value.get(spec);
  return (
    <main id="main" class="main" tabIndex={-1}>
      {!page && (
        <Empty page title="There is no such page.">
          <a href="/">Show all runs</a>
        </Empty>
      )}
      {spec && failed.value === spec && (
        <Empty page title="This page could not be loaded.">
          <button type="button" class="button" onClick={() => location.reload()}>
            Load it again
          </button>
        </Empty>
      )}
      {page && Page && (
        <Guarded key={page.spec.hasItems ? page.spec.path : place.value.path}>
          <Page parameters={page.parameters} />
        </Guarded>
      )}
    </main>
  );
}
