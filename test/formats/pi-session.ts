/** Sessions as pi writes them, the simplest tree of lines, for tests that are about something else. */
export function piHeader(id: string): string {
  return line({ type: "session", version: 3, id, timestamp: "2026-01-01T10:00:00.000Z", cwd: "/work" });
}

export function piSays(
  id: string,
  parentId: string | null,
  text: string,
  timestamp = "2026-01-01T10:00:01.000Z",
): string {
  return line({ type: "message", id, parentId, timestamp, message: { role: "user", content: text } });
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
