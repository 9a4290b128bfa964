/** Small things that survive a reload, such as drafts and the theme. Never anything secret. */

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
