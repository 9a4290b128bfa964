/** How large images are, so that the next time each has its own room before it is loaded. */
import { readStored, writeStored } from "../../state/stored.ts";

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The oldest are forgotten. */
const KEPT = 300;
const sizes = new Map<string, ImageSize>(stored());

export function sizeOfImage(address: string): ImageSize | undefined {
  return address.startsWith("data:") ? sizeOfPng(address) : sizes.get(address);
}

export function keepSizeOfImage(address: string, { naturalWidth, naturalHeight }: HTMLImageElement): void {
  // A drawing may have none. An address that holds the image is too long to keep.
  if (naturalWidth === 0 || naturalHeight === 0 || address.startsWith("data:") || sizes.has(address)) return;
  sizes.set(address, { width: naturalWidth, height: naturalHeight });
  writeStored("image-sizes", JSON.stringify([...sizes].slice(-KEPT)));
}

const DATA = "data:image/png;base64,";
/** The letters of base64 that have the first 24 bytes. */
const HEAD = /^iVBORw0KGgo[A-Za-z0-9+/]{21}/;

/** Such an image says its size at its beginning. */
function sizeOfPng(address: string): ImageSize | undefined {
  const head = address.startsWith(DATA) ? HEAD.exec(address.slice(DATA.length, DATA.length + 32)) : null;
  if (!head) return undefined;
  const bytes = Uint8Array.from(atob(head[0]), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  return width > 0 && height > 0 ? { width, height } : undefined;
}

function stored(): [string, ImageSize][] {
  try {
    const value: unknown = JSON.parse(readStored("image-sizes") ?? "[]");
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
