/** Conversations with more entries than their writer keeps by name. */
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { surroundings } from "../../../../test/support/samples/recording-sink.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import type { StoredEntry } from "../../../message/types.ts";
import type { Conversation } from "../../../store/conversation.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";
import { Ingest } from "../../../store/write/ingest.ts";
import { TextPlaceholders } from "../text-placeholders.ts";
import { ConversationWriter } from "./conversation-writer.ts";
import type { Mode } from "./entry-intake.ts";
import type { UnboundEntry } from "./stored-entry.ts";

const ID = "01980000-0000-7000-8000-000000000001";
const LENGTH = 300;
/** So few that all of the beginning is dropped several times. */
const FEW = 40;

/** A long line of messages, each with another name. */
const TRUNK = Array.from({ length: LENGTH }, (_, index) =>
  says(`a${index}`, index === 0 ? null : `a${index - 1}`, `Message ${index}`, [`alias-${index}`]),
);

const LATER: readonly UnboundEntry[] = [
  // Branches after early entries, by their ids and by their other names.
  says("b1", "a3", "After an early entry"),
  says("b2", "b1", "And on"),
  says("c1", "alias-5", "After another name of an early entry"),
  says("c2", "c1", "And on"),
  // Copies of early entries, and what follows one of them.
  ...TRUNK.slice(0, 10),
  says("d1", "a9", "After a copy", ["alias-d1"]),
  says("alias-12", "a11", "Message 12"),
  says("e1", "alias-12", "After a copy under another name"),
  // Other versions of entries, a copy of one, and what follows it.
  says("b1", "a3", "Other words of a branch"),
  says("a20", "a19", "Other words"),
  says("a20", "a19", "Other words"),
  says("f1", "a20", "After the other version"),
  { id: "g1", parent: "f1", kind: "compaction", at: 1, data: { summary: "All of it", first_kept: "a2" } },
  says("h1", "never-seen", "After nothing"),
  says("i1", null, "A new beginning"),
  ...Array.from({ length: FEW }, (_, index) =>
    says(`j${index}`, index === 0 ? "a299" : `j${index - 1}`, `More ${index}`),
  ),
  // The other version is not among the newest any more, either.
  says("k1", "a20", "After the other version again"),
  says("k2", "alias-30", "The last"),
];

/** Of each branch, how many messages of the line come first, and what follows them. */
const PATHS: Readonly<Record<string, readonly [number, ...string[]]>> = {
  b2: [4, "After an early entry", "And on"],
  c2: [6, "After another name of an early entry", "And on"],
  d1: [10, "After a copy"],
  e1: [13, "After a copy under another name"],
  h1: [20, "Other words", "After the other version", "After nothing"],
  i1: [0, "A new beginning"],
  j39: [300, ...Array.from({ length: FEW }, (_, index) => `More ${index}`)],
  k1: [20, "Other words", "After the other version again"],
  k2: [31, "The last"],
};

function says(id: string, parent: string | null, content: string, aliases?: readonly string[]): UnboundEntry {
  return { id, parent, at: 1, message: { role: "user", content }, ...(aliases && { aliases }) };
}

interface Added {
  readonly messages: number;
  readonly branches: number;
  readonly missing: readonly string[];
  readonly unresolved: readonly string[];
}

/** As one file adds them, in several portions. */
async function write(
  store: Store,
  entries: readonly UnboundEntry[],
  namesMax: number | undefined,
  mode: Mode = "write",
): Promise<Added> {
  const [missing, unresolved]: string[][] = [[], []];
  const ingest = store.ingest();
  const writer = new ConversationWriter({
    ...{
      ingest,
      mode,
      id: ID,
      format: "pi",
      start: { sourceId: "s" },
      after: Promise.resolve(),
      mayWrite: Promise.resolve(),
      others: () => [],
      namesMax,
    },
    ...{ resumeAfter: undefined, remembered: undefined, isUnfinished: false, modifiedMs: 0, again: false },
    placeholders: new TextPlaceholders(undefined),
    replaced: () => {},
    missing: ({ entry }) => missing?.push(entry.id),
    unresolved: (reference) => unresolved?.push(reference),
  });
  const origin = { format: "pi", file: "s.jsonl", around: surroundings("s.jsonl") };
  let after: string | null = null;
  for (const [index, { parent = null, ...entry }] of entries.entries()) {
    const read = { origin, bytes: 1, form: undefined, at: [], originals: undefined };
    writer.add({ entry, parent, after, ...read });
    after = entry.id;
    if (index % 25 === 24) await writer.drain();
  }
  writer.leaf("alias-d1");
  await writer.finish();
  const { messagesAdded, branchesAdded } = writer.tree;
  return {
    messages: messagesAdded,
    branches: branchesAdded,
    missing: missing ?? [],
    unresolved: unresolved ?? [],
  };
}

async function logOf(store: Store): Promise<StoredEntry[]> {
  return Array.fromAsync(store.ingest().log(ID, 0));
}

const ALL = [...TRUNK, ...LATER];

describe.each(["sqlite", "jsonl", "ephemeral"])("a conversation with many entries, in %s", (engine) => {
  const open = (): Promise<Store> =>
    openStore(engine === "ephemeral" ? "ephemeral:" : `${engine}:${join(tempFolder(), "store")}`);

  it("is the same if few of them are kept by name", async () => {
    await using store = await open();
    await using other = await open();
    const added = await write(store, ALL, FEW);
    expect(added).toEqual(await write(other, ALL, undefined));
    expect(added).toMatchObject({
      missing: [],
      unresolved: ["entry never-seen, the parent of another entry"],
    });
    expect(placed(await logOf(store))).toEqual(placed(await logOf(other)));
    const chat = (await store.get(ID)) as Conversation;
    const branches = await chat.branches();
    for (const [head, [early, ...words]] of Object.entries(PATHS)) {
      const branch = branches.find((one) => one.head === head)?.name as string;
      const { items } = await chat.messages({ branch, limit: 1000 });
      const before = TRUNK.slice(0, early).map(({ message }) => message?.content);
      expect(items.map(({ message }) => message.content)).toEqual([...before, ...words]);
    }
    expect((await chat.info()).head).toBe("d1");
    expect((await store.verify()).findings).toEqual([]);
  });

  it("is read from the store one entry at a time, where one is compared", async () => {
    await using store = await open();
    const log = vi.spyOn(Ingest.prototype, "log");
    await write(store, ALL, FEW);
    expect(log).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it("has a copy of an entry once that is on its way to the store", async () => {
    await using store = await open();
    const few = TRUNK.slice(0, 3);
    expect(await write(store, [...few, ...few, says("a1", "a0", "Other words")], FEW)).toMatchObject({
      messages: 4,
    });
  });

  it.each(["write", "verify", "dry-run"] as const)(
    "adds nothing when it is read again (%s)",
    async (mode) => {
      await using store = await open();
      await write(store, ALL, FEW);
      const before = await logOf(store);
      const nothing = { messages: 0, branches: 0, missing: [] };
      expect(await write(store, ALL, FEW, mode)).toMatchObject(nothing);
      expect(await logOf(store)).toEqual(before);
    },
  );

  it("has an answer once, also if a copy without a part of it follows much that is new", async () => {
    await using store = await open();
    const [answer, part] = [["p1", "p2"], ["p1"]].map((others) =>
      says("p0", null, others.join(" and "), others),
    ) as [UnboundEntry, UnboundEntry];
    await write(store, [answer], FEW);
    expect(await write(store, [answer, ...TRUNK, part], FEW)).toMatchObject({ messages: LENGTH });
  });

  it("is counted as it would be written", async () => {
    await using store = await open();
    const { messages, branches } = await write(store, ALL, FEW, "dry-run");
    expect(await write(store, ALL, FEW)).toMatchObject({ messages, branches });
  });
});

/** Without what differs between two stores. */
function placed(entries: readonly StoredEntry[]): object[] {
  return entries.map(({ operationId: _, ...entry }) => entry);
}
