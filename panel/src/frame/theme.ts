/** Light or dark: the system's choice, unless a person chose here. */
import { signal } from "@preact/signals";

type Theme = "light" | "dark";

const KEY = "handrail.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

function chosen(): Theme | undefined {
  return document.documentElement.dataset.theme as Theme | undefined;
}

/** The theme that is shown: charts read their colours again when it changes. */
export const theme = signal<Theme>(chosen() ?? (dark.matches ? "dark" : "light"));

dark.addEventListener("change", () => {
  if (!chosen()) theme.value = dark.matches ? "dark" : "light";
});

export function toggleTheme(): void {
  const next: Theme = theme.value === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  theme.value = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Storage is switched off: the choice lasts until the page is closed.
  }
}
