// What `tenure report` put into the page (docs/report-page.md), and how it is unpacked.

export interface Place {
  file: string;
  line: number;
  function: string;
  role?: string;
  source?: string;
}

export interface Finding {
  kind: string;
  severity: "error" | "leak" | "warning" | "note" | "accepted";
  title: string;
  why: string;
  fix: string;
  confidence: number;
  where: Place[];
  holder: { text: string; path: { name: string; type: string }[] } | null;
  op: string | null;
  device: string;
  bytes: number;
  count: number;
  bytes_per_step: number | null;
  steps: number | null;
  per: string | null;
  error: { type: string; message: string } | null;
}

export interface Considered {
  file: string;
  line: number;
  function: string;
  came_to: string;
  rule: string;
  holder: string | null;
  bytes: number;
  count: number;
  most_bytes: number;
}

export interface BalanceMoment {
  total_bytes: number;
  came_to: Record<string, number>;
  small_lines_bytes: number;
  own_bytes: number;
}

export interface Findings {
  verdict: "leak" | "lifetime-error" | "out-of-memory" | "clean" | "unknown";
  reason: string | null;
  ending: string | null;
  program: {
    argv: string[];
    python: string | null;
    frameworks: Record<string, string>;
    exit: number | null;
    signal: number | null;
    processes: number;
    running: boolean;
  };
  memory: {
    peak_bytes: number;
    live_bytes: number;
    resident_peak_bytes: number;
    at_peak: Record<string, number>;
    unseen_bytes: number;
    parts: Record<string, number>;
  };
  losses: Record<string, string>;
  cost: { time_share: number; bytes: number };
  steps: number;
  per: string | null;
  findings: Finding[];
  considered: Considered[];
  balance: { pid: number; at_peak: BalanceMoment; at_end: BalanceMoment }[];
}

export interface Moments {
  tick: number[];
  position: number[];
  seconds: number[];
  step: number[];
  live: number[];
  anonymous: number[];
}

// from tick, to tick, bytes born, bytes alive, blocks alive
export type Births = [number, number, number, number, number];

export interface Line {
  file: number;
  line: number;
  function: number;
  source: number;
  kind: number;
  op: number;
  peak: [number, number];
  live: [number, number];
  total: [number, number];
  came_to: string | null;
  word: string | null;
  births?: Births[];
  judged?: number; // bytes alive at the moment that was judged
}

export interface Calls {
  parent: Int32Array; // parents come before their children
  place: number[]; // in places
  places: { name: number[]; file: number[]; line: number[]; users: number[] };
  peak: Float64Array; // bytes, with everything inside
  live: Float64Array;
  total: Float64Array;
}

export interface Block {
  bytes: number;
  file: number;
  line: number;
  function: number;
  op: number;
  form: number; // dtype and shape
  block: string;
  born: number; // tick
  born_step: number;
  age_steps: number;
  holder: number;
  path: { name: string; type: string; length: number; is_cut: boolean }[];
}

export interface Process {
  pid: number;
  parent_pid: number;
  is_main: boolean;
  command: number;
  peak_bytes: number;
  live_bytes: number;
  resident_peak_bytes: number;
  began: number;
  ended: number;
  steps: number;
  per: string;
  moments: Moments;
  marks: { what: string; tick: number; bytes: number }[];
  bands: { line: number; bytes: number[] }[];
  categories: { what: string; bytes: number[] }[]; // without what the bands show
  lines: Line[];
  other_lines: Line;
  lines_left_out: number;
  calls: Calls;
  by_holder: Calls; // groups, and in each its lines
  by_module: Calls;
  by_op: Calls;
  blocks: Block[];
}

export interface Scope {
  type: string;
  name: number;
  state: string;
  state_text: number;
  count: number;
  items: number;
  bytes: number;
  created: { file: number; line: number; function: number };
  ended: { file: number; line: number; function: number };
}

export interface Page {
  schema: string;
  words: {
    verdict: string;
    advice: string;
    name: string;
    headlines: string[];
    considered: { word: string; rule: string; figures: string; source: string }[];
  };
  run: { directory: string; started_ms: number; seconds: number; tenure: string; machine: string };
  findings: Findings;
  processes: Process[];
  processes_left_out: number;
  shown_first: number;
  scopes: Scope[];
  strings: string[];
}

// What `tenure diff` put into the page.
export interface ComparedRun {
  record: string;
  directory: string;
  program: string;
  verdict: Findings["verdict"];
  sentence: string;
  peak_bytes: number;
  live_bytes: number;
  steps: number;
  balance: Findings["balance"][number] | null;
  moments: Moments | null;
}

export interface LineMemory {
  file: string;
  line: number;
  function: string;
  source: string;
  word: string;
  holder: string | null;
  bytes: number;
}

export interface Difference {
  schema: string;
  sentence: string;
  before: ComparedRun;
  after: ComparedRun;
  findings: { change: "new" | "worse" | "unclear" | "same" | "better" | "fixed"; sentence: string; headline: string; is_of_before: boolean; finding: Finding }[];
  findings_left_out: number;
  lines: { before: LineMemory | null; after: LineMemory | null }[];
  lines_left_out: number;
}

export function isDifference(document: Page | Difference): document is Difference {
  return document.schema.startsWith("tenure-diff-page/");
}

// As the page has them: a column for each value of a line; of calls, how far before each its caller stands, and what each
// made without the calls inside of it.
type LineColumns = { [Key in keyof Line]-?: Line[Key][] };
type PackedCalls = Pick<Calls, "place" | "places"> & { up: number[]; peak: number[]; live: number[]; total: number[] };
const TREES = ["calls", "by_holder", "by_module", "by_op"] as const;
type PackedProcess = Omit<Process, "lines" | "other_lines" | (typeof TREES)[number]> & { lines: LineColumns; other_lines: LineColumns } & Record<(typeof TREES)[number], PackedCalls>;

function rows(columns: LineColumns): Line[] {
  const { file, line, function: inside, source, kind, op, peak, live, total, came_to, word, births, judged } = columns;
  return (file ?? []).map((_, i) => ({
    file: file[i]!, line: line[i]!, function: inside[i]!, source: source[i]!, kind: kind[i]!, op: op[i]!, peak: peak[i]!, live: live[i]!, total: total[i]!,
    came_to: came_to[i]!, word: word[i]!, births: births?.[i], judged: judged?.[i],
  }));
}

function unpacked(calls: PackedCalls): Calls {
  const parent = new Int32Array(calls.up);
  for (let i = 0; i < parent.length; i += 1) parent[i] = i - parent[i]!;
  const whole = (own: number[]): Float64Array => {
    const all = new Float64Array(own);
    for (let i = all.length - 1; i > 0; i -= 1) all[parent[i]!]! += all[i]!;
    return all;
  };
  return { parent, place: calls.place, places: calls.places, peak: whole(calls.peak), live: whole(calls.live), total: whole(calls.total) };
}

function processFrom(packed: PackedProcess): Process {
  const other = rows(packed.other_lines)[0] as Line;
  const [calls, by_holder, by_module, by_op] = TREES.map((tree) => unpacked(packed[tree])) as [Calls, Calls, Calls, Calls];
  return { ...packed, lines: rows(packed.lines), other_lines: other, calls, by_holder, by_module, by_op };
}

export async function load(): Promise<Page | Difference> {
  const text = document.getElementById("data")?.textContent?.trim() ?? "";
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const document_ = (await new Response(stream).json()) as Difference | (Omit<Page, "processes"> & { processes: PackedProcess[] });
  if (!("processes" in document_)) return document_;
  const page = document_;
  return { ...page, processes: page.processes.map(processFrom) };
}
