/** The part of the command table about tokens of the gateway. */
import { type ArgumentSpec, type CommandSpec, STATE } from "../../command.ts";

const ID: ArgumentSpec = { name: "ID" };

export const TOKEN_COMMANDS: readonly CommandSpec[] = [
  {
    name: "token create",
    topic: STATE,
    summary: "Create a token for a program that uses the gateway",
    details:
      "The token is shown only this once; the gateway keeps a hash of it. Programs send it as Authorization: Bearer TOKEN. With --channel, --key or --conversation it is limited to conversations that match one of each; each may be repeated.",
    options: {
      name: { value: "NAME", help: "What it is for" },
      permission: { value: "P", help: "read (default), write or admin; each includes those before it" },
      channel: { value: "NAME", help: "Only conversations of this channel", multiple: true },
      key: { value: "KEY", help: "Only this session key, or keys that begin as in web:*", multiple: true },
      conversation: { value: "ID", help: "Only this conversation", multiple: true },
      expires: { value: "TIME", help: "When it ends, such as 2027-01-31; never, if not given" },
    },
    examples: [
      "colloquy token create --name backup",
      "colloquy token create --name bot --permission write --channel discord --expires 2027-01-31",
    ],
    load: () => import("./create.ts"),
  },
  {
    name: "token list",
    topic: STATE,
    summary: "List tokens of the gateway, without their secrets",
    examples: ["colloquy token list", "colloquy token list --json"],
    load: () => import("./list.ts"),
  },
  {
    name: "token revoke",
    topic: STATE,
    summary: "Revoke a token",
    details: "A running gateway closes everything that uses it within a second. It cannot be undone.",
    args: [ID],
    examples: ["colloquy token revoke 0198c0de-1111-7222-8333-444455556666"],
    load: () => import("./revoke.ts"),
  },
  {
    name: "token rotate-keys",
    topic: STATE,
    summary: "Sign with a new key from now on",
    details:
      "Browsers and programs that are signed in notice nothing: access tokens of the former key are accepted until they expire. With --now they end at once and have to be renewed. Tokens of token create are not signed and stay valid.",
    options: { now: { help: "Accept nothing any more that the former keys signed" } },
    examples: ["colloquy token rotate-keys", "colloquy token rotate-keys --now"],
    load: () => import("./rotate-keys.ts"),
  },
];
