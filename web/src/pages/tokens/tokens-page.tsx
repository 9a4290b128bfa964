/** Tokens & devices: who can reach this gateway, and how to end that. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { DeviceInfo, TokenInfo } from "../../../../src/gateway/wire/auth.ts";
import { useLoad } from "../../state/use-load.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Loaded } from "../../ui/list/states.tsx";
import { AdminsOnly } from "../../ui/page/admins-only.tsx";
import { PageFrame } from "../../ui/page/page-frame.tsx";
import { CreateToken } from "./create-token.tsx";
import { DeviceList } from "./device-list.tsx";
import { TokenList } from "./token-list.tsx";
import { tokensApi } from "./tokens-api.ts";
import "../pages.css";
import "./tokens.css";

export function TokensPage(): JSX.Element {
  return (
    <AdminsOnly title="Tokens & devices">
      <Lists />
    </AdminsOnly>
  );
}

function Lists(): JSX.Element {
  const tokens = useLoad("tokens", tokensApi.tokens);
  const devices = useLoad("devices", tokensApi.devices);
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<TokenInfo | null>(null);
  const [leaving, setLeaving] = useState<DeviceInfo | null>(null);
  const actions = (
    <Button icon="plus" onClick={() => setCreating(true)}>
      New token
    </Button>
  );
  return (
    <PageFrame title="Tokens & devices" actions={actions}>
      <p class="lead">
        Tokens are for programs. Devices are browsers and programs that have signed in. Both can be ended at
        any time.
      </p>
      <h2>Tokens</h2>
      <Loaded load={tokens} what="The tokens could not be read">
        {({ items }) => <TokenList tokens={items} onRevoke={setRevoking} />}
      </Loaded>
      <h2>Devices</h2>
      <Loaded load={devices} what="The devices could not be read">
        {({ items }) => <DeviceList devices={items} onSignOut={setLeaving} />}
      </Loaded>
      {creating && <CreateToken onCreated={tokens.reload} onClose={() => setCreating(false)} />}
      {revoking !== null && (
        <Confirm
          title={`Revoke ${revoking.name}`}
          verb="Revoke"
          run={async () => {
            await tokensApi.revoke(revoking.id);
            tokens.reload();
            devices.reload();
          }}
          onClose={() => setRevoking(null)}
        >
          <p>Programs that use it lose access within a second, open connections included.</p>
        </Confirm>
      )}
      {leaving !== null && (
        <Confirm
          title={leaving.current ? "Sign this browser out" : "Sign this device out"}
          verb="Sign out"
          run={async () => {
            await tokensApi.signOut(leaving.id);
            devices.reload();
          }}
          onClose={() => setLeaving(null)}
        >
          <p>It loses access within a second and has to sign in again.</p>
        </Confirm>
      )}
    </PageFrame>
  );
}
