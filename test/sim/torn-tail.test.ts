import { describe, expect, it } from "vitest";
import { decodeLine, type EntryDraft } from "../../src/transcript/lines.ts";
import { EMPTY_LOG } from "../../src/transcript/log-state.ts";
import { LogWriter } from "../../src/transcript/log-writer.ts";
import { Transcript } from "../../src/transcript/transcript.ts";
import { placeEntries } from "../../src/tree/place-entries.ts";
import { Dice } from "./dice.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

const FOLDER = "/chat";
const LOG = `${FOLDER}/transcript.jsonl`;
const METADATA = `${FOLDER}/metadata.json`;
const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const TEXTS = ["plain", "né 👩‍👩‍👧 语", "x".repeat(200), "last \u2028 one"];

function newDisk(): SimulatedDisk {
  return new SimulatedDisk(new Dice(1));
}

/** Shared: two processes that open one file never make the same id. */
const random = new Dice(2).fill;

function transcript(disk: SimulatedDisk): Transcript {
  return new Transcript(FOLDER, {
    io: disk,
    clock: () => NOW_MS,
    random,
    onDamage: () => {},
  });
}

/** The two files of a conversation with these messages, the metadata as old as it can be. */
function files(texts: readonly string[]): { log: Buffer; metadata: Buffer } {
  const disk = newDisk();
  const chat = transcript(disk);
  chat.initialize();
  const metadata = disk.content(METADATA);
  for (const content of texts) chat.appendMessage({ role: "user", content });
  return { log: disk.content(LOG), metadata };
}

const { log: WHOLE, metadata: OLD_METADATA } = files(TEXTS);

function diskWith(log: Buffer): SimulatedDisk {
  const disk = newDisk();
  disk.place(LOG, log);
  disk.place(METADATA, OLD_METADATA);
  return disk;
}

/** Load, append, and read with other eyes. */
function appended(disk: SimulatedDisk): unknown[] {
  const chat = transcript(disk);
  chat.load();
  chat.appendMessage({ role: "assistant", content: "next" });
  const reader = transcript(disk);
  const messages = reader.load({ strict: true });
  expect(reader.getMessages()).toEqual(chat.getMessages());
  return messages.map(({ content }) => content);
}

function append(writer: LogWriter, drafts: EntryDraft[], operationId?: string): void {
  const { places } = placeEntries(writer.state, drafts, undefined, 1);
  writer.append(drafts, places, operationId);
}

function tornFiles(disk: SimulatedDisk): Buffer[] {
  return disk
    .paths()
    .filter((path) => path.startsWith(`${LOG}.torn-20260102030405006`))
    .map((path) => disk.content(path));
}

const ends: number[] = [];
for (let end = WHOLE.indexOf(0x0a); end !== -1; end = WHOLE.indexOf(0x0a, end + 1)) ends.push(end + 1);

describe("a transcript that was cut off", () => {
  it("at any byte keeps every complete line, and the torn bytes are set aside", () => {
    for (let cut = 0; cut <= WHOLE.length; cut++) {
      const disk = diskWith(WHOLE.subarray(0, cut));
      const lastEnd = ends.findLast((end) => end <= cut) ?? 0;
      const onlyNewlineMissing = ends.includes(cut + 1);
      const complete = ends.filter((end) => end <= cut + (onlyNewlineMissing ? 1 : 0)).length - 1;
      const wanted = [...TEXTS.slice(0, Math.max(0, complete)), "next"];
      expect(appended(disk), `cut at ${cut}`).toEqual(wanted);
      const torn = cut === lastEnd || onlyNewlineMissing ? [] : [WHOLE.subarray(lastEnd, cut)];
      expect(tornFiles(disk), `cut at ${cut}`).toEqual(torn);
    }
  });

  const line = WHOLE.subarray(ends[3] as number, ends[4]);
  const before = WHOLE.subarray(0, ends[3]);
  const multibyte = WHOLE.indexOf("👩") + 2;
  it.each([
    {
      what: "in the middle of JSON",
      log: Buffer.concat([before, line.subarray(0, 40)]),
      kept: 3,
      torn: true,
    },
    { what: "in the middle of a character", log: WHOLE.subarray(0, multibyte), kept: 1, torn: true },
    { what: "before its newline alone", log: WHOLE.subarray(0, -1), kept: 4, torn: false },
    { what: "and padded with zeros", log: Buffer.concat([before, Buffer.alloc(700)]), kept: 3, torn: true },
    {
      what: "and padded after part of a line",
      log: Buffer.concat([WHOLE.subarray(0, -50), Buffer.alloc(50)]),
      kept: 3,
      torn: true,
    },
    {
      what: "with a page missing and its end there",
      log: Buffer.concat([before, Buffer.alloc(50), line.subarray(50)]),
      kept: 3,
      torn: true,
    },
    { what: "in its only line", log: WHOLE.subarray(0, 30), kept: 0, torn: true },
    { what: "before its first byte", log: Buffer.alloc(0), kept: 0, torn: false },
  ])("$what continues after the last complete append", ({ log, kept, torn }) => {
    const disk = diskWith(log);
    expect(appended(disk)).toEqual([...TEXTS.slice(0, kept), "next"]);
    expect(tornFiles(disk).length).toBe(torn ? 1 : 0);
  });

  it("is not changed by reading", () => {
    const disk = diskWith(WHOLE.subarray(0, -20));
    const chat = transcript(disk);
    expect(chat.load()).toHaveLength(3);
    chat.close();
    expect(disk.content(LOG)).toEqual(WHOLE.subarray(0, -20));
    expect(disk.paths()).toEqual([METADATA, LOG]);
  });

  it("continues when the power fails again between the repair and the append", () => {
    for (let crashAt = 1; crashAt < 12; crashAt++) {
      for (let seed = 0; seed < 20; seed++) {
        let disk = new SimulatedDisk(new Dice(seed));
        disk.place(LOG, WHOLE.subarray(0, -20));
        disk.place(METADATA, OLD_METADATA);
        disk.faults.crashAt = disk.changes + crashAt;
        const chat = transcript(disk);
        try {
          chat.load();
          chat.appendMessage({ role: "user", content: "lost or not" });
        } catch {
          expect(disk.off).toBe(true);
        }
        disk = disk.crash();
        const contents = appended(disk).filter((content) => content !== "lost or not");
        expect(contents).toEqual([...TEXTS.slice(0, 3), "next"]);
        expect(tornFiles(disk)).toContainEqual(WHOLE.subarray(ends[3], -20));
      }
    }
  });

  it("in an append of several lines loses that whole append, at any byte", () => {
    const draft = (number: number): EntryDraft => ({
      ...{ id: `b${number}`, kind: "message", at: "2026-01-01T00:00:00.000Z" },
      json: JSON.stringify({ role: "user", content: `part ${number}` }),
    });
    const source = diskWith(WHOLE);
    const options = { nowMs: () => NOW_MS, durable: true };
    const writer = new LogWriter(source, LOG, options);
    writer.refresh();
    append(writer, [draft(1), draft(2), draft(3)], "op");
    writer.sync();
    const log = source.content(LOG);
    for (let cut = WHOLE.length; cut < log.length; cut++) {
      const disk = diskWith(log.subarray(0, cut));
      const next = new LogWriter(disk, LOG, options, EMPTY_LOG);
      const { messages, bytes } = next.refresh();
      // With only the newline missing the append is whole.
      expect({ cut, messages }).toEqual({ cut, messages: cut === log.length - 1 ? 7 : 4 });
      const aside = Buffer.concat(tornFiles(disk));
      if (cut < log.length - 1) {
        const torn = log.subarray(WHOLE.length, cut);
        // A complete line gets its newline before the append is found to be incomplete.
        const completed =
          torn.length > 0 && decodeLine(log.subarray(log.lastIndexOf(0x0a, cut - 1) + 1, cut)).ok;
        expect(aside).toEqual(completed ? Buffer.concat([torn, Buffer.from("\n")]) : torn);
      }
      expect(disk.content(LOG).length).toBe(bytes);
    }
  });
});

describe("a disk that fails", () => {
  const message = { role: "user", content: "new" } as const;

  /** A loaded transcript, and what its file held then. */
  function ready(): { disk: SimulatedDisk; chat: Transcript } {
    const disk = diskWith(WHOLE);
    const chat = transcript(disk);
    chat.load();
    return { disk, chat };
  }

  it.each([
    ["takes only a part of a write", { shortWrite: 25 }],
    ["takes nothing of a write", { shortWrite: 0 }],
    ["is full after some bytes", { bytesLeft: 100 }],
    ["is full", { bytesLeft: 0 }],
    ["fails to write", { failingWrites: 1 }],
  ])("and %s leaves the file unchanged, and the next append works", (_, faults) => {
    const { disk, chat } = ready();
    Object.assign(disk.faults, faults);
    expect(() => chat.appendMessage(message)).toThrow(
      expect.objectContaining({ code: "SERVICE_UNAVAILABLE" }),
    );
    expect(disk.content(LOG)).toEqual(WHOLE);
    expect(chat.getMessages()).toHaveLength(4);
    expect(transcript(disk.crash()).load({ strict: true })).toHaveLength(4);
  });

  it.each([{ shortWrite: 25 }, { bytesLeft: 100 }, { failingWrites: 1 }])(
    "works again once there is room (%o)",
    (faults) => {
      const { disk, chat } = ready();
      Object.assign(disk.faults, faults);
      expect(() => chat.appendMessage(message)).toThrow();
      Object.assign(disk.faults, { bytesLeft: undefined });
      chat.appendMessage(message);
      const found = transcript(disk.crash()).load({ strict: true });
      expect(found.map(({ content }) => content)).toEqual([...TEXTS, "new"]);
    },
  );

  it("and cannot undo a write refuses to write until the file is opened again", () => {
    const { disk, chat } = ready();
    Object.assign(disk.faults, { shortWrite: 25, failingTruncates: 1 });
    expect(() => chat.appendMessage(message)).toThrow(
      expect.objectContaining({ code: "SERVICE_UNAVAILABLE" }),
    );
    expect(() => chat.appendMessage(message)).toThrow(
      /accepts no more writes: a failed write could not be undone/,
    );
    chat.load();
    chat.appendMessage(message);
    expect(transcript(disk).load({ strict: true })).toHaveLength(5);
    expect(tornFiles(disk)).toHaveLength(1);
  });

  it("and fails to sync is never synced again through the same file", () => {
    const { disk, chat } = ready();
    disk.faults.failingSyncs = 1;
    expect(() => chat.appendMessage(message)).toThrow(/Cannot make .* durable/);
    const { changes } = disk;
    expect(() => chat.appendMessage(message)).toThrow(/accepts no more writes: a sync failed/);
    expect(disk.changes).toBe(changes);
    expect(chat.getMessages()).toHaveLength(4);
    chat.close();
    chat.load();
    chat.appendMessage({ role: "user", content: "after" });
    const found = transcript(disk.crash()).load({ strict: true });
    expect(found.map(({ content }) => content)).toEqual([...TEXTS, "after"]);
  });

  it("and fails to sync the undoing of a failed write acknowledges nothing that waited for it", () => {
    const disk = diskWith(WHOLE);
    const writer = new LogWriter(disk, LOG, { nowMs: () => NOW_MS, durable: true });
    writer.refresh();
    const draft = {
      id: "w1",
      kind: "message",
      at: "2026-01-01T00:00:00.000Z",
      json: JSON.stringify(message),
    };
    append(writer, [draft]);
    Object.assign(disk.faults, { failingWrites: 1, failingSyncs: 1 });
    expect(() => append(writer, [{ ...draft, id: "w2" }])).toThrow(/EIO/);
    expect(() => writer.sync()).toThrow(/Cannot make .* durable/);
    expect(disk.content(LOG)).toEqual(WHOLE);
  });

  it("and fails to sync lines of other writers does not cut off their later lines", () => {
    const disk = diskWith(WHOLE);
    const sleeper = new LogWriter(disk, LOG, { nowMs: () => NOW_MS, durable: true });
    sleeper.refresh();
    const other = transcript(disk);
    other.load();
    other.appendMessage(message);
    disk.faults.failingSyncs = 1;
    expect(() => sleeper.sync()).toThrow(/Cannot make .* durable/);
    expect(transcript(disk).load({ strict: true })).toHaveLength(5);
  });

  it("and is full when a torn tail must be set aside keeps the tail, and leaves no partial copy", () => {
    const disk = diskWith(WHOLE.subarray(0, -20));
    const chat = transcript(disk);
    chat.load();
    disk.faults.bytesLeft = 10;
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(() => chat.appendMessage(message)).toThrow(
        expect.objectContaining({ code: "SERVICE_UNAVAILABLE" }),
      );
      expect(disk.content(LOG)).toEqual(WHOLE.subarray(0, -20));
      expect(tornFiles(disk)).toEqual([]);
    }
    disk.faults.bytesLeft = undefined;
    chat.appendMessage(message);
    expect(tornFiles(disk)).toHaveLength(1);
  });
});
