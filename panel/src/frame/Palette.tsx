/** Type to go anywhere and do anything that has a key. */
import { useSignal } from "@preact/signals";
import { useEffect, useId, useMemo, useRef } from "preact/hooks";
import { useModal } from "../parts/useModal";
import { Keys } from "./HelpDialog";
import { paletteItems } from "./paletteItems";
import { type PaletteItem, findItems } from "./paletteMatch";
import "./palette.css";

const MOST = 40;

export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const typed = useSignal("");
  const at = useSignal(0);
  const id = useId();
  const items = paletteItems();
  const found = useMemo(() => findItems(items, typed.value, MOST), [items, typed.value]);
  const chosen = Math.min(at.value, found.length - 1);

  useModal(dialog);
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen, typed.value]);

  function pick(item: PaletteItem | undefined): void {
    if (!item || item.whyNot) return;
    onClose();
    // The palette gives the focus back first, and a dialog of the chosen one takes it after that.
    setTimeout(item.run);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (by) at.value = Math.max(0, Math.min(found.length - 1, chosen + by));
    else if (event.key === "Enter") pick(found[chosen]);
    else return;
    event.preventDefault();
  }

  return (
    <dialog
      ref={dialog}
      class="dialog palette"
      aria-label="Commands and runs"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <input
        type="text"
        class="palette-field"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length ? `${id}-${chosen}` : undefined}
        aria-label="Go to a run or page, or do something"
        placeholder="Go to a run or page, or do something"
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={typed}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={`${id}-list`} class="palette-list" role="listbox" aria-label="Found">
        {found.map((item, index) => (
          <li
            key={item.id}
            id={`${id}-${index}`}
            role="option"
            class="palette-item"
            aria-selected={index === chosen}
            aria-disabled={item.whyNot ? "true" : undefined}
            onMouseMove={() => (at.value = index)}
            onClick={() => pick(item)}
          >
            <span class="cut">
              {item.label} <span class="dim">{item.whyNot ? `– ${item.whyNot}` : item.detail}</span>
            </span>
            <span class="dim palette-group">{item.group}</span>
            {item.key && <Keys of={item.key} />}
          </li>
        ))}
      </ul>
      <p class="palette-none" role="status">
        {found.length === 0 && "Nothing has these words."}
      </p>
    </dialog>
  );
}
