/** The part of the command table about credentials. */
import { type ArgumentSpec, type CommandSpec, STATE } from "../../command.ts";
import { AGENT } from "../shared-options.ts";

const ID: ArgumentSpec = { name: "ID" };
const PROVIDER: ArgumentSpec = { name: "PROVIDER" };

export const AUTH_COMMANDS: readonly CommandSpec[] = [
  {
    name: "auth add",
    topic: STATE,
    summary: "Keep a key or token, or say where it is",
    details:
      "The secret is never an argument, which others could see: without an option it is asked for, and not shown. A secret that is given is sealed; with --from-env, --from-file and --from-command it stays where it is and is read when it is needed. The command is run without a shell. An oauth secret may be JSON with accessToken, refreshToken and expiresAt. The id of the profile is PROVIDER:NAME; NAME is default where none is given.",
    args: [PROVIDER, { name: "NAME", optional: true }],
    options: {
      kind: { type: "string", value: "KIND", help: "api-key (default), oauth, token or aws-sdk" },
      "from-env": { type: "string", value: "NAME", help: "It is in this variable" },
      "from-file": { type: "string", value: "PATH", help: "It is in this file, which only you can read" },
      "from-command": { type: "string", value: "COMMAND", help: "This command prints it" },
      stdin: { type: "boolean", help: "Read it from standard input" },
      expires: { type: "string", value: "TIME", help: "When it expires, such as 2027-01-31T00:00:00Z" },
      replace: { type: "boolean", help: "In the place of the profile that has this id" },
      agent: AGENT,
    },
    examples: [
      "colloquy auth add anthropic",
      "colloquy auth add openai work --from-env OPENAI_API_KEY",
      "colloquy auth add openai --from-command 'op read op://private/openai/key'",
      "colloquy auth add amazon-bedrock --kind aws-sdk",
    ],
    load: () => import("./add.ts"),
  },
  {
    name: "auth list",
    topic: STATE,
    summary: "List profiles; of secrets the last four",
    args: [],
    options: { agent: AGENT },
    examples: ["colloquy auth list", "colloquy auth list --json"],
    load: () => import("./list.ts"),
  },
  {
    name: "auth test",
    topic: STATE,
    summary: "Check that a secret can be had",
    details: "It is looked up, and its form and expiry are checked. The provider is not asked.",
    args: [ID],
    options: { agent: AGENT },
    examples: ["colloquy auth test anthropic:default"],
    load: () => import("./test.ts"),
  },
  {
    name: "auth order",
    topic: STATE,
    summary: "Which profiles of a provider come first",
    details:
      "Without ID the order is shown in which they would be tried now. Profiles that are not named follow, the one that was not used for longest first.",
    args: [PROVIDER, { name: "ID", optional: true, many: true }],
    options: { reset: { type: "boolean", help: "Forget the order that was set" }, agent: AGENT },
    examples: ["colloquy auth order openai openai:work openai:default"],
    load: () => import("./order.ts"),
  },
  {
    name: "auth remove",
    topic: STATE,
    summary: "Forget a profile and its secret",
    args: [ID],
    options: { agent: AGENT },
    examples: ["colloquy auth remove openai:work"],
    load: () => import("./remove.ts"),
  },
];
