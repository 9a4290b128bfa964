/** The secret for `auth add`. Nothing that is read here is ever printed. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { refuseSecret } from "../../../secrets/misplaced-secret.ts";
import { type NewProfile, type SecretInput, splitCommand } from "../../../state/credentials/index.ts";
import { absolute } from "../../../state/folder.ts";
import { isPlainObject, parseJson } from "../../../util/json.ts";
import { parseTime } from "../../../util/time.ts";
import type { Call } from "../../command.ts";
import { UsageError } from "../../exit.ts";
import { readStdin } from "../../input/stdin.ts";
import { askHidden } from "./prompt.ts";

const SECRET_BYTES_MAX = 64 * 1024;
const SOURCES = ["from-env", "from-file", "from-command", "stdin"] as const;

type Given = Pick<NewProfile, "secret" | "refreshToken" | "expiresAt">;

/** From the given source; without one, the user is prompted. */
export async function givenSecret(call: Call, kind: string): Promise<Given> {
  const named = SOURCES.filter((name) => call.values.has(name) || call.flags.has(name));
  const [source, second] = named;
  if (second !== undefined)
    throw new UsageError(`--${source} and --${second} cannot be given together`, second);
  if (kind === "aws-sdk") {
    if (source === undefined) return {};
    throw new UsageError(
      `--${source} cannot be used with aws-sdk: the SDK finds its own credentials`,
      source,
    );
  }
  if (source === "stdin" || source === undefined) return fromText(await typed(call, source), kind);
  return { secret: reference(source, call.values.get(source) as string) };
}

function reference(source: "from-env" | "from-file" | "from-command", value: string): SecretInput {
  if (source === "from-env") return { env: value };
  if (source === "from-file") return { file: givenFile(value) };
  return { command: splitCommand(value) };
}

/** A secret typed instead of its file would be stored and shown in every list. */
function givenFile(path: string): string {
  if (!existsSync(path)) refuseSecret(path, "the file", "from-file");
  return absolute(path, homedir());
}

async function typed(call: Call, source: "stdin" | undefined): Promise<string> {
  // Also with --stdin: typing on a terminal would show it.
  if (process.stdin.isTTY) return askHidden("Secret (not shown): ");
  if (source === "stdin") return readStdin("stdin", SECRET_BYTES_MAX);
  throw new UsageError(
    `Specify the secret: --from-env, --from-file, --from-command, or --stdin to pass it to "${call.command.name}"`,
    "secret",
  );
}

/** Other tools store sign-ins as JSON, with different names. */
function fromText(text: string, kind: string): Given {
  const tokens = kind === "oauth" && text.trimStart().startsWith("{") ? parsed(text) : undefined;
  if (tokens === undefined) return { secret: { value: text } };
  const access = textOf(tokens, ["accessToken", "access_token", "access"]);
  const refresh = textOf(tokens, ["refreshToken", "refresh_token", "refresh"]);
  if (access === undefined) throw new UsageError("The JSON has no accessToken", "secret");
  const expiresAt = expiryOf(tokens);
  return {
    secret: { value: access },
    ...(refresh === undefined ? {} : { refreshToken: { value: refresh } }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

/** A smaller number is a time in seconds: in milliseconds it would be before March 1973. */
const SECONDS_BELOW = 1e11;

function expiryOf(tokens: Readonly<Record<string, unknown>>): number | undefined {
  const at = numberOf(tokens, ["expiresAt", "expires_at", "expires"]);
  if (at !== undefined) return at < SECONDS_BELOW ? at * 1000 : at;
  const seconds = numberOf(tokens, ["expiresIn", "expires_in"]);
  return seconds === undefined ? undefined : Date.now() + seconds * 1000;
}

/** The parser's message is not passed on, because it quotes the secret. */
function parsed(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (isPlainObject(value)) return value;
  throw new UsageError("The secret starts like JSON but is not valid JSON", "secret");
}

function textOf(tokens: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  return names.map((name) => tokens[name]).find((value) => typeof value === "string" && value !== "") as
    | string
    | undefined;
}

/** A number, a string of digits, or a time such as 2027-01-31T00:00:00Z. */
function numberOf(tokens: Readonly<Record<string, unknown>>, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = tokens[name];
    const number =
      typeof value === "string" && /^\d+$/.test(value) ? Number(value) : (parseTime(value) ?? value);
    if (typeof number === "number") return number;
  }
  return undefined;
}
