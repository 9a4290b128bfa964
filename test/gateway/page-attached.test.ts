import { expect, it } from "vitest";
import { contentOf, fileBlock } from "../../src/channel/inbox/content.ts";
import type { Block } from "../../src/message/types.ts";
import { attachedFiles, fileText } from "../../web/src/conversation/attached-parts.ts";

const file = (name: string, mediaType: string) => ({ name, mediaType, size: 3, ref: name });

it("finds the files that channels and the page write into a message", async () => {
  const attachments = [
    file("a (1).png", "image/png"),
    file("setup.exe", "application/x-msdownload"),
    file("notes.txt", "text/plain"),
    file("plan.pdf", "application/pdf"),
  ];
  const made = contentOf({ text: "See these", attachments });
  const read = await Promise.all(
    (made?.files ?? []).map((one) => fileBlock(one, async () => Buffer.from("abc"))),
  );
  const blocks = [...((made?.content ?? []) as Block[]), ...read];
  const found = attachedFiles(blocks);
  expect(found.has(0)).toBe(false);
  const named = [...found.values()].filter((one) => one !== null);
  expect(named.map(({ name, problem, content }) => [name, problem, content?.block.type])).toEqual([
    ["a (1).png", null, "image"],
    ["setup.exe", "was not read", undefined],
    ["notes.txt", null, "text"],
    ["plan.pdf", null, "document"],
  ]);
  expect(fileText(String(named[2]?.content?.block.text))).toBe("abc");
  expect([...found.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7]);
});
