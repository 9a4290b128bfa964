/** Promises of an engine to the store that are not visible through the store. */

import assert from "node:assert/strict";
import type { BlobOperation, NewEntry } from "../../engine/index.ts";
import { sha256Hex } from "../../util/sha256.ts";
import { isoTime } from "../../util/time.ts";
import { AT, Desk, info, message, NOW_MS, newId } from "../desk.ts";
import type { Topic } from "../kit.ts";

export const contract: Topic = (check) => {
  check("a refused operation does not affect the others of its commit", async (bench) => {
    await using desk = await Desk.open(bench);
    const nobody = newId();
    const outcomes = await desk.commit(
      desk.append([message("a")]),
      desk.append([message("b")], { expectedHead: "nobody" }),
      { type: "purge", force: true, conversation: nobody, at: AT },
      { type: "redact", conversation: desk.id, entry: "nobody", json: "{}", at: AT },
      { type: "sweep", conversation: nobody, at: AT },
      desk.piece("t", 7, 0, "x", {}),
      desk.lease("mine"),
      desk.piece("t", 1, 0, "text", { branch: "main" }),
      desk.append([message("c")], { epoch: 1, endsTurn: "t" }),
    );
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.ok ? "ok" : outcome.error.code)),
      ["ok", "CONFLICT", "NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "CONFLICT", "ok", "ok", "ok"],
    );
    assert.deepEqual(await desk.seqs(undefined), [1, 2]);
    assert.equal(await desk.engine.turn(desk.id, 0), undefined);
  });

  check("repeated pieces of a journal are written once", async (bench) => {
    await using desk = await Desk.open(bench);
    await desk.done(desk.lease("mine"));
    const header = { branch: "main", model: "m-1" };
    assert.equal((await desk.done(desk.piece("t", 1, 0, "", header))).length, 0);
    for (const [position, text, length] of [
      [0, "abc", 3],
      [3, "def", 6],
      [3, "def", 6],
      [0, "abcdef", 6],
      [4, "efgh", 8],
      [1, "b", 8],
    ] as const) {
      assert.equal((await desk.done(desk.piece("t", 1, position, text))).length, length);
    }
    assert.deepEqual(await desk.engine.turn(desk.id, 0), { id: "t", header, text: "abcdefgh", length: 8 });
    assert.deepEqual(await desk.engine.turn(desk.id, 6), { id: "t", header, text: "gh", length: 8 });
    assert.equal((await desk.engine.turn(desk.id, 99))?.text, "");
  });

  check("the header of a journal can be replaced, with or without text", async (bench) => {
    await using desk = await Desk.open(bench);
    await desk.done(desk.lease("mine"));
    await desk.done(desk.piece("t", 1, 0, "ab", { note: 1 }));
    assert.equal((await desk.done(desk.piece("t", 1, 2, "", { note: 2 }))).length, 2);
    assert.deepEqual((await desk.engine.turn(desk.id, 0))?.header, { note: 2 });
    await desk.done(desk.piece("t", 1, 2, "cd", { note: 3 }));
    assert.equal((await desk.done(desk.piece("t", 1, 4, "e"))).length, 5);
    const open = { id: "t", header: { note: 3 }, text: "abcde", length: 5 };
    assert.deepEqual(await desk.engine.turn(desk.id, 0), open);
  });

  check("only the lease holder writes a journal, for one turn at a time", async (bench) => {
    await using desk = await Desk.open(bench);
    await desk.refused("CONFLICT", desk.piece("t", 0, 0, "x", {}));
    await desk.done(desk.lease("mine"));
    await desk.refused("CONFLICT", desk.piece("t", 2, 0, "x", {}));
    await desk.done(desk.piece("t", 1, 0, "mine", {}));
    await desk.refused("CONFLICT", desk.piece("u", 1, 0, "x", {}));
    await desk.done(desk.append([message("other")], { endsTurn: "u" }));
    await desk.done(desk.lease("mine", "release"));
    await desk.refused("CONFLICT", desk.piece("t", 1, 4, "x"));
    assert.equal((await desk.engine.turn(desk.id, 0))?.text, "mine");
    await desk.done(desk.lease("yours"));
    await desk.refused("CONFLICT", desk.append([message("late")], { epoch: 1, endsTurn: "t" }));
    await desk.done(desk.append([message("end")], { epoch: 2, endsTurn: "t" }));
    assert.equal(await desk.engine.turn(desk.id, 0), undefined);
    await desk.done(desk.piece("u", 2, 0, "next", {}));
    assert.equal((await desk.engine.turn(desk.id, 0))?.text, "next");
  });

  check("an append that ends a turn can release its lease, unless it is refused", async (bench) => {
    await using desk = await Desk.open(bench);
    const isFree = async (): Promise<boolean> =>
      (await desk.done(desk.lease("other"))).lease?.granted === true;
    await desk.done(desk.lease("mine"));
    await desk.done(desk.piece("t", 1, 0, "text", {}));
    const end = { epoch: 1, endsTurn: "t", releases: "mine", operationId: "t/end", operationGiven: true };
    await desk.refused("CONFLICT", desk.append([message("end")], { ...end, expectedHead: "nobody" }));
    assert.equal(await isFree(), false);
    await desk.done(desk.append([message("end")], end));
    assert.equal(await desk.engine.turn(desk.id, 0), undefined);
    assert.equal(await isFree(), true);
    // A retry of the end, or the end of another holder, leaves it alone.
    await desk.done(desk.append([message("end")], { ...end, epoch: 2 }));
    await desk.done(desk.append([message("next")], { releases: "nobody" }));
    assert.equal((await desk.done(desk.lease("third"))).lease?.granted, false);
  });

  check("an append that names the last entry is refused when another one follows it", async (bench) => {
    await using desk = await Desk.open(bench);
    await desk.done(desk.append([message("a"), message("b")], { after: { lastSeq: 0, last: null } }));
    await desk.refused("CONFLICT", desk.append([message("late")], { after: { lastSeq: 1, last: "a" } }));
    const outcomes = await desk.commit(
      desk.append([message("c")], { after: { lastSeq: 2, last: "b" } }),
      desk.append([message("d")], { after: { lastSeq: 3, last: "x" } }),
      desk.append([message("e")], { after: { lastSeq: 3, last: "c" } }),
    );
    assert.deepEqual(
      outcomes.map(({ ok }) => ok),
      [true, false, true],
    );
  });

  check("a journal starts with its header and has no gaps", async (bench) => {
    await using desk = await Desk.open(bench);
    await desk.done(desk.lease("mine"));
    await desk.refused("CONFLICT", desk.piece("t", 1, 0, "no header"));
    await desk.refused("CONFLICT", desk.piece("t", 1, 1, "late", {}));
    assert.equal(await desk.engine.turn(desk.id, 0), undefined);
    await desk.done(desk.piece("t", 1, 0, "abc", {}));
    await desk.refused("CONFLICT", desk.piece("t", 1, 4, "e"));
    assert.equal((await desk.engine.turn(desk.id, 0))?.text, "abc");
  });

  check("a turn that ends and continues in one commit starts with an empty journal", async (bench) => {
    await using desk = await Desk.open(bench);
    await desk.done(desk.lease("mine"));
    await desk.done(desk.piece("t", 1, 0, "a long first part", { part: 1 }));
    const outcomes = await desk.commit(
      desk.append([message("a")], { epoch: 1, endsTurn: "t" }),
      desk.piece("t", 1, 0, "", { part: 2 }),
      desk.piece("t", 1, 0, "second"),
    );
    assert.ok(outcomes.every(({ ok }) => ok));
    assert.deepEqual(await desk.engine.turn(desk.id, 0), {
      ...{ id: "t", header: { part: 2 }, text: "second", length: 6 },
    });
  });

  check("a blob is uploaded in pieces, and a repeated piece is stored once", async (bench) => {
    await using desk = await Desk.open(bench);
    const bytes = Buffer.from("0123456789");
    const hash = sha256Hex(bytes);
    const piece = (position: number, to: number): BlobOperation => {
      const data = bytes.subarray(position, to);
      return { type: "blob", upload: "u", position, data, at: AT, keep: undefined };
    };
    assert.equal((await desk.done(piece(0, 4))).length, 4);
    assert.equal((await desk.done(piece(0, 4))).length, 4);
    assert.equal((await desk.done(piece(4, 8))).length, 8);
    assert.equal(await desk.engine.blob(hash, 0, 100), undefined);
    const keep = { hash, size: 10, encoding: "none" } as const;
    assert.equal((await desk.done({ ...piece(8, 10), keep })).length, 10);
    const part = async (offset: number, length: number): Promise<string | undefined> => {
      const found = await desk.engine.blob(hash, offset, length);
      assert.deepEqual([found?.size, found?.encoding, found?.storedBytes], [10, "none", 10]);
      return found && Buffer.from(found.data).toString();
    };
    assert.deepEqual(
      [await part(0, 100), await part(3, 4), await part(9, 5), await part(10, 5), await part(0, 0)],
      ["0123456789", "3456", "9", "", ""],
    );
  });

  check("an upload has no gaps, and its last piece can be retried", async (bench) => {
    await using desk = await Desk.open(bench);
    const bytes = Buffer.from("0123456789");
    const hash = sha256Hex(bytes);
    const keep = { hash, size: 10, encoding: "none" } as const;
    const first = { type: "blob", upload: "u", position: 0, data: bytes.subarray(0, 4), at: AT } as const;
    const last = { ...first, position: 4, data: bytes.subarray(4), keep };
    await desk.refused("CONFLICT", last);
    await desk.done({ ...first, keep: undefined });
    await desk.refused("CONFLICT", { ...last, position: 5 });
    assert.equal((await desk.done(last)).length, 10);
    assert.equal((await desk.done(last)).length, 10);
    assert.equal((await desk.engine.blob(hash, 0, 99))?.storedBytes, 10);
  });

  check("a blob that is uploaded again counts as new for the next collection", async (bench) => {
    await using desk = await Desk.open(bench);
    const data = Buffer.from("0123456789");
    const hash = sha256Hex(data);
    const keep = { hash, size: 10, encoding: "none" } as const;
    const [later, evenLater] = [isoTime(NOW_MS + 2000), isoTime(NOW_MS + 9000)];
    const upload = { type: "blob", position: 0, data, keep } as const;
    const collect = { type: "collect", before: isoTime(NOW_MS + 1000), at: evenLater } as const;
    await desk.done({ ...upload, upload: "u", at: AT });
    await desk.done({ ...upload, upload: "again", at: later });
    assert.equal((await desk.removed(collect)).blobs, 0);
    const removed = await desk.removed({ ...collect, before: evenLater });
    assert.deepEqual([removed.entries, removed.blobs, removed.bytes], [0, 1, 10]);
    assert.equal(await desk.engine.blob(hash, 0, 99), undefined);
  });

  check("a collection of named blobs removes only those of them that no entry refers to", async (bench) => {
    await using desk = await Desk.open(bench);
    const stored = await Promise.all(
      ["used", "unused", "unnamed"].map(async (text) => {
        const data = Buffer.from(text);
        const keep = { hash: sha256Hex(data), size: data.length, encoding: "none" } as const;
        await desk.done({ type: "blob", upload: text, position: 0, data, keep, at: AT });
        return keep;
      }),
    );
    const [used, unused, unnamed] = stored.map(({ hash }) => hash) as [string, string, string];
    const refs = [{ hash: used, size: 4, path: ["content"], as: "text" as const }];
    await desk.done(desk.append([{ ...message("a"), blobs: refs }]));
    const open = { type: "blob", upload: "open", position: 0, data: Buffer.from("open"), at: AT } as const;
    await desk.done({ ...open, keep: undefined });
    const removed = await desk.removed({ type: "collect", before: AT, hashes: [used, unused], at: AT });
    assert.equal(removed.blobs, 1);
    const found = [];
    for (const hash of [used, unused, unnamed]) found.push((await desk.engine.blob(hash, 0, 9))?.size);
    assert.deepEqual(found, [4, undefined, 7]);
    const keep = { hash: sha256Hex("open!"), size: 5, encoding: "none" } as const;
    assert.equal((await desk.done({ ...open, position: 4, data: Buffer.from("!"), keep })).length, 5);
  });

  check("a sweep leaves one removed entry per run, and a second sweep finds nothing", async (bench) => {
    await using desk = await Desk.open(bench);
    await desk.done(desk.append([message("q"), message("a")]));
    await desk.done(
      desk.append([info("b", { type: "branch", name: "b", from: "q", from_seq: 1, checkout: false })]),
    );
    await desk.done(desk.append([message("b1"), message("b2"), message("b3")], { branch: "b" }));
    await desk.done(desk.append([message("a2")]));
    await desk.done(desk.append([message("b4")], { branch: "b" }));
    await desk.done(desk.append([info("p", { type: "prune", branches: [3] })]));
    const sweep = { type: "sweep", conversation: desk.id, at: AT } as const;
    const before = await desk.engine.logEnd(desk.id);
    const { removed } = await desk.done(sweep);
    assert.deepEqual([removed?.entries, removed?.blobs], [4, 0]);
    assert.ok((removed?.bytes ?? 0) > 0);
    const again = (await desk.done(sweep)).removed;
    assert.deepEqual([again?.entries, again?.blobs, again?.bytes], [0, 0, 0]);
    const query = { limit: 100, bytesMax: 1_000_000, kind: undefined, from: null, branch: null };
    const { entries } = await desk.engine.page({ conversation: desk.id, direction: "forward", ...query });
    assert.deepEqual(
      entries.map(({ seq, kind }) => [seq, kind]),
      [
        [1, "message"],
        [2, "message"],
        [3, "info"],
        [4, "removed"],
        [7, "message"],
        [8, "removed"],
        [9, "info"],
      ],
    );
    assert.deepEqual(await desk.seqs(undefined), [1, 2, 7]);
    const after = await desk.engine.logEnd(desk.id);
    assert.deepEqual([after?.lastSeq, after?.tree.runs], [before?.lastSeq, before?.tree.runs]);
    const { append } = await desk.done(desk.append([message("a3")]));
    assert.ok(append?.replayed === false);
    assert.deepEqual([append.places[0]?.seq, append.places[0]?.parentId], [10, "a2"]);
    assert.deepEqual((await desk.engine.verify()).findings, []);
  });

  check("the ends of many logs are those of each", async (bench) => {
    await using desk = await Desk.open(bench);
    const [empty, trashed] = [await desk.another(), await desk.another()];
    const ids = [desk.id, newId(), empty, trashed];
    const ends: readonly (readonly NewEntry[])[] = [
      [message("q"), message("a")],
      [info("label", { type: "checkout", branch: 0, name: "main" })],
      [info("model", { type: "model_change" })],
      [message("b")],
    ];
    for (const entries of ends) {
      await desk.done(desk.append(entries));
      const { lastSeq, last } = (await desk.engine.logEnd(desk.id)) ?? {};
      assert.deepEqual((await desk.engine.logEnds(ids))[0], { lastSeq, last });
    }
    await desk.done({ type: "trash", conversation: trashed, at: AT });
    assert.deepEqual(await desk.engine.logEnds([...ids, desk.id]), [
      { lastSeq: 5, last: "b" },
      undefined,
      { lastSeq: 0, last: null },
      undefined,
      { lastSeq: 5, last: "b" },
    ]);
  });

  check("the pages of the feed have no gaps", async (bench) => {
    await using desk = await Desk.open(bench);
    const { place, changes } = await desk.engine.changes(null, 100);
    assert.deepEqual(changes, []);
    await desk.done(desk.append([message("a"), message("b"), message("c")]));
    await desk.commit(desk.append([message("d")]), {
      ...{ type: "update", conversation: desk.id, patch: { title: "t" }, at: AT },
    });
    const all = await desk.engine.changes(place, 100);
    assert.deepEqual(
      all.changes.map(({ type, entry }) => entry?.id ?? type),
      ["a", "b", "c", "d", "updated"],
    );
    for (const limit of [1, 2, 3]) {
      const found = [];
      for (let at = place; ; ) {
        const page = await desk.engine.changes(at, limit);
        assert.ok(page.changes.length <= limit);
        if (page.changes.length === 0) break;
        found.push(...page.changes);
        at = page.place;
      }
      assert.deepEqual(found, all.changes);
    }
    const behind = all.changes[1]?.place as typeof place;
    const rest = (await desk.engine.changes(behind, 100)).changes;
    assert.deepEqual(rest, all.changes.slice(2));
    assert.deepEqual((await desk.engine.changes(all.place, 100)).changes, []);
  });

  check("a refused append stores none of its blobs", async (bench) => {
    await using desk = await Desk.open(bench);
    const data = Buffer.from("bytes");
    const hash = sha256Hex(data);
    const blobs = [{ hash, size: 5, encoding: "none" as const, data }];
    const refs = [{ hash, size: 5, path: ["content", 0], as: "text" as const }];
    const entry = { ...message("a"), blobs: refs };
    await desk.refused("CONFLICT", desk.append([entry], { blobs, expectedHead: "nobody" }));
    assert.equal(await desk.engine.blob(hash, 0, 9), undefined);
    await desk.refused("NOT_FOUND", desk.append([entry]));
    await desk.done(desk.append([entry], { blobs }));
    await desk.done(desk.append([{ ...entry, id: "b" }]));
    const found = await desk.engine.page({
      ...{ conversation: desk.id, direction: "forward", from: null, branch: undefined },
      ...{ limit: 9, bytesMax: 1_000_000, kind: undefined },
    });
    assert.deepEqual(
      found.entries.map(({ blobs: named }) => named),
      [refs, refs],
    );
  });

  check.persistent("a second engine on the same store sees tree, turn, lease and feed", async (bench) => {
    await using desk = await Desk.open(bench);
    const other = await bench.engine();
    try {
      const { place } = await other.changes(null, 1);
      await desk.done(desk.append([message("q"), message("a")]));
      await desk.done(
        desk.append([info("b", { type: "branch", name: "b", from: "q", from_seq: 1, checkout: true })]),
      );
      await desk.done(desk.lease("mine"));
      await desk.done(desk.piece("t", 1, 0, "text", { branch: "b" }));
      assert.deepEqual(await other.logEnd(desk.id), await desk.engine.logEnd(desk.id));
      assert.equal((await other.turn(desk.id, 2))?.text, "xt");
      const [asked] = await other.commit([desk.lease("yours")]);
      assert.deepEqual(asked?.ok === true && [asked.lease?.granted, asked.lease?.ahead], [false, 1]);
      assert.equal((await other.changes(place, 10)).changes.length, 3);
      const [written] = await other.commit([desk.append([message("b1")])]);
      assert.ok(written?.ok);
      assert.deepEqual(await desk.seqs("b"), [1, 4]);
    } finally {
      await other.close();
    }
  });
};
