/** Opens a dialog for as long as a component is shown; who had the focus before gets it back. */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** In a layout effect, so at once: whatever is typed next is meant for the dialog, and no key of the page may take it. */
export function useModal(element: RefObject<HTMLDialogElement | null>): void {
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
}
