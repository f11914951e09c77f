// The page of `tenure diff`: what became of each finding, both runs on one scale, the lines whose memory changed, both balances.
import { bytes, count, place, seconds } from "./format";
import { add, fill, h, svg } from "./dom";
import type { ComparedRun, Difference, LineMemory, Moments } from "./data";
import { card, stacked, VERDICTS } from "./overview";
import type { Axis } from "./state";

const SHOWN_AT_ONCE = 20;
const TITLES: Record<string, string> = { fixed: "Fixed", new: "New", worse: "Worse", better: "Better", same: "Still there", unclear: "Unclear" };

function header(difference: Difference): HTMLElement {
  const { before, after, findings, sentence } = difference;
  const change = findings[0]?.change ?? "none";
  const fact = (run: ComparedRun, word: string): string => `${word}: ${run.record.replace(/\/+$/, "").split("/").pop() ?? ""}`;
  const text = sentence.replace(/^(fixed|worse|still there|better, not gone|not seen again|new): /, ""); // the badge says it
  return h(
    "header",
    { class: `verdict is-${change}` },
    h("p", { class: "facts" }, h("span", {}, fact(before, "before")), h("span", { class: "dot", "aria-hidden": "true" }, "→"), h("span", {}, fact(after, "after"))),
    h("h1", {}, h("span", { class: "badge" }, TITLES[change] ?? "No leak"), h("span", {}, text.charAt(0).toUpperCase() + text.slice(1))),
  );
}

function figures({ before, after }: Difference): HTMLElement {
  const rows: [string, (run: ComparedRun) => string][] = [
    ["verdict", (run) => VERDICTS[run.verdict] ?? run.verdict],
    ["peak", (run) => bytes(run.peak_bytes)],
    ["at the end", (run) => bytes(run.live_bytes)],
    ["steps", (run) => count(run.steps)],
    ["took", (run) => (run.moments ? seconds(run.moments.seconds[run.moments.seconds.length - 1] ?? 0) : "")],
  ];
  return h(
    "section",
    { id: "figures" },
    h("h2", {}, "Both runs"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Both runs" },
      h("table", { class: "both" },
        h("caption", { class: "unseen" }, "Both runs"),
        h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, "before"), h("th", { scope: "col" }, "after"))),
        h("tbody", {}, ...rows.map(([name, of]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, of(before)), h("td", {}, of(after))))))),
  );
}

function points(moments: Moments, axis: Axis, most: { x: number; bytes: number }): string {
  return moments.live
    .map((value, i) => `${((1000 * Math.max(0, moments[axis][i] ?? 0)) / most.x).toFixed(1)},${(298 - (290 * value) / most.bytes).toFixed(1)}`)
    .join(" ");
}

function curves({ before, after }: Difference, axis: Axis): HTMLElement {
  const both = [before.moments, after.moments].filter((one): one is Moments => one !== null);
  const most = { x: Math.max(1e-9, ...both.flatMap((one) => one[axis])), bytes: Math.max(1, before.peak_bytes, after.peak_bytes, ...both.flatMap((one) => one.live)) };
  const picture = svg("svg", { viewBox: "0 0 1000 300", preserveAspectRatio: "none", class: "curves", role: "img", "aria-label": `Live memory: before, at most ${bytes(before.peak_bytes)}; after, at most ${bytes(after.peak_bytes)}` });
  for (const part of [0.25, 0.5, 0.75, 1]) picture.append(svg("line", { x1: 0, x2: 1000, y1: 298 - 290 * part, y2: 298 - 290 * part, class: "grid" }));
  if (before.moments) picture.append(svg("polyline", { points: points(before.moments, axis, most), class: "before" }));
  if (after.moments) picture.append(svg("polyline", { points: points(after.moments, axis, most), class: "after" }));
  const end = axis === "position" ? "100 %" : axis === "step" ? `step ${count(most.x)}` : seconds(most.x);
  return h(
    "figure",
    {},
    h("figcaption", { class: "legend" },
      h("span", {}, h("i", { class: "stroke before" }), `before, peak ${bytes(before.peak_bytes)}`),
      h("span", {}, h("i", { class: "stroke after" }), `after, peak ${bytes(after.peak_bytes)}`),
      h("span", { class: "soft" }, `full height: ${bytes(most.bytes)}`)),
    picture as unknown as HTMLElement,
    h("div", { class: "ends" }, h("span", {}, "0"), h("span", {}, end)),
  );
}

function memory(difference: Difference): HTMLElement | null {
  if (!difference.before.moments && !difference.after.moments) return null;
  const place = h("div", { class: "timeline" });
  const axes: [Axis, string][] = [["position", "by work"], ["seconds", "by time"]];
  if (difference.before.steps && difference.after.steps) axes.splice(1, 0, ["step", "by steps"]);
  const buttons = axes.map(([axis, name]) => h("button", { type: "button", click: () => show(axis) }, name));
  const show = (axis: Axis): void => {
    axes.forEach(([one], i) => buttons[i]?.setAttribute("aria-pressed", String(one === axis)));
    fill(place, curves(difference, axis));
  };
  show("position");
  const choice = h("div", { class: "choice", role: "group", "aria-label": "Axis" }, ...buttons);
  return h("section", { id: "memory" }, h("div", { class: "title" }, h("h2", {}, "Live memory of both"), choice), place);
}

function bar(kind: string, value: number, most: number): HTMLElement {
  const one = h("span", { class: kind });
  one.style.width = `${(100 * value) / most}%`;
  return h("span", { class: "pairbar" }, one);
}

function lineRow(before: LineMemory | null, after: LineMemory | null, most: number): HTMLElement {
  const shown = after ?? before;
  const was = before?.bytes ?? 0;
  const is = after?.bytes ?? 0;
  const word = !before ? "new" : !after ? "gone" : `${is > was ? "+" : "−"}${bytes(Math.abs(is - was))}`;
  return h(
    "tr",
    {},
    h("th", { scope: "row" },
      h("span", { class: "place" }, place(shown?.file ?? "", shown?.line ?? 0)),
      shown?.function && shown.function !== "<module>" ? h("span", { class: "soft" }, ` ${shown.function}()`) : null,
      shown?.source ? h("code", {}, shown.source) : null,
      shown?.holder ? h("span", { class: "soft holder" }, `kept by ${shown.holder}`) : null),
    h("td", { class: "bars", "aria-hidden": "true" }, bar("before", was, most), bar("after", is, most)),
    h("td", { class: "number" }, before ? bytes(was) : "–"),
    h("td", { class: "number" }, after ? bytes(is) : "–"),
    h("td", { class: `number word ${is > was ? "is-more" : "is-less"}` }, word),
  );
}

function lines(difference: Difference): HTMLElement | null {
  const all = difference.lines;
  if (!all.length) return null;
  const most = Math.max(1, ...all.map(({ before, after }) => Math.max(before?.bytes ?? 0, after?.bytes ?? 0)));
  const body = h("tbody", {});
  const more = h("button", { type: "button", class: "more", click: () => show(10 * SHOWN_AT_ONCE) }, "");
  const show = (count_: number): void => {
    const from = body.childElementCount;
    add(body, all.slice(from, from + count_).map(({ before, after }) => lineRow(before, after, most)));
    more.hidden = body.childElementCount >= all.length;
    more.textContent = `show more of ${count(all.length)}`;
  };
  show(SHOWN_AT_ONCE);
  const left = difference.lines_left_out ? ` ${count(difference.lines_left_out)} smaller changes are left out.` : "";
  return h(
    "section",
    { id: "lines" },
    h("h2", {}, "Lines whose memory changed"),
    h("p", { class: "soft" }, `The most that each held. Matched by function and statement, so that a line that moved is the same.${left}`),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Lines whose memory changed" },
      h("table", {},
        h("caption", { class: "unseen" }, "Lines whose memory changed"),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "line"), h("td", {}), h("th", { scope: "col", class: "number" }, "before"), h("th", { scope: "col", class: "number" }, "after"), h("th", { scope: "col", class: "number" }, "change"))),
        body)),
    more,
  );
}

function balances({ before, after }: Difference): HTMLElement {
  const one = (run: ComparedRun, word: string): HTMLElement | null => (run.balance && run.balance.at_peak.total_bytes > 0 ? stacked(`${word}, at the peak`, run.balance.at_peak) : null);
  return h("section", { id: "balance" }, h("h2", {}, "Where the growth went"), h("div", { class: "pair" }, h("div", {}, one(before, "before")), h("div", {}, one(after, "after"))));
}

function changes(difference: Difference): HTMLElement | null {
  if (!difference.findings.length) return null;
  const left = difference.findings_left_out;
  return h(
    "section",
    { id: "findings" },
    h("h2", { class: "unseen" }, "What became of each finding"),
    ...difference.findings.map((one, i) => card(one.finding, one.headline, `finding-${i + 1}`, one.change)),
    left ? h("p", { class: "soft" }, `${count(left)} more are left out.`) : null,
  );
}

export function differencePage(difference: Difference): HTMLElement {
  return h("main", {}, header(difference), changes(difference), memory(difference), figures(difference), lines(difference), balances(difference));
}
