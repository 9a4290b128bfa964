import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TrialFolder } from "../../../test/support/config-folder.ts";
import { type ConfigReads, systemReads } from "./files/reads.ts";

interface Row {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly prepare?: (folder: TrialFolder) => void;
  /** Behind the name of the file. */
  readonly message: RegExp;
  readonly code?: string;
}

const including = (name: string): string => `{\n  ui: { $include: '${name}' } }`;

const rows: readonly Row[] = [
  {
    what: "broken JSON5",
    files: { "colloquy.json": "{\n  a: 1\n  b: 2 }" },
    message: /^colloquy\.json:3:3: A "," or "}" is missing/,
  },
  {
    what: "an empty file",
    files: { "colloquy.json": "" },
    message: /^colloquy\.json:1:1: There is nothing here: write \{\}/,
  },
  {
    what: "a list",
    files: { "colloquy.json": " []" },
    message: /^colloquy\.json:1:2: The config is one object/,
  },
  {
    what: "broken JSON5 in an include",
    files: { "colloquy.json": including("a.json5"), "a.json5": "{ x: ]" },
    message: /^a\.json5:1:6: A value is expected/,
  },
  {
    what: "a missing include",
    files: { "colloquy.json": including("gone.json5") },
    message: /^colloquy\.json:2:19: The file gone\.json5 is not there \(at ui\.\$include\)$/,
  },
  {
    what: "an include of itself",
    files: { "colloquy.json": including("colloquy.json") },
    message: /^colloquy\.json:2:19: Includes go round in a circle: colloquy\.json → colloquy\.json/,
  },
  {
    what: "a circle of includes",
    files: {
      "colloquy.json": including("a.json5"),
      "a.json5": "{ $include: 'b.json5' }",
      "b.json5": "{ $include: './a.json5' }",
    },
    message: /^b\.json5:1:13: Includes go round in a circle: a\.json5 → b\.json5 → a\.json5/,
  },
  {
    what: "an include outside",
    files: { "colloquy.json": including("../x.json5") },
    message: /^colloquy\.json:2:19: Only files in the folder of the config are read/,
  },
  {
    what: "an include outside by an absolute path",
    files: { "colloquy.json": including("/etc/hostname") },
    message: /Only files in the folder/,
  },
  {
    what: "an include outside by the home folder",
    files: { "colloquy.json": including("~/x.json5") },
    message: /Only files in the folder/,
  },
  {
    what: "an include outside by a link",
    files: { "colloquy.json": including("link.json5") },
    prepare: (folder) => {
      writeFileSync(join(folder.home, "x.json5"), "{}");
      symlinkSync(join(folder.home, "x.json5"), folder.path("link.json5"));
    },
    message: /^colloquy\.json:2:19: Only files in the folder .* which a link leads out of/,
  },
  {
    what: "an include outside by a linked folder",
    files: { "colloquy.json": including("d/x.json5") },
    prepare: (folder) => {
      writeFileSync(join(folder.home, "x.json5"), "{}");
      symlinkSync(folder.home, folder.path("d"));
    },
    message: /which a link leads out of/,
  },
  {
    what: "a neighbour whose name begins like ours",
    files: { "colloquy.json": including("../state2/x.json5") },
    prepare: (folder) => {
      mkdirSync(join(folder.home, "state2"));
      writeFileSync(join(folder.home, "state2/x.json5"), "{}");
    },
    message: /Only files in the folder/,
  },
  {
    what: "an include that is no name",
    files: { "colloquy.json": "{ $include: [1] }" },
    message: /^colloquy\.json:1:14: \$include is the name of a file/,
  },
  {
    what: "an include of a list beside other keys",
    files: { "colloquy.json": "{ ui: { $include: 'a.json5', x: 1 } }", "a.json5": "[]" },
    message: /^colloquy\.json:1:19: What is included beside other keys must be an object/,
  },
  {
    what: "an include that is a folder",
    files: { "colloquy.json": including("d"), "d/x": "" },
    message: /d is no plain file/,
  },
  {
    what: "an include of 3 MiB",
    files: {
      "colloquy.json": including("big.json5"),
      "big.json5": `{ x: "${"x".repeat(3 * 1024 * 1024)}" }`,
    },
    message: /big\.json5 is larger than 2 MiB: split it with \$include$/,
  },
  {
    what: "a missing variable",
    files: { "colloquy.json": `{ ui: { a: '\${GONE}' } }` },
    message: /^colloquy\.json:1:12: ui\.a needs the variable GONE/,
  },
  {
    what: "a key of the prototype",
    files: { "colloquy.json": '{ ui: { "__proto__": { x: 1 } } }' },
    message: /^colloquy\.json:1:9: The key "__proto__" is not allowed/,
  },
  {
    what: "another one",
    files: { "colloquy.json": "{ constructor: 1 }" },
    message: /^colloquy\.json:1:3: The key "constructor" is not allowed/,
  },
  {
    what: "one in a patch",
    files: { "config.d/1.json5": "{ a: { prototype: {} } }" },
    message: /^config\.d\/1\.json5:1:8: The key "prototype" is not allowed/,
  },
  {
    what: "a value of a wrong type",
    files: { "colloquy.json": "{\n  gateway: { port: 'x' } }" },
    message: /^colloquy\.json:2:20: gateway\.port must be a whole number/,
  },
  {
    what: "a patch that is a list",
    files: { "config.d/1.json5": "[]" },
    message: /^config\.d\/1\.json5:1:1: A patch is one object/,
  },
  {
    what: "a patch that includes further down",
    files: { "colloquy.json": "{}", "config.d/1.json5": "{ ui: [{ a: { $include: 'x' } }] }" },
    message: /^config\.d\/1\.json5:1:25: A patch includes nothing \(at ui\[0\]\.a\.\$include\)/,
  },
  {
    what: "a patch that includes",
    files: { "config.d/1.json5": "{ $include: 'x' }" },
    message: /^config\.d\/1\.json5:1:13: A patch includes nothing/,
  },
  {
    what: "a deep nest",
    files: { "colloquy.json": `{ ui: ${"[".repeat(70)}` },
    message: /^colloquy\.json:1:70: Nested deeper than 64 levels/,
  },
  {
    what: "bytes that are no text",
    files: { "colloquy.json": "" },
    prepare: (folder) => writeFileSync(folder.path("colloquy.json"), Buffer.from([0x7b, 0xff, 0x7d])),
    message: /colloquy\.json is no UTF-8 text/,
  },
  {
    what: "a link that leads nowhere",
    files: {},
    prepare: (folder) => symlinkSync(folder.path("gone"), folder.path("colloquy.json")),
    message: /colloquy\.json is gone, or a link that leads nowhere/,
    code: "SERVICE_UNAVAILABLE",
  },
  {
    what: "a folder in the place of the config",
    files: { "colloquy.json/x": "" },
    message: /colloquy\.json is no plain file/,
  },
];

describe("a bad config", () => {
  it.each(rows)(
    "gives one clear message: $what",
    async ({ files, prepare, message, code = "VALIDATION_ERROR" }) => {
      using folder = new TrialFolder(files);
      prepare?.(folder);
      const error = await folder.failure();
      expect(error.message.replace(`${folder.state}/`, "")).toMatch(message);
      expect(error.message).not.toContain("\n");
      expect(error.code).toBe(code);
    },
  );

  it("of unknown sections is used, with a warning for each", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ gatewy: {},\n other: 1 }" });
    const { value, warnings } = await folder.load();
    expect(value).toMatchObject({ gatewy: {}, other: 1 });
    expect(warnings).toMatchObject([
      {
        code: "unknown-key",
        path: "gatewy",
        line: 1,
        message: 'Unknown key "gatewy": did you mean "gateway"?',
      },
      { code: "unknown-key", path: "other", line: 2, column: 9 },
    ]);
  });
});

/** Something happens right before a file is read for the n-th time. */
function disturbed(name: string, times: number, disturb: (path: string, time: number) => void): ConfigReads {
  let count = 0;
  return {
    ...systemReads,
    read(path, bytesMax) {
      if (path.endsWith(name) && count < times) disturb(path, ++count);
      return systemReads.read(path, bytesMax);
    },
  };
}

describe("a config that changes while it is read", () => {
  it("is read again when an include was replaced meanwhile", async () => {
    using folder = new TrialFolder({
      "colloquy.json": "{ ui: { main: 1, $include: 'a.json5' } }",
      "a.json5": "{ a: 1 }",
    });
    const reads = disturbed("a.json5", 1, () => {
      folder.write("new", "{ ui: { main: 2, $include: 'a.json5' } }");
      renameSync(folder.path("new"), folder.path("colloquy.json"));
      folder.write("a.json5", "{ a: 2 }");
    });
    expect((await folder.load({ reads })).value.ui).toEqual({ main: 2, a: 2 });
  });

  it("is read again when a half of it was written", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ ui: { a: 1 " });
    const torn: ConfigReads = {
      ...systemReads,
      read(path, bytesMax) {
        const before = systemReads.read(path, bytesMax);
        folder.write("colloquy.json", "{ ui: { a: 1 } }");
        return before;
      },
    };
    expect((await folder.load({ reads: torn })).value.ui).toEqual({ a: 1 });
  });

  it("and vanishes is an error, never an empty config", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ ui: { a: 1 } }" });
    const reads = disturbed("colloquy.json", 1, (path) => rmSync(path));
    const error = await folder.failure({ reads });
    expect(error.code).toBe("SERVICE_UNAVAILABLE");
    expect(error.message).toMatch(/colloquy\.json vanished while it was being read/);
  });

  it("and vanishes gives no way to the config of an OpenClaw", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ ui: { a: 1 } }" });
    mkdirSync(join(folder.home, ".openclaw"));
    writeFileSync(join(folder.home, ".openclaw", "openclaw.json"), "{ ui: { a: 2 } }");
    const reads = disturbed("colloquy.json", 1, (path) => rmSync(path));
    expect((await folder.failure({ reads })).message).toBe(
      `${folder.path("colloquy.json")} vanished while it was being read`,
    );
  });

  it("and vanishes for a moment is found again", async () => {
    using folder = new TrialFolder({
      "colloquy.json": "{ ui: { $include: 'a.json5' } }",
      "a.json5": "{ a: 1 }",
    });
    const reads = disturbed("a.json5", 1, (path) => {
      rmSync(path);
      setTimeout(() => folder.write("a.json5", "{ a: 2 }"), 5);
    });
    expect((await folder.load({ reads })).value.ui).toEqual({ a: 2 });
  });
});
