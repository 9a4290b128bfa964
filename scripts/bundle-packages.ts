/**
 * Packages that are part of ours, without the parts that are not used: the ones
 * that speak to models. Installed beside it they would take 25 MB.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

const FOLDER = "src/util/ai-sdk";

/** Everything else is installed beside the package, or a module of Node. */
export const EXTERNAL: RegExp = /^(?!@ai-sdk\/|@workflow\/serde|zod(?:\/|$)|eventsource-parser)[^./]/;

/** Replaces the modules that only name the packages by modules that contain them. */
export async function bundlePackages(dist: string): Promise<void> {
  const names = readdirSync(FOLDER).map((file) => file.replace(/\.ts$/, ""));
  const bundle = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, join(".", FOLDER, `${name}.ts`)])),
    platform: "node",
    external: [EXTERNAL],
  });
  const folder = join(dist, FOLDER.replace("src/", ""));
  const { output } = await bundle.write({ dir: folder, comments: false, chunkFileNames: "shared-[name].js" });
  const modules = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
  writeFileSync(join(dist, "third-party-licenses.txt"), licensesOf(modules));
}

function licensesOf(modules: readonly string[]): string {
  const packages = new Set(
    modules.flatMap((id) => /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[0] ?? []),
  );
  const texts = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = ["LICENSE", "LICENSE.md", "license"].map((one) => join(folder, one)).find(existsSync);
    // Some packages of one project name their license only; another one has its text.
    return `${name} ${version} (${license})\n\n${file === undefined ? "" : readFileSync(file, "utf8").trim()}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}
