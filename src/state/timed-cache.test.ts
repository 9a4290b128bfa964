import { describe, expect, it } from "vitest";
import { TimedCache } from "./timed-cache.ts";

describe("TimedCache", () => {
  it("returns a value until its time is over, and not before it was set", () => {
    const cache = new TimedCache<string>();
    cache.set("a", "value", 1000);
    expect(cache.get("a", 1000, 50)).toBe("value");
    expect(cache.get("a", 1049, 50)).toBe("value");
    expect(cache.get("a", 1050, 50)).toBeUndefined();
    expect(cache.get("a", 999, 50)).toBeUndefined();
    expect(cache.get("a", 1000, 0)).toBeUndefined();
    cache.delete("a");
    expect(cache.get("a", 1000, 50)).toBeUndefined();
  });

  it("keeps the 32 entries that were set last", () => {
    const cache = new TimedCache<number>();
    for (let key = 0; key < 32; key++) cache.set(String(key), key, 0);
    cache.set("0", 0, 0);
    cache.set("32", 32, 0);
    expect(cache.get("0", 0)).toBe(0);
    expect(cache.get("1", 0)).toBeUndefined();
    expect(cache.get("32", 0)).toBe(32);
  });
});
