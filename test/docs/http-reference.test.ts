import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { httpReference } from "../support/docs/http-reference-table.ts";

it("docs/reference/http.md has every route as the table has it", () => {
  const page = readFileSync(new URL("../../docs/reference/http.md", import.meta.url), "utf8");
  const [, tables] = page.split("<!-- routes -->\n\n");
  expect(tables?.trimEnd()).toBe(httpReference());
});
