/** Files that were read with a source: long outputs and pictures, which are in messages, and messages in files. */
import { posix } from "node:path";
import { originalIn } from "../../../store/originals/provenance.ts";
import type { Store } from "../../../store/store.ts";
import { isPlainObject } from "../../../util/json.ts";
import { objectIn, parsedIn } from "../../../util/values.ts";
import { insideZip, zipOf } from "../../sources/member-path.ts";
import { type Fidelity, type OriginalSource, ROWS_NOTE } from "./original.ts";

const REPLACED = "�";

/**
 * Each once. One whose message was erased is not there any more. The names in messages come from sources, which may
 * say anything: `isAllowed` decides by the path beside the source.
 */
export async function* attachedFiles(
  store: Store,
  id: string,
  sources: readonly OriginalSource[],
  isAllowed: (file: string) => boolean = () => true,
): AsyncGenerator<OriginalSource, void, undefined> {
  const seen = new Set(sources.filter(({ form }) => form !== "rows").map(({ file }) => file));
  for (const source of sources)
    for await (const one of filesOfRows(source)) if (!seen.has(one.file)) yield one;
  for await (const { message } of (await store.snapshot(id)).log()) {
    if (message === undefined) continue;
    const original = originalIn({ message });
    const source = sources.find(({ number }) => number === original);
    if (source === undefined) continue;
    for (const { name, bytes, notes } of filesIn(message.content)) {
      const file = besideOf(source, name);
      if (seen.has(file) || !isAllowed(file)) continue;
      seen.add(file);
      yield attached(source, file, bytes, notes);
    }
  }
}

/** Where messages have files of their own, each row is one of them. The last version of a file counts. */
export async function* filesOfRows(source: OriginalSource): AsyncGenerator<OriginalSource, void, undefined> {
  if (source.form !== "rows" || !(await beginsWithFile(source))) return;
  const { bytes, fidelity } = await gathered(source);
  const files = new Map<string, string>();
  for (const line of bytes.toString().split("\n")) {
    const { file, text } = objectIn(parsedIn(line)) ?? {};
    if (typeof file === "string" && typeof text === "string") files.set(besideOf(source, file), text);
  }
  const notes = fidelity.notes.filter((note) => note !== ROWS_NOTE);
  for (const [file, text] of files) yield attached(source, file, Buffer.from(text), notes);
}

async function beginsWithFile({ bytes }: OriginalSource): Promise<boolean> {
  for await (const piece of bytes()) return piece.subarray(0, 8).toString() === '{"file":';
  return false;
}

async function gathered({ bytes }: OriginalSource): Promise<{ bytes: Buffer; fidelity: Fidelity }> {
  const pieces: Buffer[] = [];
  const reading = bytes();
  for (;;) {
    const { done, value } = await reading.next();
    if (done === true) return { bytes: Buffer.concat(pieces), fidelity: value };
    pieces.push(value);
  }
}

function attached(
  source: OriginalSource,
  file: string,
  bytes: Buffer,
  notes: readonly string[],
): OriginalSource {
  return {
    ...{ ...source, file, form: "document", isElement: false, isBeside: true },
    bytes: () => read(bytes, notes),
  };
}

/** What is beside a member of a zip is in the zip. */
function besideOf({ file }: OriginalSource, name: string): string {
  const path = file.replaceAll("\\", "/");
  return zipOf(path) + posix.join(posix.dirname(insideZip(path)), name);
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
