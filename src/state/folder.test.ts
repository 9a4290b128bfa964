import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findAdoptable } from "./adopt.ts";
import { resolveStateDir, stateLayout } from "./folder.ts";
import { ensurePrivate, repairPermissions } from "./permissions.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "colloquy-folder-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const modeOf = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

describe("the state folder", () => {
  it("is ~/.colloquy, unless it is named", () => {
    expect(resolveStateDir({ env: {}, home })).toBe(join(home, ".colloquy"));
    expect(resolveStateDir({ env: { COLLOQUY_STATE_DIR: "" }, home })).toBe(join(home, ".colloquy"));
    expect(resolveStateDir({ env: { COLLOQUY_STATE_DIR: "~/x" }, home })).toBe(join(home, "x"));
    expect(resolveStateDir({ env: { COLLOQUY_STATE_DIR: "/a" }, flag: "b", home })).toBe(resolve("b"));
  });

  it("of a profile is beside the usual one, whatever the environment says", () => {
    const env = { COLLOQUY_STATE_DIR: "/a" };
    expect(resolveStateDir({ env, profile: "work-2", home })).toBe(join(home, ".colloquy-work-2"));
    expect(resolveStateDir({ env, profile: "default", home })).toBe(join(home, ".colloquy"));
  });

  it.each(["", "a/b", "..", "-x", "a b", "x".repeat(65), "a\0"])("refuses the profile %j", (profile) => {
    expect(() => resolveStateDir({ env: {}, profile, home })).toThrow(/--profile must be/);
  });

  it("is named once", () => {
    expect(() => resolveStateDir({ env: {}, profile: "a", flag: "b", home })).toThrow(/either/);
    expect(() => resolveStateDir({ env: {}, flag: " ", home })).toThrow(/must name a folder/);
  });

  it("has the layout of the documents", () => {
    const layout = stateLayout("/s");
    expect([layout.config, layout.credentials, layout.extensions]).toEqual([
      "/s/colloquy.json",
      "/s/credentials",
      "/s/extensions",
    ]);
    expect(layout.agent("main")).toEqual({
      root: "/s/agents/main",
      sessions: "/s/agents/main/sessions",
      sessionIndex: "/s/agents/main/sessions/sessions.json",
      auth: "/s/agents/main/auth",
      models: "/s/agents/main/models.json",
      skills: "/s/agents/main/skills",
    });
  });

  it.each(["", "..", "a/b", ".x", "a\\b", "a:b", "x".repeat(129)])("has no place for the agent %j", (id) => {
    expect(() => stateLayout("/s").agent(id)).toThrow(/id of an agent/);
  });
});

describe("adopting OpenClaw", () => {
  const make = (folder: string, file?: string): string => {
    mkdirSync(join(home, folder), { recursive: true });
    if (file !== undefined) writeFileSync(join(home, folder, file), "{}");
    return join(home, folder);
  };

  it("finds nothing on a fresh machine", () => {
    expect(findAdoptable({}, home)).toBeUndefined();
  });

  it.each([".openclaw", ".clawdbot", ".moldbot", ".moltbot"])("finds ~/%s", (name) => {
    const folder = make(name, "moltbot.json");
    expect(findAdoptable({}, home)).toEqual({ folder, config: join(folder, "moltbot.json") });
  });

  it.each(["openclaw.json", "clawdbot.json", "moldbot.json", "moltbot.json"])("reads %s", (name) => {
    make(".openclaw", name);
    expect(findAdoptable({}, home)?.config).toBe(join(home, ".openclaw", name));
  });

  it("prefers the newest name, and a folder with a config", () => {
    make(".openclaw");
    make(".moltbot", "moltbot.json");
    make(".clawdbot", "clawdbot.json");
    expect(findAdoptable({}, home)?.folder).toBe(join(home, ".clawdbot"));
  });

  it("looks only where OPENCLAW_STATE_DIR points", () => {
    make(".openclaw", "openclaw.json");
    const elsewhere = make("elsewhere", "openclaw.json");
    expect(findAdoptable({ OPENCLAW_STATE_DIR: elsewhere }, home)?.folder).toBe(elsewhere);
    expect(findAdoptable({ OPENCLAW_STATE_DIR: join(home, "gone") }, home)).toBeUndefined();
  });
});

describe.skipIf(process.platform === "win32")("permissions", () => {
  it("are made private, with a notice", () => {
    const root = join(home, "state");
    mkdirSync(join(root, "agents/main"), { recursive: true, mode: 0o755 });
    writeFileSync(join(root, "colloquy.json"), "{}", { mode: 0o644 });
    writeFileSync(join(root, "agents/main/x"), "", { mode: 0o440 });
    for (const path of [root, join(root, "agents"), join(root, "agents/main")]) chmodSync(path, 0o755);
    chmodSync(join(root, "agents/main/x"), 0o440);
    const notices = repairPermissions(root);
    expect(notices.map(({ path }) => path.slice(root.length)).toSorted()).toEqual([
      "",
      "/agents",
      "/agents/main",
      "/agents/main/x",
      "/colloquy.json",
    ]);
    expect(notices.every(({ repaired }) => repaired)).toBe(true);
    expect(notices[0]?.message).toBe(`${root} was open to others (0755): changed to 0700`);
    expect([root, join(root, "colloquy.json"), join(root, "agents/main/x")].map(modeOf)).toEqual([
      "700",
      "600",
      "400",
    ]);
    expect(repairPermissions(root)).toEqual([]);
  });

  it("of what a link points to are not touched", () => {
    const root = join(home, "state");
    mkdirSync(root, { mode: 0o700 });
    writeFileSync(join(home, "outside"), "x", { mode: 0o644 });
    chmodSync(join(home, "outside"), 0o644);
    symlinkSync(join(home, "outside"), join(root, "link"));
    expect(repairPermissions(root)).toEqual([]);
    expect(modeOf(join(home, "outside"))).toBe("644");
  });

  it("of a folder that is open to everyone are left, and reported", () => {
    const shared = join(home, "shared");
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
    expect(ensurePrivate(shared)).toMatchObject({ repaired: false, mode: "01777" });
    expect(modeOf(shared)).toBe("777");
  });

  it("are silent about files that are missing or private", () => {
    writeFileSync(join(home, "f"), "x", { mode: 0o600 });
    expect([ensurePrivate(join(home, "f")), ensurePrivate(join(home, "gone"))]).toEqual([
      undefined,
      undefined,
    ]);
    expect(readFileSync(join(home, "f"), "utf8")).toBe("x");
  });
});
