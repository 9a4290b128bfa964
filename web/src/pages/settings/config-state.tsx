import type { JSX } from "preact";
import type { ConfigView } from "../../../../src/gateway/wire/rest.ts";
import { Icon } from "../../ui/icon.tsx";

/** What of the config is not in effect, and why. Nothing if all of it is. */
export function ConfigState({ config }: { readonly config: ConfigView }): JSX.Element | null {
  const { problem, restart } = config;
  if (problem === null && restart.length === 0) return null;
  return (
    <div class="config-state" role="status">
      <Icon name="warning" />
      <div>
        {problem !== null && <p>The config has an error, so the last good one stays in effect: {problem}</p>}
        {restart.length > 0 && (
          <p>
            Changed, and in effect after the next start of the gateway: <code>{restart.join(", ")}</code>
          </p>
        )}
      </div>
    </div>
  );
}
