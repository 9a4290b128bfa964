/** Files beside a source that were read with it, and whose content is in the messages: long outputs, pictures. */
import { posix } from "node:path";
import type { Message } from "../../../message/types.ts";
import type { Store } from "../../../store/store.ts";
import { isPlainObject } from "../../../util/json.ts";
import type { Fidelity, OriginalSource } from "./original.ts";

const REPLACED = "�";

/** Each once. One whose message was erased is not there any more. */
export async function* attachedFiles(
  store: Store,
  id: string,
  sources: readonly OriginalSource[],
): AsyncGenerator<OriginalSource, void, undefined> {
  const seen = new Set<string>();
  for await (const { message } of (await store.snapshot(id)).log()) {
    const source = sources.find(({ number }) => number === originalOf(message));
    if (message === undefined || source === undefined) continue;
    for (const { name, bytes, notes } of filesIn(message.content)) {
      const file = posix.join(posix.dirname(source.file.replaceAll("\\", "/")), name);
      if (seen.has(file)) continue;
      seen.add(file);
      yield {
        ...source,
        file,
        form: "document",
        isElement: false,
        isBeside: true,
        bytes: () => read(bytes, notes),
      };
    }
  }
}

function originalOf(message: Message | undefined): unknown {
  return isPlainObject(message?.provenance) ? message.provenance.original : undefined;
}

interface Attached {
  readonly name: string;
  readonly bytes: Buffer;
  readonly notes: readonly string[];
}

function* filesIn(content: unknown): Generator<Attached> {
  for (const block of Array.isArray(content) ? content : []) {
    if (!isPlainObject(block) || block.missing === true) continue;
    if (block.type === "tool_result") yield* filesIn(block.content);
    const { source, text } = block;
    if (!isPlainObject(source) || typeof source.name !== "string") continue;
    const { type, name, data } = source;
    if (type === "file" && typeof text === "string") yield textFile(name, text);
    if (type === "base64" && typeof data === "string")
      yield { name, bytes: Buffer.from(data, "base64"), notes: [] };
  }
}

function textFile(name: string, text: string): Attached {
  const notes = text.includes(REPLACED) ? ["bytes of it that are not UTF-8 were replaced"] : [];
  return { name, bytes: Buffer.from(text), notes };
}

async function* read(bytes: Buffer, notes: readonly string[]): AsyncGenerator<Buffer, Fidelity, undefined> {
  yield bytes;
  return { bytes: bytes.length, isExact: notes.length === 0, notes };
}
