/** An MCP server as a process. The argument says how it behaves, if not well. */
import { spawn } from "node:child_process";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { mcpServer } from "../support/servers/mcp-server.ts";

const [manner] = process.argv.slice(2);

if (manner === "silent") {
  // Neither answers nor ends when its input does.
  setInterval(() => {}, 1000);
} else if (manner === "broken") {
  process.stderr.write("Cannot read my settings\n");
  process.exit(1);
} else {
  process.env.SERVER = String(process.pid);
  if (manner === "noisy") process.stdout.write("Starting…\n{}\n[1]\nnot json\n");
  if (manner === "stubborn") {
    process.on("SIGTERM", () => {});
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
    process.env.GRANDCHILD = String(child.pid);
    setInterval(() => {}, 1000);
  }
  await mcpServer().connect(new StdioServerTransport());
}
