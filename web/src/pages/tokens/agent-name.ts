/** The `User-Agent` of a browser in the words of a person: `Firefox on Linux`. The whole text is there on hover. */
export function agentName(agent: string | null): string {
  if (agent === null || agent === "") return "Unknown program";
  const browser = BROWSERS.find(([mark]) => agent.includes(mark))?.[1];
  const system = SYSTEMS.find(([mark]) => agent.includes(mark))?.[1];
  if (browser === undefined) return agent.split(/[\s/]/, 1)[0] as string;
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** In this order: every browser also names those that it wants to be taken for. */
const BROWSERS: readonly (readonly [string, string])[] = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
];

const SYSTEMS: readonly (readonly [string, string])[] = [
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["Windows", "Windows"],
  ["Mac OS", "macOS"],
  ["Linux", "Linux"],
];
