import { parseJson5 } from "../../json5/parse.ts";
import type { Draft } from "../config-build.ts";
import { readText } from "../files/read-file.ts";
import { stopping } from "../finding.ts";
import { locate } from "../located.ts";

/** Step 3: the main file as a tree. */
export function parseFile(draft: Draft): void {
  if (!draft.exists) return;
  const { file } = draft;
  const node = parseJson5(readText(draft, file), file);
  if (node.type !== "object") {
    const { line, column } = node.start;
    throw stopping("not-an-object", "The config is one object: { … }", { path: "", file, line, column });
  }
  draft.tree = locate(node, { kind: "file", file });
}
