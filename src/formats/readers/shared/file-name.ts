/** The file's name without extensions, which names a conversation that has no id. */
export function stemOf(path: string): string {
  const name = path.split(/[\\/]/).at(-1) ?? path;
  return name.replace(/(?:\.jsonl|\.json)(?:\.\w+)?$/, "");
}
