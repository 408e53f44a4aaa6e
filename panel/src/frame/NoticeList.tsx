import { Icon } from "../parts/Icon";
import { dismiss, notices } from "./notices";

const SIGNS = { green: "✓", red: "✗", "": "·" } as const;

export function NoticeList() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map((each) => (
        <div key={each.id} class={`notice tone-${each.tone || "plain"}`}>
          <span class="notice-sign" aria-hidden="true">
            {SIGNS[each.tone]}
          </span>
          <div class="notice-text">
            <strong>{each.title}</strong>
            {each.detail && <p>{each.detail}</p>}
          </div>
          <button type="button" class="icon-button" aria-label="Close" onClick={() => dismiss(each.id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
