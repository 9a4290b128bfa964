/** Services of the user: a unit of systemd, or a launchd agent. Nothing is enabled, and nothing needs an administrator. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { safeLine } from "../../util/visible-text.ts";
import type { Call, Result } from "../command.ts";
import { PROGRAM } from "../invocation.ts";
import { stateFolder, storeTarget } from "../store/store-target.ts";

export interface Service {
  /** Its file is `colloquy-NAME.service` or `org.colloquy.NAME.plist`. */
  readonly name: string;
  readonly description: string;
  /** The program and its arguments. */
  readonly words: readonly string[];
}

interface ServiceFile {
  readonly path: string;
  readonly text: string;
  /** The command that enables it. */
  readonly enable: string;
  /** The command that ends a service which runs with an earlier file, and starts it with this one. */
  readonly restart: string;
}

/** This program with a command, and the state folder, store and settings that were given. */
export function serviceWords(call: Call, command: readonly string[]): string[] {
  const { named, engine, path } = storeTarget(call.values);
  return [
    process.execPath,
    process.argv[1] ?? PROGRAM,
    ...command,
    "--state-dir",
    stateFolder(call.values),
    ...(named && path !== null ? ["--store", `${engine}:${resolve(path)}`] : []),
    ...(call.lists.get("set") ?? []).flatMap((setting) => ["--set", setting]),
  ];
}

/** Where there are no such services, the command is printed. */
export function installService(service: Service, platform: NodeJS.Platform = process.platform): Result {
  const file = serviceFile(platform, homedir(), service);
  if (file === undefined) return printed(service, platform);
  const { path, text, enable, restart } = file;
  const isThere = existsSync(path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
  // Also one that was there: settings of the command line may be secrets.
  chmodSync(path, 0o600);
  const lines = [
    `Wrote ${safeLine(path)}`,
    `To enable it: ${enable}`,
    ...(isThere ? [`If it is running: ${restart}`] : []),
    ...(platform === "linux" && !existsSync(SYSTEMD)
      ? ["systemd is not running here. Without it, run this when you log in:", safeLine(commandOf(service))]
      : []),
  ];
  return { json: { path, enable }, lines };
}

/** Exists while systemd runs, see sd_booted(3). */
const SYSTEMD = "/run/systemd/system";

function printed(service: Service, platform: NodeJS.Platform): Result {
  const command = commandOf(service);
  return {
    json: { path: null, enable: null, command },
    lines: [`There are no user services on ${platform}. Run this when you log in:`, safeLine(command)],
  };
}

function commandOf({ words }: Service): string {
  return words.map((word) => (/^[\w./:=-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}

export function serviceFile(
  platform: NodeJS.Platform,
  home: string,
  { name, description, words }: Service,
): ServiceFile | undefined {
  if (platform === "linux") {
    const folder = process.env.XDG_CONFIG_HOME || join(home, ".config");
    const path = join(folder, "systemd", "user", `colloquy-${name}.service`);
    return {
      path,
      text: unit(description, words),
      enable: `systemctl --user enable --now colloquy-${name}`,
      restart: `systemctl --user daemon-reload && systemctl --user restart colloquy-${name}`,
    };
  }
  if (platform === "darwin") {
    const label = `org.colloquy.${name}`;
    const path = join(home, "Library", "LaunchAgents", `${label}.plist`);
    const enable = `launchctl load -w ${path}`;
    return { path, text: plist(label, words), enable, restart: `launchctl unload ${path} && ${enable}` };
  }
  return undefined;
}

function unit(description: string, words: readonly string[]): string {
  // systemd expands % and $ also in quotes.
  const quoted = words.map(
    (word) => `"${word.replace(/["\\]/g, "\\$&").replaceAll("%", "%%").replaceAll("$", "$$$$")}"`,
  );
  return `[Unit]
Description=${description}

[Service]
ExecStart=${quoted.join(" ")}
Restart=on-failure
KillSignal=SIGTERM

[Install]
WantedBy=default.target
`;
}

function plist(label: string, words: readonly string[]): string {
  const escaped = words.map((word) =>
    word.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${label}</string>
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
