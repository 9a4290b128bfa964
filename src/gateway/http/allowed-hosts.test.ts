import { describe, expect, it } from "vitest";
import { AllowedHosts } from "./allowed-hosts.ts";
import type { Incoming } from "./incoming.ts";

function from(headers: Readonly<Record<string, string>>, isEncrypted: boolean): Incoming {
  const all = (name: string): string[] =>
    Object.entries(headers).flatMap(([key, value]) => (key === name ? [value] : []));
  return {
    method: "POST",
    path: "/",
    remoteAddress: "127.0.0.1",
    localAddress: "127.0.0.1",
    localPort: 443,
    isEncrypted,
    headers: all,
    header: (name) => all(name)[0],
  };
}

describe("allowed hosts", () => {
  it.each([
    ["http", 80, "localhost"],
    ["https", 443, "localhost"],
    ["https", 443, "[::1]"],
    ["https", 443, "chat.example.com"],
  ] as const)("know the default port of %s", (scheme, port, host) => {
    const hosts = new AllowedHosts(["chat.example.com"], port, scheme === "https");
    expect(() =>
      hosts.check(from({ host, origin: `${scheme}://${host}` }, scheme === "https")),
    ).not.toThrow();
    expect(() =>
      new AllowedHosts([], port, scheme !== "https").check(from({ host: "localhost" }, true)),
    ).toThrow("another name");
  });

  it("refuse a page over HTTP that sends requests to HTTPS", () => {
    const hosts = new AllowedHosts([], 443, true);
    const headers = { host: "localhost", origin: "http://localhost" };
    expect(() => hosts.check(from(headers, true))).toThrow("other sites");
    // A proxy in front of it may speak HTTPS.
    const behind = new AllowedHosts(["chat.example.com"], 18_789, false);
    for (const origin of ["http://chat.example.com", "https://chat.example.com"])
      expect(() => behind.check(from({ host: "chat.example.com", origin }, false))).not.toThrow();
  });
});
