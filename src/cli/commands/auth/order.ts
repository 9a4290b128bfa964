import type { Call, Result } from "../../command.ts";
import { UsageError } from "../../exit.ts";
import { access } from "./access.ts";

export async function run(call: Call): Promise<Result> {
  const [provider = "", ...ids] = call.args;
  const reset = call.flags.has("reset");
  if (reset && ids.length > 0) throw new UsageError("--reset and ID cannot be given together", "reset");
  const { credentials } = await access(call, "syntax");
  if (reset || ids.length > 0) await credentials.setOrder(provider, ids);
  const order = await credentials.order(provider);
  return {
    json: { provider, order },
    lines: order.length === 0 ? ["This provider has no profiles."] : order,
  };
}
