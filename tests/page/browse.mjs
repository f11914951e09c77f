// Opens report pages in a real browser and prints, as JSON, what is on them: tests/page/test_page.py judges that.
//
// usage: node browse.mjs CHROMIUM look|use|difference REPORT.html [SCREENSHOT.png]   run where node_modules is
//        node browse.mjs CHROMIUM tour REPORT.html [FOLDER]                  the pictures of docs/tour.md
//        node browse.mjs CHROMIUM screens REPORT.html FOLDER                 for tools/first_screens.py
//        node browse.mjs CHROMIUM big REPORT.html                            how long a very large page takes
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.cwd()}/`);
const { chromium } = await import(pathToFileURL(require.resolve("playwright-core")).href).then((m) => m.default ?? m);
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [executablePath, what, file, screenshot] = process.argv.slice(2);
const url = pathToFileURL(file).href;
const seen = { errors: [], requests: [] };

const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

async function open(options, hash = "") {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, bypassCSP: false, ...options });
  const page = await context.newPage();
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && seen.errors.push(message.text()));
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("dialog", (dialog) => seen.errors.push(`dialog: ${dialog.message()}`));
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== url && !request.url().startsWith("data:")) seen.requests.push(request.url());
  });
  await page.goto(url + hash);
  await page.waitForSelector("#page[data-ready]");
  return page;
}

const texts = (page, selector) => page.$$eval(selector, (all) => all.map((one) => one.innerText.replace(/\s+/g, " ").trim()));
const colored = (page, selector) =>
  page.$eval(selector, (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colors = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) colors.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
    return colors.size;
  });

// The policy of the page lets no script of ours in by an element; a test tool may.
async function complaints(page) {
  await page.evaluate(axe);
  const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return result.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).slice(0, 5).join(" | ")}`);
}

async function look() {
  const page = await open({});
  const all = {
    title: await page.title(),
    verdict: await texts(page, "h1"),
    badge: await texts(page, ".badge"),
    findings: await texts(page, ".finding"),
    chain: await texts(page, ".chain li"),
    life: await texts(page, ".life li"),
    trees: await texts(page, "#calls .choice:first-of-type button"),
    legend: await texts(page, ".legend span"),
    balance: await texts(page, ".balance th"),
    owners: await texts(page, ".owners li"),
    lines: await texts(page, "#lines tbody tr"),
    survivors: await page.$$eval(".multiples .alive", (bars) => bars.filter((bar) => bar.getAttribute("height") > 0).length),
    blocks: await texts(page, "#blocks tbody tr"),
    processes: await texts(page, "#processes tbody tr"),
    why: await texts(page, "#why tbody tr"),
    coverage: await texts(page, "footer"),
    images: await page.$$eval("img", (all) => all.length),
    timeline_colors: await colored(page, ".plot canvas"),
    calls_colors: await colored(page, ".icicle canvas"),
    ready_ms: await page.evaluate(() => performance.now()),
  };
  if (screenshot) await page.screenshot({ path: screenshot });
  const small = await open({ viewport: { width: 360, height: 740 } });
  all.small_width = await small.evaluate(() => document.documentElement.scrollWidth);
  const large = await open({ viewport: { width: 3840, height: 2160 } });
  all.large_width = await large.evaluate(() => document.documentElement.scrollWidth);
  const dark = await open({ colorScheme: "dark" });
  all.dark_background = await dark.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  all.complaints = [...(await complaints(page)), ...(await complaints(dark)), ...(await complaints(small))];
  return all;
}

// One user's way through the page of a leak, by mouse and keyboard.
async function use() {
  const page = await open({});
  const hash = () => page.evaluate(() => decodeURIComponent(location.hash));
  const all = { before: await texts(page, "#lines tbody tr") };
  await page.keyboard.press("/");
  await page.keyboard.type("load");
  all.searched = await texts(page, "#lines tbody tr");
  all.search_hash = await hash();
  await page.keyboard.press("Escape");
  all.after_escape = await texts(page, "#lines tbody tr");

  const plot = await page.$(".plot canvas");
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.8 * box.width, box.y + 110, { steps: 4 });
  await page.mouse.up();
  all.range_hash = await hash();
  all.range_head = await texts(page, "#lines thead th");
  all.range_lines = await texts(page, "#lines tbody tr");
  all.tip = await texts(page, ".tip");

  const again = await open({}, await page.evaluate(() => location.hash));
  all.linked_lines = await texts(again, "#lines tbody tr");
  await page.keyboard.press("Escape");
  all.range_cleared = await hash();

  const chart = await plot.boundingBox();
  await page.mouse.click(chart.x + 0.6 * chart.width, chart.y + 246); // the first band stands on the axis, which is at 250
  all.band_clicked = await texts(page, "#line h2");
  await page.keyboard.press("Escape");
  await page.mouse.click(chart.x + 0.6 * chart.width, chart.y + 30);
  all.above_clicked = await page.isVisible("#line");

  await page.click("#memory button:text-is('by steps')");
  const steps = await plot.boundingBox();
  await page.mouse.click(steps.x + 0.6 * steps.width, steps.y + 266); // below the axis
  all.step_hash = await hash();
  all.step_lines = await texts(page, "#lines tbody tr");
  await page.keyboard.press("Escape");
  await page.click("#memory button:text-is('by work')");

  await page.focus(".plot canvas");
  await page.keyboard.press("End");
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Shift+ArrowLeft");
  all.keyboard_range = await hash();
  await page.keyboard.press("Escape");

  await page.focus(".icicle canvas");
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  all.trail = await texts(page, ".trail button");
  all.call_hash = await hash();
  await page.keyboard.press("Escape");
  all.trail_after = await texts(page, ".trail button");
  for (const tree of ["by holder", "by module", "by operation"]) {
    await page.click(`#calls button:text-is('${tree}')`);
    all[tree] = await hash();
  }
  await page.click("#calls button:text-is('by calls')");
  await page.click("text=inverted");
  all.inverted_hash = await hash();
  all.inverted_colors = await colored(page, ".icicle canvas");

  await page.click(".owners button");
  all.detail = await texts(page, "#line");
  all.line_hash = await hash();
  await page.keyboard.press("Escape");
  all.detail_after = await page.isVisible("#line");
  await page.keyboard.press("?");
  all.keys = await texts(page, "dialog[open]");
  return all;
}

// A picture of what is on the page between two heights: the tour's are narrow, to be read on a phone as well.
async function picture(page, name, element, most = 900, scale = "device") {
  if (!screenshot) return;
  const box = await page.evaluate((one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    const edge = Math.min(12, Math.max(0, x));
    return { x: x + scrollX - edge, y: y + scrollY - Math.min(edge, y + scrollY), width: width + 2 * edge, height: height + 2 * edge };
  }, element);
  const clip = { ...box, height: Math.min(box.height, most) };
  await page.screenshot({ path: `${screenshot}/${name}.png`, fullPage: true, clip, scale });
}

// The way of docs/tour.md through the page of its program: what is read at each step, and a picture of it.
async function tour() {
  const page = await open({ viewport: { width: 860, height: 900 }, deviceScaleFactor: 1.25 });
  const all = { first: await texts(page, ".verdict h1, .verdict .lead") };
  if (!(await page.$(".finding"))) {
    await picture(page, "fixed", await page.$("body"), 640, "css");
    return all;
  }
  await picture(page, "first-screen", await page.$("body"), 960, "css");
  all.finding = await texts(page, ".finding");
  all.chain = await texts(page, ".chain li");
  all.fix = await texts(page, ".finding .fix dd");

  await page.setViewportSize({ width: 700, height: 900 });
  await page.click("#memory button:text-is('by steps')");
  const memory = await page.$("#memory");
  const plot = await page.$(".plot canvas");
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 160);
  all.tip = await texts(page, ".tip");
  await picture(page, "point", memory);

  await page.mouse.move(box.x + 0.5 * box.width, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 110, { steps: 4 });
  await page.mouse.up();
  await page.mouse.move(1, 1);
  await picture(page, "range", memory);
  all.range_head = await texts(page, "#lines thead th");
  all.range_line = (await texts(page, "#lines tbody tr"))[0];
  await picture(page, "range-lines", await page.$("#lines"), 440);
  await page.keyboard.press("Escape");

  await page.click(`#lines .place:text-is("${all.chain[0].match(/[^ ]+:[0-9]+/)[0]}")`);
  all.line = await texts(page, "#line");
  await picture(page, "line", await page.$("#line"), 640);
  await page.keyboard.press("Escape");

  const block = page.locator("#blocks tbody tr", { hasText: "gradient graph" }).first();
  all.block = (await block.innerText()).replace(/\s+/g, " ");
  await block.locator("summary").click();
  all.way = await texts(page, "#blocks details[open] li");
  await picture(page, "path", await block.elementHandle(), 900);
  return all;
}

// How long a very large page takes: to its first screen, and from each act of a user until the page is drawn anew. Told, and
// held to nothing: other work on the machine counts too.
async function big() {
  const began = Date.now();
  const page = await open({});
  const all = { opened_ms: Date.now() - began, first_screen_ms: await page.evaluate(() => performance.now()) };
  // Processor time of the page, which other work on the machine does not change, beside the time on the clock.
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.setTimeDomain", { timeDomain: "threadTicks" });
  await session.send("Performance.enable");
  const processor = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
  };
  const timed = async (act, argument) => {
    const before = await processor();
    const { busy, drawn } = await watched(act, argument);
    return { busy, drawn, processor: (await processor()) - before };
  };
  const watched = (act, argument) =>
    page.evaluate(
      async ([source, given]) => {
        const from = performance.now();
        new Function("given", source)(given);
        const done = performance.now();
        await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
        return { busy: done - from, drawn: performance.now() - from };
      },
      [act, argument],
    );
  const search = "const i = document.querySelector('#lines input'); i.value = given; i.dispatchEvent(new Event('input'))";
  const click = "[...document.querySelectorAll(given[0])].find((b) => b.textContent === given[1]).click()";
  const point = "const c = document.querySelector('.plot canvas'), b = c.getBoundingClientRect(); for (const [what, x] of given) c.dispatchEvent(new PointerEvent(what, { pointerId: 1, bubbles: true, clientX: b.x + x * b.width, clientY: b.y + 90 }))";
  const zoom = "const c = document.querySelector('.icicle canvas'), b = c.getBoundingClientRect(); c.dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: b.x + 40, clientY: b.y + 60 }))";
  all.acts = {};
  await page.evaluate(() => (HTMLCanvasElement.prototype.setPointerCapture = () => {}));
  const acts = [
    ["search", search, "cache"], ["search for two words", search, "cache load"], ["end of the search", search, ""],
    ["point at the chart", point, [["pointermove", 0.4]]],
    ["select a range", point, [["pointerdown", 0.4], ["pointermove", 0.7], ["pointerup", 0.7]]],
    ["order by blocks", click, ["#lines .sort", "blocks made"]],
    ["bytes made in all", click, ["#calls button", "made in all"]],
    ["make a call the whole", zoom, 0],
    ["inverted", click, ["#calls button", "inverted"]],
    ["from the outside in", click, ["#calls button", "from the outside in"]],
    ["by steps", click, ["#memory button", "by steps"]],
  ];
  for (const [name, act, argument] of acts) all.acts[name] = await timed(act, argument);
  all.rows = await texts(page, "#lines tbody tr");
  all.told = await texts(page, "#lines > p");
  all.calls_colors = await colored(page, ".icicle canvas");
  all.violations = await complaints(page);
  return all;
}

// What is seen without a click, and all of the page below it.
async function screens() {
  const kinds = { light: {}, dark: { colorScheme: "dark" }, phone: { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 } };
  for (const [name, options] of Object.entries(kinds)) {
    const page = await open(options);
    await page.screenshot({ path: `${screenshot}/${name}.png` });
    await page.screenshot({ path: `${screenshot}/${name}-all.png`, fullPage: true });
  }
  return {};
}

// The page of `tenure diff`.
async function difference() {
  const page = await open({});
  const all = {
    title: await page.title(),
    verdict: await texts(page, "h1"),
    badge: await texts(page, ".badge"),
    findings: await texts(page, ".finding"),
    figures: await texts(page, "#figures tr"),
    curves: await page.$$eval(".curves polyline", (all) => all.map((one) => `${one.getAttribute("class")} ${one.getAttribute("points").split(" ").length}`)),
    lines: await texts(page, "#lines tbody tr"),
    balance: await texts(page, ".balance th"),
  };
  await page.click("#memory button:text-is('by time')");
  all.pressed = await texts(page, "#memory button[aria-pressed=true]");
  if (screenshot) await page.screenshot({ path: screenshot });
  const dark = await open({ colorScheme: "dark" });
  const small = await open({ viewport: { width: 360, height: 740 } });
  all.small_width = await small.evaluate(() => document.documentElement.scrollWidth);
  all.complaints = [...(await complaints(page)), ...(await complaints(dark)), ...(await complaints(small))];
  return all;
}

const ways = { look, use, tour, big, screens, difference };
const result = await ways[what]();
console.log(JSON.stringify({ ...seen, ...result }));
await browser.close();
