/** What follows from a failure before the first word. */
import type { ColloquyError } from "../../../errors.ts";
import type { FailureKind } from "../../../state/credentials/types.ts";

export interface Reaction {
  /** How the profile is marked; `undefined` if it is not to blame. */
  readonly mark: FailureKind | undefined;
  /** Who is asked next: another profile of the provider, another model, or none, because all would refuse. */
  readonly next: "profile" | "model" | "none";
}

export function reactionTo({ code, details }: ColloquyError): Reaction {
  if (details?.kind === "billing") return { mark: "billing", next: "profile" };
  if (details?.kind === "malformed") return { mark: undefined, next: "model" };
  switch (code) {
    case "UNAUTHORIZED":
    case "FORBIDDEN":
      return { mark: "auth", next: "profile" };
    case "RATE_LIMITED":
      return { mark: "rate-limit", next: "profile" };
    case "NETWORK_ERROR":
    case "SERVICE_UNAVAILABLE":
      return { mark: "network", next: "profile" };
    case "NOT_FOUND":
    case "NOT_SUPPORTED":
      return { mark: undefined, next: "model" };
    default:
      return { mark: undefined, next: "none" };
  }
}
