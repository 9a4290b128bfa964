import type { Message } from "../../src/message/types.ts";
import type { Dice } from "./dice.ts";

const AWKWARD = ["", "é", "👩‍👩‍👧", "\u2028", "\r\n", "\u0000", '"_sum":"00000000"}', "\\", "\ud800"];

/** A message like no other of its run. Some are longer than a page of the disk. */
export function someMessage(dice: Dice, number: number): Message {
  const size = dice.pick([0, 0, 0, 20, 300, 2000, 5000, 13_000]);
  const text = `#${number} ${dice.pick(AWKWARD)} ${dice.pick(["x", "ü", "语"]).repeat(dice.below(size + 1))}`;
  if (dice.chance(0.8)) return { role: dice.pick(["user", "assistant"] as const), content: text };
  return {
    role: "assistant",
    content: [
      { type: "text", text },
      {
        type: "tool_use",
        id: `call-${number}`,
        name: "look",
        input: { path: ["a", { deep: [null, -1.5] }] },
      },
    ],
    usage: { input_tokens: number },
  };
}

/** How a list of messages reads in the message of a failure. */
export function brief(messages: readonly Message[]): string {
  const one = ({ content }: Message): string => /#\d+/.exec(JSON.stringify(content))?.[0] ?? "?";
  return `[${messages.map(one).join(" ")}]`;
}
