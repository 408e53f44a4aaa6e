/** Addresses and pages, on the browser's own history. */
import { signal } from "@preact/signals";

export interface Place {
  path: string;
  query: URLSearchParams;
}

function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

/** The address that the panel shows now. */
export const place = signal<Place>(here());

/** Shows another address; `replace` leaves no entry in the history. */
export function navigate(to: string, { replace = false } = {}): void {
  if (to === location.pathname + location.search) return;
  history[replace ? "replaceState" : "pushState"](null, "", to);
  place.value = here();
}

/** Changes one part of the query; an empty value takes it out. */
export function setQuery(name: string, value: string, { replace = true } = {}): void {
  const query = new URLSearchParams(location.search);
  if (value) query.set(name, value);
  else query.delete(name);
  const asked = query.toString();
  navigate(location.pathname + (asked ? `?${asked}` : ""), { replace });
}

function onClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest("a");
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.pathname.startsWith("/api/")) return;
  event.preventDefault();
  navigate(link.pathname + link.search);
}

/** Follows links and the back button without loading the panel again. */
export function startRouter(): void {
  addEventListener("popstate", () => {
    place.value = here();
  });
  document.addEventListener("click", onClick);
}
