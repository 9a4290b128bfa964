import { describe, expect, it } from "vitest";
import { channelSettings, lookupIn } from "../../src/channel/setup/channel-settings.ts";

describe("the settings of a channel", () => {
  it("are those of its account, then those of the channel", () => {
    const accounts = { work: { token: "w", allowFrom: ["8"] } };
    const discord = { token: "t", allowFrom: ["7", 9], allowRooms: ["5"], requireMention: false, accounts };
    const config = { channels: { discord } };
    expect(channelSettings("discord", config, {}, undefined)).toMatchObject({
      ...{ token: "t", accountId: "default" },
      access: { users: ["7", "9"], rooms: ["5"], answersAll: true },
    });
    expect(channelSettings("discord", config, {}, "work")).toMatchObject({
      ...{ token: "w", accountId: "work", access: { users: ["8"], rooms: ["5"] } },
    });
    expect(() => channelSettings("discord", config, {}, "home")).toThrow("no account home");
  });

  it("allow nobody by default, and never a name", () => {
    const env = { DISCORD_BOT_TOKEN: "e" };
    expect(channelSettings("discord", {}, env, undefined)).toMatchObject({
      ...{ token: "e", access: { users: [], rooms: [], answersAll: false } },
    });
    const named = { channels: { discord: { allowFrom: ["anna"] } } };
    expect(() => channelSettings("discord", named, env, undefined)).toThrow("only numeric ids");
    expect(() => channelSettings("discord", {}, {}, undefined)).toThrow("There is no token");
    const inexact = { channels: { discord: { allowRooms: [Number("80351110224678912")] } } };
    expect(() => channelSettings("discord", inexact, env, undefined)).toThrow("write the id as a string");
    const off = { channels: { discord: { enabled: false, token: "t" } } };
    expect(() => channelSettings("discord", off, {}, undefined)).toThrow("not enabled");
  });

  it("let only the owner look into everything, and only where nobody else reads it", () => {
    const access = { users: ["7"], rooms: ["600"] };
    const where = (key: string) => lookupIn(key, { access, lookup: undefined });
    expect(["discord:dm:7", "telegram:dm:7", "agent:work:discord:dm:7"].map(where)).toEqual([
      ...["all", "all", "all"],
    ]);
    const others = ["discord:dm:8", "discord:channel:600", "discord:thread:7", "discord:channel:7", "cli:7"];
    expect(others.map(where)).toEqual(others.map(() => "session"));
    for (const users of [["7", "8"], ["7", "*"], ["*"], []]) {
      expect(lookupIn("discord:dm:7", { access: { users }, lookup: undefined })).toBe("session");
    }
    expect(lookupIn("discord:channel:600", { access, lookup: "all" })).toBe("all");
    expect(lookupIn("discord:dm:7", { access, lookup: "session" })).toBe("session");
  });
});
