import { expect, it } from "vitest";
import { contentOf } from "../../src/channel/inbox/content.ts";
import { isReadable } from "../../web/src/composer/readable.ts";

it.each([
  "text/plain",
  "text/csv",
  "application/json",
  "application/pdf",
  "application/zip",
  "application/octet-stream",
  "image/png",
  "image/svg+xml",
  "image/webp",
  "video/mp4",
])("knows of %s what the gateway does with it", (mediaType) => {
  const attachments = [{ name: "x", mediaType, size: 1, ref: "x" }];
  expect(isReadable(mediaType)).toBe(contentOf({ text: "", attachments })?.files.length === 1);
});
