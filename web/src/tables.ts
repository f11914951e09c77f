// The tables: one line in detail; blocks; every judged line; scopes; processes; losses.
import { bytes, count, path, place, seconds } from "./format";
import { fill, h, svg } from "./dom";
import type { Line, Page, Process } from "./data";
import { change, onChange, state } from "./state";
import { atTick, axisWord } from "./timeline";
import { tone } from "./overview";

// Births of a line along the run: what was made, and the part that is still there. A leak leaves something all along.
export function survivors(process: Process, line: Line): SVGElement | null {
  const births = line.births ?? [];
  if (!births.length) return null;
  const moments = process.moments;
  const axis = moments[state.axis];
  const first = axis[0] ?? 0;
  const last = axis[axis.length - 1] ?? 1;
  const at = (tick: number): number => (1000 * (atTick(moments.tick, axis, tick) - first)) / Math.max(last - first, 1e-9);
  const pace = births.map((b) => b[2] / Math.max(at(b[1]) - at(b[0]), 4));
  const most = Math.max(...pace, 1e-9);
  const picture = svg("svg", { viewBox: "0 0 1000 100", preserveAspectRatio: "none", class: "survivors", role: "img" });
  const title = svg("title", {});
  title.textContent = `Made along the run: ${bytes(line.total[0])}; still alive: ${bytes(line.judged ?? line.live[0])}`;
  picture.append(title);
  births.forEach((b, i) => {
    const x = at(b[0]);
    const wide = Math.max(at(b[1]) - x, 4);
    const high = (100 * (pace[i] ?? 0)) / most;
    const alive = b[2] > 0 ? (high * b[3]) / b[2] : 0;
    picture.append(svg("rect", { x, y: 100 - high, width: wide, height: high, class: "born" }));
    picture.append(svg("rect", { x, y: 100 - alive, width: wide, height: alive, class: "alive" }));
  });
  return picture;
}

function survivorsFigure(process: Process, line: Line, name: string): HTMLElement | null {
  const picture = survivors(process, line);
  if (!picture) return null;
  const axis = process.moments[state.axis];
  return h(
    "figure",
    { class: "births" },
    h("figcaption", {}, h("span", { class: "place" }, name), h("span", { class: "figure" }, `${bytes(line.judged ?? line.live[0])} alive of ${bytes(line.total[0])}`)),
    picture as unknown as HTMLElement,
    h("div", { class: "ends" }, h("span", {}, axisWord(state.axis, axis[0] ?? 0)), h("span", {}, axisWord(state.axis, axis[axis.length - 1] ?? 0))),
  );
}

export class Survivors {
  readonly element = h("section", { id: "survivors" });
  constructor(private page: Page) {
    onChange(() => this.draw());
  }
  draw(): void {
    const process = this.page.processes[state.process] as Process;
    const figures = process.bands.map((band) => {
      const line = process.lines[band.line];
      return line ? survivorsFigure(process, line, place(this.page.strings[line.file] ?? "", line.line)) : null;
    });
    this.element.hidden = !figures.some(Boolean);
    fill(
      this.element,
      h("h2", {}, "Survivors by birth"),
      h("p", { class: "soft" }, "What each line made along the run, and in colour what of it is still alive. A leak leaves something all along; a working set only its newest."),
      h("div", { class: "multiples" }, ...figures),
    );
  }
}

export class LineDetail {
  readonly element = h("aside", { id: "line", hidden: true, "aria-label": "One line" });
  constructor(private page: Page) {
    onChange(() => this.draw());
  }
  draw(): void {
    const process = this.page.processes[state.process] as Process;
    const text = (i: number): string => this.page.strings[i] ?? "";
    const number = Number(state.line.slice(state.line.lastIndexOf(":") + 1)) || 0; // compared first: names have to be made
    const line = state.line ? process.lines.find((one) => (one.line === number || one.line <= 0) && place(text(one.file), one.line) === state.line) : undefined;
    this.element.hidden = !line;
    if (!line) return;
    const judged = this.page.findings.considered.findIndex((one) => one.line === line.line && one.file === text(line.file));
    const words = this.page.words.considered[judged];
    const row = (name: string, value: string | null | undefined): HTMLElement | null => (value ? h("div", { class: "row" }, h("dt", {}, name), h("dd", {}, value)) : null);
    fill(
      this.element,
      h("button", { type: "button", class: "close", "aria-label": "Close", click: () => change({ line: "" }) }, "×"),
      h("h2", {}, state.line),
      h("p", { class: "soft" }, [text(line.function), text(line.kind), text(line.op)].filter(Boolean).join(" · ")),
      text(line.source) ? h("pre", {}, text(line.source)) : null,
      survivorsFigure(process, line, "survivors by birth"),
      h("dl", {},
        row("at the peak", `${bytes(line.peak[0])} in ${count(line.peak[1])} blocks`),
        row("at the end", `${bytes(line.live[0])} in ${count(line.live[1])} blocks`),
        row("made in all", `${bytes(line.total[0])} in ${count(line.total[1])} blocks`),
        row("came to", words ? `${words.word}: ${words.rule}` : (line.word ?? "it held too little to be looked at")),
        row("figures", words?.figures),
        row("kept by", this.page.findings.considered[judged]?.holder)),
    );
  }
}

function table(name: string, head: string[], rows: (HTMLElement | string)[][], numbers: number[] = []): HTMLElement {
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": name },
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, name),
      h("thead", {}, h("tr", {}, ...head.map((word, i) => h("th", { scope: "col", class: numbers.includes(i) ? "number" : "" }, word)))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell, i) => h("td", { class: numbers.includes(i) ? "number" : "" }, cell))))),
    ),
  );
}

function section(id: string, title: string, ...children: (HTMLElement | null)[]): HTMLElement {
  return h("section", { id }, h("h2", {}, title), ...children);
}

export class Blocks {
  readonly element = h("section", { id: "blocks" });
  private most = 15;
  constructor(private page: Page) {
    onChange(() => this.draw());
  }
  draw(): void {
    const process = this.page.processes[state.process] as Process;
    const text = (i: number): string => this.page.strings[i] ?? "";
    this.element.hidden = process.blocks.length === 0;
    const { range } = state;
    const blocks = range ? process.blocks.filter((block) => block.born >= range[0] && block.born <= range[1]) : process.blocks;
    const rows = blocks.slice(0, this.most).map((block) => {
      const way = block.path.length
        ? h("details", {}, h("summary", {}, text(block.holder) || "the way from a root"), h("ol", { class: "way" }, ...block.path.map((step) => h("li", { class: step.is_cut ? "cut" : "" }, step.is_cut ? h("span", { class: "scissors" }, "cut here: ") : null, step.name || step.type, step.type && step.name ? h("span", { class: "soft" }, ` ${step.type}${step.length ? `, ${count(step.length)} items` : ""}`) : null))))
        : h("span", { class: text(block.holder) ? "" : "soft" }, text(block.holder) || "not known");
      const age = process.steps ? `${count(block.age_steps)} steps, since ${count(block.born_step)}` : "";
      return [bytes(block.bytes), h("span", { class: "figure" }, text(block.form)), h("span", { class: "place" }, place(text(block.file), block.line)), age, text(block.op), way];
    });
    fill(
      this.element,
      h("h2", {}, "Largest live blocks"),
      h("p", { class: "soft" }, `At the last snapshot, with the way from a name to each where an object leads to it.${range ? ` ${count(blocks.length)} of them were made in the selected range.` : ""}`),
      table("Largest live blocks", ["size", "of", "made at", "age", "made by", "kept by"], rows, [0]),
      blocks.length > this.most
        ? h("button", { type: "button", class: "more", click: () => { this.most += 100; this.draw(); } }, `show more of ${count(blocks.length)}`)
        : null,
    );
  }
}

export function why(page: Page): HTMLElement {
  const place = h("div", {});
  const all = page.findings.considered.length;
  const show = (most: number): void =>
    fill(place, judged(page, most), all > most ? h("button", { type: "button", class: "more", click: () => show(10 * most) }, `show more of ${count(all)}`) : null);
  show(15);
  return section("why", "Why: every line that was judged", place);
}

function judged(page: Page, most: number): HTMLElement {
  const rows = page.findings.considered.slice(0, most).map((line, i) => {
    const words = page.words.considered[i];
    return [
      h("span", { class: `word is-${tone(words?.word ?? "")}` }, words?.word ?? ""),
      h("span", {}, h("span", { class: "place" }, place(line.file, line.line)), words?.source ? h("code", {}, words.source) : ""),
      words?.figures ?? "",
      h("span", {}, words?.rule ?? "", line.holder ? h("span", { class: "soft" }, `; kept by ${line.holder}`) : ""),
    ];
  });
  return rows.length ? table("Judged lines", ["came to", "line", "held", "the rule that decided"], rows) : h("p", { class: "soft" }, "No line held enough to be looked at.");
}

export function scopes(page: Page): HTMLElement | null {
  if (!page.scopes.length) return null;
  const text = (i: number): string => page.strings[i] ?? "";
  const at = (one: { file: number; line: number }): string => (one.line ? place(text(one.file), one.line) : "");
  const rows = page.scopes.map((scope) => [count(scope.count), scope.type, text(scope.name), text(scope.state_text) || scope.state, scope.items ? count(scope.items) : "", at(scope.created), at(scope.ended)]);
  return section("scopes", "Sessions, graphs, functions", table("Scopes", ["count", "what", "name", "state", "items", "created", "ended"], rows, [0, 4]));
}

export class Processes {
  readonly element = h("section", { id: "processes" });
  constructor(private page: Page) {
    onChange(() => this.draw());
  }
  draw(): void {
    const { processes, processes_left_out: left } = this.page;
    this.element.hidden = processes.length < 2;
    const most = Math.max(1, ...processes.map((one) => one.peak_bytes));
    const rows = processes.map((one, i) => [
      h("button", { type: "button", class: "link", "aria-pressed": String(i === state.process), click: () => change({ process: i, range: null, line: "", call: "" }) }, `${one.pid}${one.is_main ? " (main)" : ""}`),
      spark(one, most),
      bytes(one.peak_bytes),
      bytes(one.live_bytes),
      one.resident_peak_bytes ? bytes(one.resident_peak_bytes) : "",
      seconds(Math.max(0, one.ended - one.began)),
      h("span", { class: "command" }, this.page.strings[one.command] ?? ""),
    ]);
    fill(
      this.element,
      h("h2", {}, `Processes (${count(processes.length)}${left ? ` of ${count(processes.length + left)}` : ""})`),
      h("p", { class: "soft" }, "Choose one: everything on this page but the findings is about it."),
      table("Processes", ["process", "live memory", "peak", "at the end", "resident peak", "lived", "command"], rows, [2, 3, 4, 5]),
    );
  }
}

// All on one scale, so that the outlier shows.
function spark(process: Process, most: number): HTMLElement {
  const { position, live } = process.moments;
  const points = live.map((value, i) => `${(120 * (position[i] ?? 0)).toFixed(1)},${(24 - (22 * value) / most).toFixed(1)}`);
  const picture = svg("svg", { viewBox: "0 0 120 26", class: "spark", "aria-hidden": "true" });
  picture.append(svg("polyline", { points: points.join(" ") }));
  return picture as unknown as HTMLElement;
}

export function coverage(page: Page): HTMLElement {
  const { memory, losses, cost, program } = page.findings;
  const parts = Object.entries(memory.parts).filter(([name, size]) => name !== "resident_bytes" && size > 0);
  const words = (name: string): string => name.replace(/_bytes$/, "").replaceAll("_", " ");
  const rows = parts.map(([name, size]) => [words(name), bytes(size)]);
  const roles = Object.entries(memory.at_peak).map(([name, size]) => [words(name), bytes(size)]);
  return h(
    "footer",
    { id: "coverage" },
    h("h2", {}, "What was seen, and what was not"),
    h("div", { class: "columns" },
      rows.length ? h("div", {}, h("h3", {}, `Resident memory at the last look: ${bytes(memory.parts.resident_bytes ?? 0)}`), table("Resident memory", ["part", "size"], rows, [1])) : null,
      roles.length ? h("div", {}, h("h3", {}, "Of the peak, by role in a model"), table("Roles", ["role", "size"], roles, [1])) : null,
      h("div", {},
        h("h3", {}, "Not seen"),
        Object.keys(losses).length ? h("ul", {}, ...Object.entries(losses).map(([name, what]) => h("li", {}, h("span", { class: "soft" }, `${name}: `), what))) : h("p", {}, "Nothing is known to be missing."),
        h("p", { class: "soft" }, `Own cost: ${(100 * cost.time_share).toFixed(1)} % of the processor time, ${bytes(cost.bytes)}.`))),
    h("p", { class: "soft" }, `${program.argv.map((word, i) => (i === 0 ? path(word) : word)).join(" ")}`),
    h("p", { class: "soft" }, `Tenure ${page.run.tenure} · ${page.run.machine}`),
  );
}
