import { parseJson5 } from "../../json5/parse.ts";
import type { ConfigBuild } from "../config-build.ts";
import { readText } from "../files/read-file.ts";
import { stopping } from "../finding.ts";
import { locate } from "../located.ts";

/** Step 3: the main file as a tree. */
export function parseFile(build: ConfigBuild): void {
  if (!build.exists) return;
  const { file } = build;
  const node = parseJson5(readText(build, file), file);
  if (node.type !== "object") {
    const { line, column } = node.start;
    throw stopping("not-an-object", "The config must be an object: { … }", { path: "", file, line, column });
  }
  build.tree = locate(node, { kind: "file", file });
}
