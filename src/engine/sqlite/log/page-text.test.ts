import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";

const DAMAGE: Readonly<Record<string, string>> = {
  "does not match its checksum": "replace(body, 'two', 'too')",
  "is not JSON": "'{'",
};

it.each(Object.entries(DAMAGE))("a page as text leaves out a message that %s", async (_, body) => {
  const path = join(tempFolder(), "store.db");
  const onProblem = (): void => {};
  await using store = await openStore(`sqlite:${path}`, { onProblem });
  const chat = await store.create();
  await chat.append(["one", "two", "three"].map((content) => ({ role: "user", content })));
  const database = new DatabaseSync(path);
  database.exec(`UPDATE entries SET body = ${body} WHERE seq = 2`);
  database.close();
  for (const query of [{}, { last: 2 }, { last: 3 }, { limit: 1 }]) {
    const text = await chat.messagesText(query);
    expect(text).toBe(JSON.stringify(await chat.messages(query)));
    expect(await chat.messagesText(query)).toBe(text);
  }
  const { items } = JSON.parse(await chat.messagesText());
  expect(items).toMatchObject([{ seq: 1 }, { seq: 3, flags: ["parent-damaged"] }]);
});
