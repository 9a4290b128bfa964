/** Who the gateway takes us for, and signing in with the link that the command prints. */
import { GatewayError } from "../../../src/gateway/client/index.ts";
import type { SessionState, SignedIn } from "../../../src/gateway/wire/auth.ts";
import { api } from "../api/api.ts";
import { session } from "../api/session.ts";
import { go } from "../app/router.ts";
import { Cell } from "../state/cell.ts";
import { showProblem, showToast } from "../ui/toast.tsx";

/** Why the gateway did not answer. */
export const sessionProblem = new Cell<unknown>(undefined);

const LINK = /^#\/?sign-in[=/]([\w.-]+)$/;

/** The code of a sign-in link. It is removed from the address and from the history before anything else happens. */
export function takeCode(): string | undefined {
  const code = LINK.exec(location.hash)?.[1];
  if (code !== undefined) go("#/", { replace: true });
  return code;
}

/** Also a link that is pasted into a tab that shows this page already. */
export function watchLinks(): void {
  addEventListener("hashchange", () => {
    const code = takeCode();
    if (code !== undefined) void checkSession(code);
  });
}

export async function checkSession(code?: string): Promise<void> {
  sessionProblem.set(undefined);
  try {
    if (code !== undefined) await signIn({ code }).catch(showRefusal);
    else session.set(await readSession());
  } catch (error) {
    sessionProblem.set(error);
  }
}

/** The gateway does not say why it refuses a secret, but a link has only two ways to fail. */
function showRefusal(error: unknown): void {
  if (error instanceof GatewayError && error.code === "UNAUTHORIZED")
    showToast("The link was used already, or has expired. Run colloquy gateway link for another one.");
  else showProblem("The link was not accepted", error);
}

export type Credential =
  | { readonly code: string }
  | { readonly token: string }
  | { readonly password: string }
  | { readonly tailscale: true };

/** Rejects with the reason of the gateway. */
export async function signIn(credential: Credential): Promise<void> {
  try {
    await api<SignedIn>("POST", "/auth/token", { body: { ...credential, cookies: true } });
  } finally {
    session.set(await readSession());
  }
}

/** A sign-in outlives its access token: renew it before asking the user again. */
async function readSession(): Promise<SessionState> {
  const state = await api<SessionState>("GET", "/auth/session");
  if (state.signedIn) return state;
  try {
    await api<SignedIn>("POST", "/auth/refresh", { body: { cookies: true } });
  } catch {
    return state;
  }
  return api<SessionState>("GET", "/auth/session");
}
