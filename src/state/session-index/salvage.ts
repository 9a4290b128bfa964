/** Reads every complete property of a damaged index. */

/** The longest possible entry: bounds the search for the end of a broken one. */
const ENTRY_CHARS_MAX = 1 << 20;
/** How many characters may be searched without success before giving up. */
const VAIN_CHARS_MAX = 16 << 20;

interface Member {
  readonly key: string;
  readonly value: unknown;
  readonly end: number;
}

/** Properties in the order of the text, those with objects only. */
export function* salvage(text: string): Generator<readonly [key: string, value: unknown]> {
  let at = 0;
  let vain = 0;
  while (at >= 0 && at < text.length && vain < VAIN_CHARS_MAX) {
    const member = memberAt(text, at);
    if (typeof member === "number") {
      vain += member;
      at = nextStart(text, at);
    } else {
      yield [member.key, member.value];
      at = member.end;
    }
  }
}

/** Where the next property can start: a quote after a brace, a comma or a line break. */
const START = /[{,\n]\s*(?=")/g;

function nextStart(text: string, from: number): number {
  START.lastIndex = from;
  return START.exec(text) === null ? -1 : START.lastIndex;
}

// A JSON string contains no line break, so a missing quote affects its own line only.
const KEY = /\s*,?\s*("(?:[^"\\\n]|\\.)*")\s*:\s*(?=\{)/y;

/** A number is how many characters were searched without success. */
function memberAt(text: string, at: number): Member | number {
  KEY.lastIndex = at;
  const found = KEY.exec(text);
  if (found === null) return 1;
  const start = KEY.lastIndex;
  const end = endOfObject(text, start);
  if (end === undefined) return Math.min(text.length - start, ENTRY_CHARS_MAX);
  try {
    const value: unknown = JSON.parse(text.slice(start, end));
    // An object within an entry looks like an entry too, but does not name a conversation.
    return { key: JSON.parse(found[1] as string) as string, value, end };
  } catch {
    return end - start;
  }
}

/** The offset after the brace that closes the one at `start`. */
function endOfObject(text: string, start: number): number | undefined {
  const token = /"(?:[^"\\\n]|\\.)*"|[{}]/g;
  token.lastIndex = start;
  let depth = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === "{") depth++;
    if (found[0] === "}" && --depth === 0) return token.lastIndex;
    if (found.index - start > ENTRY_CHARS_MAX) return undefined;
  }
  return undefined;
}
