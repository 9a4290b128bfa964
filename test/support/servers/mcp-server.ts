/** A server of the Model Context Protocol with good and bad manners, on any transport. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  CreateMessageResultSchema,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const EMPTY = { type: "object" as const };
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const never = new Promise<never>(() => {});
const says = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

/** Tools by name. `grow` adds another one, and says so. */
const TOOLS = ["echo", "picture", "environment", "fail", "large", "hang", "die", "ask", "grow", "odd name!"];

export function mcpServer(): Server {
  const names = [...TOOLS];
  const server = new Server(
    { name: "test", version: "1" },
    { capabilities: { tools: { listChanged: true } } },
  );
  // In pages, to see that all are read.
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    const to = from + 3;
    const tools = names
      .slice(from, to)
      .map((name) => ({ name, description: `The tool ${name}`, inputSchema: EMPTY }));
    return { tools, ...(to < names.length ? { nextCursor: String(to) } : {}) };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: input = {} } }) => {
    switch (name) {
      case "echo":
        return says(`heard ${JSON.stringify(input)}`);
      case "picture":
        return {
          content: [
            { type: "text", text: "Look:" },
            { type: "image", data: PNG, mimeType: "image/png" },
          ],
        };
      case "environment":
        return says(JSON.stringify(process.env));
      case "fail":
        return { ...says(`It failed with ${process.env.API_KEY ?? ""}`), isError: true };
      case "large":
        return says("x".repeat(50_000_000));
      case "hang":
        return never;
      case "die":
        process.stderr.write(`Out of tea, ${process.env.API_KEY ?? ""}\n`);
        return process.exit(3);
      case "ask": {
        const request = { messages: [], maxTokens: 10 };
        const ask = server.request(
          { method: "sampling/createMessage", params: request },
          CreateMessageResultSchema,
        );
        return says(
          await ask.then(
            () => "It answered",
            (error) => `Refused: ${error.message}`,
          ),
        );
      }
      case "grow":
        names.push("new");
        await server.sendToolListChanged();
        return says("grown");
      default:
        return says(`This is ${name}`);
    }
  });
  return server;
}
