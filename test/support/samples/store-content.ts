/** All that a store holds, in a form in which two stores can be compared. */
import { createHash } from "node:crypto";
import type { Store } from "../../../src/store/store.ts";

/** One line for each conversation and each of its entries, by the id of the conversation. */
export type StoreContent = ReadonlyMap<string, readonly string[]>;

/**
 * Left out: what names the import itself (`updatedAt`, the operation that wrote an entry), and blobs that nothing
 * refers to, which `gc` removes.
 * Segments and blobs are read, so that a reference to nothing is not equal to one that is whole.
 */
export async function contentOf(store: Store): Promise<StoreContent> {
  const content = new Map<string, string[]>();
  const ingest = store.ingest();
  for (const trash of [false, true]) {
    for await (const { updatedAt: _, ...info } of store.list({ trash })) {
      const lines = [JSON.stringify(info)];
      content.set(info.id, lines);
      if (trash) continue;
      const snapshot = await store.snapshot(info.id);
      lines.push(JSON.stringify(snapshot.branches));
      for await (const { operationId: _, ...entry } of snapshot.log())
        lines.push(JSON.stringify(sorted(entry)));
      for (const { number, announcements } of await ingest.originals(info.id)) {
        for (const { segments } of announcements) {
          for (const segment of segments) {
            const bytes = await ingest.segmentBytes(segment);
            lines.push(`${number} ${typeof bytes === "string" ? bytes : hashOf(bytes)}`);
          }
        }
      }
    }
  }
  return new Map([...content].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The same for equal contents. */
export function contentHash(content: StoreContent): string {
  return hashOf(JSON.stringify([...content]));
}

/** Where they differ, in words; nothing if they are equal. */
export function contentDifferences(expected: StoreContent, found: StoreContent): string[] {
  return [...new Set([...expected.keys(), ...found.keys()])].flatMap((id) => {
    const [wanted, other] = [expected.get(id), found.get(id)];
    if (wanted === undefined) return [`${id} is more`];
    if (other === undefined) return [`${id} is missing`];
    const line = wanted.findIndex((text, index) => text !== other[index]);
    if (line === -1 && wanted.length === other.length) return [];
    const at = line === -1 ? wanted.length : line;
    return [`${id}, line ${at}:\n    ${shown(wanted[at])}\n    ${shown(other[at])}`];
  });
}

function shown(line = "nothing"): string {
  return line.length > 600 ? `${line.slice(0, 600)} … ${hashOf(line)}` : line;
}

function hashOf(bytes: Buffer | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Engines return the properties of an entry in their own order. */
function sorted(entry: object): object {
  return Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)));
}
