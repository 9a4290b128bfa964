import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { METHODS } from "../../src/gateway/socket/methods/table.ts";

it("docs/reference/websocket.md has every method with its permission and its limit", () => {
  const page = readFileSync(new URL("../../docs/reference/websocket.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `([\w.]+)` \| (read|write|admin)[^|]* \| ([\d,]+) \|/gm)];
  const written = rows.map(([, name, permission, limit]) => `${name} ${permission} ${limit}`);
  const limits = new Intl.NumberFormat("en");
  expect(written.sort()).toEqual(
    METHODS.map(
      ({ name, permission, perMinute }) => `${name} ${permission} ${limits.format(perMinute)}`,
    ).sort(),
  );
});
