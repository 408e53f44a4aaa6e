
"use strict";
// Everything in the data may be hostile: it becomes text, never markup.
const data = JSON.parse(document.getElementById("data").textContent);
const list = document.getElementById("list");
const detail = document.getElementById("detail");
const only = document.getElementById("only");
const TONES = ["green", "yellow", "red", "dim", "bold"];
const COLOUR_CODES = /\u001b\[[0-9;:?]*[A-Za-z]/g;
let shown = [];
let chosen = 0;

function make(tag, text, tone) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (TONES.includes(tone)) made.className = tone;
  return made;
}

function clock(seconds) {
  return new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
}

function matters(entry) {
  return entry.kind === "finding" || entry.kind === "intervention" ||
    entry.decision === "block" || entry.decision === "modify" || entry.tone === "red";
}

function title(entry) {
  const step = entry.step && entry.tool ? `${entry.step} ` : "";
  return `${entry.mark} ${step}${entry.tool} ${entry.text}`.replace(/\s+/g, " ").trim();
}

function section(name, content, tone) {
  if (!content || !content.length) return;
  detail.append(make("h3", name));
  if (Array.isArray(content)) {
    const items = make("ul", "");
    content.forEach((each) => items.append(make("li", each, tone)));
    detail.append(items);
  } else {
    detail.append(make("pre", content.replace(COLOUR_CODES, ""), tone));
  }
}

function patch(text) {
  if (!text) return;
  detail.append(make("h3", "Difference"));
  const block = make("pre", "");
  for (const line of text.split("\n")) {
    const tone = line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "";
    block.append(make("span", line + "\n", tone));
  }
  detail.append(block);
}

function input(values) {
  for (const [name, value] of Object.entries(values)) {
    section(name, typeof value === "string" ? value : JSON.stringify(value, null, 1));
  }
}

function show() {
  const entry = shown[chosen];
  detail.replaceChildren();
  document.getElementById("previous").disabled = chosen === 0;
  document.getElementById("next").disabled = chosen >= shown.length - 1;
  document.getElementById("place").textContent =
    shown.length ? `${chosen + 1} of ${shown.length}` : "nothing to show";
  for (const each of list.querySelectorAll("button[aria-current]")) each.removeAttribute("aria-current");
  if (!entry) return;
  const row = list.children[chosen].firstChild;
  row.setAttribute("aria-current", "step");
  row.scrollIntoView({ block: "nearest" });
  detail.append(make("h2", title(entry), entry.tone));
  const facts = [clock(entry.at) + " UTC", entry.decision, entry.status];
  detail.append(make("p", facts.filter(Boolean).join(" · "), "dim"));
  if (entry.remark) detail.append(make("p", entry.remark, entry.tone));
  const more = entry.detail;
  if (!more) return;
  section("Why", more.reasons);
  section("What to do instead", more.alternatives);
  input(more.input);
  if (more.rewritten) {
    section("It ran as", JSON.stringify(more.rewritten, null, 1));
    section("Changes", more.changes);
  }
  patch(more.diff);
  section("Effects", more.effects.map((each) => `${each.says} (${each.severity}; ${each.undo})`));
  section("Rules", more.rules);
  section("Output", more.output);
  section("Error", more.error, "red");
  section("It also did", more.unforeseen, "yellow");
  detail.append(make("p", `Risk ${more.risk.toFixed(2)}, ${more.severity}`, "dim"));
}

function fill() {
  const entry = shown[chosen];
  shown = data.entries.filter((each) => !only.checked || matters(each));
  chosen = Math.max(shown.indexOf(entry), 0);
  list.replaceChildren(...shown.map((each, place) => {
    const item = document.createElement("li");
    const button = make("button", title(each), each.tone);
    button.type = "button";
    button.addEventListener("click", () => go(place));
    item.append(button);
    return item;
  }));
  show();
}

function go(place) {
  chosen = Math.min(Math.max(place, 0), Math.max(shown.length - 1, 0));
  show();
}

document.getElementById("about").textContent = data.about.join("\n");
document.getElementById("previous").addEventListener("click", () => go(chosen - 1));
document.getElementById("next").addEventListener("click", () => go(chosen + 1));
only.addEventListener("change", fill);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target === only) return;
  const steps = { ArrowLeft: -1, ArrowRight: 1 };
  if (event.key in steps) { go(chosen + steps[event.key]); event.preventDefault(); }
  if (event.key === "Home") { go(0); event.preventDefault(); }
  if (event.key === "End") { go(shown.length - 1); event.preventDefault(); }
});
fill();
