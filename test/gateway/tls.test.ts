import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { startGateway } from "../cli/gateway-process.ts";
import { Place as CommandPlace } from "../cli/run-command.ts";
import { has, lacks } from "../process/child-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { openPlace } from "./place.ts";

/** A certificate for this machine that is signed by nobody else. */
function selfSigned() {
  const folder = tempFolder();
  const [certPath, keyPath] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  execFileSync("openssl", [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-days",
    "2",
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1",
    "-keyout",
    keyPath,
    "-out",
    certPath,
  ]);
  return { certPath, keyPath };
}

function statusOf(url: string, options: object): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, options, (response) => resolve(response.resume().statusCode))
      .on("error", reject)
      .end();
  });
}

describe.skipIf(lacks(has("openssl"), "certificates are made by openssl"))(
  "a gateway with a certificate",
  () => {
    it("serves HTTPS and WebSocket over it, and nothing in the clear", async () => {
      const tls = selfSigned();
      await using place = await openPlace({}, { tls });
      const ca = readFileSync(tls.certPath);
      expect(place.gateway.url).toBe(`https://127.0.0.1:${place.port}`);
      for (const name of ["127.0.0.1", "localhost", "[::1]"]) {
        const origin = `https://${name}:${place.port}`;
        expect([name, await statusOf(`${origin}/health`, { ca })]).toEqual([name, 200]);
        expect(await statusOf(`${origin}/health`, { ca, headers: { origin } })).toBe(200);
        const plain = { origin: `http://${name}:${place.port}` };
        expect(await statusOf(`${origin}/health`, { ca, headers: plain })).toBe(403);
      }
      await expect(statusOf(`${place.gateway.url}/health`, {})).rejects.toMatchObject({
        code: "DEPTH_ZERO_SELF_SIGNED_CERT",
      });
      const old = { ca, minVersion: "TLSv1", maxVersion: "TLSv1.1" };
      await expect(statusOf(`${place.gateway.url}/health`, old)).rejects.toThrow();
      await expect(fetch(`http://127.0.0.1:${place.port}/health`)).rejects.toThrow();
      const socket = new WebSocket(`wss://127.0.0.1:${place.port}/ws`, { ca });
      const answer = new Promise((resolve) =>
        socket.once("message", (data) => resolve(JSON.parse(String(data)))),
      );
      await new Promise((resolve) => socket.once("open", resolve));
      const params = { protocol: 1, token: place.secrets.get("admin") };
      socket.send(JSON.stringify({ type: "req", id: "1", method: "auth", params }));
      expect(await answer).toMatchObject({ type: "res", id: "1", ok: true });
      socket.terminate();
    });

    it("is found by gateway status, which accepts any certificate", async () => {
      const { certPath, keyPath } = selfSigned();
      const place = new CommandPlace();
      const settings = ["enabled=true", `certPath=${certPath}`, `keyPath=${keyPath}`];
      const { child, started, ended } = startGateway(
        place.state,
        ...settings.flatMap((setting) => ["--set", `gateway.tls.${setting}`]),
      );
      const { url } = await started;
      expect(url).toMatch(/^https:/);
      const { stdout } = await place.run(["gateway", "status"]);
      expect(stdout).toBe(`A gateway answers at ${url}\n`);
      child.kill("SIGTERM");
      await ended;
      expect((await place.run(["gateway", "status"])).code).toBe(3);
    });
  },
);
