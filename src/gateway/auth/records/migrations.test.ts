import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openDatabase } from "../../../sqlite/open.ts";
import { Auth } from "../auth.ts";
import type { Client } from "../client.ts";
import { OWNER } from "../principal.ts";
import { auditEntries } from "./audit.ts";
import { MIGRATIONS } from "./migrations.ts";
import { listDevices } from "./sign-ins.ts";
import { listTokens } from "./tokens.ts";

const CLIENT: Client = {
  address: "127.0.0.1",
  agent: "test",
  origin: null,
  isSecure: false,
  port: 1,
  isLocal: true,
  headers: () => [],
};
const SCOPE = { channels: ["discord"] };
const codeIn = (link: string): string => new URL(link).hash.slice("#sign-in=".length);

/** Records with something of every kind, as today's code makes them. */
async function filled() {
  const stateDir = join(tempFolder(), "state");
  const auth = await Auth.open({
    stateDir,
    config: { auth: { mode: "password", password: "quite a long password" } },
  });
  const expiresAt = Date.now() + 3_600_000;
  const token = { name: "script", user: OWNER, permission: "write", scope: SCOPE, expiresAt } as const;
  const { secret } = await auth.createToken(token);
  const revoked = await auth.createToken({ ...token, name: "former", scope: null });
  await auth.revokeToken(revoked.info.id, OWNER);
  const session = await auth.signIn({ code: codeIn(auth.signInLink("http://127.0.0.1/")) }, CLIENT);
  await expect(auth.signIn({ password: "wrong" }, CLIENT)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  const link = auth.signInLink("http://127.0.0.1/");
  const lists = listsOf(auth);
  await auth.close();
  return { file: join(stateDir, "gateway.db"), secret, revoked: revoked.secret, session, link, lists };
}

function listsOf({ records }: Auth) {
  return [listTokens(records), listDevices(records, Date.now(), ""), auditEntries(records, 100)];
}

/** The same records in a file of an earlier schema. */
async function copiedTo(schema: number, from: string): Promise<string> {
  const stateDir = join(tempFolder(), "state");
  mkdirSync(stateDir, { mode: 0o700 });
  const now = new DatabaseSync(from);
  const applicationId = Number(now.prepare("PRAGMA application_id").get()?.application_id);
  now.close();
  const migrations = MIGRATIONS.slice(0, schema);
  const file = join(stateDir, "gateway.db");
  const earlier = await openDatabase(file, { synchronous: "FULL", applicationId, migrations });
  earlier.prepare("ATTACH ? AS now").run(from);
  const tables = earlier
    .prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .all();
  earlier.exec("PRAGMA foreign_keys = OFF");
  for (const { name } of tables)
    earlier.exec(`INSERT OR REPLACE INTO main.${name} SELECT * FROM now.${name}`);
  earlier.close();
  return stateDir;
}

describe.each(MIGRATIONS.slice(1).map((_, index) => index + 1))("a gateway.db of schema %i", (schema) => {
  it("keeps everything when it is opened", async () => {
    const { file, secret, revoked, session, link, lists } = await filled();
    const stateDir = await copiedTo(schema, file);
    await using auth = await Auth.open({
      stateDir,
      config: { auth: { mode: "password", password: "quite a long password" } },
    });
    expect(listsOf(auth)).toEqual(lists);
    expect(await auth.check(secret)).toMatchObject({ user: OWNER, permission: "write", scope: SCOPE });
    await expect(auth.check(revoked)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect(await auth.check(session.accessToken)).toMatchObject({ permission: "admin", scope: null });
    expect((await auth.refresh(session.refreshToken, CLIENT)).principal.user).toBe(OWNER);
    expect((await auth.signIn({ code: codeIn(link) }, CLIENT)).principal.user).toBe(OWNER);
    expect((await auth.signIn({ password: "quite a long password" }, CLIENT)).principal.user).toBe(OWNER);
    // Also the copy of the former file: it has the same keys.
    for (const name of readdirSync(stateDir)) expect(statSync(join(stateDir, name)).mode & 0o077).toBe(0);
    expect(readdirSync(stateDir).length).toBeGreaterThan(3);
  });
});
