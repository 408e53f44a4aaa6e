import { render } from "preact";
import { whenUnauthorized } from "./api/client";
import { Frame } from "./frame/Frame";
import { startPages } from "./frame/PageView";
import { startKeys } from "./frame/keys";
import { navigate, place, startRouter } from "./frame/router";
import { startStore } from "./live/store";
import "./style/tokens.css";
import "./style/base.css";
import "./style/controls.css";
import "./style/content.css";
import "./style/frame.css";

whenUnauthorized(() => {
  const { path, query } = place.peek();
  if (path === "/login") return;
  const asked = query.toString();
  navigate(`/login?next=${encodeURIComponent(path + (asked ? `?${asked}` : ""))}`, { replace: true });
});
startRouter();
startPages();
startKeys();
startStore();

const root = document.getElementById("panel");
if (root) render(<Frame />, root);
