/**
 * Parses JSON5 with the position of every part, so that a message can name the
 * line and an edit can leave everything else unchanged.
 */
import { invalid } from "../../errors.ts";
import { JSON_DEPTH_MAX } from "../../util/json.ts";
import { scanName, scanNumber, scanString } from "./literals.ts";
import type { ArrayNode, Member, Node, ObjectNode } from "./nodes.ts";
import { Scanner } from "./scanner.ts";

export const JSON5_BYTES_MAX: number = 2 * 1024 * 1024;

/** Parse a text, or fail with `VALIDATION_ERROR` and `details` `{ file, line, column }`. */
export function parseJson5(text: string, file: string): Node {
  if (text.length > JSON5_BYTES_MAX || Buffer.byteLength(text) > JSON5_BYTES_MAX) {
    throw invalid(`${file} is larger than 2 MiB`, "config", { file, line: 1, column: 1 });
  }
  const scanner = new Scanner(text, file);
  scanner.skipTrivia();
  if (scanner.atEnd) throw scanner.fail("The file is empty: write {} for an empty config");
  const node = parseValue(scanner, 0);
  scanner.skipTrivia();
  if (!scanner.atEnd) throw scanner.fail("Unexpected text after the value");
  return node;
}

const WORDS = { true: true, false: false, null: null } as const;
const WORD = /(?:true|false|null)(?![\w$])/y;

function parseValue(scanner: Scanner, depth: number): Node {
  const { current, position: start } = scanner;
  if (current === "{" || current === "[") {
    if (depth >= JSON_DEPTH_MAX) throw scanner.fail(`Nested deeper than ${JSON_DEPTH_MAX} levels`);
    return current === "{" ? parseObject(scanner, depth) : parseArray(scanner, depth);
  }
  if (current === '"' || current === "'") {
    const value = scanString(scanner);
    return { type: "string", value, start, end: scanner.position };
  }
  WORD.lastIndex = scanner.offset;
  const word = WORD.exec(scanner.text)?.[0] as keyof typeof WORDS | undefined;
  if (word !== undefined) {
    scanner.skip(word.length);
    return { type: word === "null" ? "null" : "boolean", value: WORDS[word], start, end: scanner.position };
  }
  if (/[-+.\dIN]/.test(current)) {
    const value = scanNumber(scanner);
    return { type: "number", value, start, end: scanner.position };
  }
  throw scanner.fail(scanner.atEnd ? "Unexpected end of input: expected a value" : "Expected a value");
}

function parseObject(scanner: Scanner, depth: number): ObjectNode {
  const start = scanner.position;
  const members: Member[] = [];
  scanner.skip(1);
  for (;;) {
    scanner.skipTrivia();
    if (scanner.takeIf("}")) break;
    if (scanner.atEnd) throw scanner.fail('This "{" has no matching "}"', start);
    members.push(parseMember(scanner, depth));
    scanner.skipTrivia();
    if (!scanner.takeIf(",") && scanner.current !== "}") {
      throw scanner.atEnd
        ? scanner.fail('This "{" has no matching "}"', start)
        : scanner.fail('Expected "," or "}"');
    }
  }
  return { type: "object", members, start, end: scanner.position };
}

function parseMember(scanner: Scanner, depth: number): Member {
  const keyStart = scanner.position;
  const quoted = scanner.current === '"' || scanner.current === "'";
  const key = quoted ? scanString(scanner) : scanName(scanner);
  scanner.skipTrivia();
  if (!scanner.takeIf(":")) throw scanner.fail('Expected ":" after the key');
  scanner.skipTrivia();
  return { key, keyStart, value: parseValue(scanner, depth + 1) };
}

function parseArray(scanner: Scanner, depth: number): ArrayNode {
  const start = scanner.position;
  const items: Node[] = [];
  scanner.skip(1);
  for (;;) {
    scanner.skipTrivia();
    if (scanner.takeIf("]")) break;
    if (scanner.atEnd) throw scanner.fail('This "[" has no matching "]"', start);
    items.push(parseValue(scanner, depth + 1));
    scanner.skipTrivia();
    if (!scanner.takeIf(",") && scanner.current !== "]") {
      throw scanner.atEnd
        ? scanner.fail('This "[" has no matching "]"', start)
        : scanner.fail('Expected "," or "]"');
    }
  }
  return { type: "array", items, start, end: scanner.position };
}
