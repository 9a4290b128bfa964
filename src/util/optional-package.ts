import { ColloquyError } from "../errors.ts";

/** Load a package that is not installed with Colloquy, or say how to install it. */
export async function optionalPackage<T>(name: string, purpose: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const message = `${purpose} needs the package ${name}. Install it: npm install ${name}`;
    throw new ColloquyError("NOT_SUPPORTED", message, { details: { package: name } });
  }
}
