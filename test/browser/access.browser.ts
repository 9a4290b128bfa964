import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openScene, type Scene } from "./scene.ts";
import { seed } from "./seed.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** What Markdown, HTML and addresses can try. */
const ATTACKS = [
  "<script>window.hacked = 1</script>",
  '<img src=x onerror="window.hacked = 1">',
  '<svg onload="window.hacked = 1"></svg>',
  "[click](javascript:window.hacked=1)",
  "[click](JaVaScRiPt:window.hacked=1)",
  "[click](data:text/html,<script>window.hacked=1</script>)",
  "![x](javascript:window.hacked=1)",
  "![x](https://tracker.example/pixel.png)",
  '<iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  '<a href="javascript:window.hacked=1">x</a>',
  "[x]: javascript:window.hacked=1\n\n[x]",
  "```html\n<script>window.hacked = 1</script>\n```",
  "<style>body{display:none}</style>",
  '<base href="https://evil.example/">',
  "| a |\n| - |\n| <img src=x onerror=window.hacked=1> |",
  "&lt;script&gt;window.hacked=1&lt;/script&gt;",
];
/** The other pages are in `pages-looks.browser.ts`. */
const PLACES = ["", "new"];

let scene: Scene;
let id = "";
let attacked = "";

beforeAll(async () => {
  scene = await openScene(async (store) => {
    const conversation = await store.create({
      title: "<img src=x onerror=window.hacked=1>",
      key: "web:<b>x</b>",
    });
    attacked = conversation.id;
    await conversation.append(
      ATTACKS.map((content) => ({ role: "assistant" as const, content, model: "<b>m</b>" })),
    );
    id = (await seed(store, Date.now())).id;
  });
});
afterAll(async () => {
  expect(scene.problems).toEqual([]);
  await scene[Symbol.asyncDispose]();
});

/** The findings of axe that matter: serious and critical ones. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(`axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target).join(", ")))`);
}

it("shows attacks as text, and asks no other server", async () => {
  const page = await scene.open(`#/c/${attacked}`);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.locator(".message").last().waitFor();
  await page.keyboard.press("Home");
  await page.waitForTimeout(300);
  for (const link of await page.locator(".messages a").all())
    expect(await link.getAttribute("href")).toMatch(/^https:/);
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  expect(
    await page.locator(".messages script, .messages iframe, .messages style, .messages base").count(),
  ).toBe(0);
  expect(asked.filter((url) => !url.startsWith(scene.url))).toEqual([]);
});

it.each(["light", "dark"] as const)("has no serious finding of axe in the %s theme", async (colorScheme) => {
  const page = await scene.open("#/", { colorScheme });
  const found: string[] = [];
  for (const place of [...PLACES, `c/${id}`]) {
    await page.goto(`${scene.url}/#/${place}`);
    await page.locator(`main h1`).first().waitFor();
    await page.waitForLoadState("networkidle");
    found.push(...(await findings(page)).map((finding) => `${place} ${finding}`));
  }
  expect(found).toEqual([]);
});

it("works with the keyboard alone", async () => {
  const page = await scene.open();
  await page.keyboard.press("/");
  await page.keyboard.type("commit");
  await page.locator(".results .row").first().waitFor();
  // Down to the second row, and back through the first one to the field.
  for (const key of ["ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp"]) await page.keyboard.press(key);
  await page.locator(".search-field input:focus").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator(".message").first().waitFor();
  await page.keyboard.press("j");
  await page.locator(".message:focus").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.getByRole("complementary", { name: "Inspector" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("complementary", { name: "Inspector" }).waitFor({ state: "detached" });
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
});

it("shows one column on a phone, with a way back", async () => {
  const page = await scene.open("#/", {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await page.locator(".row").first().click();
  await page.locator(".message").first().waitFor();
  expect(await page.locator(".side").isVisible()).toBe(false);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  // The title is whole, beside buttons that a finger finds.
  const isWhole = "((e) => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight)";
  expect(await page.evaluate(`${isWhole}(document.querySelector(".title-button"))`)).toBe(true);
  expect((await page.locator(".title-button").boundingBox())?.width).toBeGreaterThan(200);
  expect(await page.locator(".meter-button").isVisible()).toBe(true);
  // What can be done with a message is shown when it is tapped, and only then can a finger meet it.
  const look = (): Promise<string[]> =>
    page.evaluate(
      "((style) => [style.opacity, style.pointerEvents])(getComputedStyle(document.querySelector('.message-foot')))",
    );
  expect(await look()).toEqual(["0", "none"]);
  await page
    .locator(".message-body")
    .first()
    .tap({ position: { x: 4, y: 4 } });
  await expect.poll(look).toEqual(["1", "auto"]);
  await page.getByRole("link", { name: "Back to the list" }).click();
  await page.locator(".row").first().waitFor();
});

it("connects again when its access token has ended, and asks to sign in when the sign-in has", async () => {
  const page = await scene.open(`#/c/${id}`, {});
  const cut = async (): Promise<void> => {
    await scene.kill();
    await scene.start();
  };
  await page.context().clearCookies({ name: /access/ });
  const heard: string[] = [];
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => heard.push(String(payload))));
  await cut();
  await expect.poll(() => heard[0], { timeout: 15_000 }).toContain('"ok":true');
  await page.context().clearCookies();
  await cut();
  await page.getByRole("heading", { name: "Colloquy" }).waitFor();
});

it("signs in with a link that is pasted into its own tab, and says why a used one does not work", async () => {
  const page = await scene.open("#/", { viewport: { width: 1440, height: 900 } });
  await page.context().clearCookies();
  await page.reload();
  await page.locator(".sign-in-form").waitFor();
  const link = await scene.link();
  await page.goto(link);
  await page.getByRole("navigation", { name: "Conversations" }).waitFor();
  expect(page.url()).not.toContain("sign-in");
  await page.context().clearCookies();
  await page.reload();
  await page.locator(".sign-in-form").waitFor();
  await page.goto(link);
  await page.getByText("The link was used already, or has expired.").waitFor();
  await page.context().close();
});

it("leaves nothing of a person behind who signs out", async () => {
  const page = await scene.open("#/new", { colorScheme: "light" });
  await page.getByLabel("Message", { exact: true }).fill("A secret draft");
  await page.getByRole("button", { name: "Pages, theme and account" }).click();
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  const kept = (): Promise<string> => page.evaluate("Object.keys(localStorage).sort().join()");
  expect(await kept()).toBe("colloquy.draft.new,colloquy.theme");
  await page.getByRole("button", { name: "Pages, theme and account" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByLabel("Token").waitFor();
  // The page is loaded again meanwhile.
  await expect.poll(kept).toBe("colloquy.theme");
  expect(page.url()).toBe(`${scene.url}/#/`);
});

it("begins an empty store with three things to do", async () => {
  await using empty = await openScene(async () => {});
  const page = await empty.open();
  const main = page.getByRole("main");
  for (const name of [/Import what is on this machine/, /Read what this is/])
    await main.getByRole("link", { name }).waitFor();
  await main.getByRole("link", { name: /Start a chat/ }).click();
  await page.locator("textarea:focus").waitFor();
  // On a phone, where the list is shown first, it has them.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${empty.url}/#/`);
  await page.getByRole("link", { name: /Start a chat/ }).click();
  await page.locator("textarea:focus").waitFor();
});
