/** Files and what happens to them, grouped. */
import type { PathChange } from "../api/types";
import { bytes, plural } from "./format";
import { byFate } from "./restore";
import "../style/records.css";

const SHOWN = 200;

export function PathChanges({ changes }: { changes: readonly PathChange[] }) {
  return (
    <>
      {byFate(changes).map((group) => (
        <details key={group.title} class="fate" open={group.items.length <= SHOWN}>
          <summary>
            <span class={`mark tone-${group.tone}`} aria-hidden="true">
              {group.sign}
            </span>
            {plural(group.items.length, "file")} <span class="dim">{group.title}</span>
          </summary>
          <ul>
            {group.items.slice(0, SHOWN).map((each) => (
              <li key={each.path} class="fate-file">
                <code>{each.path}</code>
                <span class="dim">{[each.says, each.bytes > 0 && bytes(each.bytes)].filter(Boolean).join(" · ")}</span>
                {(each.added > 0 || each.removed > 0) && (
                  <span>
                    <span class="tone-green">+{each.added}</span> <span class="tone-red">−{each.removed}</span>
                  </span>
                )}
              </li>
            ))}
            {group.items.length > SHOWN && <li class="dim">and {group.items.length - SHOWN} more</li>}
          </ul>
        </details>
      ))}
    </>
  );
}
