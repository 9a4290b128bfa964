import { configuredMemory, type OpenedMemory } from "../../../channel/setup/configured-memory.ts";
import type { Call } from "../../command.ts";
import { access } from "../auth/access.ts";

/** The memory that the config describes. */
export async function openedMemory(call: Call): Promise<OpenedMemory> {
  return configuredMemory(await access(call, "values", ["env", "memory"]));
}
