import type { DeviceInfo, Permission, Scope, TokenInfo } from "../../../../src/gateway/wire/auth.ts";
import type { ListOf } from "../../../../src/gateway/wire/rest.ts";
import { api } from "../../api/api.ts";

export interface NewToken {
  readonly name: string;
  readonly permission: Permission;
  /** `null`: everything. */
  readonly scope: Scope | null;
  /** `null`: until it is revoked. */
  readonly days: number | null;
}

const DAY_MS = 86_400_000;

export const tokensApi = {
  tokens: (signal: AbortSignal): Promise<ListOf<TokenInfo>> => api("GET", "tokens", { signal }),
  devices: (signal: AbortSignal): Promise<ListOf<DeviceInfo>> => api("GET", "devices", { signal }),
  create: ({ name, permission, scope, days }: NewToken): Promise<{ readonly token: string }> =>
    api("POST", "tokens", {
      body: {
        name,
        permission,
        ...(scope !== null && { scope }),
        ...(days !== null && { expiresAt: inDays(days) }),
      },
    }),
  revoke: (id: string): Promise<unknown> => api("DELETE", `tokens/${encodeURIComponent(id)}`),
  signOut: (id: string): Promise<unknown> => api("DELETE", `devices/${encodeURIComponent(id)}`),
};

function inDays(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString();
}
