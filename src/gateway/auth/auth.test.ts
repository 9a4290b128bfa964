import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { systemRandom } from "../../util/uuid.ts";
import { Auth } from "./auth.ts";
import type { Client } from "./client.ts";
import { OWNER, type Principal } from "./principal.ts";
import { auditEntries, note } from "./records/audit.ts";
import { Records } from "./records/records.ts";
import { listDevices } from "./records/sign-ins.ts";
import { revokeToken } from "./records/tokens.ts";

const NEW = { name: "script", user: OWNER, permission: "read", scope: null, expiresAt: null } as const;

const CLIENT: Client = {
  address: "127.0.0.1",
  agent: null,
  origin: null,
  isSecure: false,
  port: 1,
  isLocal: true,
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
    const forever = await create();
    const short = await create({
      expiresAt: time.now + 1000,
      permission: "admin",
      scope: { channels: ["discord"] },
    });
    expect(await auth.check(short.secret)).toEqual({
      user: OWNER,
      permission: "admin",
      scope: { channels: ["discord"] },
      tokenId: short.info.id,
      source: short.info.id,
      expiresAt: time.now + 1000,
    });
    time.now += 1000;
    await expect(auth.check(short.secret)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect((await auth.check(forever.secret)).permission).toBe("read");
    await auth.revokeToken(forever.info.id, OWNER);
    await expect(auth.check(forever.secret)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  });

  it("refuses a credential that it knew as soon as another process revokes it", async () => {
    const { stateDir, auth, create } = await opened();
    await using _ = auth;
    const [one, other] = [await create(), await create()];
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
    await expect(create({ scope: {} })).rejects.toThrow("at least one list");
  });

  it("takes the ids of conversations in a scope only as they are stored", async () => {
    const { auth, create } = await opened();
    await using _ = auth;
    const id = "0198c0de-1111-7222-8333-44445555AAAA";
    expect((await create({ scope: { conversations: [id] } })).info.scope).toEqual({
      conversations: [id.toLowerCase()],
    });
    await expect(create({ scope: { conversations: ["web:a"] } })).rejects.toThrow("must have ids");
  });

  it("accepts a token of the config whatever it looks like, and refuses one that no header can have", async () => {
    const config = (token: string) => ({ stateDir: tempFolder(), config: { auth: { token } } });
    const token = "4f9d1c7b.a8e2~60+35/x9.k2m4n6p8q0rstu=";
    await using auth = await Auth.open(config(token));
    expect((await auth.check(token)).tokenId).toBe("config");
    for (const wrong of [`${token}!`, `${token} x`, `eyJ${token}`])
      await expect(Auth.open(config(wrong))).rejects.toMatchObject({ field: "gateway.auth.token" });
  });

  const [OLD, OTHER] = ["4f9d1c7ba8e26035x9k2m4n6p8q0rstu", "b8e31f60c2d94a75m1v7w3z9y5x0qrkj"];
  it.each([
    ["token", { token: OLD }, { token: OTHER }],
    ["token", { token: OLD }, {}],
    ["password", { mode: "password", password: OLD }, { mode: "password", password: OTHER }],
    ["password", { mode: "password", password: OLD }, {}],
  ])("refuses a login if the %s changes before it is noted", async (way, before, after) => {
    await using auth = await Auth.open({ stateDir: tempFolder(), config: { auth: before } });
    const login = () => auth.signIn({ [way]: OLD }, CLIENT);
    await login();
    const { make } = auth.changes;
    vi.spyOn(auth.changes, "make").mockImplementation(async (...args) => {
      if (args[0] === "addSignIn") await auth.configure({ auth: after });
      return Reflect.apply(make, auth.changes, args);
    });
    await expect(login()).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect(listDevices(auth.records, auth.clock(), "")).toEqual([]);
  });

  it("keeps what the owner did in the audit, however often a stranger fails", async () => {
    const { time, auth, create } = await opened();
    await using _ = auth;
    const { id } = (await create()).info;
    auth.records.write(() => {
      for (let n = 0; n < 2100; n++) note(auth.records, time.now, "sign-in-failed");
    });
    const entries = auditEntries(auth.records, 100_000);
    expect(entries.filter(({ event }) => event === "sign-in-failed")).toHaveLength(2000);
    expect(entries.at(-1)).toMatchObject({ event: "token-created", details: id });
  });

  it("notes wrong tokens of requests, a few for each client", async () => {
    const { auth, create } = await opened();
    await using _ = auth;
    for (let n = 0; n < 20; n++)
      await expect(auth.check(`cqt_guess${n}`, CLIENT)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    const failed = auditEntries(auth.records, 100).filter(({ event }) => event === "sign-in-failed");
    expect(failed.map(({ details, client }) => [details, client])).toEqual(
      Array(5).fill(["request", CLIENT.address]),
    );
    // Nor does it cost the attempts of those who log in.
    await expect(auth.signIn({ token: "cqt_guess" }, CLIENT)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect((await auth.check((await create()).secret, CLIENT)).permission).toBe("read");
  });

  it("keeps the browsers of a user, however often a program signs in", async () => {
    const { time, auth, create } = await opened();
    await using _ = auth;
    const code = new URL(auth.signInLink("http://127.0.0.1/")).hash.slice("#sign-in=".length);
    const browser = await auth.signIn({ code }, CLIENT);
    const { secret: token } = await create();
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
    const [one, other] = [await create(), await create()];
    await watch(one.secret);
    await watch(other.secret);
    await sleep(300);
    expect(ended).toEqual([]);
    const elsewhere = await Records.open(stateDir);
    revokeToken({ records: elsewhere, random: systemRandom, clock: Date.now }, one.info.id, OWNER);
    elsewhere.close();
    await expect.poll(() => ended, { timeout: 10_000 }).toEqual([one.info.id]);
  });

  it("ends a connection whose token was revoked between its check and its watch", async () => {
    const { auth, create } = await opened();
    await using _ = auth;
    const made = await create();
    const principal = await auth.check(made.secret);
    await auth.revokeToken(made.info.id, OWNER);
    // Nobody else is watched, and nothing else is written: only the records themselves can tell.
    await sleep(300);
    let ended = 0;
    auth.onEnded(await auth.check((await create()).secret), () => {});
    await sleep(300);
    auth.onEnded(principal, () => ended++);
    expect(ended).toBe(1);
  });

  it("issues tickets that open one connection, from one origin, for 30 s", async () => {
    const { time, auth, create } = await opened();
    await using _ = auth;
    const principal = await auth.check((await create()).secret);
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
    await auth.revokeToken(principal.tokenId, OWNER);
    expect(() => auth.takeTicket(revoked, null)).toThrow("has ended");
  });
});
