import { configSchema } from "../../../state/config/schema/json-schema.ts";
import type { Result } from "../../command.ts";
import { jsonText } from "../../terminal/json-text.ts";

export function run(): Result {
  const json = configSchema();
  return { json, lines: [jsonText(json, 2)] };
}
