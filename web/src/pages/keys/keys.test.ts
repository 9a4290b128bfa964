import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { KEY_GROUPS } from "./keys.ts";

it("lists every key that the page binds, and no other", () => {
  const bound = readdirSync("web/src", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => [...readFileSync(join("web/src", file), "utf8").matchAll(/\buseKey\("([^"]+)"/g)])
    .map(([, keys]) => keys);
  const listed = KEY_GROUPS.flatMap(({ keys }) => keys.map(([pressed]) => pressed));
  expect([...listed].sort()).toEqual([...new Set(bound)].sort());
});
