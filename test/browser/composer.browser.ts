import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { Cuttable } from "../gateway/socket/cuttable.ts";
import { UNTRUSTED_HOST } from "./open-browser.ts";
import { openScene, type Scene } from "./scene.ts";

let cable: Cuttable;
let scene: Scene;

beforeAll(async () => {
  cable = await Cuttable.open();
  const script: Parameters<typeof openScene>[1] = ({ body }) => [{ text: `Answer of ${body.model}` }];
  scene = await openScene(async () => {}, script, { hosts: [`127.0.0.1:${cable.port}`] });
  cable.target = Number(new URL(scene.url).port);
});
afterAll(async () => {
  cable.close();
  expect(scene.problems).toEqual([]);
  await scene[Symbol.asyncDispose]();
});

const field = (page: Page): Locator => page.getByLabel("Message", { exact: true });
const files = (page: Page): Locator => page.getByRole("list", { name: "Attached files" });

async function send(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await page.keyboard.press("Enter");
}

/** How often a message of the user is stored. */
async function stored(id: string, text: string): Promise<number> {
  await using store = await openStore(`sqlite:${join(scene.stateDir, "store.db")}`);
  const items = (await (await store.get(id))?.messages({ last: 100 }))?.items ?? [];
  return items.filter(({ message }) => JSON.stringify(message.content).includes(text)).length;
}

it("keeps what was typed and its files until they are accepted, also over a reload without a gateway", async () => {
  cable.isCut = false;
  const baseURL = `http://127.0.0.1:${cable.port}`;
  const id = await scene.begin();
  let page = await scene.open(`#/c/${id}`, { baseURL });
  await page.locator(".message", { hasText: "Hello to you." }).waitFor();
  const notes = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Some notes") };
  await page.locator("input[type=file]").setInputFiles(notes);
  await files(page).getByText("10 B").waitFor();
  cable.isCut = true;
  cable.cut();
  await page.getByText("Reconnecting. What you type is kept.").waitFor();
  await page.locator("input[type=file]").setInputFiles({ ...notes, name: "late.txt" });
  await files(page).getByRole("button", { name: "Try late.txt again" }).waitFor();
  await send(page, "Typed in a tunnel");
  await page.getByText("Not sent: a file is not stored yet").waitFor();
  await files(page).getByRole("button", { name: "Remove late.txt" }).click();
  await field(page).press("Enter");
  await page.getByText("Sent when the gateway is back").waitFor();
  expect(await field(page).inputValue()).toBe("");
  await page.close();
  cable.isCut = false;
  page = await page.context().newPage();
  await page.goto(`${baseURL}/#/c/${id}`);
  await files(page).getByText("notes.txt").waitFor();
  expect(await field(page).inputValue()).toBe("Typed in a tunnel");
  await field(page).press("Enter");
  await page.locator(".message.user:not(.pending)", { hasText: "Typed in a tunnel" }).waitFor();
  const notesOf = page.locator(".message.user", { hasText: "Typed in a tunnel" });
  await notesOf.getByRole("button", { name: /^notes.txt/ }).click();
  await notesOf.getByText("Some notes").waitFor();
  await notesOf.getByTitle("Download notes.txt").waitFor();
  expect(await field(page).inputValue()).toBe("");

  // Without a reload it is sent when the gateway is back, once.
  cable.isCut = true;
  cable.cut();
  await page.getByText("Reconnecting. What you type is kept.").waitFor();
  await send(page, "Typed in a lift");
  await field(page).fill("The next thought");
  cable.isCut = false;
  await page.locator(".message.user:not(.pending)", { hasText: "Typed in a lift" }).waitFor();
  expect(await field(page).inputValue()).toBe("The next thought");
  await field(page).fill("");
  expect([await stored(id, "Typed in a tunnel"), await stored(id, "Typed in a lift")]).toEqual([1, 1]);
  await page.context().close();
});

it("gives back a message that was refused, with the reason, and sends it again", async () => {
  const id = await scene.begin();
  const page = await scene.open(`#/c/${id}`);
  await page.locator(".message", { hasText: "Hello to you." }).waitFor();
  const request = (method: string, path: string): Promise<number> =>
    page.evaluate(`fetch(${JSON.stringify(path)}, { method: "${method}" }).then((r) => r.status)`);
  expect(await request("DELETE", `/api/v1/conversations/${id}`)).toBeLessThan(300);
  await send(page, "Into the trash?");
  await page
    .getByRole("alert")
    .getByText(/^Not sent: /)
    .waitFor();
  expect(await field(page).inputValue()).toBe("Into the trash?");
  expect(await request("POST", `/api/v1/conversations/${id}/restore`)).toBeLessThan(300);
  await field(page).press("Enter");
  await page.locator(".message.user:not(.pending)", { hasText: "Into the trash?" }).waitFor();
  expect(await stored(id, "Into the trash?")).toBe(1);
});

it("takes files that are dropped and pasted, and says at once which are too large or too many", async () => {
  const page = await scene.open(`#/c/${await scene.begin()}`);
  await page.locator(".message", { hasText: "Hello to you." }).waitFor();
  await page.evaluate(`(() => {
    const filled = (name) => {
      const data = new DataTransfer();
      data.items.add(new File(["Content of " + name], name, { type: "text/plain" }));
      return data;
    };
    const on = document.querySelector(".composer textarea");
    on.dispatchEvent(new DragEvent("drop", { dataTransfer: filled("dropped.txt"), bubbles: true, cancelable: true }));
    on.dispatchEvent(new ClipboardEvent("paste", { clipboardData: filled("pasted.txt"), bubbles: true, cancelable: true }));
  })()`);
  await files(page).getByText("dropped.txt").waitFor();
  await files(page).getByText("pasted.txt").waitFor();
  const large = join(scene.stateDir, "large.bin");
  writeFileSync(large, "");
  truncateSync(large, 21 * 1024 * 1024);
  await page.locator("input[type=file]").setInputFiles(large);
  await files(page).getByText("larger than 20 MB").waitFor();
  await files(page).getByRole("button", { name: "Remove large.bin" }).click();
  const nine = Array.from({ length: 9 }, (_, n) => ({
    name: `${n}.txt`,
    mimeType: "text/plain",
    buffer: Buffer.from("x"),
  }));
  await page.locator("input[type=file]").setInputFiles(nine);
  await files(page).getByText("a message has at most 10 files").waitFor();
  for (const { name } of nine)
    await files(page)
      .getByRole("button", { name: `Remove ${name}` })
      .click();
  await send(page, "Two files");
  const sent = page.locator(".message.user:not(.pending)", { hasText: "Two files" });
  for (const name of ["dropped.txt", "pasted.txt"]) {
    await sent.getByRole("button", { name: new RegExp(`^${name}`) }).click();
    await sent.getByText(`Content of ${name}`).waitFor();
  }
  expect(await files(page).count()).toBe(0);
  // They stay when the words are edited.
  await sent.hover();
  await sent.getByRole("button", { name: "Edit as a branch" }).click();
  const edit = page.getByLabel("Another version of this message");
  expect(await edit.inputValue()).toBe("Two files");
  await edit.fill("The same two files");
  await edit.press("Enter");
  const again = page.locator(".message.user:not(.pending)", { hasText: "The same two files" });
  await again.getByRole("button", { name: /^dropped.txt/ }).waitFor();
  await page.getByRole("button", { name: /^Branch: the-same-two-files-/ }).waitFor();
});

it("says before a file is sent that a model cannot read it, and shows the file, not what the model reads", async () => {
  const page = await scene.open(`#/c/${await scene.begin()}`);
  const setup = { name: "setup.exe", mimeType: "application/x-msdownload", buffer: Buffer.from("MZ") };
  await page.locator("input[type=file]").setInputFiles(setup);
  await files(page).getByText("the model gets only its name").waitFor();
  await send(page, "What is this?");
  const sent = page.locator(".message.user:not(.pending)", { hasText: "What is this?" });
  await sent.locator(".attachment", { hasText: "setup.exe" }).waitFor();
  expect(await sent.innerText()).not.toContain("[file");
});

it("works on a page from plain HTTP, where browsers turn much off", async () => {
  const baseURL = `http://${UNTRUSTED_HOST}:${new URL(scene.url).port}`;
  const page = await scene.open(`#/c/${await scene.begin()}`, { baseURL });
  expect(await page.evaluate("window.isSecureContext")).toBe(false);
  await send(page, "Over plain HTTP");
  const sent = page.locator(".message.user:not(.pending)", { hasText: "Over plain HTTP" });
  await sent.hover();
  await sent.getByRole("button", { name: "Copy", exact: true }).click();
  await sent.getByRole("button", { name: "Copied" }).waitFor();
  await field(page).focus();
  await page.keyboard.press("Control+v");
  expect(await field(page).inputValue()).toBe("Over plain HTTP");
  await page.context().close();
});

it("lists every model inside the window, and answers with the one that is chosen", async () => {
  const page = await scene.open(`#/c/${await scene.begin()}`);
  await page.getByRole("button", { name: "Model: local/small" }).click();
  const last = page.getByRole("menuitemradio", { name: /^Offline search/ });
  await last.waitFor();
  const box = await page.getByRole("menu").boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(900);
  await page.getByRole("menuitemradio", { name: "local/large" }).click();
  await page.getByRole("button", { name: "Model: local/large" }).waitFor();
  await send(page, "Which model are you?");
  await page.locator(".message.assistant:not(.running)", { hasText: "Answer of large" }).waitFor();
});
