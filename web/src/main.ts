// The report page: puts the parts together, and listens to the keyboard. The page shows what Tenure found; it judges nothing.
import "./style.css";
import { h } from "./dom";
import { isDifference, load, type Difference, type Page, type Process } from "./data";
import { differencePage } from "./difference";
import { setDirectory } from "./format";
import { Icicle } from "./icicle";
import { balance, findings, header, owners } from "./overview";
import { change, defaults, onChange, readAddress, state, type Axis, type Tree, type Weight } from "./state";
import { LineTable } from "./line_table";
import { Blocks, coverage, LineDetail, Processes, scopes, Survivors, why } from "./tables";
import { Timeline } from "./timeline";

const KEYS: [string, string][] = [
  ["/", "search lines and calls"],
  ["Esc", "close what is open, clear the range"],
  ["← →", "in the chart: move; with Shift select a range; in the tree: next call"],
  ["↑ ↓", "in the tree: out and in"],
  ["Enter", "in the tree: make the call the whole"],
  ["a", "next axis: work, steps, time"],
  ["i", "turn the tree of calls around"],
  ["?", "these keys"],
];

function chosen<Value extends string>(label: string, values: [Value, string][], now: () => Value, choose: (value: Value) => void): HTMLElement {
  const group = h("div", { class: "choice", role: "group", "aria-label": label });
  const buttons = values.map(([value, name]) => {
    const button = h("button", { type: "button", click: () => choose(value) }, name);
    group.append(button);
    return { value, button };
  });
  const show = (): void => buttons.forEach(({ value, button }) => button.setAttribute("aria-pressed", String(value === now())));
  onChange(show);
  show();
  return group;
}

function axes(process: Process): [Axis, string][] {
  const all: [Axis, string][] = [["position", "by work"]];
  if (process.steps) all.push(["step", "by steps"]);
  all.push(["seconds", "by time"]);
  return all;
}

function memory(page: Page, timeline: Timeline): HTMLElement {
  const clear = h("button", { type: "button", class: "link", hidden: true, click: () => change({ range: null }) }, "clear the range");
  onChange(() => (clear.hidden = !state.range));
  const process = page.processes[state.process] as Process;
  const whose = h("span", { class: "soft", hidden: page.processes.length < 2 });
  const tell = (): void => {
    const one = page.processes[state.process] as Process;
    whose.textContent = `process ${one.pid}${one.is_main ? ", the main one" : ""}`;
  };
  onChange(tell);
  tell();
  return h(
    "section",
    { id: "memory" },
    h("div", { class: "title" }, h("h2", {}, "Memory over the run"), whose, clear, chosen("Axis", axes(process), () => state.axis, (axis) => change({ axis }))),
    timeline.element,
  );
}

function calls(icicle: Icicle): HTMLElement {
  const weights: [Weight, string][] = [["peak", "at the peak"], ["live", "at the end"], ["total", "made in all"]];
  const ways: ["down" | "up", string][] = [["down", "from the outside in"], ["up", "inverted"]];
  const trees: [Tree, string][] = [["calls", "by calls"], ["by_holder", "by holder"], ["by_module", "by module"], ["by_op", "by operation"]];
  const direction = chosen("Direction", ways, () => (state.inverted ? "up" : "down"), (way) => change({ inverted: way === "up", call: "" }));
  const show = (): void => void (direction.hidden = state.tree !== "calls");
  onChange(show);
  show();
  return h(
    "section",
    { id: "calls" },
    h("div", { class: "title" },
      h("h2", {}, "Where memory was made"),
      chosen("Put together", trees, () => state.tree, (tree) => change({ tree, call: "" })),
      chosen("Bytes", weights, () => state.weight, (weight) => change({ weight })),
      direction),
    icicle.element,
  );
}

function help(): HTMLDialogElement {
  const dialog = h("dialog", { class: "keys", "aria-label": "Keys" },
    h("h2", {}, "Keys"),
    h("dl", {}, ...KEYS.map(([key, what]) => h("div", { class: "row" }, h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)))),
    h("form", { method: "dialog" }, h("button", {}, "close"))) as HTMLDialogElement;
  return dialog;
}

function perProcess(page: Page, make: (process: Process) => HTMLElement): HTMLElement {
  const place = h("div", { class: "part" });
  let shown = -1;
  const show = (): void => {
    if (shown === state.process) return;
    shown = state.process;
    place.replaceChildren(make(page.processes[shown] as Process));
  };
  onChange(show);
  show();
  return place;
}

function nextAxis(page: Page): Axis {
  const all = axes(page.processes[state.process] as Process).map(([axis]) => axis);
  return all[(all.indexOf(state.axis) + 1) % all.length] ?? "position";
}

function listen(page: Page, lines: LineTable, keys: HTMLDialogElement): void {
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key === "Escape") {
      if (isTyping) {
        (event.target as HTMLInputElement).blur();
        change({ search: "" });
      } else if (state.line) change({ line: "" });
      else if (state.range) change({ range: null });
      else change({ call: "", search: "" });
    } else if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === "/") {
      event.preventDefault();
      lines.focus();
    } else if (event.key === "?") keys.showModal();
    else if (event.key === "a") change({ axis: nextAxis(page) });
    else if (event.key === "i") change({ inverted: !state.inverted, call: "" });
  });
}

function withProcess(page: Page): (HTMLElement | null)[] {
  const timeline = new Timeline(page);
  const icicle = new Icicle(page);
  const lines = new LineTable(page);
  const keys = help();
  listen(page, lines, keys);
  return [
    memory(page, timeline),
    h("div", { class: "pair" }, perProcess(page, (process) => balance(page, process)), perProcess(page, (process) => owners(page, process))),
    new Processes(page).element,
    new Survivors(page).element,
    calls(icicle),
    lines.element,
    new Blocks(page).element,
    why(page),
    scopes(page),
    new LineDetail(page).element,
    h("button", { type: "button", class: "help", "aria-label": "Keys", click: () => keys.showModal() }, "?"),
    keys,
  ];
}

function showDifference(difference: Difference): void {
  setDirectory(difference.after.directory);
  document.title = `Tenure: ${difference.before.program} compared`;
  const root = document.getElementById("page") as HTMLElement;
  root.replaceChildren(differencePage(difference), h("footer", {}, h("p", { class: "soft" }, difference.after.sentence)));
  root.dataset.ready = "yes";
}

async function start(): Promise<void> {
  const page = await load();
  if (isDifference(page)) return showDifference(page);
  setDirectory(page.run.directory);
  document.title = `Tenure: ${page.words.name || "report"}`;
  defaults.process = page.shown_first;
  readAddress();
  if (!page.processes[state.process]) state.process = page.shown_first;
  if (!page.processes[state.process]?.steps && state.axis === "step") state.axis = defaults.axis;
  const main = h("main", {}, header(page), findings(page), ...(page.processes.length ? withProcess(page) : []));
  const root = document.getElementById("page") as HTMLElement;
  root.replaceChildren(main, coverage(page));
  change({});
  window.addEventListener("hashchange", () => {
    readAddress();
    change({});
  });
  root.dataset.ready = "yes";
}

start().catch((problem: unknown) => {
  const root = document.getElementById("page") as HTMLElement;
  root.replaceChildren(h("main", {}, h("h1", {}, "This page cannot be shown"), h("p", {}, String(problem)), h("p", {}, "It needs a browser of 2023 or newer.")));
});
