/** `npm run screenshots`: every page in both themes, into docs/images. */
import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { openScene, runInPage } from "./scene.ts";
import { seed } from "./seed.ts";
import { seedBranches } from "./seed-branches.ts";

const FOLDER = "docs/images";
const SIZES = { large: [1440, 900], middle: [1024, 768], phone: [390, 844] } as const;
const TOOLS = { "claude-code": ".claude/projects/shop", codex: ".codex/sessions", gemini: ".gemini/tmp" };
const NOTES = [
  "The staging database is a copy of Monday's backup; nothing in it is secret.",
  "Reviews: small commits, the reason in the message, tests in the same commit.",
  "The office in Lisbon is closed on 10 June and 1 December.",
];

let id = "";
let branched = "";
const words = "The index stays small if old hits move to another table.\n\n".match(/\S+\s*/g) ?? [];
const scene = await openScene(
  async (store) => {
    for (const title of ["Draft of the talk", "Names for the cat"]) {
      const chat = await store.create({ title, channel: "web" });
      await chat.append([
        { role: "user", content: `${title}?` },
        { role: "assistant", content: "Here are five." },
      ]);
      await store.delete(chat.id);
    }
    id = (await seed(store, Date.now())).id;
    branched = (await seedBranches(store, Date.now())).id;
  },
  () => [...words.map((text) => ({ text })), { delayMs: 8000 }],
);
const home = dirname(scene.stateDir);
for (const [format, place] of Object.entries(TOOLS))
  cpSync(join("test/fixtures", format), join(home, place), { recursive: true });
await fill(await scene.open());
mkdirSync(FOLDER, { recursive: true });

/** Notes, a token, and an index that is built. */
async function fill(page: Page): Promise<void> {
  const post = (path: string, data: object): Promise<unknown> =>
    page.request.post(`${scene.url}/api/v1/${path}`, { data, headers: { origin: scene.url } });
  for (const text of NOTES) await post("memory", { text });
  await post("tokens", { name: "Backup script", permission: "read" });
  await page.request.get(`${scene.url}/api/v1/search?q=index`);
  await page.close();
}

/** What is there once a page has been read. */
const PLACES: readonly (readonly [
  name: string,
  place: string,
  ready: string,
  sizes: readonly (keyof typeof SIZES)[],
])[] = [
  ["conversation", `#/c/${id}`, ".message", ["large", "middle", "phone"]],
  ["list", "#/", ".row", ["phone"]],
  ["new", "#/new", ".home .state", ["large"]],
  ["import", "#/import", ".found-tools", ["large"]],
  ["memory", "#/memory", ".memory-entry", ["large"]],
  ["usage", "#/usage", ".usage-table", ["large"]],
  ["tokens", "#/tokens", ".table + h2 + .table", ["large"]],
  ["settings", "#/settings", ".setting", ["large"]],
  ["trash", "#/trash", ".table", ["large"]],
  ["doctor", "#/doctor", ".doctor-checked", ["large"]],
  ["about", "#/about", ".fact-list", ["large"]],
];

for (const colorScheme of ["light", "dark"] as const) {
  for (const size of Object.keys(SIZES) as (keyof typeof SIZES)[]) {
    const [width, height] = SIZES[size];
    const touch = size === "phone" && { hasTouch: true, isMobile: true };
    const page = await scene.open("#/", { viewport: { width, height }, colorScheme, ...touch });
    const shoot = async (name: string, ready: string): Promise<void> => {
      await page.locator(ready).first().waitFor();
      await page.waitForTimeout(500);
      await runInPage(page, "short-home", { home });
      const end = size === "large" ? "" : `-${size}`;
      await page.screenshot({ path: `${FOLDER}/${name}-${colorScheme}${end}.png` });
    };
    for (const [name, place, ready, sizes] of PLACES) {
      if (!sizes.includes(size)) continue;
      await page.goto(`${scene.url}/${place}`);
      await shoot(name, ready);
    }
    if (size !== "large") continue;
    await page.goto(`${scene.url}/#/c/${id}`);
    await page.locator(".message").first().waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await shoot("context", ".ledger-item");
    await page.goto(`${scene.url}/#/c/${branched}`);
    await page.locator(".message", { hasText: "a deploy empties" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await shoot("tree", ".branch-row");
    await page.locator(".branch-row").first().hover();
    await page.getByRole("button", { name: /^Compare main/ }).click();
    await shoot("compare", ".compare-columns .differs");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.goto(`${scene.url}/#/c/${id}`);
    await page.keyboard.press("/");
    await page.keyboard.type("index");
    await shoot("search", ".results mark");
    await page.context().clearCookies();
    await page.reload();
    await shoot("sign-in", ".sign-in-form");
  }
}
await scene[Symbol.asyncDispose]();
