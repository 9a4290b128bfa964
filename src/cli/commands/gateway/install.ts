/** Writes a service of the user that runs the gateway. Nothing is enabled, and nothing needs an administrator. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { ColloquyError } from "../../../errors.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { PROGRAM } from "../../invocation.ts";
import { stateFolder, storeTarget } from "../../store/store-target.ts";

interface Service {
  readonly path: string;
  readonly text: string;
  readonly enable: string;
}

export function installService(call: Call): Result {
  const words = [
    process.execPath,
    process.argv[1] ?? PROGRAM,
    "gateway",
    "run",
    "--state-dir",
    stateFolder(call.values),
    ...given(call),
  ];
  const service = serviceFor(process.platform, homedir(), words);
  mkdirSync(dirname(service.path), { recursive: true });
  writeFileSync(service.path, service.text, { mode: 0o600 });
  // Also one that was there: settings of the command line may be secrets.
  chmodSync(service.path, 0o600);
  const { path, enable } = service;
  return { json: { path, enable }, lines: [`Wrote ${safeLine(path)}`, `To enable it: ${enable}`] };
}

/** What was asked for is also true of the service. */
function given({ values, flags, lists }: Call): string[] {
  const port = values.get("port");
  const { named, engine, path } = storeTarget(values);
  return [
    ...(named && path !== null ? ["--store", `${engine}:${resolve(path)}`] : []),
    ...(port === undefined ? [] : ["--port", port]),
    ...(flags.has("no-page") ? ["--no-page"] : []),
    ...(lists.get("set") ?? []).flatMap((setting) => ["--set", setting]),
  ];
}

export function serviceFor(platform: NodeJS.Platform, home: string, words: readonly string[]): Service {
  if (platform === "linux") {
    const path = join(
      process.env.XDG_CONFIG_HOME || join(home, ".config"),
      "systemd",
      "user",
      "colloquy.service",
    );
    return { path, text: unit(words), enable: "systemctl --user enable --now colloquy" };
  }
  if (platform === "darwin") {
    const path = join(home, "Library", "LaunchAgents", "org.colloquy.gateway.plist");
    return { path, text: plist(words), enable: `launchctl load -w ${path}` };
  }
  throw new ColloquyError(
    "NOT_SUPPORTED",
    `There are no user services on ${platform}. Use ${PROGRAM} gateway run`,
  );
}

function unit(words: readonly string[]): string {
  // systemd expands % and $ also in quotes.
  const quoted = words.map(
    (word) => `"${word.replace(/["\\]/g, "\\$&").replaceAll("%", "%%").replaceAll("$", "$$$$")}"`,
  );
  return `[Unit]
Description=Colloquy gateway

[Service]
ExecStart=${quoted.join(" ")}
Restart=on-failure
KillSignal=SIGTERM

[Install]
WantedBy=default.target
`;
}

function plist(words: readonly string[]): string {
  const escaped = words.map((word) =>
    word.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>org.colloquy.gateway</string>
  <key>ProgramArguments</key>
  <array>
${escaped.map((word) => `    <string>${word}</string>`).join("\n")}
  </array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
</dict>
</plist>
`;
}
