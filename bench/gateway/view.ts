import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { freshPage } from "../../scripts/build-page.ts";
import { openStore } from "../../src/store/open.ts";
import { openBrowser } from "../../test/browser/open-browser.ts";
import { type BenchRow, median, sized } from "../harness.ts";
import { Talk } from "../recall/talk.ts";
import { below } from "../rows.ts";
import { type BenchPlace, openBenchPlace } from "./place.ts";

const MESSAGES = sized(1_000_000, 400);
const CONVERSATION = 200;
const VIEWS = sized(9, 1);
const WORDS = sized(12, 1);
/** Common, less common and rare. */
const RANKS = [90, 2000, 100_000];
const VIEW_MS = 500;
const SCRIPT_KB = 200;
const KEY_MS = 50;

type SavedState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** The page in a real browser, over many messages. */
export async function view(folder: string): Promise<BenchRow[]> {
  const path = join(folder, "viewed.db");
  const talk = await fill(path);
  await using place = await openBenchPlace(folder, { path, page: await freshPage() });
  await using browser = await openBrowser();
  const state = await signedIn(browser, place);
  const [views, scriptKb] = await coldViews(browser, place.url, state);
  const context = await browser.newContext({ storageState: state });
  const page = await context.newPage();
  await page.goto(place.url);
  const keys = await keyTimes(page, talk);
  const size = MESSAGES.toLocaleString("en");
  return [
    below(`page: first view with conversations, of ${size} messages, cold cache`, views, VIEW_MS, "ms", 0),
    below("… scripts of that view, gzip", scriptKb, SCRIPT_KB, "kB"),
    below(`… key press to results, of ${size} messages, median`, median(keys), KEY_MS, "ms"),
    below("… 95 of 100", keys[Math.floor(keys.length * 0.95)] ?? 0, KEY_MS, "ms"),
  ];
}

/** Messages of words, and their index. */
async function fill(path: string): Promise<Talk> {
  const talk = new Talk();
  await using store = await openStore(`sqlite:${path}`, { durability: "process" });
  for (let done = 0; done < MESSAGES; done += CONVERSATION) {
    const chat = await store.create();
    const role = (index: number) => (index % 2 === 0 ? "user" : "assistant");
    await chat.append(
      Array.from({ length: CONVERSATION }, (_, index) => ({ role: role(index), content: talk.text() })),
    );
  }
  await store.rebuildSearch();
  return talk;
}

async function signedIn(browser: Browser, place: BenchPlace): Promise<SavedState> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(place.link());
  await page.locator(".side .row").first().waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

/** From the beginning of a navigation to the first conversations, in milliseconds, and the scripts of it in kB. */
async function coldViews(browser: Browser, url: string, storageState: SavedState): Promise<[number, number]> {
  const times: number[] = [];
  let bytes = 0;
  for (let view = 0; view < VIEWS; view++) {
    const context = await browser.newContext({ storageState });
    const page = await context.newPage();
    const scripts: Promise<Buffer>[] = [];
    page.on("response", (response) => {
      if (response.request().resourceType() === "script") scripts.push(response.body());
    });
    await page.goto(url, { waitUntil: "commit" });
    times.push(await until(page, "document.querySelector('.side .row')"));
    await page.waitForLoadState("networkidle");
    bytes = (await Promise.all(scripts)).reduce((sum, body) => sum + gzipSync(body).length, 0);
    await context.close();
  }
  return [median(times), bytes / 1000];
}

/** The frame in which something is true, in milliseconds of the page. */
async function until(page: Page, condition: string): Promise<number> {
  const look = `const look = () => (${condition}) ? done(performance.now()) : requestAnimationFrame(look)`;
  return (await page.evaluate(`new Promise((done) => { ${look}; look(); })`)) as number;
}

/** In the page: how long after each key the results of the new text were there, at the next frame. */
const WATCH = `(() => {
window.keyTimes = [];
const status = () => document.querySelector(".results [role=status]")?.textContent ?? "";
let since;
let isEmpty = false;
addEventListener("input", (event) => { since = event.timeStamp; isEmpty = false; }, true);
new MutationObserver(() => {
  if (since === undefined) return;
  if (status() === "") isEmpty = true;
  else if (isEmpty) {
    const start = since;
    since = undefined;
    requestAnimationFrame(() => window.keyTimes.push(performance.now() - start));
  }
}).observe(document.body, { subtree: true, childList: true, characterData: true });
})()`;

/** Words of all kinds, letter by letter; sorted. */
async function keyTimes(page: Page, talk: Talk): Promise<number[]> {
  const field = page.getByRole("searchbox");
  await page.locator(".side .row").first().waitFor();
  await page.evaluate(WATCH);
  let count = 0;
  for (let index = 0; index < WORDS; index++) {
    const word = talk.ranked((RANKS[index % RANKS.length] ?? 0) + index);
    await field.fill("");
    for (const letter of word) {
      await field.press(letter);
      await until(page, `window.keyTimes.length === ${++count}`);
    }
  }
  const times = (await page.evaluate("window.keyTimes")) as number[];
  return times.sort((one, other) => one - other);
}
