import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Conversation } from "../../src/store/conversation.ts";
import type { Store } from "../../src/store/store.ts";
import { Cuttable } from "../gateway/socket/cuttable.ts";
import type { Step } from "../support/models/model-server.ts";
import { openScene, type Scene } from "./scene.ts";
import { DIAGRAM } from "./seed-texts.ts";

/** An answer stops before its second half until a test lets it continue. */
let gate = Promise.withResolvers<void>();
let cable: Cuttable;
let scene: Scene;
/** Each test has its own conversation. */
const ids = new Map<string, string>();
const LARGE = `The beginning. ${"A long text that is stored in a blob. ".repeat(3000)}The end.`;

function answer(text: string, count: number, isToolDone: boolean): Step {
  if (/tool/.test(text)) return isToolDone ? [{ text: "It is late." }] : [{ tool: "current_time" }];
  if (/slowly/.test(text))
    return [{ text: "The first half.\n\n" }, { until: gate.promise }, { text: "The second half." }];
  return [{ text: `Answer ${count}` }];
}

/** So large that it is stored in a blob. What is after the end of an image does not matter. */
const LARGE_IMAGE = Buffer.concat([Buffer.from(DIAGRAM, "base64"), Buffer.alloc(200_000)]).toString("base64");

async function seed(store: Store): Promise<void> {
  const add = async (title: string, content = `Hello ${title}`): Promise<Conversation> => {
    const conversation = await store.create({ title });
    ids.set(title, conversation.id);
    await conversation.append([
      { role: "user", content },
      { role: "assistant", content: `Welcome to ${title}` },
    ]);
    return conversation;
  };
  for (const title of ["tools", "again", "redact", "resume", "cut", "race", "reading", "renamed"])
    await add(title);
  const labelled = await add("labelled");
  const [first] = (await labelled.messages()).items;
  await labelled.label(first?.id ?? "", "Keep this");
  await add("large", LARGE);
  const image = await add("image");
  await image.append({
    role: "user",
    content: [
      { type: "text", text: "What is in this picture?" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: DIAGRAM } },
    ],
  });
  const stored = await add("stored image");
  await stored.append({
    role: "user",
    content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: LARGE_IMAGE } }],
  });
}

beforeAll(async () => {
  cable = await Cuttable.open();
  scene = await openScene(
    seed,
    ({ body }, count) => {
      const messages = body.messages as { readonly role: string; readonly content: unknown }[];
      const isToolDone = messages.at(-1)?.role === "tool";
      return answer(
        JSON.stringify(messages.findLast(({ role }) => role === "user")?.content),
        count,
        isToolDone,
      );
    },
    {
      hosts: [`127.0.0.1:${cable.port}`],
      config: { approvals: { tools: { current_time: "ask" }, timeoutSeconds: 5400 } },
    },
  );
  cable.target = Number(new URL(scene.url).port);
});
beforeEach(() => {
  gate = Promise.withResolvers();
});
afterAll(async () => {
  cable.close();
  expect(scene.problems).toEqual([]);
  await scene[Symbol.asyncDispose]();
});

async function open(title: string): Promise<Page> {
  const page = await scene.open(`#/c/${ids.get(title)}`);
  await page.locator(".message", { hasText: `Welcome to ${title}` }).waitFor();
  return page;
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
}

const user = (page: Page, text: string): Locator => page.locator(".message.user", { hasText: text });
const assistant = (page: Page, text: string): Locator =>
  page.locator(".message.assistant:not(.running)", { hasText: text });

async function act(message: Locator, name: string): Promise<void> {
  await message.hover();
  await message.getByRole("button", { name, exact: true }).click();
}

it("asks before a tool runs, says until when, and takes yes and no", async () => {
  const page = await open("tools");
  const other = await open("tools");
  await send(page, "Use a tool");
  const card = page.getByRole("region", { name: "Approve current_time" });
  await card.waitFor();
  await other.getByRole("region", { name: "Approve current_time" }).waitFor();
  const until = await card.getByText(/^Refused if there is no answer by /).textContent();
  // In 90 minutes, as the config says.
  const [hours = 0, minutes = 0] = (/(\d+):(\d+)/.exec(until ?? "") ?? []).slice(1).map(Number);
  const now = new Date();
  const left = (hours * 60 + minutes - now.getHours() * 60 - now.getMinutes() + 1440) % 720;
  expect(left).toBeGreaterThan(80);
  expect(left).toBeLessThan(100);
  await card.getByRole("button", { name: "Allow once" }).click();
  await assistant(page, "It is late.").waitFor();
  await other.getByRole("region", { name: "Approve current_time" }).waitFor({ state: "detached" });
  await page.getByText("current_time").first().waitFor();

  await send(page, "Use a tool again");
  await card.getByRole("button", { name: "Refuse" }).click();
  await card.waitFor({ state: "detached" });
  await page.locator(".fold", { hasText: "current_time" }).last().getByText("failed").waitFor();
  await assistant(page, "It is late.").nth(1).waitFor();
});

it("answers again on a new branch, and keeps the first answer", async () => {
  const page = await open("again");
  await act(assistant(page, "Welcome to again"), "Answer again");
  await assistant(page, "Answer ").waitFor();
  expect(await assistant(page, "Welcome to again").count()).toBe(0);
  await page.getByRole("button", { name: "Switch to another branch" }).click();
  await page.getByRole("menuitem", { name: /^main/ }).click();
  await assistant(page, "Welcome to again").waitFor();
});

it("erases a message in every tab that shows it", async () => {
  const [page, other] = [await open("redact"), await open("redact")];
  await act(user(page, "Hello redact"), "Redact");
  await page.getByRole("dialog").getByRole("button", { name: "Redact" }).click();
  for (const tab of [page, other]) await user(tab, "Hello redact").waitFor({ state: "detached" });
  await assistant(other, "Welcome to redact").waitFor();
});

it("resumes an answer that was stopped", async () => {
  const page = await open("resume");
  await send(page, "Count slowly");
  await page.locator(".running").getByText("The first half.").first().waitFor();
  await page.getByRole("button", { name: "Stop the answer" }).click();
  await page.getByText("Stopped", { exact: true }).waitFor();
  gate.resolve();
  await page.getByRole("feed").getByRole("button", { name: "resume" }).click();
  await page.getByText("The second half.").waitFor();
  await page.locator(".running").waitFor({ state: "detached" });
});

it("continues an answer after the connection was cut, without a gap", async () => {
  const page = await scene.open(`#/c/${ids.get("cut")}`, { baseURL: `http://127.0.0.1:${cable.port}` });
  await page.locator(".message", { hasText: "Welcome to cut" }).waitFor();
  await send(page, "Speak slowly");
  await page.locator(".running").getByText("The first half.").first().waitFor();
  cable.isCut = true;
  cable.cut();
  await page.getByText("Reconnecting. What you type is kept.").waitFor();
  gate.resolve();
  cable.isCut = false;
  await page.locator(".running").waitFor({ state: "detached" });
  const whole = assistant(page, "The first half.");
  await whole.getByText("The second half.").waitFor();
  expect([await whole.count(), await user(page, "Speak slowly").count()]).toEqual([1, 1]);
  await page.context().close();
});

it("gives an image the room that it had before, while it is loaded again", async () => {
  const page = await scene.open("#/", { locale: "en-GB" });
  let isSlow = false;
  await page.route("**/blobs/**", async (route) => {
    if (isSlow) return;
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "cache-control": "no-store" } });
  });
  await page.goto(`${scene.url}/#/c/${ids.get("stored image")}`);
  const image = page.getByRole("img", { name: "Image" });
  const loaded = () => page.evaluate("document.querySelector('.blob-image img').naturalWidth");
  await image.waitFor();
  await expect.poll(loaded).toBe(480);
  expect(await image.boundingBox()).toMatchObject({ width: 384, height: 240 });
  isSlow = true;
  await page.reload();
  await image.waitFor();
  expect(await loaded()).toBe(0);
  expect(await image.boundingBox()).toMatchObject({ width: 384, height: 240 });
});

it("edits a message with an image, and a text that is stored in a blob", async () => {
  const page = await open("image");
  const asked = user(page, "What is in this picture?");
  await asked.locator("img").waitFor();
  await act(asked, "Edit as a branch");
  const field = page.getByLabel("Another version of this message");
  await field.fill("Describe the picture");
  await page.keyboard.press("Enter");
  await user(page, "Describe the picture").locator("img").waitFor();
  await assistant(page, "Answer ").waitFor();

  const large = await open("large");
  await user(large, "The end.").waitFor();
  await act(user(large, "The end."), "Edit as a branch");
  const whole = large.getByLabel("Another version of this message");
  await expect.poll(() => whole.inputValue()).toBe(LARGE);
});

it("does not turn the page for a reader when somebody else changes the tree", async () => {
  const [reader, writer] = [await open("reading"), await open("reading")];
  await act(user(writer, "Hello reading"), "Edit as a branch");
  await writer.getByLabel("Another version of this message").fill("Hello to somebody else");
  await writer.keyboard.press("Enter");
  await assistant(writer, "Answer ").waitFor();
  await reader.getByText("You are reading the branch main, which is not checked out.").waitFor();
  expect(await user(reader, "Hello reading").count()).toBe(1);
  // What is written there follows what is read there.
  await send(reader, "Continued here");
  await user(reader, "Continued here").waitFor();
  await assistant(reader, "Answer ").waitFor();
  expect(await assistant(reader, "Welcome to reading").count()).toBe(1);
  await writer.getByText("which is not checked out.").waitFor();
  expect(await user(writer, "Hello to somebody else").count()).toBe(1);
});

it("keeps a message that is stored while messages are being read", async () => {
  const [late, writer] = [await open("race"), await open("race")];
  const [read, hold] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await late.route("**/entries?*", async (route) => {
    const response = await route.fetch();
    read.resolve();
    await hold.promise;
    await route.fulfill({ response });
  });
  // After this, the other tab reads its messages again.
  await act(user(writer, "Hello race"), "Redact");
  await writer.getByRole("dialog").getByRole("button", { name: "Redact" }).click();
  await read.promise;
  await send(writer, "Overtaking");
  await assistant(late, "Answer ").waitFor();
  hold.resolve();
  await user(late, "Hello race").waitFor({ state: "detached" });
  expect(await user(late, "Overtaking").count()).toBe(1);
  expect(await assistant(late, "Answer ").count()).toBe(1);
});

it("shows the conversation of a link whose message is gone", async () => {
  const page = await scene.open(`#/c/${ids.get("renamed")}/01900000-0000-7000-8000-000000000000`);
  await page.getByText("Welcome to renamed").first().waitFor();
  await page.getByText("The message that the link names is not in this conversation any more.").waitFor();
});

it("renames from the menu, begins another conversation with a key, and forgets an undo that was done", async () => {
  const page = await scene.open(`#/c/${ids.get("renamed")}`);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByLabel("Title", { exact: true }).fill("Named anew");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Named anew" }).waitFor();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Move to the trash" }).click();
  const undo = page.getByText("Moved to the trash");
  await undo.waitFor();
  await page.goto(`${scene.url}/#/trash`);
  await page.getByRole("button", { name: "Restore Named anew" }).click();
  await page.getByText("Restored: Named anew").waitFor();
  expect(await undo.count()).toBe(0);
  await page.locator("body").press("n");
  await page.getByRole("heading", { name: "New conversation" }).waitFor();
});

it("shows the label of a message", async () => {
  const page = await scene.open(`#/c/${ids.get("labelled")}`);
  await page.locator(".message.user .message-label", { hasText: "Keep this" }).waitFor();
});
