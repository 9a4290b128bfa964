import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { until } from "../../../../test/support/until.ts";
import { type FileIo, systemIo } from "../../../disk/file-io.ts";
import { ColloquyError } from "../../../errors.ts";
import { type Credentials, openCredentials } from "../credentials.ts";
import type { Refresher, RefreshRequest } from "../types.ts";

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;

async function signedIn(expiresAt = NOW - 1) {
  const state = tempFolder();
  const clock = { now: NOW };
  // Asking for the lock is the step between seeing the old token and waiting for a refresh that is under way.
  const asked = { count: 0 };
  const io: FileIo = {
    ...systemIo,
    lock(path) {
      if (path.includes("refresh-")) asked.count++;
      return systemIo.lock(path);
    },
  };
  const open = (): Credentials =>
    openCredentials({ stateDir: state, env: {}, clock: () => clock.now, platform: "none", io });
  const [secret, refreshToken] = [{ value: "access-token-0000" }, { value: "refresh-token-0000" }];
  await open().add({ provider: "x", kind: "oauth", secret, refreshToken, expiresAt });
  return { open, clock, asked, file: join(state, "agents/main/auth/profiles.json") };
}

/** A provider that takes each refresh token once. */
function provider() {
  const requests: RefreshRequest[] = [];
  const refresher: Refresher = async (request) => {
    requests.push(request);
    await setImmediate();
    const number = String(requests.length).padStart(4, "0");
    return {
      accessToken: `access-token-${number}`,
      refreshToken: `refresh-token-${number}`,
      expiresAt: NOW + HOUR,
    };
  };
  return { requests, refresher };
}

describe("a refresh", () => {
  it("returns the new tokens and stores them sealed", async () => {
    const { open, file } = await signedIn();
    const { requests, refresher } = provider();
    const resolved = await open().refresh("x:default", refresher);
    expect(resolved.value).toBe("access-token-0001");
    expect(requests).toEqual([
      { profileId: "x:default", provider: "x", refreshToken: "refresh-token-0000", interrupted: false },
    ]);
    expect(readFileSync(file, "utf8")).not.toMatch(/(access|refresh)-token-\d/);
    expect((await open().resolve("x")).value).toBe("access-token-0001");
    await open().refresh("x:default", refresher);
    expect(requests[1]?.refreshToken).toBe("refresh-token-0001");
  });

  it("happens once for all concurrent callers", async () => {
    const { open } = await signedIn();
    const { requests, refresher } = provider();
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => open().resolve("x", { refresher })));
    expect(requests).toHaveLength(1);
    expect(new Set(all.map(({ value }) => value))).toEqual(new Set(["access-token-0001"]));
  });

  it("happens when a token is about to expire, and not before", async () => {
    const { open, clock } = await signedIn(NOW + 10 * 60_000);
    const { requests, refresher } = provider();
    expect((await open().resolve("x", { refresher })).value).toBe("access-token-0000");
    clock.now = NOW + 9.5 * 60_000;
    expect((await open().resolve("x", { refresher })).value).toBe("access-token-0001");
    expect(requests).toHaveLength(1);
  });

  it("that fails while the old token is valid is not an error yet", async () => {
    const { open } = await signedIn(NOW + 30_000);
    const refresher = () => Promise.reject(new Error("503"));
    expect((await open().resolve("x", { refresher })).value).toBe("access-token-0000");
  });

  it("that fails also fails for all waiters, and the token is not used again", async () => {
    const { open, asked } = await signedIn();
    let calls = 0;
    const refresher: Refresher = async ({ refreshToken }) => {
      calls++;
      await until(() => asked.count === 4);
      throw new Error(`invalid_grant for ${refreshToken} and access-token-0000`);
    };
    const errors = await Promise.all(
      [1, 2, 3, 4].map(() =>
        open()
          .refresh("x:default", refresher)
          .catch((error) => error),
      ),
    );
    expect(calls).toBe(1);
    for (const error of errors) {
      expect(error).toMatchObject({ code: "UNAUTHORIZED" });
      expect(inspect(error)).not.toMatch(/(access|refresh)-token-\d/);
    }
    expect(errors.map(({ message }) => message)).toContain(
      "Cannot refresh x:default: invalid_grant for …0000 and …0000",
    );
    // A later call may try again.
    const { requests, refresher: well } = provider();
    expect((await open().refresh("x:default", well)).value).toBe("access-token-0001");
    expect(requests[0]?.interrupted).toBe(false);
  });

  it("that fails also fails for a caller that joins later", async () => {
    const { open, asked } = await signedIn();
    let calls = 0;
    const begun = Promise.withResolvers<void>();
    const failing: Refresher = async () => {
      calls++;
      begun.resolve();
      await until(() => asked.count === 2);
      throw new Error("invalid_grant");
    };
    const first = open()
      .refresh("x:default", failing)
      .catch((error) => error);
    await begun.promise;
    await expect(open().refresh("x:default", failing)).rejects.toThrow("failed in another call");
    expect(await first).toMatchObject({ code: "UNAUTHORIZED" });
    expect(calls).toBe(1);
  });

  it("keeps the code of a ColloquyError, and refuses an answer without a token", async () => {
    const { open } = await signedIn();
    const offline = () => Promise.reject(new ColloquyError("NETWORK_ERROR", "offline"));
    await expect(open().refresh("x:default", offline)).rejects.toMatchObject({ code: "NETWORK_ERROR" });
    const empty = async () => ({ accessToken: "" });
    await expect(open().refresh("x:default", empty)).rejects.toThrow("no usable token");
  });

  it("does not bring back a profile that was removed meanwhile", async () => {
    const { open } = await signedIn();
    const refresher: Refresher = async () => {
      await open().remove("x:default");
      return { accessToken: "access-token-0009" };
    };
    await expect(open().refresh("x:default", refresher)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await open().list()).toEqual([]);
  });

  it.each([
    [{ provider: "k", secret: { value: "sk-0123456789" } }, "VALIDATION_ERROR"],
    [{ provider: "k", kind: "oauth" as const, secret: { value: "token-0123456789" } }, "UNAUTHORIZED"],
    [
      {
        provider: "k",
        kind: "oauth" as const,
        secret: { value: "token-0123456789" },
        refreshToken: { env: "ELSEWHERE" },
      },
      "NOT_SUPPORTED",
    ],
  ])("requires a refresh token that is stored here (%#)", async (profile, code) => {
    const { open } = await signedIn();
    await open().add(profile);
    const { requests, refresher } = provider();
    await expect(open().refresh("k:default", refresher)).rejects.toMatchObject({ code });
    expect(requests).toEqual([]);
  });

  it("leaves only its lock file", async () => {
    const { open, file } = await signedIn();
    await open().refresh("x:default", provider().refresher);
    expect(readdirSync(join(file, "..")).sort()).toEqual([
      "profiles.json",
      "profiles.lock",
      expect.stringMatching(/^refresh-[0-9a-f]{16}\.lock$/),
    ]);
  });
});
