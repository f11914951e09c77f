// What is looked at: process, axis, range, line, search. All of it is in the address, so that a view can be sent.

export type Axis = "position" | "step" | "seconds";
export type Weight = "peak" | "live" | "total";
export type Tree = "calls" | "by_holder" | "by_module" | "by_op";

export interface State {
  process: number; // in the list of processes
  axis: Axis;
  range: [number, number] | null; // ticks
  line: string; // FILE:LINE, as the table shows it
  search: string;
  weight: Weight;
  tree: Tree;
  inverted: boolean; // of calls
  call: string; // names of calls from the outside in
}

export const state: State = {
  process: 0,
  axis: "position",
  range: null,
  line: "",
  search: "",
  weight: "peak",
  tree: "calls",
  inverted: false,
  call: "",
};

const listeners: (() => void)[] = [];
export function onChange(listener: () => void): void {
  listeners.push(listener);
}

export function readAddress(): void {
  const words = new URLSearchParams(location.hash.slice(1));
  state.process = Number(words.get("process") ?? defaults.process) || 0;
  const axis = words.get("axis");
  state.axis = defaults.axis;
  if (axis === "position" || axis === "step" || axis === "seconds") state.axis = axis;
  const range = (words.get("range") ?? "").split("-").map(Number);
  const [from, to] = range;
  state.range = from !== undefined && to !== undefined && to > from ? [from, to] : null;
  state.line = words.get("line") ?? "";
  state.search = words.get("search") ?? "";
  const weight = words.get("weight");
  state.weight = weight === "live" || weight === "total" ? weight : "peak";
  const tree = words.get("tree");
  state.tree = tree === "by_holder" || tree === "by_module" || tree === "by_op" ? tree : "calls";
  state.inverted = words.has("inverted");
  state.call = words.get("call") ?? "";
}

function address(): string {
  const words = new URLSearchParams();
  if (state.process !== defaults.process) words.set("process", String(state.process));
  if (state.axis !== defaults.axis) words.set("axis", state.axis);
  if (state.range) words.set("range", state.range.map(Math.round).join("-"));
  if (state.line) words.set("line", state.line);
  if (state.search) words.set("search", state.search);
  if (state.weight !== "peak") words.set("weight", state.weight);
  if (state.tree !== "calls") words.set("tree", state.tree);
  if (state.inverted) words.set("inverted", "1");
  if (state.call) words.set("call", state.call);
  return words.toString();
}

export const defaults: { axis: Axis; process: number } = { axis: "position", process: 0 };

export function change(next: Partial<State>): void {
  Object.assign(state, next);
  const hash = address();
  history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  for (const listener of listeners) listener();
}
