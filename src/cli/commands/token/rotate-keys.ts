import { rotateKeys } from "../../../gateway/auth/records/signing-keys.ts";
import { accessLifeMs } from "../../../gateway/auth/settings.ts";
import { objectIn } from "../../../util/values.ts";
import type { Call, Result } from "../../command.ts";
import { configOptions } from "../../input/config-options.ts";
import { loadedConfig } from "../../input/loaded-config.ts";
import { withRecords } from "./with-records.ts";

export async function run(call: Call): Promise<Result> {
  const { value } = await loadedConfig(call, ["gateway"], configOptions(call));
  const overlapMs = call.flags.has("now") ? 0 : accessLifeMs(objectIn(value.gateway) ?? {});
  const key = await withRecords(call, (keeper) => rotateKeys(keeper, overlapMs));
  const rest =
    overlapMs === 0
      ? "What the former keys signed has ended."
      : `Access tokens of the former key end within ${overlapMs / 3_600_000} h.`;
  return {
    json: { key, overlapHours: overlapMs / 3_600_000 },
    lines: [`The gateway signs with a new key. ${rest}`],
  };
}
