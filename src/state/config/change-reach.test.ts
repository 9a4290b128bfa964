import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { TrialFolder } from "../../../test/support/config-folder.ts";

/** Make the folder of an OpenClaw beside the state folder. */
function openClaw(folder: TrialFolder, files: Record<string, string>): string {
  const root = join(folder.home, ".openclaw");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

describe("the first change of an adopted config", () => {
  it("leaves paths leading to where they led", async () => {
    using folder = new TrialFolder();
    const root = openClaw(folder, {
      "openclaw.json": `{ $include: 'a.json5', logging: { file: './logs/x.log' }, session: { store: '~/s.json' } }`,
      "a.json5": `{ memory: { path: '\${NAME}/m' }, skills: { load: { extraDirs: ['/abs', 'rel'] } } }`,
    });
    const env = { NAME: "of-env" };
    const before = (await folder.load({ env })).value;
    await folder.set("ui.a", 1, { env });
    const { value } = await folder.load({ env });
    expect(value).toMatchObject({
      logging: { file: join(root, "logs/x.log") },
      session: { store: join(folder.home, "s.json") },
      memory: { path: join(root, "of-env/m") },
      skills: { load: { extraDirs: ["/abs", join(root, "rel")] } },
    });
    expect({ ...value, meta: 0, ui: 0 }).toEqual({ ...before, meta: 0, ui: 0 });
    expect(folder.read("a.json5")).toContain(`\${NAME}/m`);
  });

  it("takes over includes, patches and variables that are links or absolute", async () => {
    using folder = new TrialFolder();
    const root = openClaw(folder, {
      "openclaw.json": "{ ui: { $include: './link.json5' } }",
      "sub/real.json5": "{ $include: 'beside.json5' }",
      "sub/beside.json5": `{ a: '\${X}' }`,
      "sub/env": "X=1\n",
      "sub/patch.json5": "{ ui: { b: 2 } }",
      "config.d/0.json5": "{}",
    });
    writeFileSync(join(root, "sub/real.json5"), `{ $include: '${join(root, "sub/beside.json5")}' }`);
    symlinkSync("sub/real.json5", join(root, "link.json5"));
    symlinkSync("sub/env", join(root, ".env"));
    symlinkSync("../sub/patch.json5", join(root, "config.d/1.json5"));
    expect((await folder.load()).value.ui).toEqual({ a: "1", b: 2 });
    await folder.set("ui.b", 3);
    const { value, adopted } = await folder.load();
    expect([adopted, value.ui]).toEqual([false, { a: "1", b: 3 }]);
    expect(folder.read("config.d/1.json5")).toContain("b: 3");
  });
});

describe("a change that reaches further than it says", () => {
  it("is refused where another setting comes from the same include", async () => {
    using folder = new TrialFolder({
      "colloquy.json": "{ channels: { a: { $include: 'x.json5' }, b: { $include: 'x.json5' } } }",
      "x.json5": "{ enabled: true }",
    });
    await expect(folder.set("channels.a.enabled", false)).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("channels.b.enabled would change together with channels.a.enabled"),
    });
    await expect(folder.unset("channels.a.enabled")).rejects.toMatchObject({ code: "CONFLICT" });
    expect(folder.read("x.json5")).toBe("{ enabled: true }");
  });

  it("is made where the other setting refers to a variable", async () => {
    using folder = new TrialFolder({ "colloquy.json": `{ env: { vars: { A: '1' } }, ui: { a: '\${A}' } }` });
    await folder.set("env.vars.A", "2");
    expect((await folder.load()).value.ui).toEqual({ a: "2" });
  });

  it.each(["{ $include: 'g.json5', port: 1 }", "{ auth: { $include: 'a.json5', mode: 'token' } }"])(
    "is refused where it would lose the include of %s",
    async (gateway) => {
      const text = `{ gateway: ${gateway} }`;
      using folder = new TrialFolder({ "colloquy.json": text, "g.json5": "{}", "a.json5": "{}" });
      await expect(folder.set("gateway", { port: 2 })).rejects.toMatchObject({
        code: "CONFLICT",
        message: expect.stringContaining("one by one"),
      });
      expect(folder.read("colloquy.json")).toBe(text);
    },
  );

  it("stamps the main file, and not a patch that has the same keys", async () => {
    const patch = "{ meta: { lastTouchedVersion: 'packaged' } }";
    using folder = new TrialFolder({ "colloquy.json": "{}", "config.d/1.json5": patch });
    await folder.set("ui.a", 1);
    expect(folder.read("config.d/1.json5")).toBe(patch);
    expect(folder.read("colloquy.json")).toContain("1.2.3");
  });
});

describe("a change of a list that an include begins", () => {
  const files = {
    "colloquy.json": "{ tools: { $include: 't.json5', allow: ['c'] } }",
    "t.json5": "{ allow: ['a', 'b'] }",
  };
  it("puts the next item after all of them", async () => {
    using folder = new TrialFolder(files);
    await folder.set("tools.allow[3]", "d");
    expect((await folder.load()).value.tools).toEqual({ allow: ["a", "b", "c", "d"] });
    expect(folder.read("colloquy.json")).toContain("['c', 'd']");
  });

  it("counts all of them where there is a gap", async () => {
    using folder = new TrialFolder(files);
    await expect(folder.set("tools.allow[5]", "d")).rejects.toThrow(
      '"tools.allow[5]" is beyond the end of the list; the next item is tools.allow[3]',
    );
  });
});
