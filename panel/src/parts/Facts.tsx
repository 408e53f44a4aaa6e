/** Names and what they mean, side by side; empty ones are left out. */
import type { ComponentChildren } from "preact";
import "../style/records.css";

export function Facts({ children }: { children: ComponentChildren }) {
  return <dl class="fact-list">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  if (children === "" || children === null || children === undefined || children === false) return null;
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
