import { describe, expect, it } from "vitest";
import {
  type ChannelSettings,
  channelSettings,
  lookupIn,
  tokenOf,
} from "../../src/channel/setup/channel-settings.ts";
import { openCredentials } from "../../src/state/credentials/index.ts";
import type { Environment } from "../../src/state/folder.ts";
import type { JsonObject } from "../../src/util/json.ts";
import { tempFolder } from "../support/temp-folder.ts";

const settings = (config: JsonObject, env: Environment, account?: string): ChannelSettings =>
  channelSettings({ channel: "discord", account, isBuiltIn: true }, config, env);

describe("the settings of a channel", () => {
  it("are those of its account, then those of the channel", () => {
    const accounts = { work: { token: "w", allowFrom: ["8"] } };
    const discord = { token: "t", allowFrom: ["7", 9], allowRooms: ["5"], requireMention: false, accounts };
    const config = { channels: { discord } };
    expect(settings(config, {})).toMatchObject({
      ...{ token: "t", accountId: "default" },
      access: { users: ["7", "9"], rooms: ["5"], answersAll: true },
    });
    expect(settings(config, {}, "work")).toMatchObject({
      ...{ token: "w", accountId: "work", access: { users: ["8"], rooms: ["5"] } },
    });
    expect(() => settings(config, {}, "home")).toThrow("no account home");
  });

  it("allow nobody by default, and never a name", () => {
    const env = { DISCORD_BOT_TOKEN: "e" };
    expect(settings({}, env)).toMatchObject({
      ...{ token: "e", access: { users: [], rooms: [], answersAll: false } },
    });
    const named = { channels: { discord: { allowFrom: ["anna"] } } };
    expect(() => settings(named, env)).toThrow("only numeric ids");
    const inexact = { channels: { discord: { allowRooms: [Number("80351110224678912")] } } };
    expect(() => settings(inexact, env)).toThrow("write the id as a string");
    const own = { channel: "pigeon", isBuiltIn: false };
    const loft = { channels: { pigeon: { allowFrom: ["loft-7"] } } };
    expect(channelSettings(own, loft, {}).access.users).toEqual(["loft-7"]);
    const off = { channels: { discord: { enabled: false, token: "t" } } };
    expect(() => settings(off, {})).toThrow("not enabled");
  });

  it("have the token of the config, of the environment, or of a profile", async () => {
    const stateDir = tempFolder();
    using credentials = openCredentials({ stateDir, env: {} });
    const place = { channel: "discord", account: undefined };
    const token = (config: JsonObject, account?: string) =>
      tokenOf(settings(config, {}, account), { ...place, account }, credentials);
    await expect(token({})).rejects.toThrow("There is no token. Add one with colloquy auth add discord,");
    await credentials.add({ provider: "discord", kind: "token", secret: { value: "p" } });
    const config = { channels: { discord: { accounts: { work: {} } } } };
    expect(await token(config)).toBe("p");
    await expect(token(config, "work")).rejects.toThrow("auth add discord work");
    expect(await token({ channels: { discord: { token: "t" } } })).toBe("t");
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
