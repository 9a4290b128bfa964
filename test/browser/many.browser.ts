import { expect, it } from "vitest";
import { openScene } from "./scene.ts";
import { scroll } from "./scroll.ts";
import { seedMany } from "./seed.ts";

const COUNT = 100_000;

it("scrolls through 100,000 messages without a blank frame", async () => {
  let id = "";
  await using scene = await openScene(async (store) => {
    id = (await seedMany(store, COUNT)).id;
  });
  const page = await scene.open(`#/c/${id}`);
  await page.locator(".message", { hasText: `Message ${COUNT - 1}.` }).waitFor();
  const up = await scroll(page, "messages", { step: -1500, frames: 150 });
  expect(up.blank).toBe(0);
  expect(up.seen).toBeGreaterThan(1500);
  await page.keyboard.press("Home");
  await page.locator(".message", { hasText: "Message 0." }).waitFor();
  const down = await scroll(page, "messages", { step: 1500, frames: 150 });
  expect(down.blank).toBe(0);
  expect(down.seen).toBeGreaterThan(1500);
  // Only what is near the window exists.
  expect(down.elements).toBeLessThan(200);
  await page.keyboard.press("End");
  await page.locator(".message", { hasText: `Message ${COUNT - 1}.` }).waitFor();
  expect(scene.problems).toEqual([]);
});
