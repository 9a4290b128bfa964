import { expect } from "vitest";

/**
 * Lets a regular expression in an expected object match a string.
 *
 * Without this `toMatchObject({ message: /full/ })` passes for every message:
 * a regular expression has no properties that could differ.
 */
expect.addEqualityTesters([
  (received: unknown, expected: unknown) =>
    typeof received === "string" && expected instanceof RegExp ? expected.test(received) : undefined,
]);
