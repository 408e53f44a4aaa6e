/** All pages. A new page is one file and one row here. */
import type { ComponentType } from "preact";
import type { IconName } from "../parts/Icon";

export interface PageProps {
  /** What stands in the address for `:id` and the like. */
  parameters: Readonly<Record<string, string>>;
}

export interface PageSpec {
  path: string;
  title: string;
  load: () => Promise<{ default: ComponentType<PageProps> }>;
  /** It shows `path/ID` too, as `id`: a list beside the chosen item, which stays while another is chosen. */
  hasItems?: boolean;
  /** In the navigation: its label there, icon, and the keys that open it. */
  nav?: { label: string; icon: IconName; key: string };
  /** Shown without the frame around it. */
  bare?: boolean;
}

export const PAGES: readonly PageSpec[] = [
  {
    path: "/",
    title: "Runs",
    load: () => import("./overview/OverviewPage"),
    nav: { label: "Runs", icon: "runs", key: "g r" },
  },
  { path: "/runs/:id", title: "Run", load: () => import("./run/RunPage") },
  {
    path: "/approvals",
    title: "Approvals",
    load: () => import("./approvals/ApprovalsPage"),
    hasItems: true,
    nav: { label: "Approvals", icon: "approvals", key: "g a" },
  },
  {
    path: "/checkpoints",
    title: "Checkpoints",
    load: () => import("./checkpoints/CheckpointsPage"),
    nav: { label: "Checkpoints", icon: "checkpoints", key: "g c" },
  },
  {
    path: "/incidents",
    title: "Incidents",
    load: () => import("./incidents/IncidentsPage"),
    hasItems: true,
    nav: { label: "Incidents", icon: "incidents", key: "g i" },
  },
  {
    path: "/fleets",
    title: "Fleet",
    load: () => import("./fleet/FleetPage"),
    nav: { label: "Fleet", icon: "fleet", key: "g f" },
  },
  { path: "/fleets/:id/tasks", title: "Tasks", load: () => import("./tasks/TasksPage") },
  { path: "/fleets/:fleet/tasks/:id", title: "Task", load: () => import("./tasks/TaskPage") },
  {
    path: "/pipelines",
    title: "Pipelines",
    load: () => import("./pipelines/PipelinesPage"),
    nav: { label: "Pipelines", icon: "pipelines", key: "g p" },
  },
  {
    path: "/statistics",
    title: "Statistics",
    load: () => import("./statistics/StatisticsPage"),
    nav: { label: "Statistics", icon: "statistics", key: "g s" },
  },
  {
    path: "/settings",
    title: "Settings",
    load: () => import("./settings/SettingsPage"),
    nav: { label: "Settings", icon: "settings", key: "g ," },
  },
  { path: "/login", title: "Log in", load: () => import("./login/LoginPage"), bare: true },
];
