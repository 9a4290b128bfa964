import { describe, expect, it } from "vitest";
import { defineTool } from "./define-tool.ts";
import { ToolRegistry } from "./registry.ts";
import type { Tool, ToolCall } from "./tool.ts";

const call: ToolCall = { id: "1", signal: new AbortController().signal, depth: 0 };

const add = defineTool({
  name: "add",
  description: "Add numbers",
  inputSchema: {
    type: "object",
    properties: {
      numbers: { type: "array", items: { type: "number" } },
      unit: { enum: ["km", "m"] },
    },
    required: ["numbers"],
  },
  run: ({ numbers, unit = "m" }) =>
    `${numbers.reduce((sum, next) => sum + next, 0)} ${unit satisfies "km" | "m"}`,
});

const named = (name: string): Tool => ({ ...add, name });

describe("defineTool", () => {
  it("types the input by the schema", async () => {
    expect(await add.run({ numbers: [1, 2] }, call)).toBe("3 m");
  });

  it.each([
    ["", "is not a tool name"],
    ["a b", "is not a tool name"],
    ["../x", "is not a tool name"],
    ["naïve", "is not a tool name"],
    ["x".repeat(65), "is not a tool name"],
  ])("refuses the name %j", (name, message) => {
    expect(() => new ToolRegistry([named(name)])).toThrow(message);
  });

  it.each<readonly [Partial<Tool>, string]>([
    [{ description: " " }, "must have a description"],
    [{ inputSchema: { type: "string" } }, 'must have the type "object"'],
    [{ timeoutMs: 0 }, "timeoutMs of the tool add must be from 1"],
    [{ timeoutMs: Number.NaN }, "timeoutMs of the tool add must be from 1"],
  ])("refuses %j", (change, message) => {
    expect(() => new ToolRegistry([{ ...add, ...change }])).toThrow(message);
  });
});

describe("ToolRegistry", () => {
  it("finds tools by their names and describes them in order", () => {
    const registry = new ToolRegistry([named("b"), named("a")]);
    expect(registry.get("a")?.name).toBe("a");
    expect(registry.get("toString")).toBeUndefined();
    expect(registry.size).toBe(2);
    expect([...registry].map(({ name }) => name)).toEqual(["b", "a"]);
    expect(registry.descriptions()).toEqual(
      ["b", "a"].map((name) => ({ name, description: "Add numbers", inputSchema: add.inputSchema })),
    );
  });

  it("refuses a second tool of the same name, and adds none of the others", () => {
    const registry = new ToolRegistry([named("a")]);
    expect(() => registry.add(named("b"), named("a"))).toThrow("There are two tools called a");
    expect(() => registry.add(named("c"), named("c"))).toThrow("There are two tools called c");
    expect([...registry].map(({ name }) => name)).toEqual(["a"]);
  });
});
