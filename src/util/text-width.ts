/** The width of text on a terminal. For text that `safeLine` has cleaned. */

/** Text in which every UTF-16 unit is one column: most text, and splitting it into characters takes long to load. */
const SIMPLE = /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u203b]*$/;

let segmenter: Intl.Segmenter | undefined;

/** Characters as a reader counts them: a family emoji or a letter with its accents is one. */
export function charactersOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

// Patterns with properties of Unicode are in functions: V8 reads them when they are first used.
function characterWidth(character: string): number {
  if (/^[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]*$/u.test(character)) return 0;
  return isWide(character) ? 2 : 1;
}

/** East Asian wide and full-width characters, emoji, and characters that U+FE0F turns into emoji. */
function isWide(character: string): boolean {
  return /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\ufe0f|\p{Emoji_Presentation}/u.test(
    character,
  );
}

export function widthOf(text: string): number {
  if (SIMPLE.test(text)) return text.length;
  return charactersOf(text).reduce((sum, character) => sum + characterWidth(character), 0);
}

/** The start of the text, as much as fits. */
export function startOf(text: string, columns: number): string {
  const start = text.slice(0, columns * 16);
  if (SIMPLE.test(start)) return start.slice(0, columns);
  let kept = "";
  let width = 0;
  // `start` has 16 UTF-16 units per column, enough for any ordinary text.
  for (const character of charactersOf(start)) {
    width += characterWidth(character);
    if (width > columns) break;
    kept += character;
  }
  return kept;
}

/** The end of the text, as much as fits. */
export function endOf(text: string, columns: number): string {
  if (SIMPLE.test(text)) return text.slice(text.length - columns);
  let kept = "";
  let width = 0;
  for (const character of charactersOf(text).reverse()) {
    width += characterWidth(character);
    if (width > columns) break;
    kept = character + kept;
  }
  return kept;
}

/** The text, or as much of it as fits, ending in an ellipsis. */
export function cut(text: string, columns: number): string {
  if (text.length <= columns * 16 && widthOf(text) <= columns) return text;
  return `${startOf(text, columns - 1).trimEnd()}…`;
}

export function pad(text: string, columns: number, align: "left" | "right"): string {
  const space = " ".repeat(Math.max(0, columns - widthOf(text)));
  return align === "left" ? text + space : space + text;
}
