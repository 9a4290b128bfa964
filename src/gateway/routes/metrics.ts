import { defineRoute, type Route } from "./route.ts";

export const METRICS_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/metrics",
    permission: "read",
    summary: "Counts for Prometheus",
    answer: "text/plain; version=0.0.4; charset=utf-8",
    handle: async (_, gateway) => {
      const { conversations, messages, bytes } = await gateway.counts();
      const text = gateway.metrics.text({
        colloquy_conversations: conversations,
        colloquy_messages: messages,
        colloquy_store_bytes: bytes,
        colloquy_heap_bytes: process.memoryUsage().heapUsed,
      });
      return { stream: whole(text) };
    },
  }),
];

async function* whole(text: string): AsyncGenerator<string> {
  yield text;
}
