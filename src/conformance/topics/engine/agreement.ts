/** Details in which engines once differed. */
import assert from "node:assert/strict";
import type { BlobOperation, FeedPlace } from "../../../engine/index.ts";
import type { ErrorCode } from "../../../errors.ts";
import { sha256Hex } from "../../../util/sha256.ts";
import { AT, Desk, message } from "../../desk.ts";
import type { Topic } from "../../kit.ts";

const DATA = Buffer.from("0123456789");
const HASH = sha256Hex(DATA);

async function refusedWith(code: ErrorCode, call: () => unknown): Promise<void> {
  await assert.rejects(async () => call(), { code });
}

export const agreement: Topic = (check) => {
  check("blobs count towards the byte limit of a page, in both directions", async (bench) => {
    await using desk = await Desk.open(bench);
    const size = 5000;
    const blobs = [{ hash: HASH, size, encoding: "zstd" as const, data: DATA }];
    const refs = [{ hash: HASH, size, path: ["content", 0], as: "text" as const }];
    for (const id of ["a", "b", "c"]) {
      await desk.done(desk.append([{ ...message(id), blobs: refs }], { blobs }));
    }
    for (const direction of ["forward", "backward"] as const) {
      const page = await desk.engine.page({
        ...{ conversation: desk.id, direction, from: null, limit: 100, bytesMax: 11_000 },
      });
      assert.deepEqual([page.entries.length, page.more], [2, true]);
    }
  });

  check("a place of another feed is refused, and so is one beyond the end", async (bench) => {
    await using desk = await Desk.open(bench);
    const { place } = await desk.engine.changes(null, 1);
    const foreign: FeedPlace[] = [
      [place[0], place[1] + 2 ** 30],
      [place[0] + 1, place[1]],
      [place[0] + 1000, place[1]],
      [-1, place[1]],
      [0.5, place[1]],
    ];
    for (const other of foreign) await refusedWith("VALIDATION_ERROR", () => desk.engine.changes(other, 1));
    assert.deepEqual((await desk.engine.changes(place, 1)).changes, []);
  });

  check("a piece of an upload that does not fit is refused and changes nothing", async (bench) => {
    await using desk = await Desk.open(bench);
    const keep = { hash: HASH, size: 10, encoding: "none" } as const;
    const piece: BlobOperation = {
      ...{ type: "blob", upload: "u", position: 0, data: DATA.subarray(0, 4), at: AT, keep: undefined },
    };
    const last: BlobOperation = { ...piece, position: 4, data: DATA.subarray(4), keep };
    await desk.refused("VALIDATION_ERROR", { ...piece, upload: "../u" });
    await desk.refused("VALIDATION_ERROR", { ...piece, upload: "" });
    await desk.done(piece);
    await desk.refused("CONFLICT", { ...last, position: 5 });
    await desk.refused("VALIDATION_ERROR", { ...last, keep: { ...keep, size: 11 } });
    assert.equal(await desk.engine.blob(HASH, 0, 99), undefined);
    assert.equal((await desk.done(last)).length, 10);
    const part = await desk.engine.blob(HASH, 0, 99);
    assert.equal(part && Buffer.from(part.data).toString(), "0123456789");
  });
};
