const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** A readable size: `512 bytes`, `1.2 kB`, `340 MB`. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}
