import { describe, expect, it } from "vitest";
import type { SettingView } from "../../../../src/gateway/wire/rest.ts";
import { matchSettings, readable, sections } from "./match-settings.ts";
import { valueText } from "./setting-text.ts";

const setting = (path: string, value: unknown, help: string | null = null): SettingView => ({
  path,
  value,
  help,
  source: "default",
  file: null,
  line: null,
  kind: null,
  secret: false,
  editable: true,
  needsRestart: false,
});

const SETTINGS = [
  setting("gateway.port", 4711, "The port to listen on"),
  setting("gateway.host", "127.0.0.1"),
  setting("agents.defaults.model", "anthropic/claude"),
];

describe("matchSettings", () => {
  it("wants every word, anywhere in path, help or value", () => {
    const paths = (text: string) => matchSettings(SETTINGS, text).map(({ path }) => path);
    expect(paths("  ")).toHaveLength(3);
    expect(paths("Gateway listen")).toEqual(["gateway.port"]);
    expect(paths("claude")).toEqual(["agents.defaults.model"]);
    expect(paths("gateway claude")).toEqual([]);
  });

  it("can leave out defaults, and what cannot be changed", () => {
    const mixed = [
      { ...setting("a.b", 1), source: "file" },
      { ...setting("a.c", 2), editable: false },
    ];
    expect(matchSettings(mixed, "", "set").map(({ path }) => path)).toEqual(["a.b"]);
    expect(matchSettings(mixed, "", "editable").map(({ path }) => path)).toEqual(["a.b"]);
  });

  it("puts first what can be changed, and leaves out what does nothing", () => {
    const fixed = { ...setting("env.shell", true), editable: false };
    const half = { ...setting("gateway.bind", "x"), editable: false };
    const unused = setting("session.idle", 1, "Start over. Not used yet");
    const all = sections(readable([fixed, half, ...SETTINGS, unused, setting("meta.at", 1)]));
    expect(all.map(({ name }) => name)).toEqual(["gateway", "agents", "env"]);
    expect(all[0]?.settings.at(-1)).toBe(half);
    expect(readable([{ ...unused, source: "file" }])).toHaveLength(1);
  });

  it("groups by the first part of the path", () => {
    expect(sections(SETTINGS).map(({ name, settings }) => [name, settings.length])).toEqual([
      ["gateway", 2],
      ["agents", 1],
    ]);
  });
});

describe("valueText", () => {
  it("shows texts as they are and everything else as JSON", () => {
    expect(["a b", 12, true, ["x"], null].map(valueText)).toEqual(["a b", "12", "true", '["x"]', ""]);
  });
});
