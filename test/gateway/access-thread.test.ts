import { execFile } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import type { Worker } from "node:worker_threads";
import { expect, it, vi } from "vitest";
import { Auth } from "../../src/gateway/auth/auth.ts";
import { OWNER } from "../../src/gateway/auth/principal.ts";
import { Records } from "../../src/gateway/auth/records/records.ts";
import type { SignedIn } from "../../src/gateway/wire/auth.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { until } from "../support/until.ts";
import { openPlace, type Place } from "./place.ts";

const ELSEWHERE = new URL("../../src/gateway/auth/changes/changes-elsewhere.ts", import.meta.url).href;
const THREAD = { thread: true };

async function signedIn(place: Place): Promise<SignedIn> {
  const { status, json } = await place.call("POST /auth/token", {
    as: null,
    body: { token: place.secrets.get("admin") },
  });
  expect(status).toBe(200);
  return json() as SignedIn;
}

it("signs in, renews once and signs out", async () => {
  await using place = await openPlace({}, THREAD);
  const { refreshToken } = await signedIn(place);
  const renewed = await place.call("POST /auth/refresh", { as: null, body: { refreshToken } });
  const { accessToken } = renewed.json() as SignedIn;
  expect((await place.call("GET /api/v1/status", { as: accessToken })).status).toBe(200);
  expect((await place.call("POST /auth/logout", { as: accessToken })).status).toBe(204);
  expect((await place.call("GET /api/v1/status", { as: accessToken })).status).toBe(401);
});

it("ends a sign-in whose refresh token comes twice, and notes it", async () => {
  await using place = await openPlace({}, THREAD);
  const { refreshToken, accessToken } = await signedIn(place);
  const use = (agent: string) =>
    place.call("POST /auth/refresh", { as: null, body: { refreshToken }, headers: { "user-agent": agent } });
  expect((await use("a browser")).status).toBe(200);
  expect(await use("a thief")).toMatchObject({
    status: 401,
    text: expect.stringContaining("was used before"),
  });
  expect((await place.call("GET /api/v1/status", { as: accessToken ?? "" })).status).toBe(401);
  expect((await place.call("GET /api/v1/audit")).text).toContain("refresh-reused");
});

it("refuses a revoked token from the answer on", async () => {
  await using place = await openPlace({}, THREAD);
  const made = await place.call("POST /api/v1/tokens", { body: { name: "program", permission: "read" } });
  const { id, token } = made.json() as { readonly id: string; readonly token: string };
  expect((await place.call("GET /api/v1/conversations", { as: token })).status).toBe(200);
  expect((await place.call(`DELETE /api/v1/tokens/${id}`)).status).toBe(200);
  expect((await place.call("GET /api/v1/conversations", { as: token })).status).toBe(401);
});

it("says how long to wait after too many failures", async () => {
  await using place = await openPlace({}, THREAD);
  const login = () => place.call("POST /auth/token", { as: null, body: { token: "wrong" } });
  for (let n = 0; n < 5; n++) expect((await login()).status).toBe(401);
  const { status, headers } = await login();
  expect([status, Number(headers["retry-after"])]).toEqual([429, expect.any(Number)]);
});

it("serves others while a sign-in waits for the file", async () => {
  await using place = await openPlace({}, THREAD);
  const elsewhere = new DatabaseSync(join(place.stateDir, "gateway.db"));
  elsewhere.exec("BEGIN IMMEDIATE");
  let isSignedIn = false;
  const waiting = signedIn(place).then(() => {
    isSignedIn = true;
  });
  expect((await place.call("GET /api/v1/conversations")).status).toBe(200);
  expect(isSignedIn).toBe(false);
  elsewhere.exec("COMMIT");
  elsewhere.close();
  await waiting;
});

it("serves others while a changed config waits for the file", async () => {
  await using place = await openPlace({}, THREAD);
  const token = "4f9d1c7ba8e26035x9k2m4n6p8q0rstu";
  const elsewhere = new DatabaseSync(join(place.stateDir, "gateway.db"));
  elsewhere.exec("BEGIN IMMEDIATE");
  const configured = place.auth.configure({ auth: { token } });
  expect((await place.call("GET /api/v1/conversations")).status).toBe(200);
  expect((await place.call("GET /api/v1/status", { as: token })).status).toBe(401);
  elsewhere.exec("COMMIT");
  elsewhere.close();
  await configured;
  expect((await place.call("GET /api/v1/status", { as: token })).status).toBe(200);
});

it("keeps few wrong tokens waiting for the file, so that a revocation does not wait for many", async () => {
  await using place = await openPlace();
  const make = vi.spyOn(place.auth.changes, "make").mockReturnValue(new Promise(() => {}));
  for (let n = 0; n < 150; n++) {
    expect((await place.call("GET /api/v1/status", { as: "wrong" })).status).toBe(401);
  }
  expect(make).toHaveBeenCalledTimes(100);
  make.mockRestore();
});

it("revokes a token even if thousands of other changes wait for the file", async () => {
  await using auth = await Auth.open({ stateDir: tempFolder(), config: {}, ...THREAD });
  const token = { name: "", user: OWNER, permission: "read", scope: null, expiresAt: null } as const;
  const { info, secret } = await auth.createToken(token);
  // Nothing is answered before this thread pauses.
  const waiting = Array.from({ length: 10_000 }, () => auth.changes.make("noteUsed", []));
  await Promise.all([
    expect(auth.createToken(token)).rejects.toThrow("Too many"),
    auth.revokeToken(info.id, OWNER),
    ...waiting,
  ]);
  await expect(auth.check(secret)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
});

it("does not start if the thread cannot open the records, and says why", async () => {
  const stateDir = tempFolder();
  const { open } = Records;
  vi.spyOn(Records, "open").mockImplementationOnce(async (...args) => {
    const records = await Reflect.apply(open, Records, args);
    chmodSync(stateDir, 0o1777);
    return records;
  });
  await expect(Auth.open({ stateDir, config: {}, ...THREAD })).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    message: expect.stringContaining(stateDir),
  });
});

it("replaces a thread that has ended, and says that it has", async () => {
  const threads: Worker[] = [];
  const onWorker = (thread: Worker) => threads.push(thread);
  const problems: string[] = [];
  const onProblem = ({ message }: Error) => problems.push(message);
  process.on("worker", onWorker);
  await using auth = await Auth.open({ stateDir: tempFolder(), config: {}, ...THREAD, onProblem });
  const create = (name: string) =>
    auth.createToken({ name, user: OWNER, permission: "read", scope: null, expiresAt: null });
  await create("before");
  const ended = threads[0]?.terminate();
  await expect(create("lost")).rejects.toThrow("has ended");
  await ended;
  process.off("worker", onWorker);
  expect(problems).toEqual(["The thread that changes the access records has ended"]);
  const { secret } = await create("after");
  expect((await auth.check(secret)).permission).toBe("read");
  expect(problems).toHaveLength(1);
});

it("makes a change with the time when it is made, not when it was asked for", async () => {
  await using auth = await Auth.open({ stateDir: tempFolder(), config: {}, ...THREAD });
  const elsewhere = new DatabaseSync(auth.records.path);
  elsewhere.exec("BEGIN IMMEDIATE");
  const token = { name: "", user: OWNER, permission: "read", scope: null, expiresAt: null } as const;
  const [, waiting] = [auth.createToken(token), auth.createToken(token)];
  const asked = Date.now();
  await until(() => Date.now() > asked);
  const free = Date.now();
  elsewhere.exec("COMMIT");
  elsewhere.close();
  expect(Date.parse((await waiting).info.createdAt)).toBeGreaterThanOrEqual(free);
});

it("keeps a process until it is closed, also if a change is answered meanwhile", async () => {
  const script = `
    import { ChangesElsewhere } from ${JSON.stringify(ELSEWHERE)};
    const stateDir = ${JSON.stringify(tempFolder())};
    const changes = await ChangesElsewhere.open({ stateDir, clock: Date.now, onProblem: () => {} });
    void changes.make("noteUsed", []);
    await changes.close();
    console.log("closed");`;
  const args = ["--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toBe("closed\n");
});
