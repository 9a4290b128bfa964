import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Never the address of a server that a person would name: of this link, of all hosts, or of none. */
const special = new BlockList();
special.addSubnet("0.0.0.0", 8, "ipv4");
special.addSubnet("169.254.0.0", 16, "ipv4");
special.addSubnet("224.0.0.0", 3, "ipv4");
special.addAddress("::", "ipv6");
special.addSubnet("fe80::", 10, "ipv6");
special.addSubnet("ff00::", 8, "ipv6");

export function isLoopback(address: string): boolean {
  return loopback.check(address, familyOf(address));
}

/** Whether a URL names this machine. */
export function isHere({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 ? /(?:^|\.)localhost$/.test(host) : isLoopback(host);
}

/** Link-local (where clouds serve their secrets), multicast, broadcast, unspecified. */
export function isSpecial(address: string): boolean {
  return special.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
