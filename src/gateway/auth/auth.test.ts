import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { systemRandom } from "../../util/uuid.ts";
import { Auth } from "./auth.ts";
import type { Client } from "./client.ts";
import { OWNER, type Principal } from "./principal.ts";
import { Records } from "./records/records.ts";
import { revokeToken } from "./records/tokens.ts";

const NEW = { name: "script", user: OWNER, permission: "read", scope: null, expiresAt: null } as const;

const CLIENT: Client = {
  ...{ address: "127.0.0.1", agent: null, origin: null, isSecure: false, port: 1, isLocal: true },
  headers: () => [],
};

async function opened() {
  const stateDir = join(tempFolder(), "state");
  const time = { now: Date.UTC(2026, 0) };
  const auth = await Auth.open({ stateDir, config: {}, clock: () => time.now });
  const create = (token = {}) => auth.createToken({ ...NEW, ...token });
  return { stateDir, time, auth, create };
}

describe("auth", () => {
  it("keeps its records private", async () => {
    const { stateDir, auth } = await opened();
    await using _ = auth;
    expect(statSync(stateDir).mode & 0o777).toBe(0o700);
    for (const suffix of ["", "-wal", "-shm"])
      expect(statSync(join(stateDir, `gateway.db${suffix}`)).mode & 0o777).toBe(0o600);
  });

  it("closes its folder and its file to others when it is opened", async () => {
    const stateDir = tempFolder();
    await (await Auth.open({ stateDir, config: {} })).close();
    const file = join(stateDir, "gateway.db");
    chmodSync(stateDir, 0o755);
    chmodSync(file, 0o644);
    await (await Auth.open({ stateDir, config: {} })).close();
    expect([stateDir, file].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    chmodSync(stateDir, 0o1777);
    await expect(Auth.open({ stateDir, config: {} })).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  });

  it("knows the principal of an access secret, until it is revoked or expires", async () => {
    const { time, auth, create } = await opened();
    await using _ = auth;
    const forever = create();
    const short = create({
      expiresAt: time.now + 1000,
      permission: "admin",
      scope: { channels: ["discord"] },
    });
    expect(await auth.check(short.secret)).toEqual({
      ...{ user: OWNER, permission: "admin", scope: { channels: ["discord"] } },
      ...{ tokenId: short.info.id, expiresAt: time.now + 1000 },
    });
    time.now += 1000;
    await expect(auth.check(short.secret)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect((await auth.check(forever.secret)).permission).toBe("read");
    auth.revokeToken(forever.info.id, OWNER);
    await expect(auth.check(forever.secret)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });

  it("refuses a credential that it knew as soon as another process revokes it", async () => {
    const { stateDir, auth, create } = await opened();
    await using _ = auth;
    const [one, other] = [create(), create()];
    const known = await auth.check(one.secret);
    expect(await auth.check(one.secret)).toBe(known);
    const elsewhere = await Records.open(stateDir);
    revokeToken({ records: elsewhere, random: systemRandom, clock: Date.now }, one.info.id, OWNER);
    await expect(auth.check(one.secret)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect((await auth.check(other.secret)).tokenId).toBe(other.info.id);
    elsewhere.close();
  });

  it("refuses an access token that it knew when the key retires before the token expires", async () => {
    const { time, auth } = await opened();
    await using _ = auth;
    const code = new URL(auth.signInLink("http://127.0.0.1/")).hash.slice("#sign-in=".length);
    const { accessToken } = await auth.signIn({ code }, CLIENT);
    time.now += 1000;
    await auth.configure({ auth: { access_token_hours: 1 } });
    auth.rotateKeys();
    expect((await auth.check(accessToken)).expiresAt).toBe(time.now + 3_600_000);
    time.now += 3_600_000;
    await expect(auth.check(accessToken)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });

  it("makes no token for everything out of an empty scope", async () => {
    const { auth, create } = await opened();
    await using _ = auth;
    expect(() => create({ scope: {} })).toThrow("at least one list");
  });

  it("keeps the browsers of a user, however often a program signs in", async () => {
    const { time, auth, create } = await opened();
    await using _ = auth;
    const code = new URL(auth.signInLink("http://127.0.0.1/")).hash.slice("#sign-in=".length);
    const browser = await auth.signIn({ code }, CLIENT);
    const { secret: token } = create();
    for (let n = 0; n < 370; n++) {
      time.now += 1;
      await auth.signIn({ token }, CLIENT);
    }
    expect((await auth.check(browser.accessToken)).tokenId).toBe(browser.principal.tokenId);
  });

  it("ends open connections soon, also when another process revokes", async () => {
    const { stateDir, auth, create } = await opened();
    await using _ = auth;
    const ended: string[] = [];
    const watch = async (secret: string): Promise<Principal> => {
      const principal = await auth.check(secret);
      auth.onEnded(principal, () => ended.push(principal.tokenId));
      return principal;
    };
    const [one, other] = [create(), create()];
    await watch(one.secret);
    await watch(other.secret);
    await sleep(300);
    expect(ended).toEqual([]);
    const elsewhere = await Records.open(stateDir);
    revokeToken({ records: elsewhere, random: systemRandom, clock: Date.now }, one.info.id, OWNER);
    elsewhere.close();
    await expect.poll(() => ended, { timeout: 10_000 }).toEqual([one.info.id]);
  });

  it("issues tickets that open one connection, from one origin, for 30 s", async () => {
    const { time, auth, create } = await opened();
    await using _ = auth;
    const principal = await auth.check(create().secret);
    const origin = "http://127.0.0.1:18789";
    const { ticket } = auth.issueTicket(principal, origin);
    expect(auth.takeTicket(ticket, origin)).toBe(principal);
    expect(() => auth.takeTicket(ticket, origin)).toThrow("ticket is not valid");
    const stolen = auth.issueTicket(principal, origin).ticket;
    expect(() => auth.takeTicket(stolen, "http://evil.example")).toThrow("ticket is not valid");
    expect(() => auth.takeTicket(stolen, origin)).toThrow("ticket is not valid");
    const late = auth.issueTicket(principal, null).ticket;
    time.now += 30_000;
    expect(() => auth.takeTicket(late, null)).toThrow("ticket is not valid");
    const revoked = auth.issueTicket(principal, null).ticket;
    auth.revokeToken(principal.tokenId, OWNER);
    expect(() => auth.takeTicket(revoked, null)).toThrow("has ended");
  });
});
