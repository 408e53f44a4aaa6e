/** A list beside the chosen thing; on a phone one of them at a time. */
import type { ComponentChildren } from "preact";
import "../style/records.css";
import { Icon } from "./Icon";

interface SplitProps {
  /** What the list is, for people who do not see it. */
  label: string;
  list: ComponentChildren;
  /** Whether a person chose something: a phone then shows that. */
  chosen: boolean;
  /** The address of the list alone. */
  back: string;
  children: ComponentChildren;
}

export function Split({ label, list, chosen, back, children }: SplitProps) {
  return (
    <div class={chosen ? "split split-chosen" : "split"}>
      <section class="split-list" aria-label={label}>
        {list}
      </section>
      <div class="split-detail">
        <a class="split-back" href={back}>
          <Icon name="back" /> {label}
        </a>
        {children}
      </div>
    </div>
  );
}
