import { describe, expect, it } from "vitest";
import { ColloquyError } from "../errors.ts";
import { resolveSessionKey } from "./resolve.ts";

const UUID = "0198c0de-1111-7222-8333-444455556666";

/** One row, one case: a key of any age, and how it is written today. */
const KEYS: readonly (readonly [was: string, is: string])[] = [
  // The terminal.
  ["cli:default", "cli:default"],
  ["cli:local", "cli:default"],
  ["CLI:LOCAL", "cli:default"],
  ["cli:", "cli:default"],
  ["cli: ", "cli:default"],
  ["cli:Work", "cli:work"],
  ["  cli:work  ", "cli:work"],
  ["cli: My Plans ", "cli:my plans"],
  ["cli:a:B", "cli:a:b"],
  ["cli:Caf\u0065\u0301", "cli:caf\u00e9"],
  ["cli:localhost", "cli:localhost"],
  // Discord.
  ["discord:dm:42", "discord:dm:42"],
  ["Discord:DM:42", "discord:dm:42"],
  ["discord:direct:42", "discord:dm:42"],
  ["discord:DIRECT:42", "discord:dm:42"],
  ["discord:user:42", "discord:dm:42"],
  ["discord:42", "discord:dm:42"],
  ["discord:<@42>", "discord:dm:42"],
  ["discord:<@!42>", "discord:dm:42"],
  ["discord:Ada", "discord:dm:ada"],
  ["discord:channel:7", "discord:channel:7"],
  ["discord:Channel: 7", "discord:channel:7"],
  ["discord:group:7", "discord:channel:7"],
  ["discord:<#7>", "discord:channel:7"],
  ["discord:channel:<#7>", "discord:channel:7"],
  ["discord:channel7", "discord:channel:7"],
  ["discord:guild1:channel7", "discord:channel:7"],
  ["discord:guild123:channel456", "discord:channel:456"],
  ["discord:Guild123:Channel456", "discord:channel:456"],
  ["discord:guildG:channelC", "discord:channel:c"],
  ["discord:guild:123:channel:456", "discord:channel:456"],
  ["discord:123:456", "discord:channel:456"],
  ["discord:guild123:channel456:thread789", "discord:thread:789"],
  ["discord:channel:456:thread:789", "discord:thread:789"],
  ["discord:thread:789", "discord:thread:789"],
  ["DISCORD:THREAD:789", "discord:thread:789"],
  ["discord:dm:channelmaster", "discord:dm:channelmaster"],
  // Telegram, and phone numbers.
  ["telegram:+4917612345678", "telegram:+4917612345678"],
  ["telegram:+49 176 1234-5678", "telegram:+4917612345678"],
  ["telegram:+49 (0)176 12345678", "telegram:+4917612345678"],
  ["telegram:004917612345678", "telegram:+4917612345678"],
  ["Telegram:+4917612345678", "telegram:+4917612345678"],
  ["telegram:direct:+4917612345678", "telegram:+4917612345678"],
  ["telegram:dm:+4917612345678", "telegram:+4917612345678"],
  ["telegram:tel:+49-176-12345678", "telegram:+4917612345678"],
  ["telegram:\uff0b49 176 12345678", "telegram:+4917612345678"],
  ["telegram:+44 07911 123456", "telegram:+447911123456"],
  ["telegram:+4407911123456", "telegram:+447911123456"],
  ["telegram:+39 06 6982 1234", "telegram:+390669821234"],
  ["telegram:+7 8 912 345-67-89", "telegram:+79123456789"],
  ["telegram:+1 (202) 555-0123", "telegram:+12025550123"],
  ["telegram:+1234567890", "telegram:+1234567890"],
  ["telegram:+999 123 456", "telegram:+999123456"],
  ["telegram:+12", "telegram:+12"],
  ["telegram:+49176123456789012345", "telegram:+49176123456789012345"],
  ["telegram:123456789", "telegram:123456789"],
  ["telegram:direct:123456789", "telegram:123456789"],
  ["telegram:0171 2345678", "telegram:0171 2345678"],
  ["telegram:@Ada", "telegram:@ada"],
  ["telegram:-1001234567890", "telegram:channel:-1001234567890"],
  ["telegram:group:-1001234567890", "telegram:channel:-1001234567890"],
  ["telegram:channel:-1001234567890", "telegram:channel:-1001234567890"],
  ["telegram:group:-100123:topic:7", "telegram:thread:-100123:7"],
  ["telegram:-100123:topic:7", "telegram:thread:-100123:7"],
  ["telegram:thread:-100123:7", "telegram:thread:-100123:7"],
  ["telegram:000049176123456", "telegram:+49176123456"],
  ["telegram:+0000", "telegram:+00"],
  ["whatsapp:+4917612345678", "whatsapp:+4917612345678"],
  ["whatsapp:4917612345678", "whatsapp:+4917612345678"],
  ["whatsapp:4917612345678@s.whatsapp.net", "whatsapp:+4917612345678"],
  ["whatsapp:4917612345678:12@s.whatsapp.net", "whatsapp:+4917612345678"],
  ["whatsapp:direct:4917612345678:12@S.WhatsApp.net", "whatsapp:+4917612345678"],
  ["whatsapp:120363025@g.us", "whatsapp:channel:120363025@g.us"],
  ["whatsapp:group:120363025@G.US", "whatsapp:channel:120363025@g.us"],
  ["signal:direct:+4917612345678", "signal:+4917612345678"],
  ["sms:12345", "sms:12345"],
  ["imessage:Ada@Example.org", "imessage:ada@example.org"],
  // Slack: names in lower case, ids in capitals.
  ["slack:team123:C123456", "slack:team123:C123456"],
  ["slack:T024BE7LD:C024BE91L", "slack:T024BE7LD:C024BE91L"],
  ["slack:t024be7ld:c024be91l", "slack:T024BE7LD:C024BE91L"],
  ["Slack:T024BE7LD:#General", "slack:T024BE7LD:general"],
  ["slack:Team:General", "slack:team:general"],
  ["slack:T024BE7LD:C024BE91L:thread:1700000000.0001", "slack:T024BE7LD:C024BE91L:thread:1700000000.0001"],
  ["slack:T024BE7LD:#topic", "slack:T024BE7LD:topic"],
  ["slack:T024BE7LD:#direct", "slack:T024BE7LD:direct"],
  ["slack:T024BE7LD:direct", "slack:T024BE7LD:direct"],
  ["slack:T024BE7LD:#direct:topic:17.1", "slack:T024BE7LD:direct:thread:17.1"],
  ["slack:T024BE7LD:# c024be91l", "slack:T024BE7LD:C024BE91L"],
  ["slack:#direct", "slack:channel:direct"],
  ["slack:#Direct:x", "slack:%64irect:x"],
  ["slack:#u012345678", "slack:channel:U012345678"],
  ["slack:u012345678", "slack:dm:U012345678"],
  ["slack:U024BE7LH", "slack:dm:U024BE7LH"],
  ["slack:direct:u024be7lh", "slack:dm:U024BE7LH"],
  // The web, and channels that nothing is known of: case is kept.
  ["web:session_abc123", "web:session_abc123"],
  ["Web:Session_AbC", "web:Session_AbC"],
  ["matrix:!RoomAbC:example.org", "matrix:!RoomAbC:example.org"],
  ["Matrix:direct:@Ada:example.org", "matrix:dm:@Ada:example.org"],
  ["cron:Nightly", "cron:Nightly"],
  ["email:Ada@Example.ORG", "email:ada@example.org"],
  // Agents.
  ["agent:main:main", "agent:main:main"],
  ["agent:Main:MAIN", "agent:main:main"],
  ["agent:ops", "agent:ops:main"],
  ["agent:Ops:Discord:Direct:42", "agent:ops:discord:dm:42"],
  ["agent:ops:cli:local", "agent:ops:cli:default"],
  ["agent:ops:telegram:+49 (0)176 12345678", "agent:ops:telegram:+4917612345678"],
  ["agent:ops:web:AbC", "agent:ops:web:AbC"],
  ["agent:ops:local", "agent:ops:cli:default"],
  ["agent:a:agent:B:cli:Local", "agent:a:agent:b:cli:default"],
  [`agent:main:subagent:${UUID}`, `agent:main:subagent:${UUID}`],
  // Ids by themselves.
  ["main", "agent:main:main"],
  ["default", "cli:default"],
  ["local", "cli:default"],
  ["Plans", "cli:plans"],
  ["+49 176 12345678", "telegram:+4917612345678"],
  ["123456789", "telegram:123456789"],
  ["-1001234567890", "telegram:channel:-1001234567890"],
  ["123456789012345678", "discord:dm:123456789012345678"],
  [UUID, `web:${UUID}`],
  ["__proto__", "cli:__proto__"],
  // The mark of an older conversation stays where it is.
  [`discord:direct:42~${UUID}`, `discord:dm:42~${UUID}`],
  [`cli:local~${UUID.toUpperCase()}`, `cli:default~${UUID}`],
  ["telegram:+49 176 12345678~x0123456789abcdef", "telegram:+4917612345678~x0123456789abcdef"],
];

describe("a session key of any version", () => {
  it.each(KEYS)("%j becomes %j", (was, is) => {
    expect(resolveSessionKey({ sessionKey: was })).toBe(is);
  });

  it.each(KEYS)("%j does not change when resolved again", (was) => {
    const once = resolveSessionKey({ sessionKey: was });
    expect(resolveSessionKey({ sessionKey: once })).toBe(once);
  });

  it.each([
    ["", "nothing"],
    [":42", "no channel"],
    ["discord:", "nothing after the channel"],
    ["discord:dm:", "nothing after the kind"],
    ["discord:dm: ", "nothing after the kind but a space"],
    ["discord::", "two colons"],
    ["slack:T1:", "nothing after the team"],
    ["slack::", "two colons"],
    ["telegram:channel:", "nothing after the kind"],
    ["telegram:dm:", "nothing after the kind"],
    ["email:dm:", "nothing after the kind"],
    ["matrix:Thread:", "nothing after the kind"],
    ["matrix::", "two colons"],
    ["agent:ops:discord:dm:", "nothing after the kind of an agent's conversation"],
    ["agent:", "no agent"],
    ["agent::cli:x", "an agent without a name"],
    ["agent:ops:", "nothing after the agent"],
    ["cli:a\nb", "a control character"],
    ["cli:\ud800", "half a character"],
    [`cli:${"x".repeat(509)}`, "more than 512 bytes"],
    [`${"agent:a:".repeat(9)}cli:x`, "too many agents"],
    [42 as never, "no text"],
  ])("%j is refused: %s", (sessionKey) => {
    expect(() => resolveSessionKey({ sessionKey })).toThrow(ColloquyError);
    expect(() => resolveSessionKey({ sessionKey })).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR" }),
    );
  });

  it("uses a known channel for a bare id", () => {
    const resolve = (sessionKey: string, channel: string): string =>
      resolveSessionKey({ sessionKey, channel });
    expect(resolve("42", "discord")).toBe("discord:dm:42");
    expect(resolve("+49 176 12345678", "WhatsApp")).toBe("whatsapp:+4917612345678");
    expect(resolve("AbC", "web")).toBe("web:AbC");
    expect(resolve("cli:x", "discord")).toBe("cli:x");
  });

  it("uses the configured country for a national number", () => {
    const config = { session: { defaultCountry: "de" } };
    expect(resolveSessionKey({ sessionKey: "telegram:0176 12345678", config })).toBe(
      "telegram:+4917612345678",
    );
    expect(resolveSessionKey({ sessionKey: "telegram:123456789", config })).toBe("telegram:123456789");
    expect(resolveSessionKey({ sessionKey: "telegram:+12025550123", config })).toBe("telegram:+12025550123");
  });
});
