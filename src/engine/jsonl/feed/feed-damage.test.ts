import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import type { Conversation } from "../../../store/conversation.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";
import { decodeHeader, encodeHeader, type FeedHeader, HEADER_BYTES } from "./feed-header.ts";
import { RECORD_BYTES } from "./feed-record.ts";

/** Damage to `store.feed`: every acknowledged change arrives, or the reader gets an error. Never neither. */

const say = (content: string) => ({ role: "user", content }) as const;

interface Place {
  readonly folder: string;
  readonly feed: string;
}

function newPlace(): Place {
  const folder = join(tempFolder(), "store");
  return { folder, feed: join(folder, "store.feed") };
}

function open({ folder }: Place, readonly = false): Promise<Store> {
  return openStore(`jsonl:${folder}`, { onProblem: () => {}, readonly });
}

/** The changes after a cursor, entries as their texts, up to the one that was written last, or the code of the error. */
async function told(store: Store, since: string): Promise<readonly string[] | string> {
  const texts: string[] = [];
  try {
    for await (const { type, entry } of store.changes({ since, signal: AbortSignal.timeout(5000) })) {
      texts.push(entry === undefined ? type : String(entry.message?.content));
      if (texts.at(-1) === "the end") return texts;
    }
    return "silence";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** Cursors: before, in the middle of and after the first messages. */
async function filled(place: Place): Promise<{ cursors: string[]; chat: Conversation; store: Store }> {
  const store = await open(place);
  const chat = await store.open("cli:a");
  const feed = store.changes();
  const cursors: string[] = [];
  for (let n = 0; n < 6; n++) {
    await chat.append(say(`m${n}`));
    cursors.push((await feed.next()).value?.cursor as string);
  }
  await chat.update({ title: "Title" });
  await feed.return(undefined);
  return { cursors, chat, store };
}

function flip(path: string, byte: number, bit: number): void {
  const bytes = readFileSync(path);
  bytes[byte] = (bytes[byte] as number) ^ (1 << bit);
  writeFileSync(path, bytes);
}

const RECORDS = 8;

const DAMAGE: Record<string, (feed: string) => void> = {
  "a bit of its header flipped": (feed) => flip(feed, 9, 0),
  "a bit of the type of a record flipped": (feed) => flip(feed, HEADER_BYTES + 4 * RECORD_BYTES, 1),
  "a bit of the checksum of a record flipped": (feed) => flip(feed, HEADER_BYTES + 4 * RECORD_BYTES + 5, 3),
  "a bit of the content of its last record flipped": (feed) =>
    flip(feed, HEADER_BYTES + RECORDS * RECORD_BYTES - 2, 7),
  "a record full of zeros": (feed) => {
    const bytes = readFileSync(feed);
    bytes.fill(0, HEADER_BYTES + 3 * RECORD_BYTES, HEADER_BYTES + 4 * RECORD_BYTES);
    writeFileSync(feed, bytes);
  },
  "nothing but zeros": (feed) => writeFileSync(feed, Buffer.alloc(readFileSync(feed).length)),
  "fewer records": (feed) => truncateSync(feed, HEADER_BYTES + 3 * RECORD_BYTES),
  "half a record at its end": (feed) => truncateSync(feed, HEADER_BYTES + 5 * RECORD_BYTES + 7),
  "lost its last record": (feed) => truncateSync(feed, HEADER_BYTES + (RECORDS - 1) * RECORD_BYTES),
  "only its header": (feed) => truncateSync(feed, HEADER_BYTES),
  "no content": (feed) => truncateSync(feed, 0),
  "been removed": (feed) => rmSync(feed),
};

const ALL = ["m1", "m2", "m3", "m4", "m5", "updated", "the end"];
const REFUSED = /^(VALIDATION_ERROR|SERVICE_UNAVAILABLE)$/;

describe("a feed that has", () => {
  for (const [what, damage] of Object.entries(DAMAGE)) {
    it(`${what} loses no change silently, for readers that were there and later ones`, async () => {
      for (const isRunning of [true, false]) {
        const place = newPlace();
        const { cursors, chat, store } = await filled(place);
        const reader = await open(place, true);
        await reader.changes({ since: cursors.at(-1) as string }).next();
        if (!isRunning) await store.close();
        damage(place.feed);
        const writer = isRunning ? store : await open(place);
        const target = isRunning ? chat : await writer.open("cli:a");
        await target.append(say("the end"));
        for (const index of [0, 3, 5]) {
          const cursor = cursors[index] as string;
          const expected = ALL.slice(index);
          for (const from of [writer, reader]) {
            const found = await told(from, cursor);
            if (typeof found === "string") expect(found).toMatch(REFUSED);
            else expect(found).toEqual(expected);
          }
        }
        await Promise.all([writer.close(), reader.close()]);
      }
    });

    // A reader that has the file open does not need the header again.
    it.skipIf(what.includes("header flipped"))(
      `${what} is refused to a reader without a writer`,
      async () => {
        const place = newPlace();
        const { cursors, store } = await filled(place);
        await using reader = await open(place, true);
        await reader.changes({ since: cursors[0] as string }).next();
        await store.close();
        damage(place.feed);
        expect(await told(reader, cursors[0] as string)).toMatch(REFUSED);
      },
    );

    it(`${what} is reported by verify, and mended by repair`, async () => {
      const place = newPlace();
      const { store } = await filled(place);
      await store.close();
      await using reader = await open(place, true);
      damage(place.feed);
      const { findings } = await reader.verify();
      if (what !== "been removed") expect(findings.map(({ code }) => code)).toEqual(["bad-feed"]);
      await using writer = await open(place);
      await writer.repair();
      expect((await writer.verify()).findings).toEqual([]);
      const feed = writer.changes();
      await (await writer.open("cli:a")).append(say("the end"));
      expect((await feed.next()).value?.entry?.message?.content).toBe("the end");
    });
  }

  it("fewer records than the logs is reported by verify, even if its header does not know of them", async () => {
    const place = newPlace();
    const { store } = await filled(place);
    await store.close();
    const header = decodeHeader(readFileSync(place.feed).subarray(0, HEADER_BYTES)) as FeedHeader;
    const records = readFileSync(place.feed).subarray(HEADER_BYTES, HEADER_BYTES + 3 * RECORD_BYTES);
    writeFileSync(place.feed, Buffer.concat([encodeHeader({ ...header, durable: 3 }), records]));
    await using reader = await open(place, true);
    expect((await reader.verify()).findings.map(({ code }) => code)).toEqual(["bad-feed"]);
  });

  it("been put back from a copy refuses the places of what came after", async () => {
    const place = newPlace();
    const { cursors, chat, store } = await filled(place);
    const copy = readFileSync(place.feed);
    await chat.append(say("m6"));
    const last = (await store.changes({ since: cursors.at(-1) as string }).next()).value?.cursor as string;
    const newest = (await store.changes({ since: last }).next()).value?.cursor as string;
    await store.close();
    writeFileSync(place.feed, copy);
    await using again = await open(place);
    const other = await again.open("cli:b");
    for (let n = 0; n < 4; n++) await other.append(say(`other ${n}`));
    await other.append(say("the end"));
    expect(await told(again, newest)).toBe("VALIDATION_ERROR");
  });
});
