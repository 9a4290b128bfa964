import { maskSecret } from "../../../secrets/mask.ts";
import { boundTo, expiryOf, mainSecret } from "../credential.ts";
import { brokenForm, doubts, expired } from "../secret/check-secret.ts";
import type { Secrets } from "../secret/secrets.ts";
import type { Profile, ProfileView, TestResult } from "../types.ts";

/** Check that the secret is available, well-formed and not expired. Does not contact the provider. */
export async function testProfile(
  secrets: Secrets,
  profile: Profile,
  view: ProfileView,
  now: number,
): Promise<TestResult> {
  const { id, provider, credential } = profile;
  const main = mainSecret(credential);
  if (main === undefined) return result(view, view.problem, []);
  const secret = await secrets.get(main.ref, boundTo(id, main.member));
  if (!secret.ok) return result(view, secret.reason, []);
  const problem = brokenForm(secret.value) ?? expired(expiryOf(credential), now) ?? null;
  const seen = { ...view, masked: maskSecret(secret.value) };
  return result(seen, problem, doubts(provider, credential.type, secret.value));
}

function result(view: ProfileView, problem: string | null, warnings: readonly string[]): TestResult {
  return { profile: { ...view, problem }, ok: problem === null, problem, warnings };
}
