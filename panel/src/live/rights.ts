/** What the person at this browser may do. */
import { computed } from "@preact/signals";
import { session } from "./connection";

/** Whether the login only reads: buttons that change something say so. */
export const readOnly = computed(() => session.value !== null && !session.value.rights.includes("control"));

export const READ_ONLY = "You may only read here.";
