/** The settings in force in a folder, where each comes from, and what waits for trust. Nothing is changed here. */
import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { api } from "../../api/client";
import type { SettingRow } from "../../api/types";
import { place, setQuery } from "../../frame/router";
import { useLoaded } from "../../live/loaded";
import { reloads, runs, runsLoaded } from "../../live/runs";
import { Empty } from "../../parts/Empty";
import { foldersOf, shortFolder } from "../../parts/folders";
import "../../style/records.css";
import { matchesSetting } from "./matchesSetting";
import "./settings.css";

export default function SettingsPage() {
  const folders = foldersOf(runs.value.values());
  const folder = place.value.query.get("folder") || folders[0] || "";
  if (!folder) {
    if (!runsLoaded.value) return <p class="loading">Reading the runs …</p>;
    return (
      <Empty title="No project yet.">
        <p>
          Settings belong to a folder: <code>handrail config show</code>
        </p>
      </Empty>
    );
  }
  return <FolderSettings key={folder} folder={folder} folders={folders} />;
}

function FolderSettings({ folder, folders }: { folder: string; folders: readonly string[] }) {
  const { value, problem } = useLoaded(() => api.get("/config", { folder }), [folder, reloads.value]);
  const search = useSignal("");
  const found = (value?.items ?? []).filter((each) => matchesSetting(each, search.value));
  const known = folders.includes(folder) ? folders : [folder, ...folders];
  return (
    <div class="page">
      <header class="page-head">
        <h1>Settings</h1>
        <select
          class="settings-folder"
          aria-label="Folder"
          title={folder}
          value={folder}
          onChange={(event) => setQuery("folder", event.currentTarget.value)}
        >
          {known.map((each) => (
            <option key={each} value={each}>
              {shortFolder(each)}
            </option>
          ))}
        </select>
        <input
          type="search"
          placeholder="Search"
          aria-label="Search the settings"
          value={search}
          onInput={(event) => (search.value = event.currentTarget.value)}
        />
      </header>
      {value && value.withheld.length > 0 && (
        <section class="note note-yellow settings-withheld">
          <strong>
            These count only after <code>handrail config trust</code>:
          </strong>
          <ul>
            {value.withheld.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </section>
      )}
      {problem && (
        <p class="note note-red">
          <span>{problem}</span>
        </p>
      )}
      {!value && !problem && <p class="loading">Reading the settings …</p>}
      {value && <Settings items={found} />}
      {value && found.length === 0 && <Empty title="No setting has these words." />}
    </div>
  );
}

function Settings({ items }: { items: readonly SettingRow[] }) {
  if (items.length === 0) return null;
  return (
    <div class="settings-scroll">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Value</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {items.map((each) => (
            <tr key={each.key}>
              <td>
                <code>
                  {each.key.split(/(?<=[._])/).map((part, index) => (
                    <Fragment key={index}>
                      {part}
                      <wbr />
                    </Fragment>
                  ))}
                </code>
              </td>
              <td class="settings-value mono">{each.value}</td>
              <td class={each.source === "default" ? "dim" : ""}>{each.source}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
