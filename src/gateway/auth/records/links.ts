/** Sign-in links: each signs a user in once. */
import { OWNER } from "../principal.ts";
import type { Keeper } from "./records.ts";
import { CREDENTIAL_CHARS_MAX, hashOf, newSecret } from "./secret-text.ts";

const LINK_MS = 600_000;
const LINKS_MAX = 20;

/** A link that signs the owner in once, within ten minutes. The code is in the fragment, which is never sent. */
export function newSignInLink({ records, random, clock }: Keeper, url: string): string {
  const nowMs = clock();
  const code = newSecret("cql_", random);
  records.write(() => {
    records.run("DELETE FROM links WHERE expires_at <= ?", nowMs);
    const surplus = "SELECT hash FROM links ORDER BY expires_at DESC LIMIT -1 OFFSET ?";
    records.run(`DELETE FROM links WHERE hash IN (${surplus})`, LINKS_MAX - 1);
    records.run(
      "INSERT INTO links (hash, user, expires_at) VALUES (?, ?, ?)",
      hashOf(code),
      OWNER,
      nowMs + LINK_MS,
    );
  });
  return `${url.replace(/\/$/, "")}/#sign-in=${code}`;
}

/** The user of a link, which is spent now; `undefined` if it is not valid. */
export function takeLinkCode({ records, clock }: Keeper, code: string): string | undefined {
  if (code.length > CREDENTIAL_CHARS_MAX) return undefined;
  const sql = "DELETE FROM links WHERE hash = ? RETURNING user, expires_at";
  const row = records.get(sql, hashOf(code));
  return row !== undefined && Number(row.expires_at) > clock() ? String(row.user) : undefined;
}
