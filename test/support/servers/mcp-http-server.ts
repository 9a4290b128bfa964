import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { onTestFinished } from "vitest";
import { mcpServer } from "./mcp-server.ts";

export interface McpHttpServer {
  readonly url: string;
  /** Of all requests, oldest first. */
  readonly requests: { readonly method: string; readonly headers: IncomingMessage["headers"] }[];
  readonly sessions: ReadonlyMap<string, StreamableHTTPServerTransport>;
}

/** An MCP server on this machine, for one test. */
export async function mcpHttpServer(redirectTo?: string): Promise<McpHttpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const requests: McpHttpServer["requests"] = [];
  const server = createServer(async (request, response) => {
    requests.push({ method: request.method ?? "", headers: request.headers });
    if (redirectTo !== undefined) return void response.writeHead(307, { location: redirectTo }).end();
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    const transport = known ?? (await opened());
    await transport.handleRequest(request, response);
  });
  const opened = async (): Promise<StreamableHTTPServerTransport> => {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await mcpServer().connect(transport);
    return transport;
  };
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, requests, sessions };
}
