import type { Conversation } from "../../src/index.ts";
import { CONTENT } from "./bare.ts";

/** Append `count` messages, a thousand at a time. */
export async function fill(chat: Conversation, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1000) {
    const size = Math.min(1000, count - done);
    await chat.append(Array.from({ length: size }, () => ({ role: "user", content: CONTENT }) as const));
  }
}
