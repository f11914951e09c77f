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
  parent: number[];
  name: number[];
  file: number[];
  line: number[];
  users: number[];
  peak: number[];
  live: number[];
  total: number[];
}

export interface Block {
  bytes: number;
  file: number;
  line: number;
  function: number;
  op: number;
  block: string;
  born_step: number;
  age_steps: number;
  holder: number;
  path: { name: string; type: string; length: number }[];
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
  lines: Line[];
  other_lines: Line;
  lines_left_out: number;
  calls: Calls;
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

export async function load(): Promise<Page> {
  const text = document.getElementById("data")?.textContent?.trim() ?? "";
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(unpacked).json()) as Page;
}
