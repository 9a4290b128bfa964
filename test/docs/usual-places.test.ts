import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FORMATS } from "../../src/formats/readers/index.ts";

const page = readFileSync("docs/guide/importing.md", "utf8");

const PLACES = FORMATS.flatMap(
  (format) => format.usualPlaces?.({ home: "~", data: join("~", ".local", "share"), environment: {} }) ?? [],
);

it.each(PLACES)("the guide to imports names the usual place of $tool: $path", ({ tool, path }) => {
  expect(page).toContain(tool.endsWith("(legacy)") ? `\`${path.split("/")[1]}\`` : `\`${path}\``);
});
