import { configSchema } from "../../../state/config/schema/json-schema.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE } from "../../exit.ts";
import { jsonText } from "../../terminal/json-text.ts";

export function run(call: Call): number {
  if (call.json) call.out.json(configSchema());
  else call.out.lines([jsonText(configSchema(), 2)]);
  return EXIT_DONE;
}
