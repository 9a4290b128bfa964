/** 20,004. Written by hand, because loading a locale takes half as long as starting Node. */
export function numberText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** "1 message", "2 messages", "2 entries", "2 branches". */
export function counted(count: number, word: string): string {
  return `${numberText(count)} ${count === 1 ? word : plural(word)}`;
}

function plural(word: string): string {
  if (word.endsWith("y")) return `${word.slice(0, -1)}ies`;
  return `${word}${word.endsWith("ch") ? "es" : "s"}`;
}
