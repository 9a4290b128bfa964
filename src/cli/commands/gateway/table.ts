/** The part of the command table about the gateway. */
import type { CommandSpec, OptionSpec, Topic } from "../../command.ts";

const GATEWAY: Topic = {
  group: "Conversations",
  summary: "Use a browser; serve other programs",
  families: true,
};

const OPTIONS: Readonly<Record<string, OptionSpec>> = {
  port: { value: "N", help: "Listen on this port instead of gateway.port; 0 takes a free one" },
  "no-page": { help: "Serve programs only, without the page" },
};

export const GATEWAY_COMMANDS: readonly CommandSpec[] = [
  {
    name: "start",
    topic: GATEWAY,
    summary: "Open Colloquy in the browser",
    details:
      "Starts the gateway on this machine and prints a link that signs in once; where there is a browser, it is opened. If the gateway runs already, prints a new link to it and ends. Stop with Ctrl-C: answers that are being written have ten seconds to end; then they are marked, and can be resumed.",
    options: { ...OPTIONS, "no-open": { help: "Do not open a browser" } },
    examples: ["colloquy start", "colloquy start --port 8080 --no-open"],
    load: () => import("./start.ts"),
  },
  {
    name: "gateway run",
    topic: GATEWAY,
    summary: "Serve the page, HTTP and WebSocket in the foreground",
    details:
      "Like start, without a browser: for services and containers. Settings are in the section gateway of the config. Requests are noted in gateway.log of the state folder. --install writes a unit of systemd, or a launchd agent on macOS, that runs the gateway when you log in, and prints the command that enables it; it needs no administrator.",
    options: { ...OPTIONS, install: { help: "Write the file of a user service instead" } },
    examples: ["colloquy gateway run", "colloquy gateway run --json", "colloquy gateway run --install"],
    load: () => import("./run.ts"),
  },
  {
    name: "gateway link",
    topic: GATEWAY,
    summary: "Print a new link that signs in once",
    details:
      "For the owner, on the machine where the gateway runs: a browser that follows the link within ten minutes is signed in with every right. For programs and other people, use token create.",
    options: {},
    examples: ["colloquy gateway link"],
    load: () => import("./link.ts"),
  },
  {
    name: "gateway status",
    topic: GATEWAY,
    summary: "Show whether a gateway answers here",
    details:
      "Also says if the config was refused while it ran, and which settings take effect with its next start.",
    options: { port: { value: "N", help: "Ask at this port instead of where one was last started" } },
    examples: ["colloquy gateway status"],
    load: () => import("./status.ts"),
  },
];
