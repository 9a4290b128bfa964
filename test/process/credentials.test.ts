import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openCredentials } from "../../src/state/credentials/index.ts";
import { LineProcess } from "../support/processes/line-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { until } from "../support/until.ts";

const CHILD = fileURLToPath(new URL("./credentials-child.ts", import.meta.url));

/** A child that waits for a signal to continue, so that several start at the same moment. */
class Worker {
  readonly #child: LineProcess;

  constructor(...args: string[]) {
    this.#child = new LineProcess(CHILD, args);
  }

  ready(): Promise<void> {
    return until(() => this.#child.lines.includes("ready"));
  }

  async end(): Promise<{ code: unknown; signal: unknown; output: string | undefined }> {
    this.#child.write("go");
    return { ...(await this.#child.closed), output: this.#child.lines[1] };
  }
}

async function expiredToken(): Promise<{ state: string; provider: string }> {
  const [state, provider] = [tempFolder(), tempFolder()];
  await openCredentials({ stateDir: state, env: {}, platform: "none" }).add({
    provider: "x",
    kind: "oauth",
    secret: { value: "old-access-token" },
    refreshToken: { value: "first" },
    expiresAt: 1,
  });
  return { state, provider };
}

describe("processes that share credentials", () => {
  it("refresh a token once when all need it at the same time", async () => {
    const { state, provider } = await expiredToken();
    const workers = [1, 2, 3].map(() => new Worker(state, "refresh", provider));
    await Promise.all(workers.map((worker) => worker.ready()));
    const ends = await Promise.all(workers.map((worker) => worker.end()));
    expect(ends.map(({ output }) => output)).toEqual(Array(3).fill("access-after-first"));
    expect(readdirSync(provider)).toEqual(["first"]);
  });

  it("continue when the refreshing process dies, and are told about it", async () => {
    const { state, provider } = await expiredToken();
    const dying = new Worker(state, "die", provider);
    await dying.ready();
    expect(await dying.end()).toMatchObject({ signal: "SIGKILL" });
    const next = new Worker(state, "refresh", provider);
    await next.ready();
    expect((await next.end()).output).toBe("access-after-first");
    expect(readFileSync(`${provider}/first`, "utf8")).toBe("true");
  });

  it("lose no change when they write concurrently", async () => {
    const state = tempFolder();
    const workers = ["a", "b", "c"].map((name) => new Worker(state, "add", name));
    const ends = await Promise.all(workers.map((worker) => worker.end()));
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    const profiles = await openCredentials({
      stateDir: state,
      env: { X: "secret" },
      platform: "none",
    }).list();
    expect(profiles).toHaveLength(75);
  });
});
