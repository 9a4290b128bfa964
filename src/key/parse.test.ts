import { describe, expect, it } from "vitest";
import { parseSessionKey } from "./parse.ts";

const UUID = "0198c0de-1111-7222-8333-444455556666";

describe("the parts of a session key", () => {
  it.each([
    ["cli:local", { channel: "cli", kind: "session", id: "default" }],
    ["discord:direct:42", { channel: "discord", kind: "dm", id: "42" }],
    ["discord:guild1:channel7", { channel: "discord", kind: "channel", id: "7" }],
    ["discord:thread:9", { channel: "discord", kind: "thread", id: "9", within: undefined }],
    ["telegram:+49 176 12345678", { channel: "telegram", kind: "dm", id: "+4917612345678" }],
    ["telegram:group:-100:topic:7", { channel: "telegram", kind: "thread", id: "7", within: "-100" }],
    ["slack:team:General", { channel: "slack", kind: "channel", id: "general", within: "team" }],
    ["slack:T0123ABCD:C0123ABCD:thread:17.1", { kind: "thread", id: "17.1", within: "T0123ABCD:C0123ABCD" }],
    ["slack:T0123ABCD:dm:U0123ABCD", { kind: "dm", id: "U0123ABCD", within: "T0123ABCD" }],
    ["slack:T0123ABCD:thread:thread:17.1", { kind: "thread", id: "17.1", within: "T0123ABCD:thread" }],
    ["slack:T0123ABCD:#thread", { kind: "channel", id: "thread", within: "T0123ABCD" }],
    ["slack:general", { kind: "channel", id: "general", within: undefined }],
    ["slack:dm:U0123ABCD", { kind: "dm", id: "U0123ABCD", within: undefined }],
    ["web:AbC", { channel: "web", kind: "session", id: "AbC" }],
    ["matrix:dm:@a:b.org", { channel: "matrix", kind: "dm", id: "@a:b.org" }],
    ["agent:ops:discord:dm:42", { agent: "ops", channel: "discord", kind: "dm", id: "42" }],
    ["agent:ops:main", { agent: "ops", channel: "agent", kind: "session", id: "main" }],
    [`discord:dm:42~${UUID}`, { channel: "discord", kind: "dm", id: "42", mark: UUID }],
  ])("%s", (key, parts) => {
    expect(parseSessionKey(key)).toMatchObject(parts);
  });
});
