/** The part of the command table about talking to an agent. */
import { AGENT, type CommandSpec } from "../../command.ts";

export const CHAT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "chat",
    topic: AGENT,
    summary: "Talk to an agent",
    details:
      "Every message is stored before it is answered. Without a model, the built-in offline one answers from your conversations and your memory. Type /help for the commands of a chat; a line that ends with \\ continues on the next one. Ctrl-C stops an answer, and leaves when pressed twice. What is piped into it is one message.",
    options: {
      message: { short: "m", value: "TEXT", help: "Send one message and print the answer; - reads it" },
      session: {
        value: "NAME",
        help: "The session to continue: a key, or a name for cli:NAME; default cli:default",
      },
      model: { value: "PROVIDER/MODEL", help: "Ask this model instead of that of the session" },
    },
    textOption: "message",
    examples: [
      "colloquy chat",
      'colloquy chat -m "What did we decide?"',
      "git diff | colloquy chat --session review --json",
      "colloquy chat --model anthropic/claude-opus-5-5",
    ],
    load: () => import("./chat.ts"),
  },
];
