/** A value of the config as text for a field. The gateway reads it back as the setting wants it. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
