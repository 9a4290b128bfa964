/** Uses an MCP server, says which processes that started, and ends without closing anything. */
import { McpTools } from "../../src/agent/index.ts";

const [script = "", manner = ""] = process.argv.slice(2);
const mcp = new McpTools([{ name: "test", command: process.execPath, args: [script, manner] }]);
const tool = (await mcp.tools()).find(({ name }) => name === "test_environment");
const call = { id: "c1", signal: new AbortController().signal, depth: 0 };
const environment = JSON.parse((await tool?.run({}, call)) as string);
console.log(environment.GRANDCHILD ?? environment.SERVER);
process.stdin.once("data", () => process.exit());
