/** A sink that only remembers what it was given. For tests of readers. */
import type { FormatWith } from "../../../src/formats/contract/format.ts";
import type {
  ConversationSink,
  RecordReader,
  Sink,
  SourceConversation,
  SourceEntry,
  SourceRecord,
  Surroundings,
} from "../../../src/formats/contract/reader.ts";
import { FoundBefore } from "../../../src/formats/import/forks/found-before.ts";
import type { JsonObject } from "../../../src/util/json.ts";

export interface Recorded {
  start: SourceConversation;
  readonly entries: SourceEntry[];
  readonly notes: SourceRecord[];
  readonly blobs: string[];
  leaf: string | undefined;
}

export class RecordingSink implements Sink {
  readonly conversations: Recorded[] = [];
  readonly skipped: { readonly line: number | null; readonly reason: string }[] = [];
  readonly unknowns: string[] = [];
  readonly unresolvedReferences: string[] = [];
  readonly current: Set<string> = new Set();
  /** What was asked about. */
  readonly versions: string[] = [];

  conversation(start: SourceConversation): ConversationSink {
    let found = this.conversations.find((known) => known.start.sourceId === start.sourceId);
    if (found === undefined) {
      found = { start, entries: [], notes: [], blobs: [], leaf: undefined };
      this.conversations.push(found);
    }
    const recorded = found;
    return {
      add: (entry) => void recorded.entries.push(entry),
      note: (record) => void recorded.notes.push(record),
      blob: (base64) => void recorded.blobs.push(base64),
      update: (patch) => {
        recorded.start = { ...recorded.start, ...patch };
      },
      leaf: (entryId) => {
        recorded.leaf = entryId;
      },
    };
  }

  isCurrent(sourceId: string, version: string): boolean {
    this.versions.push(`${sourceId} ${version}`);
    return this.current.has(`${sourceId} ${version}`);
  }

  waitsFor(): boolean {
    return false;
  }

  offer(): void {}

  skip(record: Omit<SourceRecord, "value">, reason: string): void {
    this.skipped.push({ line: record.line, reason });
  }

  unknown(type: string): void {
    this.unknowns.push(type);
  }

  unresolved(reference: string): void {
    this.unresolvedReferences.push(reference);
  }

  /** The messages of a conversation as `role: text`, for short expectations. */
  lines(index = 0): string[] {
    return (this.conversations[index]?.entries ?? []).flatMap(({ message }) =>
      message === undefined ? [] : [`${message.role}: ${textOf(message.content)}`],
    );
  }
}

function textOf(content: NonNullable<SourceEntry["message"]>["content"]): string {
  if (typeof content === "string") return content;
  return content.map((block) => (typeof block.text === "string" ? block.text : `[${block.type}]`)).join(" ");
}

/** Feed lines of JSON to a reader, as the importer does. */
export function readLines(reader: RecordReader, text: string, firstLine = 1): void {
  let line = firstLine;
  let offset = 0;
  for (const part of text.split("\n")) {
    if (part.trim() !== "") reader.record({ value: JSON.parse(part), line, offset, text: part });
    line++;
    offset += Buffer.byteLength(part) + 1;
  }
}

/** Read a whole file of one record a line. */
export function readFile(lines: FormatWith<"lines">["lines"], text: string, path: string): RecordingSink {
  const sink = new RecordingSink();
  const reader = lines.open(sink, surroundings(path), undefined);
  readLines(reader, text);
  reader.end(true);
  return sink;
}

/** Read the values of a document, one after the other. */
export async function readValues(
  document: FormatWith<"document">["document"],
  values: readonly unknown[],
  around: Surroundings,
): Promise<RecordingSink> {
  const sink = new RecordingSink();
  for (const [index, value] of values.entries()) {
    await document.read(
      { value: value as JsonObject, line: null, offset: index + 1 },
      sink,
      around,
      new FoundBefore(),
    );
  }
  return sink;
}

/** The records of a file of one record a line. */
export function recordsIn(text: string): JsonObject[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
}

/** Surroundings of files that exist in memory only. */
export function surroundings(
  path: string,
  files: Readonly<Record<string, string | Buffer>> = {},
): Surroundings {
  const around: Surroundings = {
    path,
    modifiedMs: 0,
    read: async (name) => (files[name] === undefined ? undefined : Buffer.from(files[name])),
    list: async (folder) => [
      ...new Set(
        Object.keys(files)
          .filter((name) => name.startsWith(`${folder}/`))
          .map((name) => name.slice(folder.length + 1).split("/")[0] as string)
          .sort(),
      ),
    ],
    async *records(name) {
      const text = files[name]?.toString() ?? "";
      let offset = 0;
      for (const [index, part] of text.split("\n").entries()) {
        if (part.trim() !== "") yield { value: JSON.parse(part), line: index + 1, offset, text: part };
        offset += Buffer.byteLength(part) + 1;
      }
    },
    stamp: (name) => files[name]?.toString() ?? "",
    beyond: () => around,
    pathOf: (name) => name,
  };
  return around;
}
