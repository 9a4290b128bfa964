import { choice, type Field, flag, KEPT, list, object, path, secret, text, whole } from "./field.ts";

const HOUR_MAX = 24 * 365;

export const gateway: Field = object(
  "The server for the web page and for other programs",
  {
    port: whole("Where it listens", 1, 65_535, { default: 18_789 }),
    bind: choice(
      "Who can reach it: this machine, the local network, a Tailscale network, or gateway.customBindHost",
      ["loopback", "lan", "tailnet", "auto", "custom"],
      "loopback",
    ),
    customBindHost: text("The address to listen on where bind is custom"),
    mode: choice("Whether the gateway runs here or elsewhere", ["local", "remote"], "local"),
    hosts: list("Names under which it may be called, besides those of this machine", text("A host name")),
    auth: object(
      "How people log in",
      {
        mode: choice(
          "With a token, a password, or as a Tailscale user",
          ["token", "password", "tailscale"],
          "token",
        ),
        token: secret("The token; better a variable"),
        password: secret("The password; better a variable"),
        allowTailscale: flag("Let Tailscale users log in too"),
        access_token_hours: whole("How long a login lasts without renewal", 1, HOUR_MAX, { default: 24 }),
        refresh_token_days: whole("How long a login can be renewed", 1, 3650, { default: 30 }),
        users: object(
          "Tailscale logins, and what each may do",
          {},
          choice("A permission", ["read", "write", "admin"]),
        ),
      },
      KEPT,
    ),
    tailscale: object(
      "How Tailscale reaches it",
      { mode: choice("Through which door", ["off", "serve", "funnel"]) },
      KEPT,
    ),
    tls: object(
      "Encryption",
      {
        enabled: flag("Serve https"),
        certPath: path("The certificate"),
        keyPath: path("Its key"),
      },
      KEPT,
    ),
    remote: object(
      "A gateway elsewhere",
      { url: text("Its address"), token: secret("Its token"), password: secret("Its password") },
      KEPT,
    ),
  },
  KEPT,
);
