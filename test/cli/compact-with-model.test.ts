import { expect, it } from "vitest";
import { ChatPlace } from "./chat-place.ts";

it("sessions compact lets the model of the session write the summary", async () => {
  await using place = await ChatPlace.open([[{ text: "They chose " }, { text: "tea." }], { status: 400 }]);
  for (const content of ["Tea?", "Or coffee?", "Tea.", "Good."]) {
    await place.run(["sessions", "append", "cli:a", "--role", "user", "--content", content]);
  }
  const compact = ["sessions", "compact", "cli:a", "--keep-messages", "1"];
  const { entry } = await place.json(compact);
  expect(entry).toMatchObject({ kind: "compaction", data: { summary: "They chose tea.", summarised: 3 } });
  expect(place.server.requests[0]?.body.model).toBe("small");
  await place.run(["sessions", "compact", "cli:a", "--undo", entry.id]);
  const { code, error } = await place.failure([...compact, "--model", "local/large"]);
  expect([code, error.message]).toEqual([1, expect.stringContaining("local/large refused the request")]);
  expect(place.server.requests[1]?.body.model).toBe("large");
});
