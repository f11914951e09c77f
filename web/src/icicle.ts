// Who called whom when memory was made: one box per call, as wide as what was made inside. Click or Enter makes a box the
// whole; Escape goes back. Inverted, it begins at the lines that made memory and goes out to their callers.
import { bytes, place, share } from "./format";
import { color, context, fill, h } from "./dom";
import type { Calls, Page, Process } from "./data";
import { change, onChange, state } from "./state";

const ROW = 22;
const DEEPEST = 24; // below the whole: zoom shows what is further in
const THINNEST = 1.2;

interface Tree {
  parent: Int32Array;
  name: string[];
  title: string[];
  weight: Float64Array;
  users: Uint8Array;
  children: number[][];
}

interface Box {
  node: number;
  x: number;
  y: number;
  wide: number;
}

function childrenOf(parent: Int32Array, weight: Float64Array): number[][] {
  const children: number[][] = Array.from({ length: parent.length }, () => []);
  for (let i = 1; i < parent.length; i += 1) children[parent[i] ?? 0]?.push(i);
  for (const list of children) list.sort((a, b) => (weight[b] ?? 0) - (weight[a] ?? 0));
  return children;
}

function nameOf(page: Page, calls: Calls, i: number): [string, string] {
  const name = page.strings[calls.name[i] ?? 0] ?? "";
  const file = page.strings[calls.file[i] ?? 0] ?? "";
  const where = file ? place(file, calls.line[i] ?? 0) : "";
  if (!name) return [where || "all", where];
  return [`${name}  ${where}`, where];
}

function topDown(page: Page, calls: Calls): Tree {
  const size = calls.parent.length;
  const tree: Tree = {
    parent: Int32Array.from(calls.parent),
    name: [],
    title: [],
    weight: Float64Array.from(calls[state.weight]),
    users: Uint8Array.from(calls.users),
    children: [],
  };
  for (let i = 0; i < size; i += 1) {
    const [name, where] = i === 0 ? ["all", ""] : nameOf(page, calls, i);
    tree.name.push(name);
    tree.title.push(where);
  }
  tree.children = childrenOf(tree.parent, tree.weight);
  return tree;
}

// What a call made itself goes to the callers of that call, from the inside out.
function bottomUp(from: Tree): Tree {
  const parent = [0];
  const origin = [0];
  const weight = [from.weight[0] ?? 0];
  const known = new Map<string, number>();
  const own = Float64Array.from(from.weight);
  for (let i = 1; i < from.parent.length; i += 1) own[from.parent[i] ?? 0]! -= from.weight[i] ?? 0;
  for (let i = 1; i < from.parent.length; i += 1) {
    const bytesOfOne = own[i] ?? 0;
    if (bytesOfOne <= 0) continue;
    let at = 0;
    for (let node = i; node > 0; node = from.parent[node] ?? 0) {
      const key = `${at}\n${from.name[node]}`;
      let next = known.get(key);
      if (next === undefined) {
        next = parent.length;
        known.set(key, next);
        parent.push(at);
        origin.push(node);
        weight.push(0);
      }
      weight[next]! += bytesOfOne;
      at = next;
    }
  }
  const tree: Tree = {
    parent: Int32Array.from(parent),
    name: origin.map((node) => from.name[node] ?? ""),
    title: origin.map((node) => from.title[node] ?? ""),
    weight: Float64Array.from(weight),
    users: Uint8Array.from(origin.map((node) => from.users[node] ?? 0)),
    children: [],
  };
  tree.children = childrenOf(tree.parent, tree.weight);
  return tree;
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
  private tree: Tree | null = null;
  private made = "";
  private root = 0;
  private at = 0;

  constructor(private page: Page) {
    this.element = h("div", { class: "icicle" }, this.trail, this.canvas, this.spoken);
    this.canvas.addEventListener("click", (event) => this.zoom(this.hit(event)));
    this.canvas.addEventListener("pointermove", (event) => this.tell(this.hit(event)));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
    onChange(() => this.draw());
  }

  private get process(): Process {
    return this.page.processes[state.process] as Process;
  }

  private ensureTree(): Tree {
    const wanted = [state.process, state.weight, state.inverted].join();
    if (!this.tree || this.made !== wanted) {
      const down = topDown(this.page, this.process.calls);
      this.tree = state.inverted ? bottomUp(down) : down;
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
    for (let i = node; i > 0; i = this.tree?.parent[i] ?? 0) names.unshift(this.tree?.name[i] ?? "");
    return names.join(" > ");
  }
  private find(path: string): number {
    let at = 0;
    if (!path) return at;
    for (const name of path.split(" > ")) {
      const next = this.tree?.children[at]?.find((child) => this.tree?.name[child] === name);
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
    const size = tree.weight[node] ?? 0;
    this.spoken.textContent = `${tree.name[node]}: ${bytes(size)}, ${share(size, tree.weight[0] ?? 0)} of all`;
  }

  private key(event: KeyboardEvent): void {
    const tree = this.ensureTree();
    const siblings = tree.children[tree.parent[this.at] ?? 0] ?? [];
    const place = siblings.indexOf(this.at);
    let next: number | undefined = this.at;
    if (event.key === "ArrowDown") next = tree.children[this.at]?.[0];
    else if (event.key === "ArrowUp") next = this.at === this.root ? this.root : tree.parent[this.at];
    else if (event.key === "ArrowRight") next = siblings[place + 1];
    else if (event.key === "ArrowLeft") next = siblings[place - 1];
    else if (event.key === "Enter") this.zoom(this.at);
    else if (event.key === "Escape" && this.root > 0) {
      this.zoom(tree.parent[this.root] ?? 0);
      event.stopPropagation();
    } else return;
    event.preventDefault();
    if (next !== undefined) this.at = next;
    this.tell(this.at);
    this.draw();
  }

  draw(): void {
    const tree = this.ensureTree();
    const wide = Math.max(this.canvas.clientWidth, 120);
    this.boxes = this.layout(tree, wide);
    const deepest = this.boxes.reduce((most, box) => Math.max(most, box.y), 0);
    const drawing = context(this.canvas, wide, deepest + ROW + 1);
    drawing.font = `12px ${color("--sans")}`;
    drawing.textBaseline = "middle";
    const search = state.search.toLowerCase();
    for (const box of this.boxes) this.drawBox(drawing, tree, box, search);
    this.drawTrail(tree);
  }

  private layout(tree: Tree, wide: number): Box[] {
    const boxes: Box[] = [];
    const visit = (node: number, x: number, size: number, depth: number): void => {
      boxes.push({ node, x, y: depth * ROW, wide: size });
      if (depth >= DEEPEST) return;
      const whole = tree.weight[node] ?? 0;
      let at = x;
      for (const child of tree.children[node] ?? []) {
        const part = whole > 0 ? ((tree.weight[child] ?? 0) / whole) * size : 0;
        if (part < THINNEST) break; // the rest is smaller still
        visit(child, at, part, depth + 1);
        at += part;
      }
    };
    visit(this.root, 0, wide, 0);
    return boxes;
  }

  private drawBox(drawing: CanvasRenderingContext2D, tree: Tree, box: Box, search: string): void {
    const name = tree.name[box.node] ?? "";
    const isFound = search !== "" && name.toLowerCase().includes(search);
    const isUsers = tree.users[box.node] === 1;
    drawing.fillStyle = color(isFound ? "--found" : box.node === 0 ? "--box-all" : isUsers ? "--box-user" : "--box");
    drawing.fillRect(box.x, box.y, Math.max(box.wide - 1, 0.5), ROW - 1);
    if (box.node === this.at && document.activeElement === this.canvas) {
      drawing.strokeStyle = color("--focus");
      drawing.lineWidth = 2;
      drawing.strokeRect(box.x + 1, box.y + 1, box.wide - 3, ROW - 3);
    }
    if (box.wide < 34) return;
    drawing.save();
    drawing.beginPath();
    drawing.rect(box.x, box.y, box.wide - 4, ROW);
    drawing.clip();
    drawing.fillStyle = color(isFound ? "--found-text" : "--text");
    const size = box.wide > 200 ? `   ${bytes(tree.weight[box.node] ?? 0)}` : "";
    drawing.fillText(name + size, box.x + 6, box.y + ROW / 2);
    drawing.restore();
  }

  private drawTrail(tree: Tree): void {
    const nodes: number[] = [];
    for (let i = this.root; i > 0; i = tree.parent[i] ?? 0) nodes.unshift(i);
    const links = [0, ...nodes].map((node) =>
      h("button", { type: "button", class: "link", click: () => this.zoom(node) }, tree.name[node] ?? ""),
    );
    fill(this.trail, ...(nodes.length ? links : []));
  }
}
