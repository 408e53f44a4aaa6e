/** All keys that work on this page. */
import { Dialog } from "../parts/Dialog";
import { keyGroups } from "./keys";

const NAMES: Record<string, string> = { ArrowUp: "↑", ArrowDown: "↓", Enter: "⏎", Escape: "Esc" };
const APPLE = /Mac|iP(hone|ad)/.test(navigator.platform);

/** Returns a key as it is printed on the keyboard. */
export function keyName(key: string): string {
  if (key.startsWith("mod+")) return (APPLE ? "⌘" : "Ctrl ") + key.slice(4).toUpperCase();
  return NAMES[key] ?? key;
}

export function Keys({ of }: { of: string }) {
  return (
    <span class="keys">
      {of.split(" ").map((each) => (
        <kbd key={each}>{keyName(each)}</kbd>
      ))}
    </span>
  );
}

export function HelpDialog({ onClose }: { onClose: () => void }) {
  const groups = keyGroups.value.filter((each) => each.bindings.some((binding) => binding.key)).toReversed();
  return (
    <Dialog title="Keys" onClose={onClose} wide>
      <div class="help">
        {groups.map((group) => (
          <section key={group.title}>
            <h3>{group.title}</h3>
            <dl>
              {group.bindings.map((each) => (
                <div key={each.key} class="help-row">
                  <dt>
                    <Keys of={each.key} />
                    {each.also && <Keys of={each.also} />}
                  </dt>
                  <dd>{each.says}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
