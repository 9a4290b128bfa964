import { choice, type Field, flag, KEPT, list, object, path, secret, text, whole } from "./field.ts";

const HOUR_MAX = 24 * 365;

export const gateway: Field = object(
  "The server for the web page and for other programs",
  {
    port: whole("The port to listen on", 1, 65_535, { default: 18_789 }),
    bind: choice(
      "Who can reach it: this machine, the local network, a Tailscale network, or gateway.customBindHost",
      ["loopback", "lan", "tailnet", "auto", "custom"],
      "loopback",
    ),
    customBindHost: text("The address to listen on if bind is custom"),
    mode: choice("Whether the gateway runs here or elsewhere", ["local", "remote"], "local"),
    hosts: list("Additional host names that requests may use", text("A host name")),
    trustedProxies: list(
      "Proxies in front of it, whose X-Forwarded-For is believed",
      text("An address or a network such as 10.0.0.0/8"),
    ),
    auth: object(
      "How users log in",
      {
        mode: choice(
          "Log in with a token, a password, or as a Tailscale user",
          ["token", "password", "tailscale"],
          "token",
        ),
        token: secret("The token; prefer a variable"),
        password: secret("The password; prefer a variable"),
        allowTailscale: flag("Also allow Tailscale users to log in"),
        access_token_hours: whole("How long a login lasts without renewal", 1, HOUR_MAX, { default: 24 }),
        refresh_token_days: whole("How long a login can be renewed", 1, 3650, { default: 30 }),
        users: object(
          "Tailscale logins and their permissions",
          {},
          choice("The permission of this user", ["read", "write", "admin"]),
        ),
      },
      KEPT,
    ),
    tailscale: object(
      "How Tailscale reaches it",
      {
        mode: choice("Whether to use Tailscale Serve or Funnel", ["off", "serve", "funnel"]),
        socket: path("The socket of the Tailscale daemon, if not at its usual place"),
      },
      KEPT,
    ),
    tls: object(
      "Encryption",
      {
        enabled: flag("Serve HTTPS"),
        certPath: path("The certificate"),
        keyPath: path("The private key of the certificate"),
      },
      KEPT,
    ),
    remote: object(
      "A remote gateway",
      { url: text("Its address"), token: secret("Its token"), password: secret("Its password") },
      KEPT,
    ),
  },
  KEPT,
);
