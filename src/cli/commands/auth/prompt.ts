import { ColloquyError } from "../../../errors.ts";

const ENTER: ReadonlySet<string> = new Set(["\r", "\n", "\u0004"]);
const ERASE: ReadonlySet<string> = new Set(["\b", "\u007f"]);
const INTERRUPT = "\u0003";

/** Prompt for a secret, which is not shown while it is typed. Enter ends it. */
export function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const typed: string[] = [];
  const end = (): void => {
    stdin.off("data", take);
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  };
  const take = (text: string): void => {
    // Arrow keys and the like send a sequence, which is not part of the secret.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what such a sequence begins with.
    for (const char of text.replace(/\u001b(\[[0-9;]*[A-Za-z~])?/g, "")) {
      if (char === INTERRUPT) {
        end();
        reject(new ColloquyError("VALIDATION_ERROR", "Nothing was added", { field: "secret" }));
        return;
      }
      if (ENTER.has(char)) {
        end();
        resolve(typed.join(""));
        return;
      }
      if (ERASE.has(char)) typed.pop();
      else typed.push(char);
    }
  };
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8").on("data", take).resume();
  return promise;
}
