import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadSessionStore } from "../../src/state/session-index/load.ts";
import { patchSessionEntry } from "../../src/state/session-index/patch.ts";
import { saveSessionStore } from "../../src/state/session-index/save.ts";
import { LineProcess } from "../support/processes/line-process.ts";
import { until } from "../support/until.ts";
import { Folder } from "./child-process.ts";

const CHILD = fileURLToPath(new URL("./session-index-child.ts", import.meta.url));

/** A process that patches, and how far it says that it is. */
class Patcher {
  readonly #process: LineProcess;
  #isClosed = false;

  constructor(agentDir: string, name: string, count: number) {
    this.#process = new LineProcess(CHILD, [agentDir, name, String(count)]);
    void this.#process.closed.then(() => {
      this.#isClosed = true;
    });
  }

  get done(): number {
    return this.#process.lines.length;
  }

  async finished(): Promise<unknown> {
    return (await this.#process.closed).code;
  }

  /** As soon as it has done this many. */
  async killAfter(count: number): Promise<void> {
    await until(() => this.done >= count || this.#isClosed);
    await this.#process.kill();
  }
}

function read(agentDir: string): Record<string, Record<string, unknown>> {
  return JSON.parse(readFileSync(join(agentDir, "sessions", "sessions.json"), "utf8"));
}

describe("the session index and several processes", () => {
  it("loses none of 500 patches by each of two processes, to one entry and to separate entries", async () => {
    using folder = new Folder();
    const patchers = ["one", "two"].map((name) => new Patcher(folder.path, name, 500));
    // A third one that loads and saves whole stores meanwhile.
    let saves = 0;
    const finished = Promise.all(patchers.map((patcher) => patcher.finished()));
    let over = false;
    void finished.then(() => {
      over = true;
    });
    while (!over) {
      const store = loadSessionStore({ agentDir: folder.path });
      store["cli:saver"] = { sessionId: "saver", updatedAt: Date.now(), saves: ++saves };
      await saveSessionStore({ agentDir: folder.path, store });
      await new Promise((next) => setTimeout(next, 20));
    }
    expect(await finished).toEqual([0, 0]);
    const index = read(folder.path);
    expect(index["cli:shared"]).toMatchObject({ one: 500, two: 500 });
    expect(index["cli:saver"]).toMatchObject({ saves });
    expect(saves).toBeGreaterThan(0);
    expect(Object.keys(index)).toHaveLength(1002);
  });

  it("is complete after a kill during a write, with every acknowledged change and no lock left", async () => {
    using folder = new Folder();
    mkdirSync(join(folder.path, "sessions"));
    // Large enough that a writer is mostly in the middle of writing.
    const filler = Object.fromEntries(
      Array.from({ length: 3000 }, (_, n) => [
        `web:f${n}`,
        { sessionId: `f${n}`, updatedAt: 1, label: "x".repeat(200) },
      ]),
    );
    writeFileSync(join(folder.path, "sessions", "sessions.json"), JSON.stringify(filler));
    let expected = 0;
    for (let round = 0; round < 12; round++) {
      const name = `r${round}`;
      const patcher = new Patcher(folder.path, name, 10_000);
      await patcher.killAfter(1 + (round % 4) * 3);
      const index = read(folder.path);
      expect(index["cli:shared"]?.[name]).toBeGreaterThanOrEqual(patcher.done);
      for (let number = 0; number < patcher.done; number++)
        expect(index[`web:${name}-${number}`]).toBeDefined();
      expected += patcher.done;
    }
    expect(expected).toBeGreaterThanOrEqual(12);
    // A lock that was left would be waited for, in vain.
    await patchSessionEntry({ agentDir: folder.path, sessionKey: "cli:shared", patch: { label: "after" } });
    expect(Object.keys(read(folder.path)).length).toBeGreaterThanOrEqual(3000 + expected);
    const names = readdirSync(join(folder.path, "sessions"));
    expect(names.sort()).toEqual([".colloquy-sessions.lock", "sessions.json"]);
    expect(statSync(join(folder.path, "sessions", "sessions.json")).mode & 0o777).toBe(0o600);
  });
});
