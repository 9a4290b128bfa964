import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../util/json.ts";
import { LineBuffer } from "./line-buffer.ts";
import { outputOf, outputText } from "./output.ts";
import { mcpServersIn, secretsOf } from "./settings.ts";
import { mcpToolName } from "./tool-names.ts";

describe("the servers of a config", () => {
  it("are programs or URLs that are not disabled", () => {
    const servers = {
      files: { command: "npx", args: ["x", 1], env: { TOKEN: "t" }, cwd: "/work", timeoutSeconds: 5 },
      web: { url: "https://example.com/mcp", headers: { Authorization: "Bearer 0123456789" } },
      off: { enabled: false },
    };
    expect(mcpServersIn({ mcp: { servers } })).toEqual([
      { name: "files", command: "npx", args: ["x"], env: { TOKEN: "t" }, cwd: "/work", callTimeoutMs: 5000 },
      { name: "web", url: "https://example.com/mcp", headers: { Authorization: "Bearer 0123456789" } },
    ]);
    expect(mcpServersIn({})).toEqual([]);
  });

  it.each<readonly [string, JsonObject, string]>([
    ["a b", { command: "x" }, "The name of an MCP server must be up to 32 letters"],
    ["__proto__", { command: "x" }, "The name of an MCP server must be up to 32 letters"],
    ["a", {}, "mcp.servers.a must have a command or a url"],
    ["a", { command: "x", url: "https://x" }, "mcp.servers.a must have a command or a url"],
  ])("refuses %j with %j", (name, server, message) => {
    const servers = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(server)}}`);
    expect(() => mcpServersIn({ mcp: { servers } })).toThrow(message);
  });

  it("have secrets, which headers hold after other words", () => {
    const headers = { authorization: "Bearer 0123456789", short: "yes" };
    expect(secretsOf({ name: "a", url: "https://x", headers })).toEqual(["Bearer 0123456789", "0123456789"]);
  });
});

describe("the names of tools", () => {
  it("are those of the server and the tool, and otherwise get a hash", () => {
    expect(mcpToolName("files", "read-file", new Set())).toBe("files_read-file");
    expect(mcpToolName("search", "conversations", new Set(["search_conversations"]))).toMatch(
      /^search_conversations_[0-9a-f]{8}$/,
    );
    expect(mcpToolName("files", "../../etc/passwd", new Set())).toMatch(/^files__etc_passwd_[0-9a-f]{8}$/);
    const long = mcpToolName("files", "x".repeat(200), new Set());
    expect(long).toMatch(/^files_x{49}_[0-9a-f]{8}$/);
    expect(long).not.toBe(mcpToolName("files", "x".repeat(201), new Set()));
    expect(mcpToolName("a", "日本", new Set())).not.toBe(mcpToolName("a", "中国", new Set()));
  });
});

describe("the output of a tool", () => {
  it("is a text, or blocks if there are images", () => {
    const text = { type: "text", text: "a" };
    const image = { type: "image", data: "aGk=", mimeType: "image/png" };
    expect(outputOf({ content: [text, text] })).toBe("a\na");
    expect(outputOf({ content: [text, image] })).toEqual([
      text,
      { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
    ]);
    expect(outputText({ content: [text, image] })).toBe("a\n[image]");
    expect(outputOf({ content: [], structuredContent: { a: 1 } })).toEqual({ a: 1 });
    expect(outputOf({})).toBeUndefined();
  });

  it.each<readonly [JsonObject, string]>([
    [
      { type: "image", data: "aGk=", mimeType: "image/svg+xml" },
      "[An image was left out: models do not accept its format]",
    ],
    [{ type: "image", data: "<svg>", mimeType: "image/png" }, "[An image was left out: it is damaged]"],
    [
      { type: "image", data: "a".repeat(8_000_000), mimeType: "image/png" },
      "[An image was left out: it has more than 5.3 MB]",
    ],
    [{ type: "audio", data: "aGk=", mimeType: "audio/wav" }, "[Audio was left out: models cannot hear it]"],
    [{ type: "resource", resource: { uri: "file:///a", text: "b" } }, "file:///a:\nb"],
    [
      { type: "resource", resource: { uri: "file:///a", blob: "aGk=" } },
      "[file:///a was left out: it is not text]",
    ],
    [{ type: "resource_link", name: "A", uri: "file:///a" }, "A: file:///a"],
    [{ type: "other", a: 1 }, '{"type":"other","a":1}'],
    [{ type: "text" }, ""],
  ])("shows %j as %j", (part, shown) => {
    expect(outputOf({ content: [part] })).toBe(shown);
  });

  it("has at most 20 images", () => {
    const content = Array.from({ length: 25 }, () => ({
      type: "image",
      data: "aGk=",
      mimeType: "image/png",
    }));
    const output = outputOf({ content }) as { type: string }[];
    expect(output.filter(({ type }) => type === "image")).toHaveLength(20);
  });
});

describe("lines out of chunks", () => {
  it("are whole, wherever the chunks end, and have a limit", () => {
    const lines = new LineBuffer(8);
    const bytes = Buffer.from("ä\nbc\n\nd");
    const found = [...bytes].flatMap((byte) => [...lines.add(Buffer.of(byte))]);
    expect(found).toEqual(["ä", "bc", ""]);
    expect([...lines.add(Buffer.from("e\nf\n"))]).toEqual(["de", "f"]);
    expect(() => [...lines.add(Buffer.from("123456789"))]).toThrow("too long");
  });
});
