/** What is around every page: top bar, navigation, notices, and the chosen page itself. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { PAGES } from "../pages/table";
import { ALL_RUNS, AllRunsDialog } from "./AllRunsDialog";
import { ConnectionBar } from "./ConnectionBar";
import { HelpDialog } from "./HelpDialog";
import { type KeyBinding, useKeys } from "./keys";
import { NoticeList } from "./NoticeList";
import { PageView, currentPage } from "./PageView";
import { Palette } from "./Palette";
import { Sidebar, menuOpen } from "./Sidebar";
import { navigate, place } from "./router";
import { toggleTheme } from "./theme";
import { TopBar } from "./TopBar";

const PAGE_KEYS: readonly KeyBinding[] = PAGES.flatMap((page) =>
  page.nav ? [{ key: page.nav.key, says: `Go to: ${page.nav.label}`, run: () => navigate(page.path) }] : [],
);

export function Frame() {
  const help = useSignal(false);
  const palette = useSignal(false);
  const toAll = useSignal<(typeof ALL_RUNS)[number] | null>(null);
  const openPalette = () => (palette.value = true);
  useKeys(
    {
      title: "Everywhere",
      everywhere: true,
      bindings: [
        { key: "mod+k", says: "All commands", run: openPalette },
        { key: "?", says: "All keys", run: () => (help.value = true) },
        { key: "t", says: "Light or dark", run: toggleTheme },
        ...PAGE_KEYS,
        ...ALL_RUNS.map((each) => ({ key: each.key, says: `${each.label} …`, run: () => (toAll.value = each) })),
      ],
    },
    [],
  );
  useEffect(() => {
    menuOpen.value = false;
  }, [place.value.path]);
  const page = currentPage.value;
  if (page?.spec.bare) {
    return (
      <>
        <ConnectionBar />
        <PageView />
        <NoticeList />
      </>
    );
  }
  return (
    <>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <ConnectionBar />
      <div class="frame">
        <TopBar onHelp={() => (help.value = true)} onPalette={openPalette} />
        <Sidebar />
        <PageView />
      </div>
      <NoticeList />
      {palette.value && <Palette onClose={() => (palette.value = false)} />}
      {toAll.value && <AllRunsDialog command={toAll.value} onClose={() => (toAll.value = null)} />}
      {help.value && <HelpDialog onClose={() => (help.value = false)} />}
    </>
  );
}
