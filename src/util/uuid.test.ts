import { describe, expect, it } from "vitest";
import { isUuid, madeId, systemRandom, UuidSequence, uuidFromHash, uuidv7 } from "./uuid.ts";

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("UUIDs", () => {
  it("are of version 7 and carry the time", () => {
    const nowMs = Date.UTC(2026, 10, 15);
    for (const id of [uuidv7(nowMs, systemRandom), new UuidSequence().next(nowMs)]) {
      expect(id).toMatch(VERSION_7);
      expect(isUuid(id)).toBe(true);
    }
    expect(Number.parseInt(uuidv7(nowMs, systemRandom).replace("-", "").slice(0, 12), 16)).toBe(nowMs);
  });

  it("are the same for the same time and randomness", () => {
    const zeros = (bytes: Uint8Array): void => void bytes.fill(0);
    expect(uuidv7(0, zeros)).toBe("00000000-0000-7000-8000-000000000000");
  });

  it("ascend, even within a millisecond and when the clock is set back", () => {
    const nowMs = Date.UTC(2030, 0);
    const sequence = new UuidSequence();
    const ids = Array.from({ length: 20_000 }, (_, index) => sequence.next(nowMs - (index % 3)));
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => VERSION_7.test(id))).toBe(true);
  });

  it("of a hash are of version 8 and equal for equal strings", () => {
    const id = uuidFromHash("telegram_4711");
    // Stored conversations are found again by such ids, so they must never change.
    expect(id).toBe("e9276bfc-9f44-843a-8529-78d9fa7eaab9");
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(uuidFromHash("telegram_4711")).toBe(id);
    expect(uuidFromHash("telegram_4712")).not.toBe(id);
  });

  it("have a counterpart for other ids, which is equal for equal parts", () => {
    expect(madeId("a", 1)).toBe("135f17a475a61afdeeaf3759ad2e45ad");
    expect(madeId("a", "1")).not.toBe(madeId("a", 1));
  });

  it("are distinguished from other strings", () => {
    for (const text of ["", "42", "0198c0de-1111-7222-8333-44445555666", "../etc/passwd", 7, null]) {
      expect(isUuid(text)).toBe(false);
    }
  });
});
