/** Builds the page of the gateway: for the package, and in a checkout when the gateway starts. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");

export async function buildPage(folder: string): Promise<void> {
  const { build } = await import("vite");
  await build({
    configFile: false,
    root: join(ROOT, "web"),
    base: "./",
    logLevel: "warn",
    resolve: { alias: { "highlight.js": languages() } },
    build: {
      outDir: resolve(folder),
      emptyOutDir: true,
      // The content security policy allows neither inline scripts nor fonts in addresses.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1000,
    },
  });
}

/** The languages must be those of the highlighter, and not of another version that something else brought along. */
function languages(): string {
  const highlighter = createRequire(createRequire(import.meta.url).resolve("lowlight"));
  return dirname(highlighter.resolve("highlight.js/package.json"));
}

/**
 * The folder with the page of a checkout. If it is missing or older than its sources, it is built;
 * `onBuild` is called before, because that takes seconds.
 */
export async function freshPage(onBuild: () => void = () => {}): Promise<string> {
  const folder = join(ROOT, "web", "dist");
  const built = join(folder, "index.html");
  if (existsSync(built) && statSync(built).mtimeMs >= newestSource()) return folder;
  onBuild();
  await buildPage(folder);
  return folder;
}

/** The page shares its types and its client with the gateway. */
function newestSource(): number {
  const folders = ["web/src", "web/public", "src/gateway/wire", "src/gateway/client"].map((folder) =>
    join(ROOT, folder),
  );
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  const others = ["web/index.html", "src/message/types.ts"].map((name) => join(ROOT, name));
  return Math.max(...[...files, ...others].map((file) => statSync(file).mtimeMs));
}

if (import.meta.main) await buildPage("web/dist");
