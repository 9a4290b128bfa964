/**
 * Streamed text and the message that it becomes are compared by their words:
 * providers trim text, and join its parts, in their own way.
 */

/** Whether a text has all these words in this order, whatever the white space. */
export function hasWords(text: string, words: string): boolean {
  return text.includes(words) || squeezed(text).includes(squeezed(words));
}

/** The text after these words; empty if the text does not have them. */
export function afterWords(text: string, words: string): string {
  if (text.startsWith(words)) return text.slice(words.length);
  const wanted = squeezed(words);
  const start = squeezed(text).indexOf(wanted);
  if (start === -1) return "";
  let at = 0;
  for (let left = start + wanted.length; left > 0; at++) if (text.charAt(at).trim() !== "") left--;
  const rest = text.slice(at);
  return words.trimEnd() === words ? rest : rest.trimStart();
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, "");
}
