import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { referenceTable } from "../support/docs/config-reference-table.ts";

describe("docs/reference/config.md", () => {
  it("has every setting as the table has it", () => {
    const page = readFileSync(new URL("../../docs/reference/config.md", import.meta.url), "utf8");
    const [, table] = page.split("<!-- settings -->\n\n");
    expect(table?.trimEnd()).toBe(referenceTable().trimEnd());
  });
});
