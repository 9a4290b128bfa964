/** Letters that differ only in case, accents or width are one letter for search. */

/** Accents, Arabic vowel signs and Hebrew points. Marks of other scripts are vowels, and stay. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/g;

/** Letters that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ł: "l", þ: "th", ı: "i", ħ: "h" },
  ...{ أ: "ا", إ: "ا", آ: "ا", ٱ: "ا", ى: "ي", ة: "ه", "\u0640": "" },
};
const SPECIAL = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");

const ASCII_ONLY = /^[\0-\x7f]*$/;

/** The form under which a word is found. */
export function foldWord(word: string): string {
  if (ASCII_ONLY.test(word)) return word.toLowerCase();
  return word
    .replace(SPECIAL, (letter) => LETTERS[letter] as string)
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .toLowerCase()
    .replace(SPECIAL, (letter) => LETTERS[letter] as string)
    .normalize("NFC");
}
