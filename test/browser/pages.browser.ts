/** The pages beside the conversations, in a real browser. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConversationSummary, ListOf } from "../../src/gateway/wire/rest.ts";
import { type BrowserPlace, openBrowserPlace } from "./pages-place.ts";

let open: BrowserPlace;
beforeAll(async () => {
  open = await openBrowserPlace();
});
afterAll(async () => {
  expect(open.problems).toEqual([]);
  await open[Symbol.asyncDispose]();
});

describe("import", () => {
  it("finds what other tools left, imports it and reports what was skipped", async () => {
    const { page, place } = open;
    await open.show("import");
    await page.getByRole("row", { name: /Claude Code/ }).waitFor();
    await page.getByLabel("Claude Code").uncheck();
    expect(await page.getByRole("button", { name: "Import", exact: true }).isDisabled()).toBe(true);
    await page.getByLabel("Claude Code").check();
    await page.getByRole("button", { name: /^Import \d+ files$/ }).click();
    const job = page.locator(".job").first();
    await job.getByRole("heading", { name: "Imported" }).waitFor();
    await job.getByText(/records? skipped/).click();
    await job.locator(".skipped li").first().waitFor();
    expect((await place.store.list()).items.length).toBeGreaterThan(3);
  });
});

describe("a running import", () => {
  it("shows how far it is, can be cancelled, and is continued by the next one", async () => {
    const { page, place } = open;
    const [files, messages] = [300, 20];
    writeSessions(join(open.home, ".claude", "projects", "many"), files, messages);
    await open.show("import");
    // Another program writes to the store: the import waits for it, for as long as this test looks.
    const other = new DatabaseSync(join(place.stateDir, "store.db"));
    other.exec("BEGIN IMMEDIATE");
    await page.getByRole("button", { name: /^Import \d+ files$/ }).click();
    const job = page.locator(".job").first();
    await job.getByRole("heading", { name: "Importing" }).waitFor();
    await job.getByText(/from \d+ of 3\d\d files/).waitFor();
    await job.getByRole("progressbar", { name: "Files read" }).waitFor();
    expect(await page.getByRole("button", { name: /^Import \d/ }).isDisabled()).toBe(true);
    await job.getByRole("button", { name: "Cancel" }).click();
    other.exec("ROLLBACK");
    other.close();
    await job.getByText("What was read is kept.").waitFor();
    const before = countOf(await job.locator("p").first().innerText());
    expect(before).toBeLessThan(files * messages);
    await page.getByRole("button", { name: /^Import \d+ files$/ }).click();
    // Thousands of messages: a busy machine only takes longer.
    await job.getByRole("heading", { name: "Imported" }).waitFor({ timeout: 120_000 });
    expect(before + countOf(await job.locator("p").first().innerText())).toBe(files * messages);
    await page.locator(".side .row", { hasText: "Question 0 of session" }).first().waitFor();
  });
});

/** Of messages, in `3 conversations, 1,204 messages from …`. */
function countOf(text: string): number {
  return Number(/([\d,]+) messages?/.exec(text)?.[1]?.replaceAll(",", ""));
}

/** Sessions of Claude Code, as it writes them. */
function writeSessions(folder: string, files: number, messages: number): void {
  mkdirSync(folder, { recursive: true });
  for (let file = 0; file < files; file++) {
    const sessionId = `29000000-0000-4000-8000-${String(file).padStart(12, "0")}`;
    const lines = Array.from({ length: messages }, (_, n) => {
      const role = n % 2 === 0 ? "user" : "assistant";
      const words = n % 2 === 0 ? `Question ${n} of session ${file}` : "An answer";
      return JSON.stringify({
        parentUuid: n === 0 ? null : `${file}-${n - 1}`,
        uuid: `${file}-${n}`,
        sessionId,
        type: role,
        isSidechain: false,
        userType: "external",
        cwd: "/home/robin/garden",
        version: "2.0.1",
        timestamp: new Date(Date.UTC(2026, 1, 1, 0, file, n)).toISOString(),
        message: { role, content: words, ...(role === "assistant" && { model: "claude-sonnet-4-5" }) },
      });
    });
    writeFileSync(join(folder, `${sessionId}.jsonl`), `${lines.join("\n")}\n`);
  }
}

describe("memory", () => {
  it("adds a note, finds it and forgets it after a question", async () => {
    const { page } = open;
    await open.show("memory");
    await page.getByText("Nothing is remembered yet").waitFor();
    for (const note of ["The harbour closes at nine", "Tomatoes need a stake"]) {
      await page.getByRole("button", { name: "Add a note" }).click();
      await page.getByRole("dialog", { name: "Add a note" }).waitFor();
      // Into the field that has the focus: a space must not press a button.
      await page.keyboard.type(note);
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByRole("list", { name: "Remembered" }).getByText(note).waitFor();
    }
    await page.getByLabel("Search the memory").fill("harbour");
    await page.getByText("Tomatoes need a stake").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Forget…" }).click();
    const question = page.getByRole("dialog", { name: "Forget this" });
    await question.getByText("The harbour closes at nine").waitFor();
    await question.getByRole("button", { name: "Forget for good" }).click();
    await page.getByText("Nothing found").waitFor();
    await page.getByLabel("Search the memory").fill("");
    await page.getByText("Tomatoes need a stake").waitFor();
  });
});

describe("usage", () => {
  it("sums messages, tokens and cost, with the numbers of the chart in a table", async () => {
    const { page, place } = open;
    const chat = await place.store.create({ channel: "harbour" });
    const usage = { input_tokens: 12_345, output_tokens: 678, cost: 1.5 };
    await chat.append({ role: "assistant", content: "Hello", model: "test/counted", usage });
    await open.show("usage");
    const row = page.getByRole("row", { name: /test\/counted/ });
    await row.waitFor();
    expect(await row.getByRole("cell").allInnerTexts()).toEqual(["1", "12.3k", "678", "$1.50"]);
    expect(await row.getByRole("cell").nth(1).getAttribute("title")).toBe("12,345");
    await page.getByRole("row", { name: /harbour/ }).waitFor();
    await page.getByText("Cost", { exact: true }).first().click();
    await page.getByRole("img", { name: /^Cost by day/ }).waitFor();
    await page.getByText("By day, as a table").click();
    const today = new Date().toISOString().slice(0, 10);
    await page.getByRole("row", { name: new RegExp(today) }).waitFor();
    await page.getByLabel("Time").selectOption("7");
    await page.getByRole("img", { name: /in 7 days/ }).waitFor();
  });
});

describe("tokens and devices", () => {
  it("makes a token, shows it once, and revokes it", async () => {
    const { page, place } = open;
    await open.show("tokens");
    await page.getByText("this one").waitFor();
    await page.getByRole("button", { name: "New token" }).click();
    const create = page.getByRole("button", { name: "Create" });
    expect(await create.isDisabled()).toBe(true);
    await page.keyboard.type("Backup script");
    await page.getByLabel(/^Write:/).check();
    await create.click();
    const dialog = page.getByRole("dialog", { name: "The new token" });
    const secret = await dialog.locator("code").first().innerText();
    await dialog.getByRole("button", { name: "Copy the token" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);
    await dialog.getByRole("button", { name: "Done" }).click();
    expect(await page.content()).not.toContain(secret);
    const asks = () => place.call("GET /api/v1/conversations", { as: secret });
    expect((await asks()).status).toBe(200);
    const row = page.getByRole("row", { name: /Backup script/ });
    await row.getByRole("button", { name: "Revoke Backup script" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await row.getByText("revoked").waitFor();
    expect((await asks()).status).toBe(401);
  });

  it("makes one for some conversations, with Enter", async () => {
    const { page, place } = open;
    await place.store.create({ channel: "harbour" });
    await place.store.create({ channel: "airport" });
    await open.show("tokens");
    // No frame comes between the click and the keys.
    await page.evaluate("window.requestAnimationFrame = () => 0");
    await page.getByRole("button", { name: "New token" }).click();
    await page.keyboard.type("Harbour reader");
    await page.getByLabel("Which conversations").selectOption("channels");
    await page.getByLabel(/^Channels/).press("Enter");
    expect(await page.getByRole("dialog", { name: "New token" }).isVisible()).toBe(true);
    await page.getByLabel(/^Channels/).fill("harbour, ferry");
    await page.getByLabel(/^Channels/).press("Enter");
    const dialog = page.getByRole("dialog", { name: "The new token" });
    const secret = await dialog.locator("code").first().innerText();
    await dialog.getByRole("button", { name: "Done" }).click();
    await page
      .getByRole("row", { name: /Harbour reader/ })
      .getByText("only channels harbour, ferry")
      .waitFor();
    const answer = await place.call("GET /api/v1/conversations", { as: secret });
    const channels = answer.json<ListOf<ConversationSummary>>().items.map(({ channel }) => channel);
    expect([...new Set(channels)]).toEqual(["harbour"]);
  });
});

describe("settings", () => {
  it("say where a value comes from, and what is wrong with a new one, in place", async () => {
    const { page, place } = open;
    const file = join(place.stateDir, "colloquy.json");
    writeFileSync(file, "{\n  // Mine.\n  sessions: { tree: { max_depth: 12 } },\n}\n", { mode: 0o600 });
    await open.show("settings");
    const first = page.locator(".setting").first();
    await first.getByRole("button", { name: /^Edit/ }).waitFor();
    await page.locator(".setting", { hasText: "gateway.auth.mode" }).getByText("Read-only here").waitFor();
    await page.getByLabel("Search the settings").fill("max_depth");
    const setting = page.locator(".setting");
    await setting.getByText(`${file}:3`).waitFor();
    expect(await setting.count()).toBe(1);
    await setting.getByRole("button", { name: /^Edit/ }).click();
    const field = page.getByLabel("sessions.tree.max_depth");
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe(
      "sessions.tree.max_depth",
    );
    await field.fill("very deep");
    await page.keyboard.press("Enter");
    await setting
      .getByRole("alert")
      .getByText(/integer/)
      .waitFor();
    expect(readFileSync(file, "utf8")).toContain("max_depth: 12");
    await field.fill("20");
    await setting.getByRole("button", { name: "Save" }).click();
    await setting.getByText("20", { exact: true }).waitFor();
    expect(readFileSync(file, "utf8")).toMatch(/\/\/ Mine\.[\s\S]*max_depth: 20/);
    await setting.getByRole("button", { name: /^Edit/ }).click();
    await setting.getByRole("button", { name: "Use the default" }).click();
    await setting.getByText("the default").waitFor();
  });
});

describe("trash", () => {
  it("restores, and purges after a look at what goes", async () => {
    const { page, place } = open;
    for (const title of ["Old plans", "Older plans"]) {
      const chat = await place.store.create({ title });
      await chat.append({ role: "user", content: "x" });
      await place.store.delete(chat.id);
    }
    await open.show("trash");
    await page.getByRole("button", { name: "Restore Old plans" }).click();
    await page.getByText("Restored: Old plans").waitFor();
    await page.getByRole("button", { name: "Purge… Older plans" }).click();
    const dialog = page.getByRole("dialog", { name: "Purge 1 conversation" });
    await dialog.getByRole("cell", { name: "Older plans" }).waitFor();
    await dialog.getByRole("button", { name: "Remove 1 conversation for good" }).click();
    await page.getByText("The trash is empty").waitFor();
    const { items } = await place.store.list({ title: "plans" });
    expect(items.map(({ title }) => title)).toEqual(["Old plans"]);
  });
});

describe("doctor", () => {
  it("lists what is wrong, with what to do, and what was checked", async () => {
    const { page, place } = open;
    writeFileSync(join(place.stateDir, "colloquy.json"), "{ sessions: { format: 3 } }", { mode: 0o600 });
    await open.show("doctor");
    await page.locator(".finding").filter({ hasText: "sessions.format" }).getByText("error").waitFor();
    await page.getByRole("heading", { name: "What was checked" }).waitFor();
    writeFileSync(join(place.stateDir, "colloquy.json"), "{}", { mode: 0o600 });
    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByText("Everything is in order.").waitFor();
  });
});

describe("every page", () => {
  it("says what failed and why, and tries again", async () => {
    const page = await open.window();
    let broken = true;
    const error = { code: "SERVICE_UNAVAILABLE", message: "The disk is full", field: null };
    await page.route(/\/api\/v1\/memory/, (route) =>
      broken ? route.fulfill({ status: 503, json: { error } }) : route.continue(),
    );
    await open.show("memory", page);
    await page.getByRole("alert").getByText("The disk is full").waitFor();
    broken = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("list", { name: "Remembered" }).waitFor();
    await page.context().close();
  });

  it("shows a skeleton only when an answer takes a while", async () => {
    const page = await open.window();
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/api\/v1\/usage/, async (route) => {
      await held;
      await route.continue();
    });
    await open.show("usage", page);
    await page.locator("#main").getByRole("status", { name: "Loading" }).waitFor();
    answer();
    await page.getByRole("row", { name: /test\/counted/ }).waitFor();
    await page.context().close();
  });

  it("tells those who may not see it", async () => {
    const page = await open.window({}, "read");
    for (const name of ["import", "tokens", "settings", "doctor"]) {
      await open.show(name, page);
      await page.getByText("Only for admins").waitFor();
    }
    await open.show("trash", page);
    await page.getByText("The trash is empty").waitFor();
    await page.context().close();
  });

  it("is reached by its name, and lists every key with a question mark", async () => {
    const { page } = open;
    await open.show("about");
    await page.getByText("Colloquy keeps every word").waitFor();
    await page.getByText("sqlite", { exact: false }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByText("Edit as a branch").waitFor();
    await page.keyboard.press("Escape");
    await open.show("nothing-here");
    await page.getByText("There is no such page").waitFor();
  });
});
