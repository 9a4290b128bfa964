/** The parts of a path after the last folder with this name, if it is in there. */
export function partsAfter(parts: readonly string[], folder: string): readonly string[] | undefined {
  const index = parts.slice(0, -1).lastIndexOf(folder);
  return index === -1 ? undefined : parts.slice(index + 1);
}
