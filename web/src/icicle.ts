// Who called whom when memory was made: one box per call, as wide as what was made inside. Click or Enter makes a box the
// whole; Escape goes back. Inverted, it begins at the lines that made memory and goes out to their callers.
import { BottomUp, TopDown, type CallTree } from "./call_tree";
import { bytes, share } from "./format";
import { color, context, fill, h } from "./dom";
import type { Page, Process } from "./data";
import { change, onChange, state } from "./state";

const ROW = 22;
const DEEPEST = 24; // below the whole: zoom shows what is further in
const THINNEST = 1.2;
const COLORS = ["--found", "--found-text", "--box-all", "--box-user", "--box", "--focus", "--text"];

interface Box {
  node: number;
  x: number;
  y: number;
  wide: number;
}

export class Icicle {
  readonly element: HTMLElement;
  private canvas = h("canvas", {
    tabindex: 0,
    role: "application",
    "aria-label": "Memory by calls. Arrow keys move between calls, Enter makes one the whole, Escape goes back.",
  }) as HTMLCanvasElement;
  private trail = h("div", { class: "trail" });
  private spoken = h("div", { class: "told", "aria-live": "polite" });
  private boxes: Box[] = [];
  private tree: CallTree | null = null;
  private made = "";
  private shown = "";
  private root = 0;
  private at = 0;

  constructor(private page: Page) {
    this.element = h("div", { class: "icicle" }, this.trail, this.canvas, this.spoken);
    this.canvas.addEventListener("click", (event) => this.zoom(this.hit(event)));
    this.canvas.addEventListener("pointermove", (event) => this.tell(this.hit(event)));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
    onChange(() => {
      const { process, weight, tree, inverted, call, search } = state;
      const shown = [process, weight, tree, inverted, call, search].join("\n");
      if (shown !== this.shown) this.draw(); // a range changes nothing here
      this.shown = shown;
    });
  }

  private get process(): Process {
    return this.page.processes[state.process] as Process;
  }

  private ensureTree(): CallTree {
    const wanted = [state.process, state.weight, state.tree, state.inverted].join();
    if (!this.tree || this.made !== wanted) {
      const calls = this.process[state.tree];
      this.tree = new (state.inverted && state.tree === "calls" ? BottomUp : TopDown)(this.page, calls, calls[state.weight]);
      this.made = wanted;
      this.root = this.find(state.call);
      this.at = this.root;
    } else if (this.pathOf(this.root) !== state.call) {
      this.root = this.find(state.call);
    }
    return this.tree;
  }

  private pathOf(node: number): string {
    const names: string[] = [];
    for (let i = node; i > 0; i = this.tree?.parent(i) ?? 0) names.unshift(this.tree?.name(i) ?? "");
    return names.join(" > ");
  }
  private find(path: string): number {
    let at = 0;
    if (!path) return at;
    for (const name of path.split(" > ")) {
      const next = this.tree?.children(at, 0).find((child) => this.tree?.name(child) === name);
      if (next === undefined) return at;
      at = next;
    }
    return at;
  }

  private zoom(node: number): void {
    if (node < 0) return;
    this.at = node;
    change({ call: this.pathOf(node) });
  }
  private hit(event: MouseEvent): number {
    const box = this.boxes.find(
      (b) => event.offsetX >= b.x && event.offsetX < b.x + b.wide && event.offsetY >= b.y && event.offsetY < b.y + ROW,
    );
    return box ? box.node : -1;
  }
  private tell(node: number): void {
    const tree = this.tree;
    if (!tree || node < 0) return;
    const size = tree.weight(node);
    this.spoken.textContent = `${tree.name(node)}: ${bytes(size)}, ${share(size, tree.weight(0))} of all`;
  }

  private key(event: KeyboardEvent): void {
    const tree = this.ensureTree();
    const siblings = tree.children(tree.parent(this.at), this.least(tree));
    const place = siblings.indexOf(this.at);
    let next: number | undefined = this.at;
    if (event.key === "ArrowDown") next = tree.children(this.at, this.least(tree))[0];
    else if (event.key === "ArrowUp") next = this.at === this.root ? this.root : tree.parent(this.at);
    else if (event.key === "ArrowRight") next = siblings[place + 1];
    else if (event.key === "ArrowLeft") next = siblings[place - 1];
    else if (event.key === "Enter") this.zoom(this.at);
    else if (event.key === "Escape" && this.root > 0) {
      this.zoom(tree.parent(this.root));
      event.stopPropagation();
    } else return;
    event.preventDefault();
    if (next !== undefined) this.at = next;
    this.tell(this.at);
    this.draw();
  }

  private get wide(): number {
    return Math.max(this.canvas.clientWidth, 120);
  }
  // What is smaller is thinner than a box can be.
  private least(tree: CallTree): number {
    return (tree.weight(this.root) * THINNEST) / this.wide;
  }

  draw(): void {
    const tree = this.ensureTree();
    const wide = this.wide;
    this.boxes = this.layout(tree, wide);
    const deepest = this.boxes.reduce((most, box) => Math.max(most, box.y), 0);
    const drawing = context(this.canvas, wide, deepest + ROW + 1);
    drawing.font = `12px ${color("--sans")}`;
    drawing.textBaseline = "middle";
    const search = state.search.toLowerCase();
    const colors = new Map(COLORS.map((name) => [name, color(name)])); // asked for once, not for each box
    for (const box of this.boxes) this.drawBox(drawing, tree, box, search, (name) => colors.get(name) ?? "");
    this.drawTrail(tree);
  }

  private layout(tree: CallTree, wide: number): Box[] {
    const boxes: Box[] = [];
    const least = this.least(tree);
    const visit = (node: number, x: number, size: number, depth: number): void => {
      boxes.push({ node, x, y: depth * ROW, wide: size });
      if (depth >= DEEPEST) return;
      const whole = tree.weight(node);
      let at = x;
      for (const child of tree.children(node, least)) {
        const part = whole > 0 ? (tree.weight(child) / whole) * size : 0;
        if (part < THINNEST) break; // the rest is smaller still
        visit(child, at, part, depth + 1);
        at += part;
      }
    };
    visit(this.root, 0, wide, 0);
    return boxes;
  }

  private drawBox(drawing: CanvasRenderingContext2D, tree: CallTree, box: Box, search: string, color: (name: string) => string): void {
    const isTold = box.wide >= 34;
    const name = isTold || search ? tree.name(box.node) : "";
    const isFound = search !== "" && name.toLowerCase().includes(search);
    const isUsers = tree.isUsers(box.node);
    drawing.fillStyle = color(isFound ? "--found" : box.node === 0 ? "--box-all" : isUsers ? "--box-user" : "--box");
    drawing.fillRect(box.x, box.y, Math.max(box.wide - 1, 0.5), ROW - 1);
    if (box.node === this.at && document.activeElement === this.canvas) {
      drawing.strokeStyle = color("--focus");
      drawing.lineWidth = 2;
      drawing.strokeRect(box.x + 1, box.y + 1, box.wide - 3, ROW - 3);
    }
    if (!isTold) return;
    drawing.save();
    drawing.beginPath();
    drawing.rect(box.x, box.y, box.wide - 4, ROW);
    drawing.clip();
    drawing.fillStyle = color(isFound ? "--found-text" : "--text");
    const size = box.wide > 200 ? `   ${bytes(tree.weight(box.node))}` : "";
    drawing.fillText(name + size, box.x + 6, box.y + ROW / 2);
    drawing.restore();
  }

  private drawTrail(tree: CallTree): void {
    const nodes: number[] = [];
    for (let i = this.root; i > 0; i = tree.parent(i)) nodes.unshift(i);
    const links = [0, ...nodes].map((node) =>
      h("button", { type: "button", class: "link", click: () => this.zoom(node) }, tree.name(node)),
    );
    fill(this.trail, ...(nodes.length ? links : []));
  }
}
