/** Sources that shrink, are replaced or rewritten while they are read, vanish, and come back. */
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Fidelity, originalSources } from "../../src/formats/export/original/original.ts";
import type { ImportReport } from "../../src/formats/import/report.ts";
import { type ImportOptions, importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { piHeader, piSays } from "./pi-session.ts";

/** Sessions with the same id and other words; `large` is more than an import holds. */
const SIZES = { small: 12, large: 90 } as const;
const OLD = "old words ";
const NEW = "new words, longer than those before ";

/** All begin with the same message, by which pi's conversations are told apart. */
const START = piHeader("s1") + piSays("first", null, "Hello");

function session(words: string, messages: number, from = 0): string {
  const text = (n: number): string => `${n} ${words.repeat(Math.ceil(50_000 / words.length))}`;
  const idOf = (n: number): string => `${words.slice(0, 3)}${n}`;
  const lines = Array.from({ length: messages }, (_, index) => {
    const n = from + index;
    return piSays(idOf(n), index === 0 ? "first" : idOf(n - 1), text(n));
  });
  return START + lines.join("");
}

interface Place {
  readonly folder: string;
  readonly file: string;
  readonly store: Store;
}

async function placed(engine: string, content: string): Promise<Place & AsyncDisposable> {
  const root = tempFolder();
  const folder = join(root, "sources");
  mkdirSync(folder);
  const file = join(folder, "s.jsonl");
  writeFileSync(file, content);
  const store = await openStore(`${engine}:${join(root, "store")}`);
  return { folder, file, store, [Symbol.asyncDispose]: () => store.close() };
}

/** Import, and change the source when some of it was read. */
async function importWhile(
  { store, folder }: Place,
  change: () => void,
  { after = 1, ...options }: ImportOptions & { readonly after?: number } = {},
): Promise<ImportReport> {
  let isDone = false;
  return importConversations(store, [folder], {
    ...options,
    onProgress: ({ bytes }) => {
      if (bytes < after || isDone) return;
      isDone = true;
      change();
    },
  });
}

async function messagesIn(store: Store): Promise<Map<string, string>> {
  const chat = await store.get("pi:s1");
  const log = chat === undefined ? [] : await Array.fromAsync(store.ingest().log(chat.id, 0));
  return new Map(log.flatMap(({ id, message }) => (message ? [[id, JSON.stringify(message.content)]] : [])));
}

async function idsIn(store: Store): Promise<Set<string>> {
  return new Set((await messagesIn(store)).keys());
}

/** No message is half of one file and half of another. */
async function expectWholeMessages(store: Store): Promise<void> {
  for (const text of (await messagesIn(store)).values()) {
    expect(text.includes("old") && text.includes("new")).toBe(false);
  }
}

async function exported(store: Store): Promise<{ text: string; isFormer: boolean; fidelity: Fidelity }[]> {
  const found = [];
  for (const source of await originalSources(store, "pi:s1")) {
    const parts: Buffer[] = [];
    const bytes = source.bytes();
    let next = await bytes.next();
    for (; !next.done; next = await bytes.next()) parts.push(Buffer.from(next.value));
    found.push({
      text: Buffer.concat(parts).toString(),
      isFormer: source.isFormer,
      fidelity: next.value,
    });
  }
  return found;
}

async function expectVerified({ store, folder }: Place): Promise<void> {
  const { missing } = await importConversations(store, [folder], { verify: true });
  expect(missing).toEqual([]);
  expect((await store.verify()).findings).toEqual([]);
}

describe.each([
  ["sqlite", "small"],
  ["sqlite", "large"],
  ["jsonl", "small"],
] as const)("a source that changes while it is imported into %s (%s)", (engine, size) => {
  it("is read to its end when another replaces it", async () => {
    const content = session(OLD, SIZES[size]);
    await using place = await placed(engine, content);
    const other = join(place.folder, "..", "other");
    writeFileSync(other, session(NEW, SIZES[size]));
    const { skipped } = await importWhile(place, () => renameSync(other, place.file));
    expect(skipped).toEqual([]);
    await importConversations(place.store, [place.folder]);
    expect((await idsIn(place.store)).size).toBe(1 + 2 * SIZES[size]);
    const [former, now] = await exported(place.store);
    expect([former?.text === content, former?.isFormer, former?.fidelity.isExact]).toEqual([
      true,
      true,
      true,
    ]);
    expect([now?.text === readFileSync(place.file, "utf8"), now?.fidelity.isExact]).toEqual([true, true]);
    await expectVerified(place);
  });

  it("is read again when it was rewritten in place", async () => {
    await using place = await placed(engine, session(OLD, SIZES[size]));
    const { skipped } = await importWhile(place, () =>
      writeFileSync(place.file, session(NEW, SIZES[size] + 5)),
    );
    expect(skipped.map(({ reason }) => reason)).toEqual([expect.stringMatching(/^was rewritten while/)]);
    await expectWholeMessages(place.store);
    if (size === "small") expect(await place.store.get("pi:s1")).toBe(undefined);
    const again = await importConversations(place.store, [place.folder]);
    expect(again.skipped).toEqual([]);
    await expectWholeMessages(place.store);
    const now = (await exported(place.store)).at(-1);
    expect([now?.text === readFileSync(place.file, "utf8"), now?.fidelity.isExact]).toEqual([true, true]);
    await expectVerified(place);
  });

  it.each([
    ["a whole message", () => piSays("more", "first", "More")],
    ["the beginning of one", () => piSays("more", "first", "More").slice(0, 40)],
  ])("may not be complete yet when its tool adds %s", async (_, added) => {
    await using place = await placed(engine, session(OLD, SIZES[size]));
    const { skipped, pending } = await importWhile(place, () => appendFileSync(place.file, added()));
    expect([skipped, pending]).toEqual([[], 1]);
    expect((await idsIn(place.store)).size).toBe(1 + SIZES[size]);
    const rest = piSays("more", "first", "More").slice(added().length);
    appendFileSync(place.file, rest);
    expect(await importConversations(place.store, [place.folder])).toMatchObject({ messages: 1, pending: 0 });
    expect((await idsIn(place.store)).size).toBe(2 + SIZES[size]);
    await expectVerified(place);
  });

  it("keeps what was read when it is cut", async () => {
    const content = session(OLD, SIZES[size]);
    await using place = await placed(engine, content);
    const { skipped } = await importWhile(place, () => truncateSync(place.file, 70_000));
    expect(skipped.map(({ reason }) => reason)).toEqual([expect.stringMatching(/^was cut to/)]);
    const before = await idsIn(place.store);
    expect(before.size).toBeGreaterThan(1);
    await expectWholeMessages(place.store);
    const [cut] = await exported(place.store);
    expect(content.startsWith(cut?.text ?? "nothing")).toBe(true);
    expect(cut?.fidelity).toMatchObject({ isExact: false, notes: ["the end of the source was not read"] });
    // The tool writes it again.
    writeFileSync(place.file, content);
    await importConversations(place.store, [place.folder]);
    expect((await idsIn(place.store)).size).toBe(1 + SIZES[size]);
    const all = await exported(place.store);
    expect(all.map(({ text, fidelity }) => [text === content, fidelity.isExact])).toEqual([[true, true]]);
    await expectVerified(place);
  });

  it("is imported whole when it is deleted in the middle", async () => {
    const content = session(OLD, SIZES[size]);
    await using place = await placed(engine, content);
    const { skipped } = await importWhile(place, () => rmSync(place.file));
    expect([skipped, (await idsIn(place.store)).size]).toEqual([[], 1 + SIZES[size]]);
    expect(
      (await exported(place.store)).map(({ text, fidelity }) => [text === content, fidelity.isExact]),
    ).toEqual([[true, true]]);
  });
});

describe.each(["sqlite", "jsonl"])("a source that comes back, in %s", (engine) => {
  it("adds nothing with the same content, and with other content only what is new", async () => {
    const content = session(OLD, SIZES.small);
    await using place = await placed(engine, content);
    await importConversations(place.store, [place.folder]);
    rmSync(place.file);
    expect((await importConversations(place.store, [place.folder])).messages).toBe(0);
    writeFileSync(place.file, content);
    expect((await importConversations(place.store, [place.folder])).messages).toBe(0);
    expect(await exported(place.store)).toHaveLength(1);
    rmSync(place.file);
    writeFileSync(place.file, session(NEW, SIZES.small));
    expect((await importConversations(place.store, [place.folder])).messages).toBe(SIZES.small);
    const [former, now] = await exported(place.store);
    expect([former?.text === content, former?.fidelity.isExact, former?.isFormer]).toEqual([
      true,
      true,
      true,
    ]);
    expect([now?.text === readFileSync(place.file, "utf8"), now?.fidelity.isExact]).toEqual([true, true]);
    await expectVerified(place);
  });

  it("loses nothing when it has become shorter, and continues from there", async () => {
    const content = session(OLD, SIZES.small);
    await using place = await placed(engine, content);
    await importConversations(place.store, [place.folder]);
    const shorter = session(OLD, 4);
    writeFileSync(place.file, shorter);
    expect((await importConversations(place.store, [place.folder])).messages).toBe(0);
    expect((await exported(place.store))[0]?.text).toBe(content);
    await expectVerified(place);
    const other = session(NEW, 3, 50).slice(START.length);
    writeFileSync(place.file, shorter + other);
    expect((await importConversations(place.store, [place.folder])).messages).toBe(3);
    const [former, now] = await exported(place.store);
    expect([former?.text === content, former?.fidelity.isExact]).toEqual([true, true]);
    expect([now?.text === shorter + other, now?.fidelity.isExact]).toEqual([true, true]);
    await expectVerified(place);
  });
});

describe("a source of 3 MB that is rewritten when most of it was prepared", () => {
  const content = session(OLD, 60);
  const rewritten = { after: 2_000_000 };

  it("leaves its conversation in the trash, though all were wanted again", async () => {
    await using place = await placed("sqlite", content);
    const [first] = (await importConversations(place.store, [place.folder])).imported;
    await place.store.ingest().trash(first?.id ?? "");
    const change = (): void => writeFileSync(place.file, session(NEW, 60));
    const report = await importWhile(place, change, { ...rewritten, again: true });
    expect(report.skipped[0]?.reason).toMatch(/rewritten while it was read/);
    expect((await place.store.list()).items).toEqual([]);
  });

  it.each([{ dryRun: true }, { verify: true }])("is not counted with %o", async (options) => {
    await using place = await placed("sqlite", content);
    const change = (): void => writeFileSync(place.file, session(NEW, 60));
    const report = await importWhile(place, change, { ...rewritten, ...options });
    expect(report).toMatchObject({ skippedCount: 1, messages: 0, missingCount: 0 });
  });

  it("leaves no conversation", async () => {
    await using place = await placed("sqlite", content);
    await importWhile(place, () => writeFileSync(place.file, session(NEW, 60)), rewritten);
    expect((await place.store.list()).items).toEqual([]);
  });
});
