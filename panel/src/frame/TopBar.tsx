/** The day in one line, and the switches that belong to no page. */
import { api } from "../api/client";
import { readOnly } from "../live/rights";
import { overview, sections } from "../live/runs";
import { Icon } from "../parts/Icon";
import { dollars } from "../parts/format";
import { Keys } from "./HelpDialog";
import { notifyError } from "./notices";
import { navigate } from "./router";
import { menuOpen } from "./Sidebar";
import { theme, toggleTheme } from "./theme";

async function logOut(): Promise<void> {
  try {
    await api.delete("/session");
    navigate("/login");
  } catch (error) {
    notifyError(error);
  }
}

function Summary() {
  const { needs, working, paused } = sections.value;
  const today = overview.value;
  return (
    <p class="summary">
      <a href="/" class={needs.length ? "summary-needs" : "dim"}>
        {needs.length ? `▲ ${needs.length} ${needs.length === 1 ? "needs" : "need"} you` : "Nothing needs you"}
      </a>
      <span class="wide-only">{working.length} working</span>
      {paused.length > 0 && <span class="wide-only">{paused.length} paused</span>}
      {today && today.cost_today_usd > 0 && <span class="wide-only">{dollars(today.cost_today_usd)} today</span>}
      {today && today.stopped_today > 0 && <span class="wide-only">{today.stopped_today} stopped today</span>}
    </p>
  );
}

interface TopBarProps {
  onHelp: () => void;
  onPalette: () => void;
}

export function TopBar({ onHelp, onPalette }: TopBarProps) {
  const dark = theme.value === "dark";
  return (
    <header class="top">
      <button
        type="button"
        class="icon-button menu-button"
        aria-label="Menu"
        aria-expanded={menuOpen.value}
        onClick={() => (menuOpen.value = !menuOpen.value)}
      >
        <Icon name="menu" />
      </button>
      <a href="/" class="brand">
        <img src="/favicon.svg" alt="" width="20" height="20" />
        Handrail
      </a>
      <Summary />
      {readOnly.value && <span class="chip">read only</span>}
      <div class="top-tools">
        <button type="button" class="button button-small palette-open" aria-label="All commands" onClick={onPalette}>
          <Icon name="search" />
          <span class="wide-only">
            <Keys of="mod+k" />
          </span>
        </button>
        <button type="button" class="icon-button wide-only" aria-label="All keys" title="All keys (?)" onClick={onHelp}>
          <Icon name="keyboard" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label={dark ? "Light theme" : "Dark theme"}
          title={`${dark ? "Light" : "Dark"} theme (t)`}
          onClick={toggleTheme}
        >
          <Icon name={dark ? "sun" : "moon"} />
        </button>
        <button type="button" class="icon-button" aria-label="Log out" title="Log out" onClick={logOut}>
          <Icon name="logout" />
        </button>
      </div>
    </header>
  );
}
