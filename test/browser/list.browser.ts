/** The left column over 100,000 conversations: scrolling, filters, and what other tabs change. */
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { type BrowserPlace, openBrowserPlace } from "./pages-place.ts";
import { runInPage } from "./scene.ts";
import { scroll } from "./scroll.ts";

const COUNT = 100_000;
const FORKED = "Conversation 120";
const MINUTE = 60_000;

let open: BrowserPlace;
beforeAll(async () => {
  open = await openBrowserPlace(seed);
});
afterAll(async () => {
  expect(open.problems).toEqual([]);
  await open[Symbol.asyncDispose]();
});

/** A minute after each other. Only one has branches, far down, and only one is of the channel `pigeon`. */
async function seed(location: string): Promise<void> {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const store = await openStore(location, { clock: () => now, durability: "process" });
  const BATCH = 5000;
  for (let from = 0; from < COUNT; from += BATCH) {
    const made = Array.from({ length: BATCH }, (_, index) => {
      now += MINUTE;
      const number = from + index;
      const channel = number === 77 ? "pigeon" : number % 3 === 0 ? "mail" : "web";
      return store.create({ title: `Conversation ${number}`, channel, model: `local/m-${number % 4}` });
    });
    await Promise.all(made);
  }
  const [forked] = (await store.list({ title: FORKED, before: "2026-01-01T02:30:00Z" })).items;
  const chat = await store.get(forked?.id ?? "");
  const { head } = (await chat?.append({ role: "user", content: "Left or right?" })) ?? { head: "" };
  await chat?.branch(head, { name: "right" });
  await store.close();
}

const row = (page: Page, title: string): Locator =>
  page.locator(".side .row", { has: page.getByText(title, { exact: true }) });
const newest = `Conversation ${COUNT - 1}`;

it("scrolls through 100,000 conversations without a blank frame", async () => {
  const page = await open.window({ viewport: { width: 1440, height: 900 } });
  await open.show("", page);
  await row(page, newest).waitFor();
  const down = await scroll(page, "conversations", { step: 900, frames: 240 });
  expect(down.blank).toBe(0);
  expect(down.seen).toBeGreaterThan(2000);
  const up = await scroll(page, "conversations", { step: -2500, frames: 60 });
  expect(up.blank).toBe(0);
  // Only what is near the window exists.
  expect(up.elements).toBeLessThan(80);
  await page.context().close();
});

it("filters by what no loaded row has", async () => {
  const page = await open.window({ viewport: { width: 1440, height: 900 } });
  await open.show("", page);
  await row(page, newest).waitFor();
  await page.getByRole("button", { name: "Channel" }).click();
  await page.getByRole("menuitemradio", { name: "pigeon" }).click();
  await row(page, "Conversation 77").waitFor();
  await page.getByText("1 conversation", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Remove all filters" }).click();
  await page.getByRole("button", { name: "Branch" }).click();
  await page.getByRole("menuitemradio", { name: "With branches" }).click();
  await row(page, FORKED).waitFor();
  await page.getByText("1 conversation", { exact: true }).waitFor();
  await page.context().close();
});

it("asks once for the first page", async () => {
  const page = await open.window();
  const asked: string[] = [];
  page.on("request", (request) => {
    if (/conversations\?.*words=true/.test(request.url())) asked.push(request.url());
  });
  const socket = page.waitForEvent("websocket");
  await open.show("", page);
  await (await socket).waitForEvent("framereceived", ({ payload }) => /"stream"/.test(String(payload)));
  await row(page, newest).waitFor();
  await page.waitForLoadState("networkidle");
  expect(asked.length).toBe(1);
  await page.context().close();
});

it("keeps a long list whole and in place when it is read again", async () => {
  const page = await open.window({ viewport: { width: 1440, height: 900 } });
  await open.show("", page);
  await row(page, newest).waitFor();
  // The next page is held until the list has been read again: it must not follow the first one.
  let isHeld = false;
  const held = Promise.withResolvers<void>();
  await page.route(/conversations\?.*cursor=/, async (route) => {
    if (!isHeld) {
      isHeld = true;
      await held.promise;
    }
    await route.continue().catch(() => {});
  });
  await scroll(page, "conversations", { step: 900, frames: 10 });
  await expect.poll(() => isHeld).toBe(true);
  const readAgain = page.waitForResponse((response) => /conversations\?(?!.*cursor)/.test(response.url()));
  // So many at once that the gateway asks to read the list again.
  await Promise.all(Array.from({ length: 400 }, (_, n) => open.place.store.create({ title: `Late ${n}` })));
  await (await readAgain).finished();
  held.resolve();
  await scroll(page, "conversations", { step: 900, frames: 90 });
  const titles = await runInPage<string[]>(page, "shown-titles", {});
  const numbers = titles.map((title) => Number(title.replace("Conversation ", "")));
  expect(numbers[0]).toBeLessThan(COUNT - 500);
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) - index));
  // What is read stays in place, although hundreds of rows arrive above it.
  const top = (await row(page, titles[3] ?? "").boundingBox())?.y;
  const again = page.waitForResponse((response) => /conversations\?.*cursor=/.test(response.url()));
  await Promise.all(Array.from({ length: 900 }, (_, n) => open.place.store.create({ title: `Later ${n}` })));
  await (await again).finished();
  await page.waitForLoadState("networkidle");
  expect(await runInPage(page, "shown-titles", {})).toEqual(titles);
  expect((await row(page, titles[3] ?? "").boundingBox())?.y).toBe(top);
  await page.context().close();
});

it("shows in one tab what happens in another", async () => {
  const page = await open.window({ viewport: { width: 1440, height: 900 } });
  await open.show("", page);
  const other = await page.context().newPage();
  await open.show("", other);
  for (const tab of [page, other]) await tab.locator(".side .row").first().waitFor();
  const chat = await open.place.store.create({ title: "Shared" });
  await chat.append({ role: "user", content: "Some words of mine" });
  for (const tab of [page, other]) await row(tab, "Shared").getByText("Some words of mine").waitFor();
  // Renamed here, seen there.
  await row(page, "Shared").click();
  await page.getByRole("button", { name: "Shared", exact: true }).click();
  await page.getByLabel("Title").fill("Renamed");
  await page.keyboard.press("Enter");
  await row(other, "Renamed").waitFor();
  // Unread in the tab that has read it before and looks elsewhere.
  await open.show("", page);
  await row(page, "Renamed").waitFor();
  await chat.append({ role: "assistant", content: "The **first** news" });
  await page.locator(".row.unread", { hasText: "The first news" }).waitFor();
  await chat.append({ role: "assistant", content: "The second news" });
  await page.locator(".row.unread", { hasText: "Renamed" }).getByText("3", { exact: true }).waitFor();
  await page.reload();
  await page.locator(".row.unread", { hasText: "The first news" }).waitFor();
  // Moved to the trash there, back here.
  await row(other, "Renamed").click();
  await other.getByRole("button", { name: "More", exact: true }).click();
  await other.getByRole("menuitem", { name: "Move to the trash" }).click();
  await row(page, "Renamed").waitFor({ state: "detached" });
  await other.getByRole("button", { name: "Undo" }).click();
  await row(page, "Renamed").waitFor();
  // An old conversation goes where its time is, not to the top.
  const old = await open.place.store.create({ title: "Very old" });
  await row(page, "Very old").waitFor();
  await old.append({ role: "user", content: "x", at: "2020-01-01T00:00:00Z" });
  await row(page, "Very old").waitFor({ state: "detached" });
  await page.context().close();
});
