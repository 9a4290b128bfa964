import type { JSX } from "preact";
import type { TokenInfo } from "../../../../src/gateway/wire/auth.ts";
import { Button } from "../../ui/button.tsx";
import { RecordTable } from "../../ui/list/tables.tsx";
import { RelativeTime } from "../../ui/values/time.tsx";
import { Ends } from "./ends.tsx";
import { scopeText } from "./scope-text.ts";

export interface TokenListProps {
  readonly tokens: readonly TokenInfo[];
  onRevoke(token: TokenInfo): void;
}

export function TokenList({ tokens, onRevoke }: TokenListProps): JSX.Element {
  if (tokens.length === 0) return <p class="quiet none">None. Programs need one to reach this gateway.</p>;
  return (
    <RecordTable heads={["Name", "May", "Last used", "Ends"]}>
      {tokens.map((token) => (
        <Row key={token.id} token={token} onRevoke={() => onRevoke(token)} />
      ))}
    </RecordTable>
  );
}

function Row({ token, onRevoke }: { readonly token: TokenInfo; onRevoke(): void }): JSX.Element {
  const { name, user, createdAt, permission, scope, lastUsedAt, revokedAt, expiresAt } = token;
  return (
    <tr class={revokedAt === null ? "" : "ended"}>
      <td class="name">
        {name}
        <span class="sub">
          {user} · made <RelativeTime at={createdAt} />
        </span>
      </td>
      <td data-label="May">
        {permission}
        {scope !== null && <span class="sub">{scopeText(scope)}</span>}
      </td>
      <td data-label="Last used">{lastUsedAt === null ? "never" : <RelativeTime at={lastUsedAt} />}</td>
      <td data-label="Ends">
        {revokedAt !== null ? (
          <>
            revoked <RelativeTime at={revokedAt} />
          </>
        ) : expiresAt === null ? (
          "when revoked"
        ) : (
          <Ends at={expiresAt} />
        )}
      </td>
      <td class="row-actions">
        {revokedAt === null && (
          <Button small onClick={onRevoke}>
            Revoke<span class="unseen"> {name}</span>
          </Button>
        )}
      </td>
    </tr>
  );
}
