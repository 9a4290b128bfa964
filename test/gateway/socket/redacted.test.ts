import { expect, it } from "vitest";
import { openStore } from "../../../src/store/open.ts";
import { plantedSecrets } from "../../support/samples/planted-secrets.ts";
import { chatScene, Watch } from "./chat-place.ts";

const LISTED = "the blue house by the lake";
const [KEY = { text: "", secret: "" }] = plantedSecrets();

it("streams what a store that redacts keeps, a line at a time", async () => {
  await using store = await openStore("ephemeral:", { redact: [LISTED] });
  const answer = `We meet at ${LISTED}.\nThen ${KEY.text} opens it.\n\nAnd ${LISTED}`;
  const pieces = (answer.match(/[\s\S]{1,5}/g) ?? []).map((text) => ({ text }));
  const gate = Promise.withResolvers<void>();
  const script = [
    [{ tool: "current_time", input: { timezone: LISTED } }],
    [{ thinking: `They said ${LISTED}.\n` }, ...pieces, { until: gate.promise }],
  ];
  const { client } = await chatScene(script, { store });
  const chat = await store.open("web:1");
  const ada = client();
  const watch = new Watch(ada, `conversation:${chat.id}`);
  const chunks = new Watch(client("read"), `conversation:${chat.id}`, "chunks");
  for (const one of [watch, chunks]) await one.until("subscribed");
  await ada.request("chat.send", { conversation: "web:1", text: "Where?", idempotencyKey: "1" });
  await expect.poll(() => watch.text, { timeout: 30_000 }).toMatch(/opens it\.\n\n$/);
  const late = new Watch(client(), `conversation:${chat.id}`);
  await late.until("subscribed");
  expect(late.text).toBe(watch.text);
  gate.resolve();
  for (const one of [watch, chunks, late]) await one.until("chat.done");
  const [last] = (await chat.messages({ last: 1 })).items;
  for (const one of [watch, chunks, late]) {
    const told = JSON.stringify(one.events);
    for (const secret of [LISTED, KEY.secret]) expect(told).not.toContain(secret);
  }
  expect(JSON.stringify(last?.message.content)).toContain(JSON.stringify(watch.text).slice(1, -1));
  expect(watch.text).toMatch(
    /^We meet at \[redacted: .*\.\nThen .*\[redacted: .* opens it\.\n\nAnd \[redacted/,
  );
  expect(watch.all("chat.thinking")).not.toEqual([]);
  const [tool] = watch.all("chat.tool");
  expect(tool?.tool.input).toContain("[redacted");
});
