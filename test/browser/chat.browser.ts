import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Step } from "../support/models/model-server.ts";
import { openScene, runInPage, type Scene } from "./scene.ts";

/** An answer stops before its second half until a test lets it continue. */
let gate = Promise.withResolvers<void>();
let scene: Scene;

function answer(text: string): Step {
  if (/slowly/.test(text))
    return [{ text: "The first half.\n\n" }, { until: gate.promise }, { text: "The second half." }];
  if (/long/.test(text)) return [{ text: "A paragraph of an answer that is long.\n\n".repeat(60) }];
  if (/fail/.test(text)) return { status: 400, message: "The model does not like this" };
  return [{ text: `You said: ${text}` }];
}

beforeAll(async () => {
  scene = await openScene(
    async () => {},
    ({ body }) => {
      const messages = body.messages as { readonly role: string; readonly content: unknown }[];
      return answer(JSON.stringify(messages.findLast(({ role }) => role === "user")?.content));
    },
  );
});
afterAll(async () => {
  expect(scene.problems).toEqual([]);
  await scene[Symbol.asyncDispose]();
});

/** The list of conversations shows words of them, too. */
const messages = (page: Page): Locator => page.locator(".messages");

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
}

it("streams an answer, in two tabs", async () => {
  gate = Promise.withResolvers();
  const id = await scene.begin();
  const page = await scene.open(`#/c/${id}`);
  const other = await scene.open(`#/c/${id}`);
  await other.locator(".message", { hasText: "Hello to you." }).waitFor();
  await send(page, "Say it slowly");
  for (const tab of [page, other]) {
    await tab.locator(".running").getByText("The first half.").first().waitFor();
    expect(await messages(tab).getByText("The second half.").count()).toBe(0);
  }
  await page.locator(".row .pulse").waitFor();
  // What is sent now waits for its turn, in both.
  await send(page, "And quickly");
  for (const tab of [page, other]) {
    const waiting = tab.locator(".message.user.pending", { hasText: "And quickly" });
    await waiting.getByText("Waits for the answer above").waitFor();
    expect(await waiting.count()).toBe(1);
  }
  gate.resolve();
  for (const tab of [page, other]) {
    await messages(tab).getByText("The second half.").waitFor();
    await tab.locator(".running").waitFor({ state: "detached" });
    expect(await tab.getByText("Say it slowly").count()).toBeGreaterThan(0);
    expect(await tab.locator(".message.user", { hasText: "Say it slowly" }).count()).toBe(1);
    await tab.locator(".message.assistant", { hasText: "And quickly" }).waitFor();
    expect(await tab.locator(".message.user", { hasText: "And quickly" }).count()).toBe(1);
  }
});

it("does not move what is read while text arrives", async () => {
  const page = await scene.open(`#/c/${await scene.begin()}`);
  await page.locator(".message", { hasText: "Hello to you." }).waitFor();
  const places = runInPage<number[]>(page, "places", { text: "Something long" });
  await send(page, "Something long");
  // Being sent, stored, and with its answer below it.
  expect(new Set(await places)).toEqual(new Set([12]));
  await page.getByRole("button", { name: "Jump to latest" }).click();
  await page.getByRole("button", { name: "Jump to latest" }).waitFor({ state: "detached" });
});

it("stops an answer, and resumes it", async () => {
  gate = Promise.withResolvers();
  const page = await scene.open(`#/c/${await scene.begin()}`);
  await send(page, "Count slowly");
  await page.locator(".running").getByText("The first half.").first().waitFor();
  await page.getByRole("button", { name: "Stop the answer" }).click();
  await page.getByText("Stopped", { exact: true }).waitFor();
  gate.resolve();
});

it("survives a kill of the gateway in the middle of an answer", async () => {
  gate = Promise.withResolvers();
  const page = await scene.open(`#/c/${await scene.begin()}`);
  await send(page, "Speak slowly");
  await page.locator(".running").getByText("The first half.").first().waitFor();
  await scene.kill();
  await page.getByText("Reconnecting. What you type is kept.").waitFor();
  await page.getByLabel("Message", { exact: true }).fill("Typed without a gateway");
  await scene.start();
  gate.resolve();
  await page.getByText("Reconnecting. What you type is kept.").waitFor({ state: "detached" });
  await page.locator(".message.user", { hasText: "Speak slowly" }).waitFor();
  expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("Typed without a gateway");
  await page.locator(".message.assistant", { hasText: "The first half." }).last().waitFor();
  await page.reload();
  expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("Typed without a gateway");
});

it("says that live updates are refused, and asks for them again", async () => {
  const id = await scene.begin();
  const page = await scene.open("#/new", { colorScheme: "light" });
  let asked = 0;
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const gateway = socket.connectToServer();
    socket.onMessage((text) => {
      const { id: request, method, params } = JSON.parse(String(text));
      if (method !== "subscribe" || params.topic !== `conversation:${id}` || ++asked > 1)
        return gateway.send(text);
      const error = { code: "RATE_LIMITED", message: "subscribe was called too often", field: "method" };
      socket.send(JSON.stringify({ type: "res", id: request, ok: false, error }));
    });
  });
  await page.goto(`${scene.url}/#/c/${id}`);
  await page.reload();
  const bar = page
    .getByRole("status")
    .filter({ hasText: "No live updates: subscribe was called too often." });
  await bar.waitFor();
  await bar.waitFor({ state: "detached" });
  expect(asked).toBe(2);
  await send(page, "Are you there?");
  await page
    .locator(".message", { hasText: /You said: .*Are you there/ })
    .first()
    .waitFor();
});

it("says why an answer failed", async () => {
  const page = await scene.open(`#/c/${await scene.begin()}`);
  await send(page, "Please fail");
  await page.getByText("The answer failed").waitFor();
  await page.getByText("The model does not like this").waitFor();
});

it("begins a conversation, and edits a message as a branch", async () => {
  const page = await scene.open("#/new");
  await send(page, "A new question");
  await page.locator(".message", { hasText: "You said: " }).waitFor();
  await page.locator(".message.user").hover();
  await page.getByRole("button", { name: "Edit as a branch" }).click();
  await page.getByLabel("Another version of this message").fill("A better question");
  await page.keyboard.press("Enter");
  await page.locator(".message.assistant", { hasText: "better question" }).waitFor();
  await page.getByRole("button", { name: /^Branch: / }).click();
  await page.getByRole("menuitemradio", { name: /^main/ }).click();
  await page.locator(".message.user", { hasText: "A new question" }).waitFor();
});

it("leads back from an edited first message to the original", async () => {
  const page = await scene.open("#/new");
  await page.getByRole("heading", { name: "New conversation" }).waitFor();
  await send(page, "The original beginning");
  const first = page.locator(".message.user:not(.pending)", { hasText: "The original beginning" });
  await first.hover();
  await first.getByRole("button", { name: "Edit as a branch" }).click();
  await page.getByLabel("Another version of this message").fill("Another beginning");
  await page.keyboard.press("Enter");
  await page.locator(".message.user", { hasText: "Another beginning" }).waitFor();
  await page.getByRole("button", { name: /^Branch: another-beginning-/ }).waitFor();
  await page.locator(".rule", { hasText: "1 other branch" }).getByRole("button").click();
  await page.getByRole("menuitem").first().click();
  await first.waitFor();
});

it("completes commands", async () => {
  const page = await scene.open(`#/c/${await scene.begin()}`);
  await page.getByLabel("Message", { exact: true }).fill("/ti");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Renamed by a command");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Renamed by a command" }).waitFor();
});

it("keeps a command in the field that it does not know or cannot run, and says why", async () => {
  const page = await scene.open(`#/c/${await scene.begin()}`);
  const field = page.getByLabel("Message", { exact: true });
  const refused = async (text: string, reason: RegExp): Promise<void> => {
    await field.fill(text);
    await field.press("Enter");
    await page.getByRole("alert").getByText(reason).waitFor();
    expect(await field.inputValue()).toBe(text);
  };
  await refused("/titel X", /^Not sent: there is no command \/titel/);
  await refused("/model nonsense", /^There is no model nonsense/);
  await refused("/model openai/gpt-5", /needs a key: run colloquy auth add openai/);
  await page.getByRole("button", { name: "Model: local/small" }).waitFor();
  await field.fill("/help");
  await field.press("Enter");
  await page.getByRole("list", { name: "Commands" }).getByText("/compact").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("list", { name: "Commands" }).waitFor({ state: "detached" });
  expect(await field.inputValue()).toBe("");
  await page.locator(".composer textarea:focus").waitFor();
});

it("stores files that are attached", async () => {
  const page = await scene.open(`#/c/${await scene.begin()}`);
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Some notes") });
  await page.getByRole("list", { name: "Attached files" }).getByText("10 B").waitFor();
  await send(page, "See the notes");
  await page.locator(".message.user", { hasText: "notes.txt" }).waitFor();
});
