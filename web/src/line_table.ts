// The table of lines: searched, ordered, and by the selected range. Of very many lines only those that are shown are made
// into words, and each text of the page is searched once, however many lines have it.
import { bytes, count, place } from "./format";
import { fill, h } from "./dom";
import type { Births, Line, Page, Process } from "./data";
import { change, onChange, state } from "./state";
import { tone } from "./overview";

const SHOWN_AT_ONCE = 20;

interface Column {
  name: string;
  title: string;
  value: (line: Line) => number;
  text: (line: Line) => string;
}

function overlap(births: Births, from: number, to: number): number {
  const [start, end] = births;
  if (end <= start) return start >= from && start <= to ? 1 : 0;
  return Math.max(0, Math.min(end, to) - Math.max(start, from)) / (end - start);
}

export function inRange(line: Line, at: 2 | 3): number {
  if (!state.range || !line.births) return 0;
  const [from, to] = state.range;
  return line.births.reduce((sum, births) => sum + births[at] * overlap(births, from, to), 0);
}

// The first `most` in this order, without putting all others in order.
function firstOf(lines: Line[], most: number, value: (line: Line) => number): Line[] {
  const best: { line: Line; size: number }[] = [];
  for (const line of lines) {
    const size = value(line);
    if (best.length === most && size <= (best[most - 1]?.size ?? 0)) continue;
    let at = best.length;
    while (at > 0 && (best[at - 1]?.size ?? 0) < size) at -= 1;
    best.splice(at, 0, { line, size });
    if (best.length > most) best.pop();
  }
  return best.map((one) => one.line);
}

export class LineTable {
  readonly element: HTMLElement;
  private input = h("input", { type: "search", placeholder: "Search file, function, statement, kind", "aria-label": "Search lines", autocomplete: "off", spellcheck: "false" }) as HTMLInputElement;
  private table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Lines" });
  private told = h("p", { class: "soft", "aria-live": "polite" });
  private order = "";
  private isUp = false;
  private most = SHOWN_AT_ONCE;
  private lower: string[] | null = null; // the strings of the page, to be searched

  constructor(private page: Page) {
    this.element = h("section", { id: "lines" }, h("h2", {}, "Lines"), h("div", { class: "tools" }, this.input), this.told, this.table);
    this.input.addEventListener("input", () => change({ search: this.input.value }));
    onChange(() => this.draw());
    setTimeout(() => this.searched(), 300); // before somebody types
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }

  private text(i: number): string {
    return this.page.strings[i] ?? "";
  }
  private name(line: Line): string {
    return place(this.text(line.file), line.line);
  }

  private searched(): string[] {
    return (this.lower ??= this.page.strings.map((text) => text.toLowerCase()));
  }

  // Whether a line has this word: in one of its texts, or as FILE:LINE.
  private finder(word: string): (line: Line) => boolean {
    const lower = this.searched();
    const has = Uint8Array.from(lower, (text) => Number(text.includes(word)));
    const [, file, digits] = word.match(/^(.*):(\d*)$/) ?? [];
    const inFile = file ? Uint8Array.from(lower, (text) => Number(text.endsWith(file))) : null;
    return (line) =>
      has[line.file] === 1 || has[line.function] === 1 || has[line.source] === 1 || has[line.kind] === 1 || has[line.op] === 1 ||
      (line.word ?? "small").includes(word) ||
      (inFile !== null && inFile[line.file] === 1 && String(line.line).startsWith(digits ?? ""));
  }

  private found(process: Process): Line[] {
    const finders = state.search.toLowerCase().split(/\s+/).filter(Boolean).map((word) => this.finder(word));
    let lines = process.lines;
    if (state.range) lines = lines.filter((line) => inRange(line, 2) > 0);
    return finders.length ? lines.filter((line) => finders.every((has) => has(line))) : lines;
  }

  private columns(): Column[] {
    const size = (name: string, title: string, of: (line: Line) => number): Column => ({ name, title, value: of, text: (line) => bytes(of(line)) });
    const columns: Column[] = [];
    if (state.range) {
      columns.push(size("alive", "made in the range and alive", (line) => inRange(line, 3)), size("born", "made in the range", (line) => inRange(line, 2)));
    }
    columns.push(
      size("peak", "at the peak", (line) => line.peak[0]),
      size("live", "at the end", (line) => line.live[0]),
      size("total", "made in all", (line) => line.total[0]),
      { name: "count", title: "blocks made", value: (line) => line.total[1], text: (line) => count(line.total[1]) },
    );
    return columns;
  }

  draw(): void {
    const process = this.page.processes[state.process] as Process;
    if (this.input.value !== state.search) this.input.value = state.search;
    const columns = this.columns();
    const order = columns.find((column) => column.name === this.order) ?? columns[0];
    const lines = this.found(process);
    const left = process.lines_left_out ? `; ${count(process.lines_left_out)} small lines with ${bytes(process.other_lines.peak[0])} at the peak are left out` : "";
    this.told.textContent = `${count(lines.length)} of ${count(process.lines.length)} lines${state.range ? ", by what they made in the selected range" : ""}${left}`;
    const head = columns.map((column) =>
      h("th", { scope: "col", class: "number", "aria-sort": column === order ? (this.isUp ? "ascending" : "descending") : "none" },
        h("button", { type: "button", class: "sort", click: () => this.sort(column.name) }, column.title)),
    );
    const sign = this.isUp ? -1 : 1;
    const shown = firstOf(lines, this.most, (line) => sign * (order?.value(line) ?? 0));
    fill(
      this.table,
      h(
        "table",
        { class: "lines" },
        h("caption", { class: "unseen" }, "Lines that made memory"),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "line"), ...head, h("th", { scope: "col" }, "came to"))),
        h("tbody", {}, ...shown.map((line) => this.row(line, columns))),
      ),
      lines.length > shown.length
        ? h("button", { type: "button", class: "more", click: () => { this.most += 5 * SHOWN_AT_ONCE; this.draw(); } }, `show more of ${count(lines.length)}`)
        : null,
    );
  }

  private row(line: Line, columns: Column[]): HTMLElement {
    const name = this.name(line);
    const isOpen = state.line === name;
    const inside = this.text(line.function);
    const source = this.text(line.source);
    return h(
      "tr",
      { class: isOpen ? "is-open" : "" },
      h("th", { scope: "row" },
        h("button", { type: "button", class: "link place", "aria-expanded": String(isOpen), click: () => change({ line: isOpen ? "" : name }) }, name),
        inside && inside !== "<module>" ? h("span", { class: "soft" }, ` ${inside}()`) : null,
        source ? h("code", {}, source) : null),
      ...columns.map((column) => h("td", { class: "number" }, column.text(line))),
      h("td", {}, line.word ? h("span", { class: `word is-${tone(line.word)}` }, line.word) : h("span", { class: "soft" }, "small")),
    );
  }

  private sort(name: string): void {
    this.isUp = this.order === name ? !this.isUp : false;
    this.order = name;
    this.draw();
  }
}
