import { describe, expect, it } from "vitest";
import { textOf } from "../../../src/message/text.ts";
import type { Conversation } from "../../../src/store/conversation.ts";
import { until } from "../../support/until.ts";
import { chatScene, Watch } from "./chat-place.ts";

const ONE_BY_ONE = Array.from({ length: 200 }, (_, n) => ({ text: `word${n} ` }));

async function lastWords(chat: Conversation): Promise<string> {
  const [last] = (await chat.messages({ last: 1 })).items;
  return last === undefined ? "" : textOf(last.message);
}

describe("a chat", () => {
  it("streams an answer that is the stored message, to all who watch", async () => {
    const { client, store } = await chatScene([ONE_BY_ONE]);
    const chat = await store.open("web:1");
    const topic = `conversation:${chat.id}`;
    const ada = client();
    const watches = [new Watch(ada, topic), new Watch(client("read"), topic)];
    for (const watch of watches) await watch.until("subscribed");
    const { run, entry } = await ada.request("chat.send", {
      conversation: "web:1",
      text: "Hello",
      idempotencyKey: "1",
    });
    expect((await chat.entry(entry ?? ""))?.message?.content).toBe("Hello");
    for (const watch of watches) {
      await watch.until("chat.done");
      expect(watch.text).toBe(ONE_BY_ONE.map(({ text }) => text).join(""));
      expect(watch.text).toBe(await lastWords(chat));
      expect(watch.all("chat.delta").length).toBeLessThan(ONE_BY_ONE.length);
    }
    const [one, two] = watches.map(({ frames }) => frames);
    expect(one).toEqual(two);
    expect(one?.map(({ n }) => n)).toEqual(one?.map(({ n }) => n).toSorted((a, b) => a - b));
    expect(watches[0]?.all("chat.done")).toMatchObject([{ run, state: "finished" }]);
    // The stored answer is there before the streamed one is taken away.
    const names = one?.map(({ event }) => event) ?? [];
    expect(names.lastIndexOf("conversation.entries")).toBeLessThan(names.indexOf("chat.done"));
  });

  it("begins a conversation with a title, once for each idempotency key", async () => {
    const { client, store, model } = await chatScene([[{ text: "Hi" }]]);
    const ada = client();
    const order = { text: "# Hello\nthere", idempotencyKey: "1" };
    const first = await ada.request("chat.send", order);
    expect(await ada.request("chat.send", order)).toEqual(first);
    const answered = async (): Promise<unknown> => (await store.list()).items[0]?.messageCount;
    await expect.poll(answered, { timeout: 60_000 }).toBe(2);
    expect(await ada.request("chat.send", order)).toEqual(first);
    const { items } = await store.list();
    expect(items).toMatchObject([{ title: "Hello", channel: "web", messageCount: 2 }]);
    expect(model.requests).toHaveLength(1);
    await expect(ada.request("chat.send", { ...order, text: "Other" })).rejects.toMatchObject({
      code: "CONFLICT",
    });
  });

  it("stops an answer, keeps what was streamed, and continues it on demand", async () => {
    const { client, store, model } = await chatScene([
      [{ text: "One two " }, { fault: "hang" }],
      "hang",
      [{ text: "three" }],
    ]);
    const chat = await store.open("web:1");
    const ada = client();
    const watch = new Watch(ada, `conversation:${chat.id}`);
    await ada.request("chat.send", { conversation: chat.id, text: "Count", idempotencyKey: "1" });
    await watch.until("chat.delta");
    const late = new Watch(client(), `conversation:${chat.id}`);
    await late.until("subscribed");
    expect(late.text).toBe("One two ");
    expect(await ada.request("chat.stop", { conversation: chat.id })).toEqual({ stopped: true });
    await watch.until("chat.done");
    expect(watch.all("chat.done")).toMatchObject([{ state: "stopped" }]);
    const [last] = (await chat.messages({ last: 1 })).items;
    expect(last?.message).toMatchObject({ content: "One two ", endState: "stopped" });
    expect(await ada.request("chat.stop", { conversation: chat.id })).toEqual({ stopped: false });
    // Again, and this time it is stopped before its first word.
    const { run } = await ada.request("chat.resume", { conversation: chat.id });
    await until(() => model.requests.length === 2);
    expect(await ada.request("chat.resume", { conversation: chat.id })).toEqual({ run });
    await ada.request("chat.stop", { conversation: chat.id });
    await watch.until("chat.done", 2);
    await ada.request("chat.resume", { conversation: chat.id });
    await watch.until("chat.done", 3);
    expect(watch.all("chat.done").map(({ state }) => state)).toEqual(["stopped", "stopped", "finished"]);
    expect(await lastWords(chat)).toBe("three");
    expect(JSON.stringify(model.requests[2]?.body.messages)).toContain("One two ");
    expect(await ada.request("chat.resume", { conversation: chat.id })).toEqual({ run: null });
  });

  it("answers on a new branch after an edit, and again after a wish for another answer", async () => {
    const { client, store } = await chatScene([[{ text: "A" }], [{ text: "B" }], [{ text: "C" }]]);
    const chat = await store.open("web:1");
    const ada = client();
    const watch = new Watch(ada, `conversation:${chat.id}`);
    const sent = await ada.request("chat.send", { conversation: chat.id, text: "a?", idempotencyKey: "1" });
    await watch.until("chat.done");
    const order = { conversation: chat.id, entry: sent.entry ?? "", text: "b?", idempotencyKey: "2" };
    const edited = await ada.request("chat.edit", order);
    await watch.until("chat.done", 2);
    expect(await ada.request("chat.edit", order)).toEqual(edited);
    const [, answer] = (await chat.messages()).items;
    const again = { conversation: chat.id, entry: answer?.id ?? "", idempotencyKey: "3" };
    const other = await ada.request("chat.regenerate", again);
    await watch.until("chat.done", 3);
    expect(await ada.request("chat.regenerate", again)).toEqual(other);
    expect((await chat.messages()).items.map(({ message }) => textOf(message))).toEqual(["b?", "C"]);
    const texts = async (branch: string): Promise<unknown[]> =>
      (await chat.messages({ branch })).items.map(({ message }) => textOf(message));
    expect(await texts("main")).toEqual(["a?", "A"]);
    expect(await texts(edited.branch)).toEqual(["b?", "B"]);
  });

  it("asks about tools, and takes the first answer of an administrator", async () => {
    const { client, store } = await chatScene(
      [[{ text: "Let me see. " }, { tool: "current_time" }], [{ text: "Late." }]],
      {
        config: { approvals: { tools: { current_time: "ask" }, timeoutSeconds: 3600 } },
        scopes: { web: { keys: ["web:*"] } },
      },
    );
    const chat = await store.open("web:1");
    const ada = client();
    const watch = new Watch(ada, `conversation:${chat.id}`);
    await ada.request("chat.send", { conversation: chat.id, text: "When?", idempotencyKey: "1" });
    await watch.until("chat.approval");
    const late = new Watch(client("write"), `conversation:${chat.id}`);
    await late.until("subscribed");
    const [subscribed] = late.events;
    const question = subscribed?.event === "subscribed" && subscribed.data.running?.approvals[0];
    expect(question).toMatchObject({ tool: "current_time" });
    const id = question === false ? "" : (question?.id ?? "");
    const leftMs = Date.parse(question === false ? "" : (question?.expiresAt ?? "")) - Date.now();
    expect(Math.round(leftMs / 60_000)).toBeGreaterThan(30);
    for (const other of ["read", "write", "web"]) {
      const refused = client(other).request("approval.answer", { id, allow: true });
      await expect(refused).rejects.toMatchObject({ code: "FORBIDDEN" });
    }
    await client().request("approval.answer", { id, allow: true });
    await expect(ada.request("approval.answer", { id, allow: false })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    await watch.until("chat.done");
    expect(watch.all("chat.approved")).toMatchObject([{ id, allow: true }]);
    expect(watch.all("chat.tool").map(({ tool }) => tool.state)).toEqual(["running", "done"]);
    const names = watch.frames.map(({ event }) => event);
    const step = names.indexOf("chat.step");
    expect(names.indexOf("chat.delta")).toBeLessThan(step);
    expect(step).toBeLessThan(names.indexOf("chat.approval"));
    expect(watch.text).toBe("Late.");
  });

  it("says why an answer failed, and completes it on demand", async () => {
    const { client, store } = await chatScene([{ status: 400, message: "No" }, [{ text: "Now" }]]);
    const chat = await store.open("web:1");
    const ada = client();
    const watch = new Watch(ada, `conversation:${chat.id}`);
    const { run } = await ada.request("chat.send", { conversation: chat.id, text: "?", idempotencyKey: "1" });
    await watch.until("chat.failed");
    expect(await ada.request("chat.resume", { conversation: chat.id })).toEqual({ run });
    await watch.until("chat.done");
    expect(await lastWords(chat)).toBe("Now");
    expect(await ada.request("chat.resume", { conversation: chat.id })).toEqual({ run: null });
  });
});
