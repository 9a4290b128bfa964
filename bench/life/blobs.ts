import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type MessageInput, openStore } from "../../src/index.ts";
import { type BenchRow, sized } from "../harness.ts";
import { below, ENGINES } from "../rows.ts";

const TOTAL_BYTES = sized(1_000_000_000, 1_000_000);

/** A gigabyte of tool output and images as agents produce it: the same files read again and again. */
export async function repeated(folder: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const engine of ENGINES) {
    await using store = await openStore(`${engine}:${join(folder, `blobs-${engine}`)}`, {
      durability: "process",
    });
    const messages = [...toolOutputs(sized(200, 2)), ...images(sized(100, 2))];
    let given = 0;
    while (given < TOTAL_BYTES) {
      const chat = await store.create();
      for (const message of messages) {
        await chat.append(message);
        given += JSON.stringify(message.content).length;
        if (given >= TOTAL_BYTES) break;
      }
    }
    const { bytes } = await store.stats();
    rows.push(below(`1 GB of repeated tool output and images, ${engine}`, bytes / 1e9, 0.2, "GB", 3));
  }
  return rows;
}

function toolOutputs(count: number): MessageInput[] {
  return Array.from({ length: count }, (_, number) => {
    const lines = Array.from(
      { length: 1500 },
      (_, line) => `src/module-${number}/file-${line}.ts: ${randomBytes(12).toString("hex")}`,
    );
    return {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `t${number}`, content: lines.join("\n") }],
    };
  });
}

function images(count: number): MessageInput[] {
  return Array.from({ length: count }, () => {
    const data = randomBytes(300_000).toString("base64");
    return {
      role: "user",
      content: [{ type: "image", source: { type: "base64", media_type: "image/png", data } }],
    };
  });
}
