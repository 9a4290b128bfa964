import { expect, it } from "vitest";
import type { Row } from "../rows.ts";
import { entrySum } from "../sums.ts";
import { CheckedRows } from "./checked-rows.ts";

function rowOf(n: number, conversation: number, seq: number): Row {
  const sum = entrySum(n, conversation, seq, "id", null, "message", 1, null, null, null, "{}");
  return ["id", seq, null, "message", 1, null, "{}", null, n, conversation, null, sum];
}

it("a row that was compared is compared again when an index puts it elsewhere", () => {
  const { isIntact } = new CheckedRows();
  const row = rowOf(7, 1, 5);
  expect(isIntact(row)).toBe(true);
  expect(isIntact(row.with(1, 6))).toBe(false);
  expect(isIntact(row.with(9, 2))).toBe(false);
  expect(isIntact(row)).toBe(true);
});
