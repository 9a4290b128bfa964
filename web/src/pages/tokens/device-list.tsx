import type { JSX } from "preact";
import type { DeviceInfo } from "../../../../src/gateway/wire/auth.ts";
import { Button } from "../../ui/button.tsx";
import { RecordTable } from "../../ui/list/tables.tsx";
import { RelativeTime } from "../../ui/values/time.tsx";
import { agentName } from "./agent-name.ts";
import { Ends } from "./ends.tsx";

export interface DeviceListProps {
  readonly devices: readonly DeviceInfo[];
  onSignOut(device: DeviceInfo): void;
}

export function DeviceList({ devices, onSignOut }: DeviceListProps): JSX.Element {
  if (devices.length === 0) return <p class="quiet none">None has signed in.</p>;
  return (
    <RecordTable heads={["Device", "Signed in with", "Last used", "Ends"]}>
      {devices.map((device) => (
        <tr key={device.id}>
          <td class="name" title={device.agent ?? ""}>
            {agentName(device.agent)} {device.current && <span class="badge good">this one</span>}
            <span class="sub">
              {device.user} · since <RelativeTime at={device.createdAt} />
            </span>
          </td>
          <td data-label="Signed in with">{device.method}</td>
          <td data-label="Last used">
            <RelativeTime at={device.lastUsedAt} />
          </td>
          <td data-label="Ends">
            <Ends at={device.expiresAt} />
          </td>
          <td class="row-actions">
            <Button small onClick={() => onSignOut(device)}>
              Sign out<span class="unseen"> {agentName(device.agent)}</span>
            </Button>
          </td>
        </tr>
      ))}
    </RecordTable>
  );
}
