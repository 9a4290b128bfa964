import { checkString } from "../../../util/checked-arguments.ts";

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["gemini", "google"],
  ["claude", "anthropic"],
  ["bedrock", "amazon-bedrock"],
  ["aws-bedrock", "amazon-bedrock"],
]);

/** The canonical name of a provider with several names. */
export function providerId(name: string): string {
  checkString(name, "name");
  const lower = name.toLowerCase();
  return ALIASES.get(lower) ?? lower;
}
