import { bytesText } from "../../../util/bytes-text.ts";
import type { Call, Result } from "../../command.ts";
import { counted } from "../../terminal/count-text.ts";
import { openedMemory } from "./open.ts";

export async function run(call: Call): Promise<Result> {
  await using opened = await openedMemory(call);
  const receipt = await opened.memory.forget(call.args[0] ?? "");
  const { chunks, bytes, copies } = receipt;
  return {
    json: { ...receipt },
    lines: [`Forgot ${counted(chunks.length, "chunk")} (${bytesText(bytes)})`],
    notes: copies.map((path) => `May still hold it: ${path}`),
  };
}
