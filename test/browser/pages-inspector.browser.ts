/** The inspector beside a conversation, in a real browser. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Conversation } from "../../src/store/conversation.ts";
import { type BrowserPlace, openBrowserPlace } from "./pages-place.ts";

let open: BrowserPlace;
beforeAll(async () => {
  open = await openBrowserPlace();
});
afterAll(async () => {
  expect(open.problems).toEqual([]);
  await open[Symbol.asyncDispose]();
});

/** Main with an answer; `shade` is another one; `potatoes` another question; `straw`, checked out, goes on below it. */
async function garden(): Promise<Conversation> {
  const chat = await open.place.store.create({ title: "Plan the garden", channel: "web" });
  const [question, answer] = (
    await chat.append([
      { role: "user", content: "Where shall we plant the tomatoes?" },
      { role: "assistant", content: "At the south wall, in raised beds." },
    ])
  ).entries;
  await chat.regenerate(answer?.id ?? "", { name: "shade" });
  await chat.append({ role: "assistant", content: "In the shade of the pear tree." });
  await chat.edit(question?.id ?? "", { role: "user", content: "And the potatoes?" }, { name: "potatoes" });
  const { head } = await chat.append({ role: "assistant", content: "In the north bed, under straw." });
  await chat.branch(head, { name: "straw", checkout: true });
  await chat.append([
    { role: "user", content: "Is straw better than hay?" },
    { role: "assistant", content: "Yes: hay brings seeds." },
  ]);
  return chat;
}

async function activeBranch(chat: Conversation): Promise<string | undefined> {
  return (await chat.branches()).find(({ active }) => active)?.name;
}

describe("the tree", () => {
  it("draws the branches, and checks one out by a click and by the keyboard", async () => {
    const chat = await garden();
    const { page } = open;
    await open.show(`c/${chat.id}`);
    await page.getByRole("main").getByText("Yes: hay brings seeds.").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    const tree = page.getByRole("tree", { name: "Branches" });
    await tree.waitFor();
    const rows = tree.getByRole("treeitem");
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringContaining("main"),
      expect.stringMatching(/shade[\s\S]*In the shade of the pear tree/),
      expect.stringMatching(/potatoes[\s\S]*And the potatoes/),
      expect.stringMatching(/straw[\s\S]*Is straw better than hay/),
    ]);
    expect(await rows.nth(3).getAttribute("aria-level")).toBe("3");
    expect(await rows.nth(3).getAttribute("aria-selected")).toBe("true");
    await rows.nth(1).click();
    await expect.poll(() => activeBranch(chat)).toBe("shade");
    await expect.poll(() => rows.nth(1).getAttribute("aria-selected")).toBe("true");
    await page.getByText("In the shade of the pear tree.").first().waitFor();
    // No frame comes between the two keys.
    await page.evaluate("window.requestAnimationFrame = () => 0");
    await rows.nth(1).press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(() => activeBranch(chat)).toBe("potatoes");
  });

  it("follows branches that are made elsewhere", async () => {
    const chat = await garden();
    const { page } = open;
    await open.show(`c/${chat.id}`);
    await page.getByRole("main").getByText("Yes: hay brings seeds.").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.getByRole("treeitem").filter({ hasText: "straw" }).waitFor();
    await chat.branch(null, { name: "from-elsewhere", checkout: true });
    await chat.append({ role: "user", content: "Something else entirely" });
    const row = page.getByRole("treeitem").filter({ hasText: "from-elsewhere" });
    await row.getByText("Something else entirely").waitFor();
    await expect.poll(() => row.getAttribute("aria-selected")).toBe("true");
  });

  it("compares two branches side by side from their fork", async () => {
    const chat = await garden();
    const { page } = open;
    await open.show(`c/${chat.id}`);
    await page.getByRole("main").getByText("Yes: hay brings seeds.").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.getByRole("treeitem").filter({ hasText: "shade" }).hover();
    await page.getByRole("button", { name: /^Compare shade/ }).click();
    const dialog = page.getByRole("dialog", { name: "Compare branches" });
    await dialog.getByText("In the shade of the pear tree.").waitFor();
    await dialog.getByText("They share no message.").waitFor();
    await dialog.getByLabel("First branch").selectOption("main");
    await dialog.getByText("At the south wall, in raised beds.").waitFor();
    await dialog.getByText("Equal up to").waitFor();
    await dialog.locator(".differs").first().waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  it("shows what flattening and pruning would do, and then does it", async () => {
    const chat = await garden();
    const { page } = open;
    await open.show(`c/${chat.id}`);
    await page.getByRole("main").getByText("Yes: hay brings seeds.").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.getByRole("button", { name: "Flatten…" }).click();
    const flatten = page.getByRole("dialog", { name: "Flatten the tree" });
    await flatten.getByText("former-main, kept until you prune it").waitFor();
    await flatten.getByRole("button", { name: "Flatten", exact: true }).click();
    await page.getByRole("treeitem").filter({ hasText: "former-main" }).waitFor();
    expect(await activeBranch(chat)).toBe("main");

    await page.getByRole("button", { name: "Prune…" }).click();
    const prune = page.getByRole("dialog", { name: "Prune branches" });
    await prune.getByLabel("Those that I choose").check();
    await prune.getByText("Nothing: no branch matches.").waitFor();
    await prune.getByLabel(/^shade/).check();
    await prune.getByRole("cell", { name: "shade" }).waitFor();
    expect((await chat.branches()).map(({ name }) => name)).toContain("shade");
    await prune.getByRole("button", { name: "Remove 1 branch for good" }).click();
    await prune.waitFor({ state: "detached" });
    expect((await chat.branches()).map(({ name }) => name)).not.toContain("shade");
  });

  it("warns in amber and at the limit in red, with one sentence", async () => {
    const chat = await open.place.store.create({ title: "Deep" });
    let { head } = await chat.append({ role: "user", content: "Level 1" });
    const { page } = open;
    for (let level = 2; level <= 10; level++) {
      await chat.branch(head, { checkout: true });
      ({ head } = await chat.append({ role: "user", content: `Level ${level}` }));
      if (level !== 8 && level !== 10) continue;
      await open.show(`c/${chat.id}`);
      await page.getByText(`Level ${level}`).first().waitFor();
      await page.keyboard.press("g");
      await page.keyboard.press("t");
      const look = level === 8 ? "warning" : "limit";
      await page.locator(`.depth-indicator.${look}`).getByText("flatten or prune").waitFor();
    }
  });

  it("stays quick with a thousand branches, of which only those in view exist", async () => {
    const chat = await open.place.store.create({ title: "Many" });
    const { head } = await chat.append({ role: "user", content: "Begin" });
    for (let n = 0; n < 1000; n++) await chat.branch(head, { name: `b${n}` });
    const { page } = open;
    await open.show(`c/${chat.id}`);
    await page.getByText("Begin").first().waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    const rows = page.getByRole("treeitem");
    await rows.first().waitFor();
    expect(await rows.count()).toBeLessThan(60);
    await rows.first().focus();
    await page.keyboard.press("End");
    await rows.filter({ hasText: "b999" }).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("b999");
  });
});

describe("the context", () => {
  it("says what would be sent, compacts and undoes it", async () => {
    const chat = await open.place.store.create({ title: "Long" });
    for (let n = 1; n <= 12; n++) {
      await chat.append([
        { role: "user", content: `Question ${n} ${"about the garden ".repeat(300)}` },
        { role: "assistant", content: `Answer ${n} ${"with many words ".repeat(300)}` },
      ]);
    }
    const { page } = open;
    await open.show(`c/${chat.id}`);
    await page.getByText("Answer 12").first().waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    const panel = page.getByRole("tabpanel", { name: "Context" });
    await panel.getByText("tokens would be sent").waitFor();
    await panel.getByRole("link", { name: /Question 1 / }).waitFor();
    await panel.getByText("What would be sent", { exact: true }).click();
    await panel.locator("pre").filter({ hasText: "── user ──" }).waitFor();
    await panel.getByRole("button", { name: "Compact now" }).click();
    await panel.getByText("a summary replaces", { exact: false }).first().waitFor();
    expect(await chat.compactions()).toMatchObject([{ undone: false }]);
    await panel.getByRole("button", { name: "Undo the last compaction" }).click();
    await panel.getByText("the messages are sent again").waitFor();
    expect(await chat.compactions()).toMatchObject([{ undone: true }]);
  });
});

describe("the details", () => {
  it("name the conversation, export it and move it to the trash with a way back", async () => {
    const chat = await garden();
    const { page } = open;
    await open.show(`c/${chat.id}`);
    await page.getByRole("main").getByText("Yes: hay brings seeds.").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.getByRole("tab", { name: "Tree" }).press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const panel = page.getByRole("tabpanel", { name: "Details" });
    await panel.getByText(chat.id).waitFor();
    const downloading = page.waitForEvent("download");
    await panel.getByRole("link", { name: "Markdown" }).click();
    expect((await downloading).suggestedFilename()).toMatch(/\.md$/);
    await panel.getByRole("button", { name: "Move to the trash" }).click();
    await expect.poll(async () => (await open.place.store.info(chat.id))?.deletedAt).not.toBeNull();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await open.place.store.info(chat.id))?.deletedAt).toBeNull();
  });
});
