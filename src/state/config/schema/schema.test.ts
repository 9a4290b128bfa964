import { describe, expect, it } from "vitest";
import { TrialFolder } from "../../../../test/support/config-folder.ts";
import type { Json } from "../../../util/json.ts";
import { type Tree, treeOf } from "../located.ts";
import { check } from "./check.ts";
import type { Field } from "./field.ts";
import { fieldAt } from "./field-at.ts";
import { ROOT, SECTIONS } from "./index.ts";
import { configSchema } from "./json-schema.ts";

const tree = (value: Json): Tree => treeOf(value, { kind: "file", file: "c" });
const found = (value: Json): string[] =>
  check(tree(value), ROOT).map(({ severity, message }) => `${severity}: ${message}`);

/** Of the document, in its order; then our own. */
const DOCUMENT =
  "meta auth env wizard skills plugins models agents tools bindings messages commands approvals session channels cron hooks discovery gateway memory diagnostics logging update browser ui";

const ID_MAX = 999_999_999_999_999;

describe("the schema", () => {
  it("knows the 25 sections of the document, and our own four", () => {
    expect(Object.keys(SECTIONS)).toEqual([...DOCUMENT.split(" "), "mcp", "search", "sessions", "streaming"]);
  });

  it("accepts the example of the document without a word", async () => {
    using folder = new TrialFolder({
      "colloquy.json": `{
        // Model configuration
        "models": { "default": "anthropic/claude-opus-4-6", "providers": { "anthropic": { "baseUrl": "https://api.anthropic.com" } } },
        "tools": { "exec": { "security": "safe-bin", "host": "host", "timeoutSec": 120 }, "fs": { "workspaceOnly": false },
          "allow": ["read", "write", "edit", "exec", "process"], "profile": "coding" },
        "channels": { "telegram": { "accounts": { "default": { "token": "\${TELEGRAM_BOT_TOKEN}", "allowFrom": ["+1234567890"] } } } },
        "plugins": { "enabled": true, "entries": { "memory-lancedb": { "enabled": true, "dbPath": "~/.openclaw/memory" } } },
        "gateway": { "port": 18789, "bind": "loopback", "mode": "local" }
      }`,
    });
    const { warnings } = await folder.load({ env: { TELEGRAM_BOT_TOKEN: "t" } });
    expect(warnings.map(({ code, path }) => `${code} ${path}`)).toEqual([]);
  });

  it.each<readonly [Json, string]>([
    [{ gateway: { port: "x" } }, "error: gateway.port must be an integer from 1 to 65535"],
    [{ gateway: { port: 0 } }, "error: gateway.port must be an integer from 1 to 65535"],
    [{ gateway: { port: 1.5 } }, "error: gateway.port must be an integer from 1 to 65535"],
    [
      { gateway: { auth: { mode: "tokne" } } },
      'error: gateway.auth.mode must be one of "token", "password", "tailscale": did you mean "token"?',
    ],
    [{ gateway: [] }, "error: gateway must be an object"],
    [
      { channels: { discord: { allowFrom: [JSON.parse("80351110224678912")] } } },
      `error: channels.discord.allowFrom[0] must be a string, or an integer from -${ID_MAX} to ${ID_MAX}`,
    ],
    [{ bindings: {} }, "error: bindings must be a list"],
    [{ bindings: [1] }, "error: bindings[0] must be an object"],
    [{ env: { vars: { A: 1 } } }, "error: env.vars.A must be a string"],
    [
      { env: { shellEnv: { timeoutMs: 15_001 } } },
      "error: env.shellEnv.timeoutMs must be an integer from 1 to 15000",
    ],
    [{ env: { shellEnv: 3 } }, "error: env.shellEnv must be true or false, or a string, or an object"],
    [{ sessions: { tree_enabled: "yes" } }, "error: sessions.tree_enabled must be true or false"],
    [
      { sessions: { retention: { max_age_days: 0 } } },
      "error: sessions.retention.max_age_days must be an integer from 1 to 36500",
    ],
    [{ models: null }, "error: models must be an object"],
    [{ gatway: {} }, 'warning: Unknown key "gatway": did you mean "gateway"?'],
    [
      { sessions: { treeenabled: true } },
      'warning: Unknown key "sessions.treeenabled": did you mean "sessions.tree_enabled"?',
    ],
    [{ gateway: { prot: 1 } }, 'warning: Unknown key "gateway.prot": did you mean "gateway.port"?'],
    [{ xyzzy: 1 }, 'warning: Unknown key "xyzzy"'],
  ])("says of %j: %s", (value, message) => {
    expect(found(value)).toEqual([message]);
  });

  it("keeps what others put into sections that nothing uses", () => {
    expect(found({ messages: { queue: { mode: "x" } }, gateway: { controlUi: { enabled: true } } })).toEqual(
      [],
    );
  });

  it("describes every setting in a few words, and has only defaults that it accepts", () => {
    const visit = (field: Field, path: string): void => {
      expect(field.description, path).toMatch(/^\S.{2,139}[^.]$/s);
      if (field.default !== undefined) expect(check(tree(field.default), field), path).toEqual([]);
      if (field.type === "object") {
        for (const [key, member] of Object.entries(field.members)) visit(member, `${path}.${key}`);
        if (field.others !== undefined) visit(field.others, `${path}.*`);
      }
      if (field.type === "array") visit(field.items, `${path}[]`);
    };
    visit(ROOT, "");
  });

  it("finds the description of any path", () => {
    expect(fieldAt(["models", "providers", "x", "apiKey"])).toMatchObject({ type: "string", secret: true });
    expect(fieldAt(["env", "shellEnv", "timeoutMs"])?.type).toBe("integer");
    expect(fieldAt(["bindings", "0", "agentId"])?.type).toBe("string");
    expect(fieldAt(["nothing"])).toBeUndefined();
    expect(fieldAt(["toString"])).toBeUndefined();
  });
});

describe("the JSON Schema", () => {
  it("says the same to editors", () => {
    const schema = configSchema() as { properties: Record<string, { properties: Record<string, unknown> }> };
    expect(Object.keys(schema.properties)).toEqual(["$schema", ...Object.keys(SECTIONS), "$include"]);
    expect(schema.properties.gateway?.properties.port).toEqual({
      description: "The port to listen on",
      type: "integer",
      minimum: 1,
      maximum: 65535,
      default: 18789,
    });
    expect(schema.properties.logging?.properties.file).toMatchObject({ type: "string" });
  });
});
