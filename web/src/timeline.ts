// Memory over the run: what is live, with the lines that pile up as bands and the rest by category, what the kernel tells of
// anonymous memory as a thin line, and what happened when. A range can be dragged, or made with the keyboard, or a step clicked
// on the axis; what is below follows it.
import { count, bytes, place, seconds } from "./format";
import { color, context, fill, h } from "./dom";
import type { Page, Process } from "./data";
import { change, onChange, state, type Axis } from "./state";

const HIGH = 294;
const LEFT = 62;
const RIGHT = 14;
const TOP = 22;
const BOTTOM = 44; // two rows: what the axis counts, and how far the program was there
export const BAND_COLORS = 6;
const LEAST_SHARE = 0.01; // of the peak: a category that was never so large is not told apart

interface Layer {
  low: number[];
  high: number[];
  kind: string; // its colour: band-0, cat-native, ...
  name: string;
  line: number; // in the table of lines; -1: a category
}

interface Scale {
  process: Process;
  most: number;
  layers: Layer[];
}

// Between moments everything is on a straight line.
export function atTick(ticks: number[], values: number[], tick: number): number {
  let low = 0;
  let high = ticks.length - 1;
  if (high < 0) return 0;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ticks[middle] ?? 0) < tick) low = middle + 1;
    else high = middle;
  }
  const after = ticks[low] ?? 0;
  if (low === 0 || after <= tick) return values[low] ?? 0;
  const before = ticks[low - 1] ?? 0;
  const part = after > before ? (tick - before) / (after - before) : 1;
  const start = values[low - 1] ?? 0;
  return start + part * ((values[low] ?? 0) - start);
}

function niceStep(most: number, lines: number): number {
  const unit = 2 ** Math.floor(Math.log2(Math.max(most, 1) / lines));
  for (const times of [1, 2, 4]) if (most / (unit * times) <= lines) return unit * times;
  return unit * 8;
}

function axisStep(most: number, lines: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(most, 1e-9) / lines));
  for (const times of [1, 2, 5, 10]) if (most / (unit * times) <= lines) return unit * times;
  return unit * 10;
}

export class Timeline {
  readonly element: HTMLElement;
  private canvas = h("canvas", {
    tabindex: 0,
    role: "application",
    "aria-label": "Memory over the run. Arrow keys move, with Shift they select a range, Escape clears it.",
  }) as HTMLCanvasElement;
  private note = h("div", { class: "tip", hidden: true });
  private legend = h("div", { class: "legend" });
  private spoken = h("div", { class: "unseen", "aria-live": "polite" });
  private cursor = -1;
  private drag: number | null = null;
  private made: Scale | null = null;

  constructor(private page: Page) {
    this.element = h("div", { class: "timeline" }, this.legend, h("div", { class: "plot" }, this.canvas, this.note), this.spoken);
    this.canvas.addEventListener("pointerdown", (event) => this.press(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    this.canvas.addEventListener("pointerup", (event) => this.release(event));
    this.canvas.addEventListener("pointerleave", () => {
      if (this.drag === null) this.point(-1);
    });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("blur", () => this.point(-1));
    new ResizeObserver(() => this.draw()).observe(this.element);
    onChange(() => this.draw());
  }

  private get process(): Process {
    return this.page.processes[state.process] as Process;
  }
  private get axis(): number[] {
    return this.process.moments[state.axis];
  }
  private get wide(): number {
    return Math.max(this.canvas.clientWidth, 120);
  }
  private get ends(): [number, number] {
    const axis = this.axis;
    const first = axis[0] ?? 0;
    return [first, Math.max(axis[axis.length - 1] ?? 1, first + 1e-9)];
  }
  private get most(): number {
    return this.scale.most;
  }

  // What is drawn of a process, made once: each layer stands on the one before, and none is higher than what is live.
  private get scale(): Scale {
    const process = this.process;
    if (this.made?.process === process) return this.made;
    const { live, anonymous } = process.moments;
    const most = 1.06 * Math.max(1, ...live, ...anonymous, process.peak_bytes);
    const layers: Layer[] = [];
    const add = (bytes: number[], kind: string, name: string, line: number): void => {
      const low = layers[layers.length - 1]?.high ?? live.map(() => 0);
      layers.push({ low, high: low.map((value, at) => Math.min(value + (bytes[at] ?? 0), live[at] ?? 0)), kind, name, line });
    };
    process.bands.slice(0, BAND_COLORS).forEach((band, i) => add(band.bytes, `band-${i}`, this.lineName(band.line), band.line));
    for (const { what, bytes } of process.categories) {
      if (Math.max(...bytes) >= LEAST_SHARE * most) add(bytes, `cat-${what.replaceAll(" ", "-")}`, what, -1);
    }
    return (this.made = { process, most, layers });
  }

  private x(value: number): number {
    const [from, to] = this.ends;
    return LEFT + ((value - from) / (to - from)) * (this.wide - LEFT - RIGHT);
  }
  private y(value: number): number {
    return HIGH - BOTTOM - (value / this.most) * (HIGH - BOTTOM - TOP);
  }
  private tickX(tick: number): number {
    return this.x(atTick(this.process.moments.tick, this.axis, tick));
  }
  private momentAt(x: number): number {
    const axis = this.axis;
    const [from, to] = this.ends;
    const value = from + ((x - LEFT) / (this.wide - LEFT - RIGHT)) * (to - from);
    let low = 0;
    let high = axis.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((axis[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low > 0 && value - (axis[low - 1] ?? 0) < (axis[low] ?? 0) - value ? low - 1 : low;
  }

  private press(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = this.momentAt(event.offsetX);
  }
  private move(event: PointerEvent): void {
    const at = this.momentAt(event.offsetX);
    if (this.drag !== null && at !== this.drag) this.select(this.drag, at);
    this.point(at);
  }
  private release(event: PointerEvent): void {
    const at = this.momentAt(event.offsetX);
    if (this.drag === at && event.offsetY > HIGH - BOTTOM) this.selectStretch(event.offsetX);
    else if (this.drag === at) {
      const band = state.range ? undefined : this.bandAt(at, event.offsetY);
      change(band ? { line: band.name } : { range: null });
    }
    this.drag = null;
  }
  // A click on the axis: the step there, or the stretch between two of its figures.
  private selectStretch(x: number): void {
    const [first, last] = this.ends;
    const every = state.axis === "step" ? 1 : this.every;
    const value = first + ((x - LEFT) / (this.wide - LEFT - RIGHT)) * (last - first);
    const from = Math.max(first, Math.floor(value / every) * every);
    const ticks = [from, Math.min(last, from + every)].map((end) => Math.round(atTick(this.axis, this.process.moments.tick, end)));
    change({ range: (ticks[1] ?? 0) > (ticks[0] ?? 0) ? [ticks[0] ?? 0, ticks[1] ?? 0] : null });
  }
  private bandAt(moment: number, y: number): Layer | undefined {
    return this.scale.layers.find((one) => one.line >= 0 && y <= this.y(one.low[moment] ?? 0) && y > this.y(one.high[moment] ?? 0));
  }
  private select(from: number, to: number): void {
    const ticks = this.process.moments.tick;
    const ends = [ticks[from] ?? 0, ticks[to] ?? 0].sort((a, b) => a - b);
    change({ range: (ends[1] ?? 0) > (ends[0] ?? 0) ? [ends[0] ?? 0, ends[1] ?? 0] : null });
  }

  private key(event: KeyboardEvent): void {
    const last = this.axis.length - 1;
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last };
    const by = steps[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const before = this.cursor < 0 ? 0 : this.cursor;
    const pace = Math.abs(by) === 1 ? Math.max(1, Math.round(last / 60)) * by : by;
    const at = Math.max(0, Math.min(last, before + pace));
    if (event.shiftKey) {
      this.drag ??= before;
      this.select(this.drag, at);
    } else this.drag = null;
    this.point(at);
    this.spoken.textContent = this.words(at).join(", ");
  }

  private words(at: number): string[] {
    const m = this.process.moments;
    const words = [`live ${bytes(m.live[at] ?? 0)}`];
    if (m.anonymous[at]) words.push(`anonymous ${bytes(m.anonymous[at] ?? 0)}`);
    if (this.process.steps) words.push(`step ${count(m.step[at] ?? 0)} of ${count(this.process.steps)}`);
    words.push(seconds(m.seconds[at] ?? 0));
    return words;
  }

  private point(at: number): void {
    this.cursor = at;
    this.note.hidden = at < 0;
    if (at >= 0) {
      const rows = this.words(at).map((word) => h("div", {}, word));
      for (const one of this.scale.layers) {
        const held = (one.high[at] ?? 0) - (one.low[at] ?? 0);
        if (one.line >= 0 || held > 0) rows.push(h("div", {}, h("i", { class: `swatch ${one.kind}` }), `${one.name}: ${bytes(held)}`));
      }
      fill(this.note, ...rows);
      const x = this.x(this.axis[at] ?? 0);
      this.note.style.left = `${Math.min(x + 12, this.wide - this.note.offsetWidth - 8)}px`;
    }
    this.draw();
  }

  private lineName(index: number): string {
    const line = this.process.lines[index];
    return line ? place(this.page.strings[line.file] ?? "", line.line) : "";
  }

  private area(drawing: CanvasRenderingContext2D, low: number[], high: number[], fillColor: string): void {
    const axis = this.axis;
    drawing.beginPath();
    for (let i = 0; i < axis.length; i += 1) drawing.lineTo(this.x(axis[i] ?? 0), this.y(high[i] ?? 0));
    for (let i = axis.length - 1; i >= 0; i -= 1) drawing.lineTo(this.x(axis[i] ?? 0), this.y(low[i] ?? 0));
    drawing.closePath();
    drawing.fillStyle = fillColor;
    drawing.fill();
  }

  private curve(drawing: CanvasRenderingContext2D, values: number[], stroke: string, thick: number): void {
    const axis = this.axis;
    drawing.beginPath();
    let isDown = false; // 0 is not known
    for (let i = 0; i < axis.length; i += 1) {
      const value = values[i] ?? 0;
      if (value > 0 && isDown) drawing.lineTo(this.x(axis[i] ?? 0), this.y(value));
      else drawing.moveTo(this.x(axis[i] ?? 0), this.y(value));
      isDown = value > 0;
    }
    drawing.strokeStyle = stroke;
    drawing.lineWidth = thick;
    drawing.lineJoin = "round";
    drawing.stroke();
  }

  draw(): void {
    const wide = this.wide;
    const drawing = context(this.canvas, wide, HIGH);
    const { live, anonymous } = this.process.moments;
    drawing.font = `11px ${color("--sans")}`;
    this.grid(drawing, wide);
    this.area(drawing, live.map(() => 0), live, color("--rest"));
    if (anonymous.some((value) => value > 0)) this.beyond(drawing, live, anonymous);
    for (const one of this.scale.layers) this.area(drawing, one.low, one.high, color(`--${one.kind}`));
    this.curve(drawing, live, color("--live"), 1.5);
    if (anonymous.some((value) => value > 0)) {
      drawing.setLineDash([4, 3]);
      this.curve(drawing, anonymous, color("--resident"), 1.2);
      drawing.setLineDash([]);
    }
    this.marks(drawing);
    this.selection(drawing, wide);
    this.drawLegend();
  }

  // What is resident and in no block that was counted: only where the kernel told of it.
  private beyond(drawing: CanvasRenderingContext2D, live: number[], anonymous: number[]): void {
    const known = anonymous.map((value, at) => (value > 0 ? Math.max(value, live[at] ?? 0) : (live[at] ?? 0)));
    this.area(drawing, live, known, color("--beyond"));
  }

  // Between two figures of the axis.
  private get every(): number {
    const [from, to] = this.ends;
    return axisStep(to - from, Math.max(2, Math.min(8, Math.floor(this.wide / 130))));
  }

  private grid(drawing: CanvasRenderingContext2D, wide: number): void {
    const step = niceStep(this.most, 4);
    drawing.lineWidth = 1;
    drawing.textBaseline = "middle";
    drawing.textAlign = "right";
    for (let value = 0; value <= this.most; value += step) {
      const y = Math.round(this.y(value)) + 0.5;
      drawing.strokeStyle = color("--grid");
      drawing.beginPath();
      drawing.moveTo(LEFT, y);
      drawing.lineTo(wide - RIGHT, y);
      drawing.stroke();
      drawing.fillStyle = color("--soft");
      drawing.fillText(bytes(value), LEFT - 8, y);
    }
    const [from, to] = this.ends;
    const every = this.every;
    drawing.textBaseline = "top";
    drawing.textAlign = "center";
    if (state.axis === "position" && from < 0) drawing.fillText("start", this.x(from / 2), HIGH - BOTTOM + 8);
    const least = state.axis === "position" ? Math.max(from, 0) : from;
    for (let value = Math.ceil(least / every) * every; value <= to + every * 1e-6; value += every) {
      const x = Math.min(this.x(value), wide - RIGHT - 16);
      drawing.fillStyle = color("--soft");
      drawing.fillText(axisWord(state.axis, value), x, HIGH - BOTTOM + 8);
      drawing.globalAlpha = 0.75;
      drawing.fillText(this.otherWord(value), x, HIGH - BOTTOM + 23);
      drawing.globalAlpha = 1;
      drawing.fillRect(Math.round(this.x(value)), HIGH - BOTTOM, 1, 4);
    }
  }

  // How far the program was at this place of the axis: in steps, or where these are the axis, in time.
  private otherWord(value: number): string {
    const { moments, steps } = this.process;
    const other: Axis = steps && state.axis !== "step" ? "step" : "seconds";
    if (other === state.axis) return "";
    const told = atTick(this.axis, moments[other], value);
    return other === "step" ? `step ${count(told)}` : seconds(told);
  }

  private marks(drawing: CanvasRenderingContext2D): void {
    for (const mark of this.process.marks) {
      const x = this.tickX(mark.tick);
      if (mark.what === "peak") this.peak(drawing, x, mark.bytes, this.process.peak_bytes);
      else if (mark.what === "snapshot") this.snapshot(drawing, x);
      else this.event(drawing, x, mark.what);
    }
  }
  // Small blocks are estimated at the peak only, so the word may say a little more than the curve shows.
  private peak(drawing: CanvasRenderingContext2D, x: number, value: number, told: number): void {
    const y = this.y(value);
    drawing.fillStyle = color("--text");
    drawing.beginPath();
    drawing.arc(x, y, 3.5, 0, 2 * Math.PI);
    drawing.fill();
    const isRight = x > this.wide / 2;
    drawing.textAlign = isRight ? "right" : "left";
    drawing.textBaseline = "bottom";
    drawing.font = `600 11px ${color("--sans")}`;
    drawing.fillText(`peak ${bytes(told)}`, x + (isRight ? -7 : 7), y - 5);
    drawing.font = `11px ${color("--sans")}`;
  }
  private snapshot(drawing: CanvasRenderingContext2D, x: number): void {
    const y = HIGH - BOTTOM;
    drawing.fillStyle = color("--soft");
    drawing.beginPath();
    drawing.moveTo(x, y - 7);
    drawing.lineTo(x - 4, y);
    drawing.lineTo(x + 4, y);
    drawing.fill();
  }
  private event(drawing: CanvasRenderingContext2D, x: number, what: string): void {
    const isEnd = what.startsWith("end of");
    drawing.strokeStyle = color(isEnd ? "--grid" : "--error");
    drawing.beginPath();
    drawing.moveTo(x, TOP);
    drawing.lineTo(x, HIGH - BOTTOM);
    drawing.stroke();
    if (isEnd) return;
    drawing.fillStyle = color("--error");
    drawing.textBaseline = "bottom";
    drawing.textAlign = x > this.wide / 2 ? "right" : "left";
    drawing.fillText(what, x, TOP - 4);
  }

  private selection(drawing: CanvasRenderingContext2D, wide: number): void {
    if (state.range) {
      const [from, to] = state.range.map((tick) => this.tickX(tick)) as [number, number];
      drawing.fillStyle = color("--veil");
      drawing.fillRect(LEFT, TOP, from - LEFT, HIGH - BOTTOM - TOP);
      drawing.fillRect(to, TOP, wide - RIGHT - to, HIGH - BOTTOM - TOP);
      drawing.strokeStyle = color("--focus");
      drawing.strokeRect(from, TOP, Math.max(to - from, 1), HIGH - BOTTOM - TOP);
    }
    if (this.cursor >= 0) {
      const x = Math.round(this.x(this.axis[this.cursor] ?? 0)) + 0.5;
      drawing.strokeStyle = color("--text");
      drawing.beginPath();
      drawing.moveTo(x, TOP);
      drawing.lineTo(x, HIGH - BOTTOM);
      drawing.stroke();
    }
  }

  private drawLegend(): void {
    const { layers } = this.scale;
    const entry = (kind: string, name: string): HTMLElement => h("span", {}, h("i", { class: kind }), name);
    const items = layers.map((one) => entry(`swatch ${one.kind}`, one.line >= 0 ? `${one.name} ${this.process.lines[one.line]?.word === "leak" ? "leaks" : "grew"}` : one.name));
    items.push(entry("swatch rest", layers.length ? "everything else that is live" : "live"));
    if (this.process.moments.anonymous.some((value) => value > 0)) items.push(entry("swatch beyond", "not seen, up to what is resident"));
    if (this.process.marks.some((mark) => mark.what === "snapshot")) items.push(entry("triangle", "snapshot"));
    fill(this.legend, ...items);
  }
}

export function axisWord(axis: Axis, value: number): string {
  if (axis === "position" && value < 0) return "start";
  if (axis === "position") return `${Math.round(100 * value)} %`;
  return axis === "step" ? count(value) : seconds(value);
}
