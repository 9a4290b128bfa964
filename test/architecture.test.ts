import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

/** From the ground up: a folder imports itself and lower layers, never the same layer or a higher one. */
const LAYERS: readonly (readonly string[])[] = [
  ["errors.ts", "util"],
  ["disk", "secrets", "message", "key", "tree"],
  ["sqlite", "text", "context"],
  ["transcript"],
  ["engine"],
  ["search"],
  ["store"],
  // Above the store: an engine is proved by what its users see of it.
  ["conformance"],
  ["formats", "state"],
  ["memory"],
  ["agent"],
  ["channel", "mcp", "adapters", "doctor"],
  ["gateway"],
  ["cli", "index.ts"],
];

const FOLDER_FILES_MAX = 20;

const layerOf = new Map(
  LAYERS.flatMap((folders, layer) => folders.map((folder) => [folder, layer] as const)),
);
// Tests may import higher layers: they look at a module as its users do.
const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
);

/** Folder of a source file, or its own name at the top. */
function folderOf(file: string): string {
  return file.split("/")[0] as string;
}

function importsOf(file: string): string[] {
  const text = readFileSync(join("src", file), "utf8");
  const found = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...found].map(([, path]) => normalize(join(dirname(file), path as string)));
}

/** `util` and `errors.ts` share the lowest layer; `util` may import `errors.ts`, not the other way round. */
function allowed(from: string, to: string): boolean {
  if (from === to) return true;
  if (from === "util" && to === "errors.ts") return true;
  return (layerOf.get(to) as number) < (layerOf.get(from) as number);
}

/**
 * Where the code begins for its users: the doors of `exports`, the command, and the modules that are started as
 * processes or threads, which knip has to know too.
 */
function entryPoints(): string[] {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
  const doors = Object.values<string | { types: string }>(exports).flatMap((door) =>
    typeof door === "string" ? [] : [door.types.replace(/^\.\/dist\/(.*)\.d\.ts$/, "$1.ts")],
  );
  const { entry } = JSON.parse(readFileSync("knip.json", "utf8"));
  const started = (entry as string[]).filter((path) => path.startsWith("src/") && !path.includes("*"));
  return [...doors, ...started.map((path) => path.slice("src/".length))];
}

describe("import direction", () => {
  it("knows every folder of src", () => {
    expect(files.map(folderOf).filter((folder) => !layerOf.has(folder))).toEqual([]);
  });

  it("goes to the same folder or downwards", () => {
    const upward = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => !allowed(folderOf(file), folderOf(target)))
        .map((target) => `${file} -> ${target}`),
    );
    expect(upward).toEqual([]);
  });

  it("never crosses from one engine to another", () => {
    const engineOf = (file: string): string | undefined => /^engine\/([^/]+)\//.exec(file)?.[1];
    const crossing = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => engineOf(file) && engineOf(target) && engineOf(file) !== engineOf(target))
        .map((target) => `${file} -> ${target}`),
    );
    expect(crossing).toEqual([]);
  });

  it("never crosses from one format to another", () => {
    const readerOf = (file: string): string | undefined => /^formats\/readers\/([^/]+)\//.exec(file)?.[1];
    const crossing = files.flatMap((file) =>
      importsOf(file)
        .filter(
          (target) => readerOf(file) && ![undefined, readerOf(file), "shared"].includes(readerOf(target)),
        )
        .map((target) => `${file} -> ${target}`),
    );
    expect(crossing).toEqual([]);
  });

  it("keeps the contract of formats apart from readers and import", () => {
    const leaving = files
      .filter((file) => file.startsWith("formats/contract/"))
      .flatMap((file) => importsOf(file).map((target) => `${file} -> ${target}`))
      .filter((edge) => /-> formats\/(?:import|readers)\//.test(edge));
    expect(leaving).toEqual([]);
  });

  it("keeps what travels free of the gateway, so that browsers can have it", () => {
    const leaving = files
      .filter((file) => /^gateway\/(?:wire|client)\//.test(file))
      .flatMap((file) => importsOf(file).map((target) => [file, target] as const))
      .filter(([, target]) => !/^(?:gateway\/(?:wire|client)\/|message\/types\.ts$)/.test(target));
    expect(leaving).toEqual([]);
  });

  it("lets the page use only what travels, and the client", () => {
    const pages = readdirSync("web/src", { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.tsx?$/.test(name),
    );
    const leaving = pages.flatMap((file) => {
      const text = readFileSync(join("web/src", file), "utf8");
      return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)]
        .map(([, path]) => normalize(join("web/src", dirname(file), path as string)))
        .filter(
          (target) => !/^(?:web\/src|src\/gateway\/(?:wire|client))\/|^src\/message\/types\.ts$/.test(target),
        )
        .map((target) => `web/src/${file} -> ${target}`);
    });
    expect(leaving).toEqual([]);
  });

  it("has no cycle", () => {
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]): string[] => {
      if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file].join(" -> ")];
      if (done.has(file)) return [];
      const found = staticImportsOf(file).flatMap((next) => visit(next, [...path, file]));
      done.add(file);
      return found;
    };
    expect(files.flatMap((file) => visit(file, []))).toEqual([]);
  });
});

describe("folders", () => {
  it("hold at most 20 source files each", () => {
    const sources = ["src", "web/src", "test", "bench", "eval"].flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => join(root, name)),
    );
    const perFolder = Map.groupBy(
      sources.filter((file) => /(?<!\.test|\.browser)\.tsx?$/.test(file)),
      (file) => dirname(file),
    );
    const crowded = [...perFolder].filter(([, members]) => members.length > FOLDER_FILES_MAX);
    expect(crowded.map(([folder, members]) => `${folder}: ${members.length}`)).toEqual([]);
  });

  it("hold nothing that only tests import", () => {
    const reached = new Set<string>();
    const visit = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const target of importsOf(file)) visit(target);
    };
    for (const file of entryPoints()) visit(file);
    expect(files.filter((file) => !reached.has(file))).toEqual([]);
  });
});

/** Imports of values at load time: types vanish, and a lazy import does not make a cycle. */
function staticImportsOf(file: string): string[] {
  const text = readFileSync(join("src", file), "utf8");
  const found = text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from\s+"(\.[^"]+)"/gm);
  return [...found].map(([, path]) => normalize(join(dirname(file), path as string)));
}
