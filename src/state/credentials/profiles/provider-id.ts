const ALIASES: ReadonlyMap<string, string> = new Map([
  ["gemini", "google"],
  ["claude", "anthropic"],
  ["bedrock", "amazon-bedrock"],
  ["aws-bedrock", "amazon-bedrock"],
]);

/** One name for a provider that people call by several. */
export function providerId(name: string): string {
  const lower = name.toLowerCase();
  return ALIASES.get(lower) ?? lower;
}
