// The tree of calls as the icicle draws it: from the outside in, or inverted. Nothing is made for a box before somebody looks
// at it, so that a tree of hundreds of thousands of calls answers at once.
import { place } from "./format";
import type { Calls, Page } from "./data";

export interface CallTree {
  parent(node: number): number;
  weight(node: number): number;
  name(node: number): string;
  isUsers(node: number): boolean;
  // Those of at least so many bytes, largest first.
  children(node: number, least: number): number[];
}

// Grouped by a number: the members of each group stand together.
interface Groups {
  start: Int32Array; // where each group begins; one more for the end
  members: Int32Array;
}

function grouped(keys: ArrayLike<number>, groups: number, from: number): Groups {
  const start = new Int32Array(groups + 1);
  for (let i = from; i < keys.length; i += 1) start[(keys[i] ?? 0) + 1]! += 1;
  for (let i = 0; i < groups; i += 1) start[i + 1]! += start[i] ?? 0;
  const next = start.slice();
  const members = new Int32Array(Math.max(0, keys.length - from));
  for (let i = from; i < keys.length; i += 1) members[next[keys[i] ?? 0]!++] = i;
  return { start, members };
}

function bySize(nodes: number[], weight: (node: number) => number): number[] {
  return nodes.sort((a, b) => weight(b) - weight(a) || a - b);
}

function nameOf(page: Page, calls: Calls, i: number): string {
  const { places } = calls;
  const at = calls.place[i] ?? 0;
  const name = page.strings[places.name[at] ?? 0] ?? "";
  const file = page.strings[places.file[at] ?? 0] ?? "";
  const where = file ? place(file, places.line[at] ?? 0) : "";
  return name ? `${name}  ${where}` : where || "all";
}

function isUsers(calls: Calls, i: number): boolean {
  return calls.places.users[calls.place[i] ?? 0] === 1;
}

export class TopDown implements CallTree {
  private inside: Groups;

  constructor(private page: Page, private calls: Calls, private bytes: Float64Array) {
    this.inside = grouped(calls.parent, calls.parent.length, 1);
  }
  parent(node: number): number {
    return this.calls.parent[node] ?? 0;
  }
  weight(node: number): number {
    return this.bytes[node] ?? 0;
  }
  name(node: number): string {
    return node === 0 ? "all" : nameOf(this.page, this.calls, node);
  }
  isUsers(node: number): boolean {
    return isUsers(this.calls, node);
  }
  children(node: number, least: number): number[] {
    const { start, members } = this.inside;
    const found: number[] = [];
    for (let i = start[node] ?? 0; i < (start[node + 1] ?? 0); i += 1) {
      const child = members[i] ?? 0;
      if (this.weight(child) >= least) found.push(child);
    }
    return bySize(found, (child) => this.weight(child));
  }
}

// Where callers stand in the tree from the outside in, and what was made below each: those of one place are one node.
interface Standing {
  calls: Int32Array;
  bytes: Float64Array;
}

// One node of the inverted tree: a place, called from further in.
interface Inverted extends Standing {
  parent: number;
  weight: number;
  groups: Grouped | null; // its callers by place; not looked for yet
}

// Standings by place. A node is made of a group when it is large enough to be shown.
interface Grouped extends Standing {
  start: Int32Array; // where each group begins; one more for the end
  weight: Float64Array;
  node: Int32Array; // -1: not made
}

function byPlace(of: Standing, places: ArrayLike<number>): Grouped {
  const numbers = new Map<number, number>();
  const group = new Int32Array(of.calls.length);
  for (let i = 0; i < group.length; i += 1) {
    const place = places[of.calls[i]!]!;
    let number = numbers.get(place);
    if (number === undefined) numbers.set(place, (number = numbers.size));
    group[i] = number;
  }
  const { start, members } = grouped(group, numbers.size, 0);
  const calls = new Int32Array(members.length);
  const bytes = new Float64Array(members.length);
  const weight = new Float64Array(numbers.size);
  for (let i = 0; i < members.length; i += 1) {
    const from = members[i]!;
    calls[i] = of.calls[from]!;
    bytes[i] = of.bytes[from]!;
    weight[group[from]!]! += of.bytes[from]!;
  }
  return { start, calls, bytes, weight, node: new Int32Array(numbers.size).fill(-1) };
}

// What a call made itself goes to the callers of that call, from the inside out.
export class BottomUp implements CallTree {
  private nodes: Inverted[] = [];

  constructor(private page: Page, private calls: Calls, bytes: Float64Array) {
    const own = bytes.slice();
    for (let i = 1; i < own.length; i += 1) own[calls.parent[i]!]! -= bytes[i]!;
    const makers = { calls: new Int32Array(own.length), bytes: new Float64Array(own.length) };
    let count = 0;
    for (let i = 1; i < own.length; i += 1) {
      if (own[i]! <= 0) continue;
      makers.calls[count] = i;
      makers.bytes[count++] = own[i]!;
    }
    const all = { calls: makers.calls.subarray(0, count), bytes: makers.bytes.subarray(0, count) };
    this.nodes.push({ ...all, parent: 0, weight: bytes[0] ?? 0, groups: byPlace(all, calls.place) });
  }

  parent(node: number): number {
    return this.nodes[node]?.parent ?? 0;
  }
  weight(node: number): number {
    return this.nodes[node]?.weight ?? 0;
  }
  name(node: number): string {
    return node === 0 ? "all" : nameOf(this.page, this.calls, this.nodes[node]?.calls[0] ?? 0);
  }
  isUsers(node: number): boolean {
    return node > 0 && isUsers(this.calls, this.nodes[node]?.calls[0] ?? 0);
  }
  children(node: number, least: number): number[] {
    const one = this.nodes[node];
    if (!one) return [];
    const groups = (one.groups ??= byPlace(this.callers(one), this.calls.place));
    const found: number[] = [];
    for (let i = 0; i < groups.weight.length; i += 1) {
      if (groups.weight[i]! >= least) found.push(this.made(node, groups, i));
    }
    return bySize(found, (caller) => this.weight(caller));
  }

  private made(parent: number, groups: Grouped, i: number): number {
    if (groups.node[i]! >= 0) return groups.node[i]!;
    const [from, to] = [groups.start[i]!, groups.start[i + 1]!];
    this.nodes.push({ parent, weight: groups.weight[i]!, calls: groups.calls.subarray(from, to), bytes: groups.bytes.subarray(from, to), groups: null });
    return (groups.node[i] = this.nodes.length - 1);
  }

  // `calls` of a node below the first are those that stand there: its children are their callers.
  private callers(one: Inverted): Standing {
    const callers = { calls: new Int32Array(one.calls.length), bytes: new Float64Array(one.calls.length) };
    let count = 0;
    for (let i = 0; i < one.calls.length; i += 1) {
      const caller = this.calls.parent[one.calls[i]!]!;
      if (caller === 0) continue;
      callers.calls[count] = caller;
      callers.bytes[count++] = one.bytes[i]!;
    }
    return { calls: callers.calls.subarray(0, count), bytes: callers.bytes.subarray(0, count) };
  }
}
