import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { JsonObject } from "../../util/json.ts";
import { type Extensions, loadExtensions } from "./load-extensions.ts";

const TOOL = `{ name: "dice", description: "Roll", inputSchema: { type: "object" }, run: () => "4" }`;

class Place {
  readonly folder = join(tempFolder(), "extensions");
  readonly notices: string[] = [];

  constructor(files: Readonly<Record<string, string>>) {
    mkdirSync(this.folder);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, name)), { recursive: true });
      writeFileSync(join(this.folder, name), text);
    }
  }

  async load(plugins: JsonObject, timeoutMs?: number): Promise<Extensions> {
    const onNotice = (text: string): void => void this.notices.push(text);
    const { folder } = this;
    const loaded = await loadExtensions({
      config: { plugins },
      folder,
      taken: ["current_time"],
      onNotice,
      timeoutMs,
    });
    onTestFinished(() => loaded.close());
    return loaded;
  }
}

const on = (...names: readonly string[]): JsonObject => ({
  entries: Object.fromEntries(names.map((name) => [name, { enabled: true }])),
});

describe("extensions", () => {
  it("add tools and channels, and are told their settings", async () => {
    const place = new Place({
      "dice.mjs": `export default ({ name, config, notice }) => {
        notice("hello");
        return { tools: [{ ...${TOOL}, description: name + " " + config.sides }] };
      };`,
      "radio/index.js": `export default async () => ({
        channels: [{ name: "radio", start: async () => {}, send: async () => {}, close: async () => {} }],
      });`,
      "package.json": `{ "type": "module" }`,
    });
    const { names, tools, channels } = await place.load({
      entries: { dice: { enabled: true, config: { sides: 6 } }, radio: { enabled: true } },
    });
    expect(names).toEqual(["dice", "radio"]);
    expect(tools.map(({ name, description }) => `${name}: ${description}`)).toEqual(["dice: dice 6"]);
    expect(channels.map(({ name }) => name)).toEqual(["radio"]);
    expect(place.notices).toEqual(["Extension dice: hello"]);
  });

  it.each<readonly [string, JsonObject]>([
    ["not named", {}],
    ["not enabled", { entries: { dice: {} } }],
    ["disabled", { entries: { dice: { enabled: false } } }],
    ["denied", { ...on("dice"), deny: ["dice"] }],
    ["not among the allowed", { ...on("dice"), allow: ["radio"] }],
    ["all disabled", { ...on("dice"), enabled: false }],
    ["enabled by something else than true", { entries: { dice: { enabled: "yes" } } }],
  ])("are not loaded if they are %s", async (_, plugins) => {
    const place = new Place({ "dice.mjs": "throw new Error('loaded');" });
    expect((await place.load(plugins)).names).toEqual([]);
    expect(place.notices).toEqual([]);
  });

  it("that fail are reported, and the others are used", async () => {
    const place = new Place({
      "throws.mjs": "throw new Error('no luck');",
      "syntax.mjs": "export default (",
      "factory.mjs": "export default () => { throw new Error('no settings'); };",
      "nothing.mjs": "export const a = 1;",
      "odd.mjs": "export default () => 7;",
      "channels.mjs": "export default () => ({ channels: [{ name: 'x' }] });",
      "badtool.mjs": `export default () => ({ tools: [{ ...${TOOL}, name: "a b" }] });`,
      "clash.mjs": `export default () => ({ tools: [{ ...${TOOL}, name: "current_time" }] });`,
      "good.mjs": `export default () => ({ tools: [${TOOL}] });`,
      "again.mjs": `export default () => ({ tools: [${TOOL}] });`,
    });
    const names = "throws syntax factory nothing odd channels badtool clash good again missing".split(" ");
    const { tools, ...loaded } = await place.load(on(...names));
    expect(loaded.names).toEqual(["good"]);
    expect(tools.map(({ name }) => name)).toEqual(["dice"]);
    expect(place.notices.map((notice) => notice.split(": ").slice(0, 3).join(": "))).toEqual([
      "Extension throws: it is not used: no luck",
      expect.stringMatching(/^Extension syntax: it is not used/),
      "Extension factory: it is not used: no settings",
      "Extension nothing: it is not used: its default export must be a function",
      "Extension odd: it is not used: its function must return an object with tools or channels",
      "Extension channels: it is not used: its channels must be a list, each with a name and the functions start, send and close",
      'Extension badtool: it is not used: "a b" is not a tool name',
      "Extension clash: it is not used: There are two tools called current_time. Rename or remove one of them",
      "Extension again: it is not used: There are two tools called dice. Rename or remove one of them",
      `Extension missing: it is not used: missing.js or missing.mjs or missing/index.js does not exist in ${place.folder}`,
    ]);
  });

  it("that never load are not waited for", async () => {
    const place = new Place({ "slow.mjs": "await new Promise((go) => setTimeout(go, 60_000).unref());" });
    await place.load(on("slow"), 20);
    expect(place.notices).toEqual(["Extension slow: it is not used: it did not load within 0.02 s"]);
  });

  it("are files in their folder, and not reached by a path or a link out of it", async () => {
    const place = new Place({ "in.mjs": "export default () => ({});" });
    writeFileSync(join(place.folder, "../out.mjs"), "export default () => ({});");
    symlinkSync(join(place.folder, "../out.mjs"), join(place.folder, "link.mjs"));
    symlinkSync(join(place.folder, "in.mjs"), join(place.folder, "same.mjs"));
    const at = (module: string): JsonObject => ({ enabled: true, module });
    const { names } = await place.load({
      entries: {
        up: at("../out.mjs"),
        link: { enabled: true },
        far: at("/etc/passwd"),
        self: at("."),
        "../out": { enabled: true },
        same: { enabled: true },
      },
    });
    expect(names).toEqual(["same"]);
    expect(place.notices).toEqual([
      "Extension up: it is not used: ../out.mjs is outside the folder of extensions",
      "Extension link: it is not used: link.mjs is outside the folder of extensions",
      expect.stringContaining("/etc/passwd does not exist in"),
      "Extension self: it is not used: . is outside the folder of extensions",
      "Extension ../out: it is not used: its name must be up to 64 letters, digits, - and _",
    ]);
  });

  it("are closed once, each of them, even if one fails", async () => {
    const place = new Place({
      "a.mjs": "export default () => ({ close() { throw new Error('stuck'); } });",
      "b.mjs":
        "export default ({ signal, notice }) => ({ close: () => notice('closed ' + signal.aborted) });",
    });
    const loaded = await place.load(on("a", "b"));
    await loaded.close();
    await loaded.close();
    expect(place.notices).toEqual(["Extension a: stuck", "Extension b: closed true"]);
  });
});
