// The first screen: the verdict, each finding with the way from the line to who keeps it, the balance, the largest lines.
import { bytes, count, place, seconds, share } from "./format";
import { h, width } from "./dom";
import type { BalanceMoment, Finding, Page, Place, Process } from "./data";
import { change } from "./state";

export const VERDICTS: Record<string, string> = {
  leak: "Leak",
  "lifetime-error": "Lifetime error",
  "out-of-memory": "Out of memory",
  clean: "Clean",
  unknown: "Unknown",
};

export function header(page: Page): HTMLElement {
  const { findings, run, words } = page;
  const facts = [words.name];
  if (findings.program.python) facts.push(`Python ${findings.program.python}`);
  for (const [name, version] of Object.entries(findings.program.frameworks)) facts.push(`${name} ${version}`);
  facts.push(seconds(run.seconds));
  if (run.started_ms) facts.push(new Date(run.started_ms).toISOString().slice(0, 16).replace("T", " ") + " UTC");
  const badge = VERDICTS[findings.verdict] ?? findings.verdict;
  const sentences = words.verdict.split(/(?<=[.!?]) (?=[A-Z])/);
  const [first, ...rest] = sentences.length > 1 && sentences[0] === `${badge.toLowerCase()}.` ? sentences.slice(1) : sentences; // the badge says it
  return h(
    "header",
    { class: `verdict is-${findings.verdict}` },
    h("p", { class: "facts" }, ...facts.flatMap((fact, i) => [i ? h("span", { class: "dot", "aria-hidden": "true" }, "·") : null, h("span", {}, fact)])),
    h("h1", {}, h("span", { class: "badge" }, badge), h("span", {}, first ?? "")),
    h("p", { class: "lead" }, rest.join(" ")),
    words.advice ? h("p", { class: "lead" }, words.advice) : null,
    findings.ending ? h("p", { class: "lead" }, findings.ending) : null,
  );
}

function lineOf(at: Place): string {
  return place(at.file, at.line);
}

const CHAIN_WORDS: Record<string, string> = { line: "made at", memory: "memory", in: "in", name: "kept by" };

function chainLink(kind: string, title: string, detail: string): HTMLElement {
  return h("li", { class: `link-${kind}` }, h("span", { class: "what" }, CHAIN_WORDS[kind] ?? kind), h("strong", {}, title), detail ? h("span", { class: "detail" }, detail) : null);
}

// From the line that made it, over the blocks, to the name that keeps them: the last one is where to let go.
function chain(finding: Finding): HTMLElement | null {
  const made = finding.where.find((at) => at.role === "made at");
  if (!finding.holder || !made) return null;
  const about = finding.count ? `${count(finding.count)} blocks` : "blocks";
  const links = [
    chainLink("line", lineOf(made), made.function && made.function !== "<module>" ? `${made.function}()` : ""),
    chainLink("memory", bytes(finding.bytes), about),
  ];
  const steps = [...finding.holder.path].reverse();
  const shown = steps.length > 5 ? [...steps.slice(0, 2), { name: "…", type: `${steps.length - 4} more` }, ...steps.slice(-2)] : steps;
  const named = shown.findIndex((step) => step.name !== "" && finding.holder?.text.includes(`\`${step.name}\``));
  const told = named < 0 ? shown.length - 1 : named;
  shown.forEach((step, i) => {
    const kind = i === told ? "name" : "in";
    links.push(chainLink(kind, step.name || step.type, step.name ? step.type : ""));
  });
  if (!shown.length) links.push(chainLink("name", finding.holder.text, ""));
  return h("ol", { class: "chain", "aria-label": "From the line to who keeps what it made" }, ...links);
}

// A lifetime error is told in the order in which it happened.
function life(finding: Finding): HTMLElement | null {
  const order = ["created", "ended", "used"];
  const steps = order.flatMap((role) => finding.where.filter((at) => at.role === role));
  if (steps.length < 2) return null;
  return h(
    "ol",
    { class: "life", "aria-label": "What happened, in order" },
    ...steps.map((at) =>
      h("li", { class: `life-${at.role}` }, h("span", { class: "what" }, at.role ?? ""), h("strong", {}, lineOf(at)), at.source ? h("code", {}, at.source) : null),
    ),
  );
}

// The lines of one role stand together, as in the terminal.
function where(finding: Finding): HTMLElement | null {
  const roles = [...new Set(finding.where.map((at) => at.role))];
  const places = roles.flatMap((role) => finding.where.filter((at) => at.role === role));
  if (!places.length) return null;
  return h(
    "table",
    { class: "where" },
    h("caption", { class: "unseen" }, "Lines of this finding"),
    h("tbody", {}, ...places.map((at, i) => {
      const isAgain = i > 0 && places[i - 1]?.role === at.role;
      return h(
        "tr",
        {},
        h("th", { scope: "row" }, isAgain ? h("span", { class: "unseen" }, at.role ?? "") : (at.role ?? "")),
        h("td", {}, h("span", { class: "place" }, lineOf(at)), at.function && at.function !== "<module>" ? h("span", { class: "soft" }, ` in ${at.function}()`) : null),
        h("td", {}, at.source ? h("code", {}, at.source) : null),
      );
    })),
  );
}

function row(name: string, text: string | null | undefined, kind = ""): HTMLElement | null {
  return text ? h("div", { class: `row ${kind}` }, h("dt", {}, name), h("dd", {}, text)) : null;
}

// `change`: what became of it between two runs.
export function card(finding: Finding, title: string, id: string, change = ""): HTMLElement {
  const error = finding.error ? `${finding.error.type}: ${finding.error.message}` : null;
  const story = life(finding);
  const isAllTold = story !== null && finding.where.every((at) => ["created", "ended", "used"].includes(at.role ?? ""));
  return h(
    "article",
    { class: `finding is-${change || finding.severity}`, id },
    h("h3", {}, change ? h("span", { class: "change" }, change) : null, h("span", { class: "severity" }, finding.severity), h("span", {}, title), h("span", { class: "kind" }, finding.kind)),
    story ?? chain(finding),
    isAllTold ? null : where(finding),
    h("dl", {}, row("error", error), row("kept by", finding.holder?.text), row("why", finding.why), row("fix", change === "fixed" ? "" : finding.fix, "fix")),
  );
}

export function findings(page: Page): HTMLElement | null {
  const all = page.findings.findings.map((finding, i) => ({ finding, element: card(finding, page.words.headlines[i] || finding.title, `finding-${i + 1}`) }));
  const loud = all.filter(({ finding }) => finding.severity === "error" || finding.severity === "leak");
  const quiet = all.filter(({ finding }) => finding.severity !== "error" && finding.severity !== "leak");
  if (!all.length) return null;
  return h(
    "section",
    { id: "findings" },
    h("h2", { class: "unseen" }, "Findings"),
    ...loud.map(({ element }) => element),
    quiet.length
      ? h("details", { class: "quiet", ...(loud.length ? {} : { open: true }) }, h("summary", {}, `${quiet.length} ${quiet.length === 1 ? "note" : "notes"} that ${quiet.length === 1 ? "does" : "do"} not change the verdict`), ...quiet.map(({ element }) => element))
      : null,
  );
}

const PARTS: Record<string, [string, string]> = {
  leak: ["leak", "leak"],
  "growing-block": ["leak: one block that grows", "leak"],
  accumulates: ["grew, and was given back", "warning"],
  waiting: ["waits for the collector", "warning"],
  "compiled-code": ["compiled code", "warning"],
  suspected: ["may be growing", "warning"],
  "too-short": ["grew, too few rounds to tell", "warning"],
  bounded: ["bounded", "note"],
  filling: ["fills up, as a cache", "note"],
  stayed: ["grew and stayed, as loading", "note"],
  dismissed: ["no growth", "calm"],
};

function partsOf(moment: BalanceMoment): { name: string; kind: string; size: number }[] {
  const parts = Object.entries(moment.came_to).map(([word, size]) => {
    const [name, kind] = PARTS[word] ?? [word, "calm"];
    return { name, kind, size };
  });
  parts.push({ name: "lines that held little", kind: "small", size: moment.small_lines_bytes });
  parts.push({ name: "Tenure's adapters", kind: "own", size: moment.own_bytes });
  return parts.filter((part) => part.size > 0);
}

export function stacked(title: string, moment: BalanceMoment): HTMLElement {
  const parts = partsOf(moment);
  const all = parts.reduce((sum, part) => sum + part.size, 0);
  return h(
    "figure",
    { class: "balance" },
    h("figcaption", {}, h("span", {}, title), h("span", { class: "figure" }, bytes(moment.total_bytes))),
    h("div", { class: "bar", "aria-hidden": "true" }, ...parts.map((part) => width(h("span", { class: `part-${part.kind}` }), part.size / Math.max(all, 1)))),
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, title),
      h("tbody", {}, ...parts.map((part) =>
        h("tr", {}, h("th", { scope: "row" }, h("i", { class: `swatch part-${part.kind}` }), part.name), h("td", {}, bytes(part.size)), h("td", { class: "soft" }, share(part.size, all))),
      )),
    ),
  );
}

export function balance(page: Page, process: Process): HTMLElement {
  const found = page.findings.balance.find((one) => one.pid === process.pid);
  return h(
    "section",
    { id: "balance" },
    h("h2", {}, "Where the growth went"),
    found && found.at_peak.total_bytes > 0 ? stacked("at the peak", found.at_peak) : h("p", { class: "soft" }, "No tracked memory was seen."),
    found && found.at_end.total_bytes > 0 ? stacked("at the end", found.at_end) : null,
  );
}

export function owners(page: Page, process: Process): HTMLElement {
  const lines = process.lines.slice(0, 5);
  const most = Math.max(1, ...lines.map((line) => line.peak[0]));
  return h(
    "section",
    { id: "owners" },
    h("h2", {}, "Largest lines at the peak"),
    lines.length
      ? h(
          "ol",
          { class: "owners" },
          ...lines.map((line) => {
            const name = place(page.strings[line.file] ?? "", line.line);
            const source = page.strings[line.source];
            return h(
              "li",
              {},
              h("button", { type: "button", class: "link place", click: () => change({ line: name }) }, name),
              h("span", { class: "figure" }, bytes(line.peak[0])),
              h("span", { class: "meter", "aria-hidden": "true" }, width(h("span", { class: `part-${tone(line.word)}` }), line.peak[0] / most)),
              source ? h("code", {}, source) : h("span", { class: "soft" }, page.strings[line.function] ?? ""),
            );
          }),
        )
      : h("p", { class: "soft" }, "No line was seen to make memory."),
  );
}

export function tone(word: string | null): string {
  if (word === "leak" || word === "warning" || word === "note") return word;
  return word === "unknown" ? "warning" : "calm";
}
