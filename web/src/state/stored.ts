/** Small things that survive a reload, such as drafts and the theme. */

/** Not about what was read or written. */
const KEPT_AT_SIGN_OUT: ReadonlySet<string> = new Set(["colloquy.theme"]);

export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(`colloquy.${name}`);
  } catch {
    return null;
  }
}

/** `null` forgets it. Storage that is full or turned off is not an error: the page works without it. */
export function writeStored(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`colloquy.${name}`);
    else localStorage.setItem(`colloquy.${name}`, value);
  } catch {}
}

/** When somebody signs out: drafts and positions of theirs are not for the next one at this browser. */
export function forgetStored(): void {
  try {
    for (const storage of [localStorage, sessionStorage]) {
      const names = Object.keys(storage).filter((name) => name.startsWith("colloquy."));
      for (const name of names) if (!KEPT_AT_SIGN_OUT.has(name)) storage.removeItem(name);
    }
  } catch {}
}
