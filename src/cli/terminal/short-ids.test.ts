import { describe, expect, it } from "vitest";
import { shortIds } from "./short-ids.ts";

describe("short ids", () => {
  it("are as long as it takes to tell them apart, and at least eight characters", () => {
    const ids = ["0198c0de-1111-7222", "0198c0de-1112-7222", "0298c0de-1111-7222", "short"];
    expect([...shortIds(ids)]).toEqual([
      ["0198c0de-1111-7222", "0198c0de-1111"],
      ["0198c0de-1112-7222", "0198c0de-1112"],
      ["0298c0de-1111-7222", "0298c0de"],
      ["short", "short"],
    ]);
  });
});
