/** Make a profile of the input of the user. Its secrets are still plain: writing seals them. */

import { isAbsolute } from "node:path";
import { invalid } from "../../../errors.ts";
import { checkObject, checkStrings } from "../../../util/checked-arguments.ts";
import { isNonNegative, isPlainObject } from "../../../util/json.ts";
import { makeCredential } from "../credential.ts";
import { checkCommand } from "../secret/split-command.ts";
import {
  type Credential,
  KINDS,
  type NewProfile,
  type Profile,
  type SecretInput,
  type SecretRef,
} from "../types.ts";
import { checkName, checkProvider, checkVariable } from "./names.ts";

const SECRET_CHARS_MAX = 64 * 1024;

export function newProfile(input: NewProfile, now: number): Profile {
  checkObject(input, "profile");
  const provider = checkProvider(input.provider);
  const id = `${provider}:${checkName(input.name ?? "default")}`;
  const email = input.email === undefined ? {} : { email: input.email };
  return { id, provider, credential: credentialOf(input), createdAt: now, ...email };
}

function credentialOf(input: NewProfile): Credential {
  const kind = input.kind ?? "api-key";
  if (!KINDS.includes(kind)) throw invalid(`kind must be one of ${KINDS.join(", ")}`, "kind");
  if (kind !== "oauth" && input.refreshToken !== undefined)
    throw invalid("Only an oauth profile has a refresh token", "refreshToken");
  if ((kind === "api-key" || kind === "aws-sdk") && input.expiresAt !== undefined)
    throw invalid(`The ${kind} profile does not expire: the kinds token and oauth do`, "expiresAt");
  if (kind === "aws-sdk") {
    if (input.secret !== undefined)
      throw invalid("An aws-sdk profile has no secret: the SDK finds its credentials itself", "secret");
    return { type: kind };
  }
  if (input.secret === undefined)
    throw invalid(`The ${kind} profile needs a secret or a reference to one`, "secret");
  const { refreshToken, expiresAt } = input;
  return makeCredential(kind, {
    secret: refOf(input.secret, "secret"),
    refreshToken: refreshToken === undefined ? undefined : refOf(refreshToken, "refreshToken"),
    expiresAt: expiresAt === undefined ? undefined : checkTime(expiresAt),
  }) as Credential;
}

function refOf(input: SecretInput, field: string): SecretRef {
  // A plain string is probably the secret itself, which no error repeats.
  if (!isPlainObject(input))
    throw invalid(`${field} must be { value }, { env }, { command } or { file }`, field);
  if ("value" in input) return checkSecret(input.value, field);
  if ("env" in input) return { env: checkVariable(input.env) };
  if ("command" in input) checkStrings(input.command, field);
  if ("command" in input) return { command: checkCommand(input.command) };
  if (typeof input.file !== "string" || !isAbsolute(input.file))
    throw invalid("The path of the file must be absolute", field);
  return { file: input.file };
}

/** Errors never quote the value. */
function checkSecret(text: unknown, field: string): string {
  if (typeof text !== "string") throw invalid("The secret must be a string", field);
  const value = text.trim();
  if (value === "") throw invalid("The secret is empty", field);
  if (value.length > SECRET_CHARS_MAX)
    throw invalid(`The secret is longer than ${SECRET_CHARS_MAX} characters`, field);
  return value;
}

function checkTime(ms: number): number {
  if (isNonNegative(ms)) return ms;
  throw invalid("expiresAt must be a time in milliseconds since 1970", "expiresAt");
}
