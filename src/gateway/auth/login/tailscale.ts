/**
 * The login of a Tailscale user behind `tailscale serve`.
 *
 * Headers and addresses prove nothing: everything must fit together, and the local daemon must confirm whose address it
 * is. Whatever is missing, doubled, late or unexpected refuses the login.
 */
import { request } from "node:http";
import { isIP } from "node:net";
import { parseJson } from "../../../util/json.ts";
import { listIn, objectIn, textIn } from "../../../util/values.ts";
import type { Client } from "../client.ts";
import type { AuthSettings } from "../settings.ts";

const SOCKET = "/var/run/tailscale/tailscaled.sock";
const WAIT_MS = 1000;
const ANSWER_BYTES_MAX = 1 << 20;

/** `undefined` if it is not proved. */
export async function tailscaleLogin(client: Client, settings: AuthSettings): Promise<string | undefined> {
  const { headers, isLocal } = client;
  const login = only(headers("tailscale-user-login"));
  const address = only(headers("x-forwarded-for"));
  const isForwarded = isLocal && login !== undefined && address !== undefined && isIP(address) !== 0;
  if (!isForwarded || headers("tailscale-funnel-request").length > 0) return undefined;
  if (!isServedHost(only(headers("host")), settings.hosts) || !settings.users.has(login)) return undefined;
  return (await whois(address, settings.tailscaleSocket ?? SOCKET)) === login ? login : undefined;
}

/** The value of a header that came exactly once. */
function only(values: readonly string[]): string | undefined {
  return values.length === 1 && !values[0]?.includes(",") ? values[0] : undefined;
}

/** Requests for a loopback name did not come through Tailscale Serve. */
function isServedHost(host: string | undefined, hosts: readonly string[]): boolean {
  const name = host?.toLowerCase().replace(/:\d+$/, "");
  return name !== undefined && hosts.some((known) => known.toLowerCase().replace(/:\d+$/, "") === name);
}

/** The login of a person's device; `undefined` for a tagged device, which belongs to no person. */
async function whois(address: string, socketPath: string): Promise<string | undefined> {
  const text = await asked(`/localapi/v0/whois?addr=${encodeURIComponent(address)}`, socketPath);
  const answer = objectIn(text === undefined ? undefined : parseJson(text));
  const node = objectIn(answer?.Node);
  if (node === undefined || listIn(node.Tags).length > 0) return undefined;
  return textIn(objectIn(answer?.UserProfile)?.LoginName);
}

function asked(path: string, socketPath: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const refuse = (): void => resolve(undefined);
    const signal = AbortSignal.timeout(WAIT_MS);
    const headers = { host: "local-tailscaled.sock" };
    const asking = request({ socketPath, path, headers, signal }, (answer) => {
      const parts: Buffer[] = [];
      let size = 0;
      answer.on("data", (part: Buffer) => {
        size += part.length;
        if (size > ANSWER_BYTES_MAX) asking.destroy();
        else parts.push(part);
      });
      answer.on("end", () =>
        resolve(answer.statusCode === 200 ? Buffer.concat(parts).toString() : undefined),
      );
      answer.on("error", refuse);
      answer.on("close", refuse);
    });
    asking.on("error", refuse);
    asking.end();
  });
}
