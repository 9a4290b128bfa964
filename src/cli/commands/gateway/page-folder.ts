/** Where the page of the gateway is. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { asColloquyError } from "../../../errors.ts";

/** In a package it is built; in a checkout it is built when it is missing or old, which takes seconds. */
export async function pageFolder(onNote: (text: string) => void): Promise<string | undefined> {
  // The bundle of the package is in dist/command, the sources are in src/cli/commands/gateway.
  const packed = fileURLToPath(new URL("../page", import.meta.url));
  if (existsSync(packed)) return packed;
  const script = new URL("../../../../scripts/build-page.ts", import.meta.url);
  if (!existsSync(script)) return undefined;
  try {
    const { freshPage } = (await import(script.href)) as { freshPage(onBuild: () => void): Promise<string> };
    return await freshPage(() => onNote("Building the page, once …"));
  } catch (error) {
    onNote(asColloquyError(error, "Cannot build the page").message);
    return undefined;
  }
}
