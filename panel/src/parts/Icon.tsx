/** Line icons, drawn here: nothing is loaded from elsewhere. */

const PATHS = {
  runs: "M3 4h10M3 8h10M3 12h6",
  approvals: "M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z M6 8l1.5 1.5L10.5 6",
  checkpoints: "M8 4v4l2.5 1.5 M2.5 8a5.5 5.5 0 1 0 2-4.2 M2.5 2v3h3",
  incidents: "M8 2l6 11H2z M8 6v3.5 M8 11.4v.1",
  fleet: "M2.5 3h4v4h-4z M9.5 3h4v4h-4z M2.5 9.5h4v4h-4z M9.5 9.5h4v4h-4z",
  tasks: "M2.5 3.5l1.2 1.2 2-2.2 M8 4h6 M2.5 8.5l1.2 1.2 2-2.2 M8 9h6 M3 13.5h.1 M8 13.5h6",
  pipelines: "M3 4h3a2 2 0 0 1 2 2v4a2 2 0 0 0 2 2h3 M3 2.5v3 M13 10.5v3",
  statistics: "M3 13V8 M7 13V4 M11 13V6.5 M14 13H2",
  settings: "M2 4.5h6 M11 4.5h3 M8 3v3h3V3z M2 11.5h3 M8 11.5h6 M5 10v3h3v-3z",
  menu: "M2 4h12 M2 8h12 M2 12h12",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z M10.5 10.5L14 14",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6z M8 1.5v1 M8 13.5v1 M1.5 8h1 M13.5 8h1 M3.4 3.4l.7.7 M11.9 11.9l.7.7 M3.4 12.6l.7-.7 M11.9 4.1l.7-.7",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
  close: "M4 4l8 8 M12 4l-8 8",
  back: "M10 3L5 8l5 5",
  down: "M8 3v10 M4 9l4 4 4-4",
  keyboard: "M1.5 4h13v8h-13z M4 6.5h.1 M6.5 6.5h.1 M9 6.5h.1 M11.5 6.5h.1 M5 9.5h6",
  logout: "M6 2.5H3v11h3 M10 5l3 3-3 3 M13 8H6",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
