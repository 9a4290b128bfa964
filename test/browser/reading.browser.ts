import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openScene, type Scene } from "./scene.ts";
import { seed } from "./seed.ts";

let scene: Scene;
let id = "";

beforeAll(async () => {
  scene = await openScene(async (store) => {
    id = (await seed(store, Date.now())).id;
  });
});
afterAll(async () => {
  expect(scene.problems).toEqual([]);
  await scene[Symbol.asyncDispose]();
});

const rows = (page: Page) => page.getByRole("list", { name: "Conversations" }).getByRole("link");

it("signs in with a link, which is gone from the address and the history", async () => {
  const page = await scene.open("#/", { locale: "en-GB" });
  await page.goto("about:blank");
  await page.goto(await scene.link());
  await rows(page).first().waitFor();
  expect(page.url()).toBe(`${scene.url}/#/`);
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(stored).not.toMatch(/cql_|cqt_|eyJ/);
  await page.goBack();
  expect(page.url()).toBe("about:blank");
});

it("asks who it is without a link, and says why a token is refused", async () => {
  const page = await scene.open("#/", { locale: "en-GB" });
  await page.context().clearCookies();
  await page.reload();
  await page.getByLabel("Token").fill("cqt_wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
});

it("lists conversations with their words, channel, time and count", async () => {
  const page = await scene.open();
  const first = rows(page).first();
  await first.getByText("Find out why the search page is slow").waitFor();
  expect(await first.locator(".number").last().textContent()).toBe("10");
  expect(await first.locator(".channel-mark").getAttribute("aria-label")).toBe("web");
  await page.getByText("31 conversations", { exact: true }).waitFor();
});

it("filters by channel, and finds messages while one types", async () => {
  const page = await scene.open();
  await page.getByRole("button", { name: "Channel" }).click();
  await page.getByRole("menuitemradio", { name: "telegram" }).click();
  await page.getByText("6 conversations", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Remove all filters" }).click();
  await page.keyboard.press("/");
  await page.keyboard.type("oceanarium");
  const hit = page.getByRole("region", { name: "Messages" }).getByRole("link").first();
  expect(await hit.locator("mark").first().textContent()).toMatch(/oceanarium/i);
  await hit.click();
  await page.locator(".message.marked").waitFor();
  await page.getByLabel("Search conversations and messages").fill("xqzvwk");
  await page.getByText("Nothing found").waitFor();
});

it("finds what answers of the offline search quote, not those answers", async () => {
  const page = await scene.open();
  const post = async (path: string, data: object): Promise<{ readonly id: string }> =>
    (await page.request.post(`${scene.url}/api/v1/${path}`, { data, headers: { origin: scene.url } })).json();
  const quote = "- “The zinnias are sown” [**Zinnias in May**](#/c/zinnias/1), user";
  const { id: asked } = await post("conversations", { title: "Which flowers?" });
  const messages = [{ role: "assistant", content: quote, model: "offline/recall" }];
  await post(`conversations/${asked}/messages`, { messages });
  const hits = page.getByRole("region", { name: "Messages" }).getByRole("link");
  await page.getByLabel("Search conversations and messages").fill("zinnias");
  // Nothing else says it yet.
  await hits.first().getByText("“The zinnias are sown” Zinnias in May, user").waitFor();
  expect(await hits.first().locator("mark").count()).toBe(2);
  const { id: quoted } = await post("conversations", { title: "The beds" });
  await post(`conversations/${quoted}/messages`, {
    messages: [{ role: "user", content: "Zinnias are sown" }],
  });
  await page.getByLabel("Search conversations and messages").fill("zinnias ");
  await page.getByLabel("Search conversations and messages").fill("zinnia");
  await hits.first().getByText("The beds").waitFor();
  expect(await hits.count()).toBe(1);
  for (const made of [asked, quoted])
    await page.request.delete(`${scene.url}/api/v1/conversations/${made}`, {
      headers: { origin: scene.url },
    });
});

it("opens a menu on a row, with the pointer or the keyboard", async () => {
  const page = await scene.open(`#/c/${id}`, { permissions: ["clipboard-read", "clipboard-write"] });
  await rows(page).first().waitFor();
  const other = page.locator(`[data-id="${await rows(page).nth(3).getAttribute("data-id")}"]`);
  const title = (await other.locator(".row-title").textContent()) ?? "";
  await other.click({ button: "right" });
  await page.getByRole("menuitem", { name: "Copy link" }).click();
  await page.getByText("The link is copied.").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/#\/c\/[^/]+$/);
  await other.focus();
  await page.keyboard.press("Shift+F10");
  await page.getByRole("menu", { name: `“${title}”` }).waitFor();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await other.waitFor({ state: "detached" });
  // What is being read stays.
  expect(page.url()).toContain(id);
  await page.getByRole("button", { name: "Undo" }).click();
  await other.waitFor();
  expect(page.url()).toContain(id);
});

it("folds tools and thinking, cuts what is long, and shows images", async () => {
  const page = await scene.open(`#/c/${id}`);
  const image = page.getByRole("img", { name: "Image" });
  await image.waitFor();
  await expect.poll(() => page.evaluate("document.querySelector('.blob-image img').naturalWidth")).toBe(480);
  expect(await image.boundingBox()).toMatchObject({ width: 384, height: 240 });
  await page.keyboard.press("Home");
  await page.getByRole("button", { name: /bash tail/ }).click();
  await page.getByRole("button", { name: "Show all 12,400 lines" }).click();
  await page.getByText("tenant=4", { exact: false }).first().waitFor();
  await page.getByRole("button", { name: /Thinking/ }).click();
  await page.getByRole("button", { name: /psql/ }).getByText("failed").waitFor();
});

it("shows the images of its conversation to a token with a scope, and nothing else", async () => {
  const owner = await scene.open();
  const headers = { origin: scene.url };
  const data = { name: "Reader", permission: "read", scope: { conversations: [id] } };
  const made = await owner.request.post(`${scene.url}/api/v1/tokens`, { data, headers });
  const { token } = await made.json();
  const page = await scene.open(`#/c/${id}`, { colorScheme: "light" });
  await page.context().clearCookies();
  await page.request.post(`${scene.url}/auth/token`, { data: { token, cookies: true }, headers });
  await page.reload();
  await page.getByRole("img", { name: "Image" }).waitFor();
  await expect.poll(() => page.evaluate("document.querySelector('.blob-image img').naturalWidth")).toBe(480);
  expect(await page.locator(".row").count()).toBe(1);
  expect(await page.getByLabel("Message", { exact: true }).count()).toBe(0);
});

it("highlights code, and copies it", async () => {
  const page = await scene.open(`#/c/${id}`, { permissions: ["clipboard-read", "clipboard-write"] });
  const code = page.locator(".code-block", { hasText: "export function rank" });
  await code.locator(".hljs-keyword").first().waitFor({ state: "attached" });
  await code.getByRole("button", { name: "Copy code" }).click();
  expect(await page.evaluate("navigator.clipboard.readText()")).toContain("export function rank");
});

it("renames a conversation where it is", async () => {
  const page = await scene.open(`#/c/${id}`);
  await page.getByRole("button", { name: "Find out why the search page is slow" }).click();
  await page.getByLabel("Title").fill("Slow search");
  await page.keyboard.press("Enter");
  await rows(page).first().getByText("Slow search").waitFor();
  await page.getByRole("button", { name: "Slow search" }).click();
  await page.getByLabel("Title").fill("Find out why the search page is slow");
  await page.keyboard.press("Enter");
});

it("moves a conversation to the trash, and back", async () => {
  const page = await scene.open();
  await rows(page).nth(3).click();
  const title = (await page.locator(".title-button").textContent()) ?? "";
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Move to the trash" }).click();
  await page.getByText("Moved to the trash").waitFor();
  await page.getByText("30 conversations", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: title }).waitFor();
  await page.getByText("31 conversations", { exact: true }).waitFor();
});

it("keeps the position of each conversation", async () => {
  const page = await scene.open(`#/c/${id}`);
  await page.getByText("Write the commit message.").waitFor();
  await page.evaluate("document.querySelector('.messages').scrollTop = 500");
  await page.waitForTimeout(200);
  await rows(page).nth(2).click();
  await expect.poll(() => page.locator(".message").count()).toBe(2);
  await rows(page).first().click();
  const distance = "Math.abs(document.querySelector('.messages').scrollTop - 500)";
  await expect.poll(() => page.evaluate(distance)).toBeLessThan(8);
});

it("keeps the end in view when there is less room", async () => {
  const page = await scene.open(`#/c/${id}`, { viewport: { width: 390, height: 844 } });
  const hidden = (): Promise<number> =>
    page
      .locator(".messages")
      .evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
  await page.getByText("Add an index for searches").last().waitFor();
  await expect.poll(hidden).toBeLessThan(1);
  for (const height of [500, 844, 600]) {
    await page.setViewportSize({ width: 390, height });
    await expect.poll(hidden).toBeLessThan(1);
  }
});

it("says what is wrong with an address, and offers a way back", async () => {
  const page = await scene.open("#/c/00000000-0000-7000-8000-000000000000");
  await page.getByText("This conversation does not exist").waitFor();
  await page.getByRole("link", { name: "Back to the conversations" }).click();
  await page.getByText("What would you like to know?").waitFor();
  await page.goto(`${scene.url}/#/nowhere`);
  await page.getByText("There is no such page").waitFor();
});
