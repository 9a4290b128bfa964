/** Valid names of providers and profiles. */

import { ColloquyError, invalid } from "../../../errors.ts";
import { looksLikeSecret, refuseSecret } from "../../../secrets/misplaced-secret.ts";
import { checkString } from "../../../util/checked-arguments.ts";
import { providerId } from "./provider-id.ts";

const PROVIDER = /^[a-z0-9][a-z0-9._-]{0,39}$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9@._+-]{0,63}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** The canonical name of a provider. */
export function checkProvider(provider: string): string {
  checkString(provider, "provider");
  refuseSecret(provider, "the provider", "provider");
  const id = providerId(provider);
  if (PROVIDER.test(id)) return id;
  throw invalid(
    "A provider must be up to 40 letters, digits, . _ and -, such as anthropic, openai or amazon-bedrock",
    "provider",
  );
}

export function checkName(name: string): string {
  checkString(name, "name");
  refuseSecret(name, "the name", "name");
  if (NAME.test(name)) return name;
  throw invalid(
    "The name of a profile must be up to 64 letters, digits and @ . _ + -, such as default or work",
    "name",
  );
}

export function isVariable(name: unknown): name is string {
  return typeof name === "string" && VARIABLE.test(name) && !looksLikeSecret(name);
}

export function checkVariable(name: string): string {
  // Not repeated: a value that was given instead of the name must not end up in a log.
  if (isVariable(name)) return name;
  throw invalid("Expected the name of a variable, such as ANTHROPIC_API_KEY, not its value", "env");
}

export function isProfileId(text: string): boolean {
  const colon = text.indexOf(":");
  return colon > 0 && PROVIDER.test(text.slice(0, colon)) && NAME.test(text.slice(colon + 1));
}

export function noSuchProfile(id: string, known: Iterable<string>): ColloquyError {
  checkString(id, "id");
  const ids = [...known];
  const named =
    isProfileId(id) && !looksLikeSecret(id.slice(id.indexOf(":") + 1)) ? ` "${id}"` : " with this id";
  const hint = ids.length === 0 ? "there are none yet" : `the profiles are ${ids.slice(0, 8).join(", ")}`;
  return new ColloquyError("NOT_FOUND", `There is no profile${named}: ${hint}`, { field: "id" });
}
