/** The files of the page. Only what was there at the start is served: a path is a key, never a place on the disk. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { SECURITY_HEADERS } from "./security-headers.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};
/** As the build names them, so that other content has another name. */
const HASHED = /^\/assets\/.+-[\w-]{8,}\.\w+$/;
const FOREVER = "public, max-age=31536000, immutable";
const HINT =
  "This gateway has no page: build it with `npm run build`. Its HTTP interface is at /openapi.json.\n";

interface PageFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

export class Page {
  readonly #files: ReadonlyMap<string, PageFile>;

  /** Without a folder there is only a hint how to build one. */
  constructor(folder: string | undefined) {
    this.#files = new Map(folder === undefined ? [] : filesIn(folder));
  }

  /** `undefined` if there is no such file. */
  answer(method: string, path: string): Response | undefined {
    if (method !== "GET" && method !== "HEAD") return undefined;
    const name = path === "/" ? "/index.html" : path;
    const file = this.#files.get(name) ?? (path === "/" ? hint() : undefined);
    if (file === undefined) return undefined;
    return new Response(method === "HEAD" ? null : file.bytes, { headers: { ...file.headers } });
  }
}

function filesIn(folder: string): [string, PageFile][] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => {
      const path = `/${name.replaceAll(sep, "/")}`;
      return [path, fileOf(readFileSync(join(folder, name)), extname(name), HASHED.test(path))];
    });
}

function hint(): PageFile {
  return fileOf(Buffer.from(HINT), ".txt", false);
}

function fileOf(bytes: Buffer<ArrayBuffer>, extension: string, isHashed: boolean): PageFile {
  return {
    bytes: new Uint8Array(bytes),
    headers: {
      ...SECURITY_HEADERS,
      "content-type": TYPES[extension] ?? "application/octet-stream",
      "cache-control": isHashed ? FOREVER : "no-store",
    },
  };
}
