import { checkLabel } from "../../message/validate.ts";
import type { Call } from "../command.ts";

/** The channel that a command is limited to. Session keys have channels in lower case. */
export function channelOption({ values }: Call): string | undefined {
  const given = values.get("channel");
  return given === undefined ? undefined : checkLabel(given, "channel").toLowerCase();
}
