/** What is around every page: top bar, navigation, notices, and the chosen page itself. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { PAGES } from "../pages/table";
import { ConnectionBar } from "./ConnectionBar";
import { HelpDialog } from "./HelpDialog";
import { type KeyBinding, useKeys } from "./keys";
import { NoticeList } from "./NoticeList";
import { PageView, currentPage } from "./PageView";
import { Sidebar, menuOpen } from "./Sidebar";
import { navigate, place } from "./router";
import { toggleTheme } from "./theme";
import { TopBar } from "./TopBar";

const PAGE_KEYS: readonly KeyBinding[] = PAGES.flatMap((page) =>
  page.nav ? [{ key: page.nav.key, says: `Go to: ${page.nav.label}`, run: () => navigate(page.path) }] : [],
);

export function Frame() {
  const help = useSignal(false);
  useKeys(
    {
      title: "Everywhere",
      bindings: [
        { key: "?", says: "All keys", run: () => (help.value = true) },
        { key: "t", says: "Light or dark", run: toggleTheme },
        ...PAGE_KEYS,
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
        <TopBar onHelp={() => (help.value = true)} />
        <Sidebar />
        <PageView />
      </div>
      <NoticeList />
      {help.value && <HelpDialog onClose={() => (help.value = false)} />}
    </>
  );
}
