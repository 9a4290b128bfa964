import { expect, it } from "vitest";
import { sourceName } from "./source-name.ts";

it("hides ids, and keeps names", () => {
  expect(sourceName("note:01a1e47c-cfd0-7ba0-aeec-0f1a99a780eb")).toBe("Note");
  expect(sourceName("note:port/gate")).toBe("note:port/gate");
  expect(sourceName("/home/ada/garden.md")).toBe("/home/ada/garden.md");
});
