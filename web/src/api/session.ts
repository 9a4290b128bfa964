/** Who is signed in. `undefined` until the gateway has answered. */
import type { SessionState } from "../../../src/gateway/wire/auth.ts";
import { Cell } from "../state/cell.ts";

export const session = new Cell<SessionState | undefined>(undefined);

export function mayWrite(): boolean {
  return session.value?.permission === "write" || session.value?.permission === "admin";
}

/** Tools that ask are allowed by the owner, and by those who have all rights of the owner. */
export function mayApprove(): boolean {
  return isAdmin() && !session.value?.scope;
}

export function isAdmin(): boolean {
  return session.value?.permission === "admin";
}
