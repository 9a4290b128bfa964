import type { JSX } from "preact";
import { messageOf } from "../api/api.ts";

/** Why something failed, where it was done. Nothing while `error` is `undefined`. */
export function Problem({ error }: { readonly error: unknown }): JSX.Element | null {
  if (error === undefined) return null;
  return (
    <p class="problem" role="alert">
      {messageOf(error)}
    </p>
  );
}
