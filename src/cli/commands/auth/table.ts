/** The part of the command table about credentials. */
import { type ArgumentSpec, type CommandSpec, STATE } from "../../command.ts";
import { AGENT } from "../shared-options.ts";

const ID: ArgumentSpec = { name: "ID" };
const PROVIDER: ArgumentSpec = { name: "PROVIDER" };

export const AUTH_COMMANDS: readonly CommandSpec[] = [
  {
    name: "auth add",
    topic: STATE,
    summary: "Store an API key or token, or where to find it",
    details:
      "The secret is never an argument, because other users can see arguments: without an option you are prompted for it, and it is not shown. A secret that you enter is stored encrypted; with --from-env, --from-file and --from-command it stays where it is and is read when needed. The command runs without a shell. An oauth secret may be JSON with accessToken, refreshToken and expiresAt. The id of the profile is PROVIDER:NAME; NAME defaults to default.",
    args: [PROVIDER, { name: "NAME", optional: true }],
    options: {
      kind: { value: "KIND", help: "api-key (default), oauth, token or aws-sdk" },
      "from-env": { value: "NAME", help: "Read the secret from this environment variable" },
      "from-file": { value: "PATH", help: "Read it from this file, which only you may read" },
      "from-command": { value: "COMMAND", help: "Read it from the output of this command" },
      stdin: { help: "Read it from standard input" },
      expires: { value: "TIME", help: "Expiry, such as 2027-01-31T00:00:00Z" },
      replace: { help: "Replace an existing profile with this id" },
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
    summary: "List profiles, with secrets masked",
    options: { agent: AGENT },
    examples: ["colloquy auth list", "colloquy auth list --json"],
    load: () => import("./list.ts"),
  },
  {
    name: "auth test",
    topic: STATE,
    summary: "Check that a secret is available",
    details: "Looks up the secret and checks its form and expiry. The provider is not contacted.",
    args: [ID],
    options: { agent: AGENT },
    examples: ["colloquy auth test anthropic:default"],
    load: () => import("./test.ts"),
  },
  {
    name: "auth order",
    topic: STATE,
    summary: "Show or set the order of a provider's profiles",
    details:
      "Without ID, shows the order in which profiles would be tried now. Profiles that are not listed come last, least recently used first.",
    args: [PROVIDER, { name: "ID", optional: true, many: true }],
    options: { reset: { help: "Remove the order that was set" }, agent: AGENT },
    examples: ["colloquy auth order openai openai:work openai:default"],
    load: () => import("./order.ts"),
  },
  {
    name: "auth remove",
    topic: STATE,
    summary: "Remove a profile and its secret",
    args: [ID],
    options: { agent: AGENT },
    examples: ["colloquy auth remove openai:work"],
    load: () => import("./remove.ts"),
  },
];
