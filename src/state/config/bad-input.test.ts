import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TrialFolder } from "../../../test/support/config-folder.ts";
import { type ConfigReads, systemReads } from "./files/reads.ts";

interface Row {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly prepare?: (folder: TrialFolder) => void;
  /** After the name of the file. */
  readonly message: RegExp;
  readonly code?: string;
}

const including = (name: string): string => `{\n  ui: { $include: '${name}' } }`;

const rows: readonly Row[] = [
  {
    what: "broken JSON5",
    files: { "colloquy.json": "{\n  a: 1\n  b: 2 }" },
    message: /^colloquy\.json:3:3: Expected "," or "}"/,
  },
  {
    what: "an empty file",
    files: { "colloquy.json": "" },
    message: /^colloquy\.json:1:1: The file is empty: write \{\}/,
  },
  {
    what: "a list",
    files: { "colloquy.json": " []" },
    message: /^colloquy\.json:1:2: The config must be an object/,
  },
  {
    what: "broken JSON5 in an include",
    files: { "colloquy.json": including("a.json5"), "a.json5": "{ x: ]" },
    message: /^a\.json5:1:6: Expected a value/,
  },
  {
    what: "a missing include",
    files: { "colloquy.json": including("gone.json5") },
    message: /^colloquy\.json:2:19: The file gone\.json5 does not exist \(at ui\.\$include\)$/,
  },
  {
    what: "an include of itself",
    files: { "colloquy.json": including("colloquy.json") },
    message: /^colloquy\.json:2:19: Includes form a cycle: colloquy\.json → colloquy\.json/,
  },
  {
    what: "a cycle of includes",
    files: {
      "colloquy.json": including("a.json5"),
      "a.json5": "{ $include: 'b.json5' }",
      "b.json5": "{ $include: './a.json5' }",
    },
    message: /^b\.json5:1:13: Includes form a cycle: a\.json5 → b\.json5 → a\.json5/,
  },
  {
    what: "an include outside",
    files: { "colloquy.json": including("../x.json5") },
    message: /^colloquy\.json:2:19: .* is outside the folder of the config/,
  },
  {
    what: "an include outside by an absolute path",
    files: { "colloquy.json": including("/etc/hostname") },
    message: /is outside the folder of the config/,
  },
  {
    what: "an include outside by the home folder",
    files: { "colloquy.json": including("~/x.json5") },
    message: /is outside the folder of the config/,
  },
  {
    what: "an include outside by a link",
    files: { "colloquy.json": including("link.json5") },
    prepare: (folder) => {
      writeFileSync(join(folder.home, "x.json5"), "{}");
      symlinkSync(join(folder.home, "x.json5"), folder.path("link.json5"));
    },
    message: /^colloquy\.json:2:19: .* is outside the folder of the config: it is a link/,
  },
  {
    what: "an include outside by a linked folder",
    files: { "colloquy.json": including("d/x.json5") },
    prepare: (folder) => {
      writeFileSync(join(folder.home, "x.json5"), "{}");
      symlinkSync(folder.home, folder.path("d"));
    },
    message: /is outside the folder of the config: it is a link/,
  },
  {
    what: "a neighbour whose name begins like ours",
    files: { "colloquy.json": including("../state2/x.json5") },
    prepare: (folder) => {
      mkdirSync(join(folder.home, "state2"));
      writeFileSync(join(folder.home, "state2/x.json5"), "{}");
    },
    message: /is outside the folder of the config/,
  },
  {
    what: "an include that is not a name",
    files: { "colloquy.json": "{ $include: [1] }" },
    message: /^colloquy\.json:1:14: \$include must be a file name/,
  },
  {
    what: "an include of a list beside other keys",
    files: { "colloquy.json": "{ ui: { $include: 'a.json5', x: 1 } }", "a.json5": "[]" },
    message: /^colloquy\.json:1:19: A file that is included beside other keys must contain an object/,
  },
  {
    what: "an include that is a folder",
    files: { "colloquy.json": including("d"), "d/x": "" },
    message: /d is not a regular file/,
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
    message: /^colloquy\.json:2:20: gateway\.port must be an integer/,
  },
  {
    what: "a patch that is a list",
    files: { "config.d/1.json5": "[]" },
    message: /^config\.d\/1\.json5:1:1: A patch must be an object/,
  },
  {
    what: "a patch that includes further down",
    files: { "colloquy.json": "{}", "config.d/1.json5": "{ ui: [{ a: { $include: 'x' } }] }" },
    message: /^config\.d\/1\.json5:1:25: A patch cannot use \$include \(at ui\[0\]\.a\.\$include\)/,
  },
  {
    what: "a patch that includes",
    files: { "config.d/1.json5": "{ $include: 'x' }" },
    message: /^config\.d\/1\.json5:1:13: A patch cannot use \$include/,
  },
  {
    what: "a deep nest",
    files: { "colloquy.json": `{ ui: ${"[".repeat(70)}` },
    message: /^colloquy\.json:1:70: Nested deeper than 64 levels/,
  },
  {
    what: "bytes that are not text",
    files: { "colloquy.json": "" },
    prepare: (folder) => writeFileSync(folder.path("colloquy.json"), Buffer.from([0x7b, 0xff, 0x7d])),
    message: /colloquy\.json is not valid UTF-8/,
  },
  {
    what: "a broken link",
    files: {},
    prepare: (folder) => symlinkSync(folder.path("gone"), folder.path("colloquy.json")),
    message: /colloquy\.json disappeared, or is a broken link/,
    code: "SERVICE_UNAVAILABLE",
  },
  {
    what: "a folder instead of the config",
    files: { "colloquy.json/x": "" },
    message: /colloquy\.json is not a regular file/,
  },
];

describe("a bad config", () => {
  it.each(rows)(
    "returns one clear message: $what",
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
  it("is read again when an include was replaced during the reading", async () => {
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

  it("and disappears is an error, never an empty config", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ ui: { a: 1 } }" });
    const reads = disturbed("colloquy.json", 1, (path) => rmSync(path));
    const error = await folder.failure({ reads });
    expect(error.code).toBe("SERVICE_UNAVAILABLE");
    expect(error.message).toMatch(/colloquy\.json disappeared while it was read/);
  });

  it("and disappears is not replaced by the config of an OpenClaw", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ ui: { a: 1 } }" });
    mkdirSync(join(folder.home, ".openclaw"));
    writeFileSync(join(folder.home, ".openclaw", "openclaw.json"), "{ ui: { a: 2 } }");
    const reads = disturbed("colloquy.json", 1, (path) => rmSync(path));
    expect((await folder.failure({ reads })).message).toBe(
      `${folder.path("colloquy.json")} disappeared while it was read`,
    );
  });

  it("and disappears for a moment is found again", async () => {
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
