import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { installService, serviceFile } from "../../src/cli/service/user-service.ts";
import { openStore } from "../../src/store/open.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { until } from "../support/until.ts";
import { signIn, startGateway } from "./gateway-process.ts";
import { Place } from "./run-command.ts";

describe("colloquy gateway run", () => {
  it("prints where it is and a link that signs in once, serves, notes requests, and ends cleanly", async () => {
    const stateDir = join(tempFolder(), "state");
    const { child, started, ended } = startGateway(stateDir);
    const { url, signIn, pid, store } = await started;
    expect([pid, store]).toEqual([child.pid, join(stateDir, "conversations.db")]);
    const code = new URL(signIn).hash.slice("#sign-in=".length);
    const login = () =>
      fetch(`${url}/auth/token`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code }),
      });
    const first = await login();
    expect(first.status).toBe(200);
    const { accessToken } = (await first.json()) as { accessToken: string };
    const again = await login();
    expect([again.status, await again.text()]).toEqual([401, expect.stringContaining("was used already")]);
    const made = await fetch(`${url}/api/v1/conversations?`, {
      method: "POST",
      headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
      body: JSON.stringify({ key: "web:a" }),
    });
    expect(made.status).toBe(201);
    expect(await (await fetch(`${url}/`)).text()).toContain("has no page");
    const index = join(stateDir, "agents/main/sessions/sessions.json");
    await until(() => existsSync(index) && readFileSync(index, "utf8").includes("web:a"));
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
    await using reopened = await openStore(`sqlite:${store}`);
    expect(await reopened.get("web:a")).toBeDefined();
    const log = readFileSync(join(stateDir, "gateway.log"), "utf8");
    expect(log).toContain('"path":"/api/v1/conversations","status":201');
    for (const secret of [code, accessToken]) expect(log).not.toContain(secret);
    expect(statSync(join(stateDir, "gateway.log")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(stateDir, "agents/main/models.json"), "utf8")).toContain("{");
  });

  it("is what start opens: its address and a new link", async () => {
    using place = new Place();
    const gateway = await startGateway(place.state).started;
    const opened = await place.json(["start"]);
    expect([opened.url, opened.pid]).toEqual([gateway.url, gateway.pid]);
    expect(opened.signIn).not.toBe(gateway.signIn);
    expect(await signIn(opened)).toMatch(/./);
  });

  it("keeps the last good config when a file of it is wrong", async () => {
    const stateDir = join(tempFolder(), "state");
    mkdirSync(stateDir, { mode: 0o700 });
    const { child, started, ended } = startGateway(stateDir);
    const { url } = await started;
    writeFileSync(join(stateDir, "colloquy.json"), "{ gateway: { port: true ", { mode: 0o600 });
    await until(() =>
      readFileSync(join(stateDir, "gateway.log"), "utf8").includes("the last good one stays"),
    );
    expect((await fetch(`${url}/health`)).status).toBe(200);
    child.kill("SIGTERM");
    await ended;
  });

  it("refuses to start with unsafe settings, in one line", async () => {
    const { code, errors } = await startGateway(join(tempFolder(), "state"), "--set", "gateway.bind=lan")
      .ended;
    expect(code).toBe(1);
    expect(errors.trim().split("\n")).toHaveLength(1);
    expect(errors).toContain("without encryption");
  });
});

describe("a service of the user", () => {
  it("is a unit of systemd or a launchd agent, whatever the paths contain", () => {
    const words = ["/opt/a b/node", '/opt/"x"&<y>%n$HOME', "gateway", "run"];
    const service = { name: "gateway", description: "Colloquy gateway", words };
    const { path, text, enable } = serviceFile("linux", "/home/ada", service) ?? {};
    expect([path, enable]).toEqual([
      expect.stringContaining("systemd/user/colloquy-gateway.service"),
      expect.stringContaining("--user"),
    ]);
    expect(text).toContain('ExecStart="/opt/a b/node" "/opt/\\"x\\"&<y>%%n$$HOME" "gateway" "run"');
    expect(serviceFile("darwin", "/Users/ada", service)?.text).toContain(
      '<string>/opt/"x"&amp;&lt;y&gt;%n$HOME</string>',
    );
    expect(installService(service, "win32").lines?.join("\n")).toMatch(
      /no user services on win32[\s\S]*"\/opt\/a b\/node" .* gateway run/,
    );
  });
});
